"""The marks in ``.forgotten``: what must not come back. Hashes and ids, never a text.

One mark a line, sorted::

    entry m-abcdefghijklm 2026-03-11T09:30:00Z      blocks evidence up to that time (``-``: any evidence)
    text qz4...20 characters                        blocks that text for ever
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memfs.memory.ledger import as_utc, parse_time, render_time

_TEXT = re.compile(r"text ([a-z2-7]{20})")
_ENTRY = re.compile(r"entry ([\w-]+) (\S+)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A hash of a text that was rejected or deleted, or an id with the time of its deletion."""

    kind: Literal["text", "entry"]
    value: str
    time: datetime | None = None


def parse_marks(text: str) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """All marks, and what was wrong with the lines that were skipped."""
    marks: list[Mark] = []
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        mark = _parse_line(line.strip())
        if mark is None:
            problems.append(f"line {number} is not a mark")
        else:
            marks.append(mark)
    return tuple(marks), tuple(problems)


def render_marks(marks: Iterable[Mark]) -> str:
    """The file's text: sorted lines; of several marks of one id the latest."""
    latest: dict[tuple[str, str], Mark] = {}
    for mark in marks:
        known = latest.get((mark.kind, mark.value))
        if known is None or _later(mark, known):
            latest[mark.kind, mark.value] = mark
    return "".join(sorted(f"{_render(mark)}\n" for mark in latest.values()))


def blocks_text(marks: Iterable[Mark], text_hash: str) -> bool:
    """Whether a text may not come back."""
    return any(mark.kind == "text" and mark.value == text_hash for mark in marks)


def blocks_entry(marks: Iterable[Mark], entry: str, evidence: datetime) -> bool:
    """Whether an entry was deleted later than this evidence, or at the same time."""
    return any(
        mark.kind == "entry"
        and mark.value == entry
        and (mark.time is None or as_utc(evidence) <= as_utc(mark.time))
        for mark in marks
    )


def _later(mark: Mark, known: Mark) -> bool:
    if mark.time is None or known.time is None:
        return mark.time is None
    return as_utc(mark.time) > as_utc(known.time)


def _parse_line(line: str) -> Mark | None:
    if match := _TEXT.fullmatch(line):
        return Mark("text", match[1])
    if match := _ENTRY.fullmatch(line):
        time = None if match[2] == "-" else parse_time(match[2])
        return Mark("entry", match[1], time) if time or match[2] == "-" else None
    return None


def _render(mark: Mark) -> str:
    if mark.kind == "text":
        return f"text {mark.value}"
    return f"entry {mark.value} {'-' if mark.time is None else render_time(mark.time)}"
