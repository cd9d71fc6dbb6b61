"""The JSON schema of an answer, for providers that hold a model to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memfs.memory.types import FieldType, MemoryType

Schema = dict[str, Any]


def answer_schema(types: Sequence[MemoryType], *, peers: Sequence[str] = ()) -> Schema:
    """One object with a list for each type. All keys are required and closed, as strict modes ask for."""
    return _object({each.name: {"type": "array", "items": _item(each, peers)} for each in types})


def _item(memory_type: MemoryType, peers: Sequence[str]) -> Schema:
    fields: Schema = {each.name: _field(each, each.name in memory_type.key) for each in memory_type.fields}
    fields["turns"] = {"type": "array", "items": {"type": "integer"}}
    fields["inferred"] = {"type": "boolean"}
    if peers:
        fields["peer"] = {"type": ["string", "null"], "enum": [*peers, None]}
    return _object(fields)


def _field(field: FieldType, key: bool) -> Schema:
    if field.kind == "list":
        return {"type": "array", "items": {"type": "string"}}
    if field.choices:
        return {"type": ["string", "null"], "enum": [*field.choices, None]}
    kind = "integer" if field.kind == "number" else "string"
    return {"type": kind} if key else {"type": [kind, "null"]}


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
