"""Known projects, entities and peers become wikilinks: once per entry, full path, the words as alias."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memfs.memory.plain import has_cjk

_OPAQUE = re.compile(r"`+[^`]*`+|!?\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)|<[^>]*>|\w+://\S+|\S+@\S+")
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
        if path.removesuffix(".md") == own.removesuffix(".md") or any(char in name for char in "[]|#^\n"):
            continue
        at = _first_mention(text, name)
        if at is not None and f"[[{path.removesuffix('.md')}|" not in text:
            shown = text[at : at + len(name)]
            text = f"{text[:at]}[[{path.removesuffix('.md')}|{shown}]]{text[at + len(name) :]}"
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


def _first_mention(text: str, name: str) -> int | None:
    """Where the name stands as whole words, outside of code, links and addresses; letter case must fit."""
    opaque = [match.span() for match in _OPAQUE.finditer(text)]
    literal = re.escape(name)
    pattern = literal if has_cjk(name) else rf"(?<![\w-]){literal}(?![\w-])"
    for match in re.finditer(pattern, text):
        if not any(start < match.end() and match.start() < end for start, end in opaque):
            return match.start()
    return None
