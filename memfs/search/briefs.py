"""A text in brief: its first sentence, for when there is no room for all of it. Pure."""

from __future__ import annotations

import re

from memfs.search.analysis import count_cjk

_END = re.compile(r"[.!?](?=\s)|[。！？；]|\n")
_LONGEST = 160  # characters; CJK says as much in a third
_ABBREVIATION = re.compile(r"\b(?:[A-Za-z]|e\.g|i\.e|etc|vs|Mr|Mrs|Dr|St|No|approx)$")


def brief(text: str) -> str:
    """Return the first sentence of ``text``, cut where it is long; ``…`` at its end says that there was more."""
    whole = " ".join(text.split())
    first = _first_sentence(text.strip())
    limit = _LONGEST if count_cjk(first) * 2 < len(first) else _LONGEST // 3
    if len(first) > limit:
        space = first.rfind(" ", limit // 2, limit)
        first = first[: space if space > 0 else limit]
    return first if len(first) >= len(whole) else f"{first.rstrip(' .。;；,，')} …"


def _first_sentence(text: str) -> str:
    for end in _END.finditer(text):
        before = text[: end.start()]
        if end[0] != "." or not _ABBREVIATION.search(before):
            return " ".join(text[: end.end()].split())
    return " ".join(text.split())
