"""docs/types.md says of memory types what their reader reads."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

from memfs.memory.registry import _FIELD_KEYS, _KEYS, _MAX_LIMIT, parse_type
from memfs.memory.telling import text_field
from memfs.memory.types import FieldType, Kind, MemoryType, Mode, Operator, Shape, Stage
from tests.conftest import PROJECT

PAGE = (PROJECT / "docs/types.md").read_text("utf-8")


def rows(section: str, heading: str) -> dict[str, str]:
    """The last cell of each row of a table, by each name in its first cell."""
    table = PAGE.split(f"## {section}\n")[1].split(f"| {heading} |")[1].split("\n\n")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {name: row[-1].strip() for row in cells for name in re.findall(r"`(\w+)`", row[0])}


def test_every_key_is_told_with_its_default() -> None:
    told = rows("Frontmatter", "key")
    assert told.keys() == _KEYS
    defaults = {each.name: each.default for each in fields(MemoryType)}
    for name in ("shape", "mode", "stage", "supersedes", "open_fields", "limit", "enabled", "self_enabled"):
        assert told[name] == f"`{str(defaults[name]).lower()}`"
    assert f"20 to {_MAX_LIMIT}" in PAGE


def test_every_key_of_a_field_is_told_with_its_default() -> None:
    told = rows("Fields", "key")
    assert told.keys() == _FIELD_KEYS
    field = FieldType("x")
    assert (told["type"], told["operator"]) == (f"`{field.kind}`", f"`{field.operator}`")


def test_every_choice_is_told() -> None:
    assert rows("Fields", "operator").keys() == set(get_args(Operator))
    for choices in (Kind, Shape, Mode, Stage):
        assert all(f"`{choice}`" in PAGE for choice in get_args(choices))


def test_the_example_is_a_type() -> None:
    example = PAGE.split("```markdown\n")[1].split("```")[0]
    recipes = parse_type("recipes", example)
    assert recipes.key == ("dish",)
    assert text_field(recipes) == "advice"
