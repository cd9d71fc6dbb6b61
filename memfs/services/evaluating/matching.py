"""Does an entry tell of an item, does it break a ban? Keywords in normal letters; a dump of text matches nothing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memfs.services.evaluating.labels import Ban, Entry, Groups, Item

MAX_TEXT = 600  # characters; a longer entry is a dump, no memory
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:t[\d:.+z-]*)?")


def breaks(entry: Entry, ban: Ban) -> bool:
    """Whether an entry breaks a ban. One that is kept as superseded may hold the stale value."""
    if ban.peer is not None and _peer(ban.peer) != _peer(entry.peer):
        return False
    if is_superseded(entry) and ban.why == "stale":
        return False
    text = _haystack(entry)
    return _holds(text, ban.any_of) and not _holds(text, ban.unless)


def matches(entry: Entry, item: Item) -> bool:
    """Whether an entry tells of an item, whatever its type."""
    return (
        not is_superseded(entry)
        and len(entry.text) <= MAX_TEXT
        and _holds(_haystack(entry), item.any_of)
        and (_peer(entry.peer) == _peer(item.peers[0]) or _peer(entry.peer) in item.peers[1:])
    )


def is_typed(entry: Entry, item: Item) -> bool:
    """Whether its type is a right one."""
    return type_of(entry) in item.types


def may_tell(name: str, entry: Entry, item: Item) -> bool:
    """Whether an entry is one to look for an attribute in: a field in its own type, a priority where it is said."""
    if name == "field":
        return type_of(entry) == item.types[0]
    return name != "priority" or "priority" in entry.attributes


def is_right(name: str, entry: Entry, item: Item) -> bool:
    """Whether an entry has the item's date, status, priority or field right."""
    wanted = item.attributes[name]
    said = normal(entry.attributes.get(name, "")) or {"status": "pending"}.get(name, "")
    if name == "date":
        return said[:10] == wanted.lower() or wanted in normal(entry.text)
    return said == wanted.lower()


def is_superseded(entry: Entry) -> bool:
    """Whether it is kept as an earlier value only: then it is left out of the counts."""
    return normal(entry.attributes.get("status", "")) == "superseded"


def type_of(entry: Entry) -> str:
    """Its type, in normal letters."""
    return normal(entry.type)


def _peer(name: str) -> str:
    known = normal(name)
    return "" if known == "self" else known


def _haystack(entry: Entry) -> str:
    return normal(f"{entry.text} {entry.attributes.get('date', '')}")


def _holds(text: str, groups: Groups) -> bool:
    return any(all(holds_keyword(text, keyword) for keyword in group) for group in groups)


@lru_cache(maxsize=65536)
def normal(text: str) -> str:
    """NFKC, without case, blanks single, apostrophes straight."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.replace("\u2019", "'").split())


def holds_keyword(text: str, keyword: str) -> bool:
    """Whether a normal text holds a keyword; a bare number and a word of one or two letters must stand alone."""
    word = normal(keyword)
    if word.isascii() and word.isdigit():
        alone = rf"(?<!\d)(?<!\d[.,]){word}(?!\d)(?![.,]\d)"
        return re.search(alone, _ISO.sub(" ", text)) is not None
    if len(word) <= 2 and word.isascii() and word.isalpha():
        return re.search(rf"(?<![a-z]){word}(?![a-z])", text) is not None
    return word in text
