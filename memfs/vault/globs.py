"""Globs over vault-relative paths: ``**``, ``*``, ``?``, ``[...]``, ``{a,b}``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memfs.errors import ConfigError
from memfs.vault.names import nfc

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|\{[^{}/]*\}|.", re.DOTALL)


def compile_globs(globs: Sequence[str]) -> Callable[[str], bool]:
    """A test whether a path matches one of ``globs``; names are compared in NFC, letter case counts.

    Raises ConfigError.
    """
    if tuple(globs) == ("**/*.md",):
        return lambda path: path.endswith(".md")
    try:
        pattern = re.compile("|".join(f"(?:{_translate(nfc(glob))})" for glob in globs) or r"(?!)", re.DOTALL)
    except re.error as error:
        raise ConfigError(f"not a glob: {', '.join(globs)}", hint="check the brackets") from error
    return lambda path: pattern.fullmatch(path if path.isascii() else nfc(path)) is not None


def _translate(glob: str) -> str:
    return "".join(_token(match.group()) for match in _TOKEN.finditer(glob.removeprefix("./").lstrip("/")))


def _token(token: str) -> str:
    known = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if token in known:
        return known[token]
    if len(token) > 2 and token[0] == "[":
        negated = token[1] in "!^"
        body = token[1 + negated : -1].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
        return f"(?!/)[{'^' if negated else ''}{body}]"
    if len(token) > 1 and token[0] == "{":
        return "(?:" + "|".join(re.escape(choice) for choice in token[1:-1].split(",")) + ")"
    return re.escape(token)
