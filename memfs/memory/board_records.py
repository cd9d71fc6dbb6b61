"""What is known of batons beside their lines (``relay.jsonl``): sessions, message ids, what was read. Pure.

One JSON object a line, of three kinds: a baton (by its id), the last number of a channel, the day of the last
bootstrap. Losing the file costs repeated reading, never a baton.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class BatonRecord:
    """A baton's other half. ``time`` is ISO 8601 with offset; ``read`` the hash of the text that was read."""

    id: str
    time: str
    channel: str
    sequence: int
    role: str
    session: str | None = None
    message: str | None = None
    read: str | None = None

    @property
    def moment(self) -> datetime:
        """When it was written, with its zone."""
        return datetime.fromisoformat(self.time)


@dataclass(frozen=True, slots=True)
class BoardRecords:
    """The records of a board. ``last`` is the last number of each channel; ``seeded`` an ISO day.

    ``unread`` are lines that could not be read: they are kept as they are, and ``problems`` tell of them.
    """

    batons: Mapping[str, BatonRecord] = field(default_factory=dict)
    last: Mapping[str, int] = field(default_factory=dict)
    seeded: str | None = None
    unread: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def with_batons(self, *added: BatonRecord) -> BoardRecords:
        """With more batons, and the numbers of their channels moved on."""
        last = dict(self.last)
        for one in added:
            last[one.channel] = max(last.get(one.channel, 0), one.sequence)
        return replace(self, batons={**self.batons, **{one.id: one for one in added}}, last=last)


def parse_records(text: str) -> BoardRecords:
    """Read records; a line that cannot be read is kept and told."""
    batons: dict[str, BatonRecord] = {}
    last: dict[str, int] = {}
    seeded: str | None = None
    unread: list[str] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            row = json.loads(line) if line.strip() else None
            if row is None:
                continue
            if "id" in row:
                record = _baton(row)
                batons[record.id] = record
            elif "last" in row:
                last[str(row["channel"])] = int(row["last"])
            else:
                seeded = str(row["seeded"])
        except (ValueError, KeyError, TypeError):
            unread.append(line)
            problems.append(f"line {number} of relay.jsonl cannot be read; it is kept as it is")
    return BoardRecords(batons, last, seeded, tuple(unread), tuple(problems))


def render_records(records: BoardRecords) -> str:
    """The file's text; what could not be read stands last."""
    rows: list[dict[str, Any]] = [
        {key: value for key, value in asdict(one).items() if value is not None}
        for one in records.batons.values()
    ]
    rows += [{"channel": channel, "last": number} for channel, number in sorted(records.last.items())]
    rows += [{"seeded": records.seeded}] if records.seeded else []
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return "".join(f"{line}\n" for line in (*lines, *records.unread))


def _baton(row: dict[str, Any]) -> BatonRecord:
    texts = {key: None if row.get(key) is None else str(row[key]) for key in ("session", "message", "read")}
    record = BatonRecord(
        str(row["id"]), str(row["time"]), str(row["channel"]), int(row["sequence"]), str(row["role"]), **texts
    )
    if record.moment.tzinfo is None:
        raise ValueError("a time without its zone")
    return record
