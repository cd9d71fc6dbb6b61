"""The fields of an entry that somebody asks for outright: a text, and fields by name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memfs.errors import InvalidRequest
from memfs.memory.fields import main_field, open_field
from memfs.memory.operators import clean_value
from memfs.memory.types import FieldType, MemoryType
from memfs.model import FieldValue

_LABEL = re.compile(r":\s+|：\s*")
_TOPIC = 40  # characters of a decision that name it, where nothing else does


def told_fields(kind: MemoryType, text: str, given: Mapping[str, FieldValue]) -> Mapping[str, FieldValue]:
    """The fields of an entry: those given, and the text in the field that it belongs to.

    Raises InvalidRequest for a field that the type does not have, a value that does not fit its field, and
    for a type whose entries are fields where the text names none.
    """
    for name, value in given.items():
        _check(kind, name, value)
    fields = dict(given)
    label, rest = [*_LABEL.split(text, 1), ""][:2]
    if kind.key == ("field",):
        if rest and kind.field(label) is not None:
            fields.setdefault(label, rest)
        if not fields:
            raise InvalidRequest(f"{kind.name} is kept by field: {_names(kind)}", hint="write FIELD: TEXT")
        return fields
    if kind.supersedes and "topic" in kind.key and "topic" not in fields:
        fields["topic"], text = (label, rest) if rest else (text[:_TOPIC], text)
    fields.setdefault(text_field(kind), text)
    return fields


def text_field(kind: MemoryType) -> str:
    """The field that an entry's text belongs to: its main one, else the key that says it all."""
    if main := main_field(kind):
        return main.name
    texts = [each.name for each in kind.fields if each.kind == "text"]
    own = [name for name in texts if name not in kind.key] if kind.shape == "fields" else texts
    return (own or texts or [kind.fields[0].name])[0]


def _check(kind: MemoryType, name: str, value: FieldValue) -> None:
    declared = kind.field(name) or (open_field(name, value) if kind.open_fields else None)
    if declared is None and not ("field" in kind.key and name in ("field", "value")):
        raise InvalidRequest(f"{kind.name} has no field {name!r}", hint=f"its fields: {_names(kind)}")
    if declared is not None and clean_value(declared, value) is None:
        raise InvalidRequest(f"{name} is {_wanted(declared)}, not {value!r}")


def _wanted(declared: FieldType) -> str:
    match declared.kind:
        case "date":
            return "a date like 2026-12-04"
        case "number":
            return "a whole number"
        case "choice":
            return f"one of {', '.join(declared.choices)}"
        case _:
            return "a text"


def _names(kind: MemoryType) -> str:
    return ", ".join(field.name for field in kind.fields)
