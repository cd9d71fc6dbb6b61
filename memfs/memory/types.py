"""Memory types: what kinds of memory there are, and where each lives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "list", "date", "number", "choice"]
Operator = Literal["patch", "replace", "union", "sum", "immutable"]
Stage = Literal["user", "execution"]
Mode = Literal["upsert", "add_only", "update_only"]
Shape = Literal["item", "fields", "paragraph"]


@dataclass(frozen=True, slots=True)
class FieldType:
    """One field of a memory type: what it holds, and how a new value meets the old one."""

    name: str
    kind: Kind = "text"
    description: str = ""
    operator: Operator = "replace"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryType:
    """One memory type, as its template says.

    ``path``: document below ``memories/<identity>/``, with ``{field}`` parts that become slugs, and
    ``{yyyy} {mm} {dd}`` from the field ``date``. ``section`` and ``title``: Jinja2, English; known headings
    are translated. ``key``: fields that identify an entry. ``shape``: ``item`` (one list item),
    ``paragraph`` (one paragraph), ``fields`` (one list item per field, per value where the operator is
    union). ``supersedes``: an older entry with the same key is kept, marked as superseded. ``open_fields``:
    fields that are not declared are taken too. ``limit``: longest text of an entry, in characters.
    """

    name: str
    description: str
    fields: tuple[FieldType, ...]
    path: str
    section: str = ""
    title: str = ""
    key: tuple[str, ...] = ()
    stage: Stage = "user"
    peer_enabled: bool = True
    self_enabled: bool = True
    mode: Mode = "upsert"
    enabled: bool = True
    shape: Shape = "item"
    supersedes: bool = False
    open_fields: bool = False
    limit: int = 600
    template: str = ""

    def field(self, name: str) -> FieldType | None:
        """The declared field of that name, or None."""
        return next((each for each in self.fields if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Registry:
    """All memory types by name, and what was wrong with templates that were skipped."""

    types: Mapping[str, MemoryType]
    problems: tuple[str, ...] = ()

    def enabled(self) -> tuple[MemoryType, ...]:
        """The types that are switched on."""
        return tuple(each for each in self.types.values() if each.enabled)
