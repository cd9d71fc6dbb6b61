"""Growing JSONL files, row by row: what all formats of that kind share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from memfs.model import Turn
from memfs.transcripts.assemble import Assembler
from memfs.transcripts.lines import Lines, Malformed, Place, parse_line, size_of
from memfs.transcripts.reader import Progress, Reader, Source

# Before reading from an offset, so many bytes before it are read again, to know what is still open there.
_PRIME = 1 << 20
# The session is told by the first rows: so many bytes of them, but at least one whole line.
_PROBE = 1 << 20


class Rows(Protocol):
    """What a format makes of its rows."""

    turns: Assembler

    def prepare(self, start: int, /) -> None:
        """Called once before the reading that counts, with the offset where it begins."""
        ...

    def row(self, row: Any, place: Place, line: bytes, /) -> str | None:
        """Take one row; the answer says why it was ignored, None if it was not."""
        ...


MakeRows = Callable[[Progress, Source], Rows]


def jsonl_reader(format: str, source: Source, make: MakeRows) -> Reader:
    """A reader of a growing file whose rows ``make``'s product understands."""
    size = size_of(source.stream)
    progress = Progress(restarted=source.start > size)
    start = 0 if progress.restarted else source.start
    probe = Progress()
    feed_rows(source, make(probe, source), 0, _PROBE)
    progress.session = probe.session
    progress.system = probe.system

    def turns() -> Iterator[Turn]:
        rows = make(progress, source)
        before = max(0, start - _PRIME)
        rows.prepare(before)
        if start:
            _prime(source, progress, rows, before, start)
        yield from _read(source, progress, rows, start)

    return Reader(format, source.name, progress, turns, incremental=True, empty=start > 0 or size == 0)


def _read(source: Source, progress: Progress, rows: Rows, start: int) -> Iterator[Turn]:
    lines = Lines(source.stream, start, source.limits.line)
    for place, line in lines:
        _take(lines, place, line, progress, rows)
        yield from rows.turns.ready()
    progress.consumed = lines.consumed
    progress.pending_tail = lines.tail
    yield from rows.turns.finish()


def _take(lines: Lines, place: Place, line: bytes | None, progress: Progress, rows: Rows) -> None:
    if line is None:
        progress.skip(lines.number(), "the line is too long")
        return
    try:
        row = parse_line(line)
    except Malformed as error:
        if line.strip():
            progress.skip(lines.number(), str(error))
        else:
            progress.ignore(place.line, "blank line")
        return
    reason = rows.row(row, place, line)
    if reason is not None:
        progress.ignore(place.line, reason)


def _prime(source: Source, progress: Progress, rows: Rows, before: int, start: int) -> None:
    """Read what lies before ``start`` without giving anything out, as it was given out before."""
    feed_rows(source, rows, before, start)
    rows.turns.begin()
    progress.counts.clear()
    progress.ignored.clear()


def feed_rows(source: Source, rows: Rows, start: int, stop: int | None) -> None:
    """Let ``rows`` see the whole lines that begin in ``start`` .. ``stop``; nothing is given out."""
    for place, line in Lines(source.stream, start, source.limits.line):
        if stop is not None and place.start >= stop:
            break
        try:
            row = parse_line(line or b"null")
        except Malformed:
            continue
        rows.row(row, place, line or b"")
        for _ in rows.turns.ready():
            pass
