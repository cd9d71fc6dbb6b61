"""The line for people of what a session brought."""

from __future__ import annotations

from memfs.model import Dropped
from memfs.services.ingesting.reports import SessionReport, describe


def test_one_is_no_plural() -> None:
    one = SessionReport("claude-code", "s", "writer", turns=1, added=1, skipped_lines=1)
    assert describe(one) == "writer: 1 turn of claude-code/s: 1 added, 1 line skipped"
    two = SessionReport("claude-code", "s", "writer", turns=2, skipped_lines=2)
    assert describe(two) == "writer: 2 turns of claude-code/s: 2 lines skipped"
    dropped = SessionReport("claude-code", "s", "writer", turns=1, dropped=(Dropped("notes", "known"),))
    assert describe(dropped, "zh") == "writer：1 条消息（claude-code/s）：舍弃 1"
