"""What the tests of this room share: the built-in types, and short ways to say drafts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memfs.memory.drafts import draft_entries
from memfs.memory.registry import build_registry
from memfs.memory.types import Registry
from memfs.model import Draft, Dropped, Evidence, FieldValue, Operation, Target

TYPES = Path(__file__).parents[2] / "templates" / "types"
TODAY = date(2026, 3, 31)
BUILTIN = {path.stem: path.read_text(encoding="utf-8") for path in sorted(TYPES.glob("*.md"))}
REGISTRY = build_registry(BUILTIN, {})


def on_day(day: int, hour: int = 9) -> datetime:
    """A moment in March 2026."""
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def draft_of(day: int, type_name: str, *, peer: str | None = None, **fields: FieldValue) -> list[Draft]:
    """The drafts of one operation of the identity ``demo``."""
    evidence = Evidence("test/session", (f"m{day}",), on_day(day))
    drafts = draft_entries(
        Operation(type_name, fields), Target("demo", peer), REGISTRY, evidence, language="en", today=TODAY
    )
    assert not isinstance(drafts, Dropped), drafts.reason
    return list(drafts)


@pytest.fixture
def registry() -> Registry:
    return REGISTRY


@pytest.fixture
def draft() -> Callable[..., list[Draft]]:
    return draft_of
