"""Files that are read whole: one JSON document, or text. Their turns go by ids, not by offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from memfs.errors import TranscriptError
from memfs.model import Turn
from memfs.transcripts.decoding import decode_text
from memfs.transcripts.document_places import Places, find_places
from memfs.transcripts.lines import Malformed, parse_exactly
from memfs.transcripts.reader import Progress, Reader, Source

_HEAD = 1 << 20  # no beginning is longer, so one of this length may be cut off


def read_document(source: Source) -> Any:
    """The JSON value that the file is. TranscriptError: it is broken, or cut off."""
    source.stream.seek(0)
    return _parse(source.stream.read(), source)


def read_placed(source: Source) -> tuple[Any, Places]:
    """As `read_document`, and where its objects begin."""
    source.stream.seek(0)
    data = source.stream.read()
    document = _parse(data, source)
    return document, find_places(data, document)


def _parse(data: bytes, source: Source) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return parse_exactly(data)
        except Malformed as error:
            hint = "the file may still be being written; it is read again when it changes"
            raise TranscriptError("not a whole JSON document", path=source.name, hint=hint) from error


def read_text(source: Source) -> str:
    """The text that the file is, with LF line ends."""
    source.stream.seek(0)
    return decode_text(source.stream.read(), source.name).replace("\r\n", "\n").replace("\r", "\n")


def head_text(head: bytes) -> str | None:
    """The text of a file's beginning, without a last line that may be cut off; None if it is no text."""
    cut = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]
    try:
        return decode_text(cut, "").replace("\r\n", "\n").replace("\r", "\n")
    except TranscriptError:
        return None


def whole_reader(
    format: str, source: Source, progress: Progress, turns: Callable[[], Iterable[Turn]]
) -> Reader:
    """A reader of turns that are all in memory."""
    size = source.stream.seek(0, 2)
    progress.consumed = progress.settled = size
    return Reader(format, source.name, progress, turns, incremental=False, empty=size == 0)
