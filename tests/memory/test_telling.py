"""Where the text and the fields of something asked for go."""

from __future__ import annotations

import pytest

from memfs.errors import InvalidRequest
from memfs.memory.registry import parse_type
from memfs.memory.telling import text_field, told_fields
from memfs.memory.types import MemoryType
from memfs.model import FieldValue
from tests.conftest import PROJECT


def template(name: str, new_name: str | None = None) -> MemoryType:
    return parse_type(new_name or name, (PROJECT / f"templates/types/{name}.md").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "field"),
    [("notes", "content"), ("actions", "task"), ("preferences", "content"), ("decisions", "decision"),
     ("entities", "content"), ("events", "summary"), ("projects", "description"), ("tools", "notes")],
)  # fmt: skip
def test_the_text_goes_to_the_main_field_whatever_the_type_is_called(name: str, field: str) -> None:
    assert text_field(template(name)) == text_field(template(name, "ideas")) == field


def test_tags_do_not_take_the_texts_place() -> None:
    told = told_fields(template("notes", "recipes"), "Fry the onions", {"tags": ("food",)})
    assert told == {"tags": ("food",), "content": "Fry the onions"}


@pytest.mark.parametrize(
    ("type", "fields", "said"),
    [
        ("notes", {"tag": "x"}, "notes has no field 'tag' (its fields: content, tags)"),
        ("actions", {"due": "foo"}, "due is a date like 2026-12-04, not 'foo'"),
        ("actions", {"due": "2026-02-30"}, "due is a date like 2026-12-04, not '2026-02-30'"),
        ("actions", {"priority": "urgent"}, "priority is one of high, medium, low, not 'urgent'"),
        ("tools", {"name": "rg", "calls": "many"}, "calls is a whole number, not 'many'"),
        ("decisions", {"reason": " "}, "reason is a text, not ' '"),
    ],
)
def test_a_field_that_does_not_fit_is_named(type: str, fields: dict[str, FieldValue], said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        told_fields(template(type), "text", fields)
    assert str(refused.value) == said
