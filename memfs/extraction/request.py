"""What an extractor is asked, and what every extractor is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from memfs.model import Extraction, Operation, Turn


@dataclass(frozen=True, slots=True)
class Known:
    """An entry that a prompt shows under a short name: its type, and the fields that an answer need not repeat."""

    type: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """One segment of a conversation, with all an extractor may know of its surroundings.

    ``turns`` are evidence, ``context`` (earlier user turns) never is. ``types`` are the allowed memory types
    (anything with a ``name``; empty: all). ``existing`` holds entries that are already known, ``known`` those of
    them that have a short name. ``now`` is aware and in the user's zone: local dates follow from it. ``project``
    is what the source says of it. ``found`` are operations of earlier segments that this one may correct; their turns
    count back from it: -1 is the turn just before.
    """

    turns: tuple[Turn, ...]
    now: datetime
    context: tuple[Turn, ...] = ()
    types: tuple[Any, ...] = field(default=())
    existing: tuple[str, ...] = ()
    known: Mapping[str, Known] = field(default_factory=dict)
    language: Literal["en", "zh"] = "en"
    instructions: str = ""
    project: str | None = None
    identity: str = ""
    found: tuple[Operation, ...] = ()


class Extractor(Protocol):
    """Makes operations of turns. ``name`` is what merge commits say (``rules``, a model's name)."""

    @property
    def name(self) -> str: ...

    def extract(self, request: Request) -> Extraction:
        """Read ``request.turns``. Raises ExtractionError when it could not; an empty answer is no failure."""
        ...
