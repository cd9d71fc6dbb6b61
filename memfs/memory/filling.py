"""Templates filled in: the text of an entry on one line, within the limit of its type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memfs.errors import InvalidRequest
from memfs.memory.ids import normalise_key
from memfs.memory.operators import shorten
from memfs.memory.plain import has_cjk, plain_text
from memfs.memory.render import render
from memfs.memory.types import MemoryType

_PITFALL_TAGS = frozenset(
    (
        "pitfall",
        "pitfalls",
        "error",
        "fix",
        "bug",
        "gotcha",
        "workaround",
        "坑",
        "踩坑",
        "错误",
        "报错",
        "修复",
    )
)


def fill_entry(
    memory_type: MemoryType, values: Mapping[str, Any], longest: tuple[str, ...]
) -> tuple[str, dict[str, Any]]:
    """The entry's text within the limit of its type, and the values after the longest was cut to fit.

    ``longest``: the fields that may be cut. Raises InvalidRequest for an entry that says nothing, ConfigError
    for a template that fails.
    """
    filled: dict[str, Any] = {each.name: "" for each in memory_type.fields} | {"tags": ()} | dict(values)
    text = _fill(memory_type, filled)
    for _ in range(3):
        excess = len(text) - memory_type.limit
        name = max(longest, key=lambda each: len(str(filled.get(each, ""))), default=None)
        if excess <= 0 or name is None:
            break
        filled[name] = shorten(str(filled[name]), max(20, len(str(filled[name])) - excess))
        text = _fill(memory_type, filled)
    text = shorten(text, memory_type.limit)
    if not normalise_key(text):
        raise InvalidRequest("the entry is empty")
    return text, filled


def _fill(memory_type: MemoryType, values: Mapping[str, Any]) -> str:
    said = {name: _unmarked(value) if name in memory_type.key else value for name, value in values.items()}
    zh = has_cjk(" ".join(str(value) for name, value in said.items() if name != "tags"))
    text = render(memory_type.name, memory_type.template, {**said, **facts(values), "zh": zh})
    return plain_text(re.sub(r"([。.!?！？…])[.。](?=\s|$)", r"\1", " ".join(text.split())))


def _unmarked(value: Any) -> Any:
    """A key inside of bold marks must not hold such marks itself."""
    return value.replace("**", "") if isinstance(value, str) else value


def facts(values: Mapping[str, Any]) -> dict[str, Any]:
    """What templates are told beside the fields: whether a note is about a pitfall."""
    tags = {tag.lower() for tag in values.get("tags") or ()}
    return {"pitfall": bool(tags & _PITFALL_TAGS)}
