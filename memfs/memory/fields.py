"""An operation's fields as its memory type wants them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from memfs.errors import InvalidRequest
from memfs.memory.ids import normalise_key
from memfs.memory.operators import clean_value
from memfs.memory.types import FieldType, MemoryType
from memfs.model import FieldValue

_MAX_TAGS = 8


def clean_fields(
    memory_type: MemoryType, fields: Mapping[str, FieldValue], said_on: date
) -> dict[str, FieldValue]:
    """An operation's fields, cleaned; empty ones and ones that do not fit are left out.

    ``said_on`` is the day of the evidence, for types with a date. InvalidRequest for an incomplete key.
    """
    given = dict(fields)
    if "field" in memory_type.key and "field" in given and "value" in given:
        given[str(given.pop("field"))] = given.pop("value")
    values: dict[str, FieldValue] = {}
    for name, raw in given.items():
        declared = memory_type.field(name) or (open_field(name, raw) if memory_type.open_fields else None)
        value = clean_value(declared, raw) if declared else None
        if declared and value is not None:
            values[name] = _one_line(value) if declared.operator != "patch" else value
    if memory_type.field("date") and "date" not in values:
        values["date"] = said_on.isoformat()
    if isinstance(tags := values.get("tags"), tuple):
        values["tags"] = _tags(tags)
    _complete_key(memory_type, values)
    return values


def _complete_key(memory_type: MemoryType, values: dict[str, FieldValue]) -> None:
    """Every part of the key must be there; an item without a topic is known by what it says."""
    if memory_type.shape == "item" and normalise_key(str(values.get("topic", ""))) in ("general", "", "一般"):
        values.pop("topic", None)
    main = main_field(memory_type)
    for part in memory_type.key:
        known = part in values and normalise_key(str(values[part]))
        by_main = part == "topic" and memory_type.shape == "item" and main is not None and main.name in values
        if part != "field" and not known and not by_main:
            raise InvalidRequest(f"{part} is missing")


def open_field(name: str, raw: Any) -> FieldType | None:
    """A field that its type does not declare, where its name can be a label; a list is united."""
    label = re.sub(r"\W+", "_", name.strip()).strip("_")
    union = isinstance(raw, tuple | list)
    return FieldType(name, operator="union" if union else "replace") if label == name else None


def _one_line(value: FieldValue) -> FieldValue:
    if isinstance(value, str):
        return " ".join(value.split())
    return tuple(" ".join(item.split()) for item in value) if isinstance(value, tuple) else value


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Tags as Obsidian reads them: no blanks, not only digits; at most eight."""
    clean = (re.sub(r"[^\w/-]+", "-", tag.lstrip("#")).strip("-/") for tag in tags)
    return tuple(dict.fromkeys(tag for tag in clean if tag and not tag.isdigit()))[:_MAX_TAGS]


def main_field(memory_type: MemoryType) -> FieldType | None:
    """The field an entry is nothing without: the first text that is no key, unless the key says it all."""
    rest = [each for each in memory_type.fields if each.name not in memory_type.key]
    return rest[0] if rest and rest[0].kind == "text" else None
