"""What a field's new value does to its old one: values checked by kind, patches, sums (spec 2)."""

from __future__ import annotations

import re
from datetime import date

from memfs.memory.types import FieldType
from memfs.model import FieldValue

_PATCH = re.compile(
    r"<{5,9} SEARCH[ \t]*\n(?P<search>.*?)\n?={5,9}[ \t]*\n(?P<replace>.*?)\n?>{5,9} REPLACE", re.DOTALL
)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?=$|[T ])")
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[。！？]")


def clean_value(field: FieldType, value: FieldValue | None) -> FieldValue | None:
    """The value as the field's kind wants it; None where it is empty or does not fit."""
    if value is None or isinstance(value, bool):
        return None
    if field.kind == "list" or field.operator == "union":
        items = value if isinstance(value, tuple | list) else (str(value),)
        return tuple(dict.fromkeys(item.strip() for item in map(str, items) if item.strip())) or None
    if field.kind == "number":
        return _number(value)
    text = ", ".join(value) if isinstance(value, tuple | list) else str(value)
    text = text.strip()
    if field.kind == "date":
        return clean_date(text)
    if field.kind == "choice":
        word = re.sub(r"[\s-]+", "_", text.lower())
        return word if word in field.choices else None
    return text or None


def clean_date(text: str) -> str | None:
    """``yyyy-mm-dd`` from an ISO date or time, or None."""
    match = _ISO_DATE.match(text.strip())
    if match is None:
        return None
    try:
        return date.fromisoformat(match.group()).isoformat()
    except ValueError:
        return None


def is_patch(value: str) -> bool:
    """Whether a value is made of search/replace blocks."""
    return _PATCH.search(value) is not None


def apply_patch(old: str | None, value: str) -> str | None:
    """The old text with the search/replace blocks applied; a value without blocks is the whole new text.

    None where a block matches nowhere or more than once: the field keeps its old value.
    """
    blocks = list(_PATCH.finditer(value))
    if not blocks:
        return value
    text = old or ""
    for block in blocks:
        search = block["search"]
        if not search and not text:
            text = block["replace"]
        elif not search or text.count(search) != 1:
            return None
        else:
            text = text.replace(search, block["replace"])
    return text.strip() or None


def add_number(old: str | None, value: int) -> int:
    """The sum of the number that stood there and the new one; an old text that is no number counts as 0."""
    return (_number(old or "") or 0) + value


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters: cut after a sentence if half of it stays, else at a word, with ``…``."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() <= limit]
    if ends and ends[-1] >= limit // 2:
        return text[: ends[-1]]
    head = text[: limit - 1]
    words = head.rsplit(None, 1)
    if len(words) == 2 and len(words[0]) >= limit // 2 and not text[limit - 1].isspace():
        head = words[0]
    return head.rstrip(" ,;:，；：") + "…"


def _number(value: FieldValue) -> int | None:
    if isinstance(value, int):
        return value
    text = value if isinstance(value, str) else ""
    return int(text) if re.fullmatch(r"\s*[+-]?\d{1,12}\s*", text) else None
