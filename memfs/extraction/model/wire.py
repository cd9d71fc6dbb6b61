"""From the JSON of an answer to (memory type, item) pairs, by whatever names the answer uses for them.

Names are compared without case, blanks and underscores. The daily prompt's own names are known beside those
of the memory types; other memory types have their plural, their singular and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memfs.errors import InvalidAnswer
from memfs.extraction.model.answers import Conflict
from memfs.memory.types import FieldType, MemoryType

# The daily prompt's lists, and its names for their fields.
_DAILY_TYPES = {"userinfo": "profile", "projectcontext": "projects", "actionitems": "actions"}
_FIELD_NAMES: Mapping[str, Mapping[str, str]] = {
    "projects": {"projectname": "project", "currentstage": "stage", "name": "project"},
    "decisions": {"timestamp": "date"},
    "profile": {},
}
# Words a model uses for the one text of an item that has no better name.
_PLAIN = ("fact", "text", "content", "memory", "value", "statement", "note", "description", "observation")
_WRAPPERS_DEEP = 3
# What an item says of itself, beside its fields.
TURN_NAMES = ("turns", "turn", "turnnumbers", "evidence", "sources", "lines")
META_NAMES = frozenset(
    (*TURN_NAMES, "inferred", "peer", "peerid", "type", "memorytype", "kind", "id", "pageid")
)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing an answer asks for: its type, its fields by declared name, and what it says of its proof."""

    type: MemoryType
    fields: Mapping[str, Any]
    meta: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that cannot be used, under the name that the answer gave."""

    type: str
    reason: str


def read_items(answer: Any, types: Sequence[MemoryType]) -> Iterator[Item | Refused]:
    """The items of an answer, in its order.

    Raises:
        InvalidAnswer: it holds something, but nothing under a name that was asked for.
    """
    known = _known_names(types)
    lists = _lists(answer, known, _WRAPPERS_DEEP)
    if lists is None:
        if _is_empty(answer):
            return
        raise InvalidAnswer("the answer has none of the lists that were asked for", answer=str(answer))
    for name, value in lists:
        memory_type = known.get(plain_name(name))
        if memory_type is None:
            if isinstance(value, dict | list) and not _is_empty(value):
                yield Refused(str(name), "this memory type is not known or not allowed")
            continue
        if isinstance(value, Conflict):
            yield Refused(memory_type.name, "the answer gives this list twice, differently")
            continue
        for raw in value if isinstance(value, list) else [value]:
            if not _is_empty(raw):
                yield _item(memory_type, raw)


def plain_name(name: object) -> str:
    """A name without case, blanks and underscores."""
    return re.sub(r"[\W_]+", "", str(name)).lower()


def plain_field(memory_type: MemoryType) -> FieldType | None:
    """The field that a plain text fills: the first text that is no topic; None where a text alone says too little."""
    if memory_type.shape == "fields" or "{" in memory_type.path:
        return None
    texts = [each for each in memory_type.fields if each.kind == "text" and each.name != "topic"]
    return texts[0] if texts else None


def _known_names(types: Sequence[MemoryType]) -> dict[str, MemoryType]:
    by_name = {each.name: each for each in types}
    known = {plain_name(wire): by_name[name] for wire, name in _DAILY_TYPES.items() if name in by_name}
    for each in types:
        singular = (
            re.sub(r"ies$", "y", each.name) if each.name.endswith("ies") else each.name.removesuffix("s")
        )
        for name in (singular, each.name):
            known.setdefault(plain_name(name), each)
            known[plain_name(each.name)] = each
    return known


def _lists(answer: Any, known: Mapping[str, MemoryType], deep: int) -> list[tuple[Any, Any]] | None:
    """(name, value) pairs where at least one name is known; wrappers around them are looked into."""
    if isinstance(answer, list):
        return _typed(answer, known)
    if not isinstance(answer, dict):
        return None
    if any(plain_name(key) in known for key in answer):
        return list(answer.items())
    if deep:
        for value in answer.values():
            found = _lists(value, known, deep - 1)
            if found is not None:
                return found
    return None


def _typed(items: Sequence[Any], known: Mapping[str, MemoryType]) -> list[tuple[Any, Any]] | None:
    """A flat list whose items say their type, or are themselves objects of lists."""
    found: list[tuple[Any, Any]] = []
    for item in items:
        if not isinstance(item, dict):
            return None
        said = next(
            (value for key, value in item.items() if plain_name(key) in ("type", "memorytype", "kind")), None
        )
        if said is not None and plain_name(said) in known:
            rest = {key: value for key, value in item.items() if value is not said}
            found.append((said, [rest]))
        elif any(plain_name(key) in known and isinstance(value, dict | list) for key, value in item.items()):
            found += list(item.items())
        else:
            return None
    return found or None


def _item(memory_type: MemoryType, raw: Any) -> Item | Refused:
    if isinstance(raw, Conflict):
        return Refused(memory_type.name, "the answer gives it twice, differently")
    if isinstance(raw, str | int | float) and not isinstance(raw, bool):
        if plain_field(memory_type) is None:
            return Refused(memory_type.name, "a text alone does not say which field it is")
        raw = {"text": str(raw)}
    if not isinstance(raw, dict):
        return Refused(memory_type.name, "an item is no object")
    fields: dict[str, Any] = {}
    meta: dict[str, Any] = {}
    names = {plain_name(each.name): each.name for each in memory_type.fields}
    names = {**_FIELD_NAMES.get(memory_type.name, {}), **names}
    for key, value in raw.items():
        name = names.get(plain_name(key))
        if name is not None:
            fields[name] = value
        else:
            meta[plain_name(key)] = value
            if memory_type.open_fields and plain_name(key) not in META_NAMES:
                fields[str(key)] = value
    main = plain_field(memory_type)
    if main is not None and main.name not in fields:
        text = next((meta[name] for name in _PLAIN if isinstance(meta.get(name), str)), None)
        if text is not None:
            fields[main.name] = text
    return Item(memory_type, fields, meta)


def _is_empty(value: Any) -> bool:
    """Nothing at all, however deep it is wrapped."""
    if isinstance(value, dict):
        return all(_is_empty(inner) for inner in value.values())
    if isinstance(value, list):
        return all(_is_empty(inner) for inner in value)
    return value is None or value == ""
