"""The ledger: per document, what memfs last wrote of each entry.

One record a line, sorted, so that git's union merge of two branches gives a file that still reads well::

    m-abcdefghijklm qz4...20chars 2026-03-11T09:30:00Z extracted box=_ at=projects/mercury.md

id, hash as written, evidence time in UTC, origin; ``box`` for tasks (``_`` is an empty box); ``trust`` where it
is not the user's own words; ``at`` last, where a person moved the entry to another document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from memfs.model import Origin, Trust

_LINE = re.compile(
    r"(?P<id>[\w-]+) (?P<hash>[a-z2-7]{20}(?:\.[a-z2-7]{6})?) (?P<time>\S+)"
    r" (?P<origin>extracted|hand|remembered)"
    r"(?: box=(?P<box>\S))?(?: trust=(?P<trust>peer|agent|document))?(?: at=(?P<at>.+))?"
)


@dataclass(frozen=True, slots=True)
class LedgerRecord:
    """What memfs last wrote of one entry.

    ``hash`` is ``ids.written_hash`` of its text, ``time`` the evidence time (aware), ``box`` the task box
    written, ``at`` the document (below the identity) where a person moved it, None while it is at home;
    ``trust`` is that of the least trusted source of its text.
    """

    id: str
    hash: str
    time: datetime
    origin: Origin = "extracted"
    box: str | None = None
    at: str | None = None
    trust: Trust = "user"


def parse_ledger(text: str) -> tuple[tuple[LedgerRecord, ...], tuple[str, ...]]:
    """All records in order, several of one id too, and what was wrong with the lines that were skipped."""
    records: list[LedgerRecord] = []
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        record = _parse_line(line.strip())
        if record is None:
            problems.append(f"line {number} is not a ledger record")
        else:
            records.append(record)
    return tuple(records), tuple(problems)


def render_ledger(records: Iterable[LedgerRecord]) -> str:
    """The ledger's text: sorted lines, none twice; empty for no records."""
    return "".join(f"{line}\n" for line in sorted({_render_line(record) for record in records}))


def parse_time(text: str) -> datetime | None:
    """An ISO time as UTC; one without a zone is taken as UTC. None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return as_utc(moment)
    except (ValueError, OverflowError):
        return None


def as_utc(moment: datetime) -> datetime:
    """The moment in UTC; one without a zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def render_time(moment: datetime) -> str:
    """``2026-03-11T09:30:00Z``, with microseconds where there are some."""
    return as_utc(moment).isoformat().replace("+00:00", "Z")


def _parse_line(line: str) -> LedgerRecord | None:
    match = _LINE.fullmatch(line)
    time = parse_time(match["time"]) if match else None
    if match is None or time is None:
        return None
    box = {None: None, "_": " "}.get(match["box"], match["box"])
    origin, trust = cast(Origin, match["origin"]), cast(Trust, match["trust"] or "user")
    return LedgerRecord(match["id"], match["hash"], time, origin, box, match["at"], trust)


def _render_line(record: LedgerRecord) -> str:
    box = "" if record.box is None else f" box={'_' if record.box == ' ' else record.box}"
    at = "" if record.at is None else f" at={record.at}"
    trust = "" if record.trust == "user" else f" trust={record.trust}"
    return f"{record.id} {record.hash} {render_time(record.time)} {record.origin}{box}{trust}{at}"
