"""What was found as an operation, and an operation of an earlier segment as a find that may still be corrected."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Literal

from memfs.extraction.areas import area_of
from memfs.extraction.corrections import SCALAR_PROFILE
from memfs.extraction.operations import Find
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.wording import content_words
from memfs.model import FieldValue, Operation

Books = tuple[Phrasebook, ...]
_DAYS = {"actions": "due", "events": "date"}
_UNSAID = frozenset({"topic", "area", "status", "priority", "category", "tags", "date", "due", "project"})


def operation_of(find: Find, books: Books, language: Literal["en", "zh"]) -> Operation:
    """The operation of a find: a wish with its area, now that all of its words are known.

    Of health, family and the like there are several facts: each is one of a list, so that none replaces another.
    """
    fields: dict[str, FieldValue] = dict(find.fields)
    if find.type == "profile":
        fields = {
            key: value if key in SCALAR_PROFILE or not isinstance(value, str) else (value,)
            for key, value in fields.items()
        }
    elif find.type == "preferences":
        spoken = [book.language for book in books]
        fields["area"] = area_of(str(fields["content"]), spoken, language=language)
    return Operation(find.type, fields, find.turns, find.peer, insist=find.insist)


def find_of(operation: Operation, books: Books) -> Find:
    """An operation as it was found; its turns may lie before the segment, and then count back from it."""
    fields = {name: _single(value) for name, value in operation.fields.items()}
    text = ". ".join(_said(fields))
    day = fields.get(_DAYS.get(operation.type, ""))
    return Find(
        operation.type,
        fields,
        operation.turns,
        operation.peer,
        text,
        date.fromisoformat(day) if isinstance(day, str) else None,
        frozenset(content_words(text, books)),
        operation.insist,
    )


def _single(value: FieldValue) -> FieldValue:
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def _said(fields: dict[str, FieldValue]) -> Iterable[str]:
    """The words of the user among the fields; of a happening all is in its summary."""
    for name, value in fields.items():
        if isinstance(value, str) and name not in _UNSAID and not (name == "name" and len(fields) > 1):
            yield value
