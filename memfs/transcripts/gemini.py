"""Gemini CLI sessions: JSONL whose records replace and take back others; formerly one JSON document."""

from __future__ import annotations

from typing import Any

from memfs.transcripts.blocks import some_text
from memfs.transcripts.documents import read_placed, whole_reader
from memfs.transcripts.gemini_log import TYPES, GeminiLog
from memfs.transcripts.lines import (
    Lines,
    Malformed,
    Place,
    has_rounded_number,
    parse_exactly,
    parse_line,
    size_of,
)
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import json_rows, layout, sketch


def is_gemini_row(row: Any) -> bool:
    """Whether a JSON value is a session's header, an update of it, or a message."""
    if not isinstance(row, dict) or "message" in row or "payload" in row:
        return False
    if "sessionId" in row and ("projectHash" in row or "startTime" in row):
        return True
    if "$set" in row or "$rewindTo" in row:
        return True
    return (
        isinstance(row.get("id"), str)
        and some_text(row.get("type")) in TYPES
        and "content" in row
        and "role" not in row
    )


class GeminiCli:
    """Parser of Gemini CLI sessions, both layouts."""

    name = "gemini-cli"

    def recognise(self, head: bytes) -> bool:
        kind = layout(head)
        if kind == "rows":
            return any(map(is_gemini_row, json_rows(head)))
        shape = sketch(head)
        return kind == "document" and not shape.is_list and any(map(is_gemini_row, shape.items))

    def open(self, source: Source) -> Reader:
        source.stream.seek(0)
        if layout(source.stream.read(1 << 20)) == "rows":
            return _open_lines(self.name, source)
        progress = Progress()
        log = GeminiLog(progress)
        document, places = read_placed(source)
        log.put(document, places.of(document), places)
        turns = list(log.turns(source, 0))
        return whole_reader(self.name, source, progress, lambda: turns)


def _open_lines(format: str, source: Source) -> Reader:
    """Later lines change earlier messages, so all are read; what is new since ``start`` is given out."""
    size = size_of(source.stream)
    progress = Progress(restarted=source.start > size)
    start = 0 if progress.restarted else source.start
    log = GeminiLog(progress)
    lines = Lines(source.stream, 0, source.limits.line)
    for place, line in lines:
        if place.start >= start and not log.told_is_known:
            log.note_told()
        _put_line(log, lines, place, line, reported=place.start >= start)
    if not log.told_is_known:
        log.note_told()
    progress.consumed = progress.settled = lines.consumed
    progress.pending_tail = lines.tail
    turns = list(log.turns(source, start))
    return Reader(
        format, source.name, progress, lambda: turns, incremental=True, empty=start > 0 or size == 0
    )


def _put_line(log: GeminiLog, lines: Lines, place: Place, line: bytes | None, *, reported: bool) -> None:
    reason: str | None = None
    try:
        if line is None:
            raise Malformed("the line is too long")
        row = parse_line(line)
        reason = log.put(parse_exactly(line) if has_rounded_number(row) else row, place)
    except Malformed as error:
        if line is not None and not line.strip():
            reason = "blank line"
        elif reported:
            log.progress.skip(lines.number(), str(error))
    if reason is not None and reported:
        log.progress.ignore(place.line, reason)
