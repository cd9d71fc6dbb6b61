"""Known projects, entities and peers become wikilinks: once per entry, full path, the words as alias."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memfs.memory.plain import has_cjk

_OPAQUE = re.compile(
    r"`+[^`]*`+|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\([^)]{0,2000}\)|<[^<>]*>|\w{1,40}://\S+|\S{1,200}@\S+"
)
_SHORTEST = 3
_SHORTEST_CJK = 2


def link_names(text: str, names: Mapping[str, str], *, own: str = "") -> str:
    """The text with the first mention of each known name linked.

    ``names``: name -> path of its document in the vault, without a leading slash; ``.md`` is left off in
    the link. Not linked: names in code, links, addresses; very short ones; names that mean several
    documents; the document's own name (``own``, its path). Longer names go first, so "Gateway rewrite" is
    not linked as "Gateway".
    """
    for name, path in sorted(_unambiguous(names).items(), key=lambda pair: (-len(pair[0]), pair[0])):
        if (own and path.endswith(own)) or any(char in name + path for char in "[]|#^\n"):
            continue
        target = path.removesuffix(".md")
        span = _first_mention(text, name)
        if span is not None and f"[[{target}|" not in text:
            text = f"{text[: span[0]]}[[{target}|{text[slice(*span)]}]]{text[span[1] :]}"
    return text


def _unambiguous(names: Mapping[str, str]) -> dict[str, str]:
    """The names that are long enough and mean one document, whatever their case."""
    paths: dict[str, set[str]] = {}
    for name, path in names.items():
        paths.setdefault(name.casefold(), set()).add(path)
    enough = {
        name: path
        for name, path in names.items()
        if len(name) >= (_SHORTEST_CJK if has_cjk(name) else _SHORTEST)
    }
    return {name: path for name, path in enough.items() if len(paths[name.casefold()]) == 1}


def _first_mention(text: str, name: str) -> tuple[int, int] | None:
    """Where the name stands as whole words, outside of code, links and addresses."""
    opaque = [match.span() for match in _OPAQUE.finditer(text)]
    literal = re.escape(name)
    pattern = literal if has_cjk(name) else rf"(?<![\w-]){literal}(?![\w-])"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        if _is_meant(match.group(), name) and not any(
            a < match.end() and match.start() < b for a, b in opaque
        ):
            return match.span()
    return None


def _is_meant(shown: str, name: str) -> bool:
    """A name with capitals is meant as written; a lower-case word (a file's name) only with a capital."""
    if name != name.lower():
        return shown == name
    one_word = re.fullmatch(r"[^\W\d_]+", name) is not None and name.isascii()
    return shown[0].isupper() if one_word else True
