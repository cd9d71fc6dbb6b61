"""Opening transcripts from disk: the edge around the pure parsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from memfs.errors import TranscriptError
from memfs.transcripts.folder import Folder, open_folder
from memfs.transcripts.opening import open_transcript
from memfs.transcripts.reader import Parser, Reader, ReadLimits

PARSER_GROUP = "memfs.transcripts"
# What ingest keeps of a tool's answer: its errors are told at the start or the end of it.
INGEST_LIMITS = ReadLimits(tool_text=4000)

_MOST_FILES = 20_000  # in a folder that is one transcript, the pictures of an export among them


@cache
def plugged_parsers() -> tuple[Parser, ...]:
    """Parsers that other packages register under the entry point group ``memfs.transcripts``."""
    return tuple(point.load()() for point in entry_points(group=PARSER_GROUP))


@contextmanager
def open_stream(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, opened to read.

    Raises:
        TranscriptError: it cannot be read.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise TranscriptError(f"cannot read the transcript: {error.strerror}", path=str(path)) from error
    with stream:
        yield stream


@contextmanager
def open_reader(
    path: Path, *, start: int = 0, me: tuple[str, ...] = (), limits: ReadLimits | None = None
) -> Iterator[Reader]:
    """A reader of the transcript at ``path``, from byte ``start`` of its plain (decompressed) content.

    Raises:
        TranscriptError: it cannot be read.
        UnknownFormat: no parser knows it.
    """
    with open_stream(path) as stream:
        yield open_transcript(
            stream,
            name=str(path),
            start=start,
            me=me,
            limits=limits or ReadLimits(),
            parsers=plugged_parsers(),
        )


def open_whole_folder(path: Path, *, me: tuple[str, ...] = ()) -> Folder:
    """The conversations of a folder that is one transcript: an export in parts, a session with its subagents.

    Raises:
        TranscriptError: it holds too much else, or too many files.
    """
    inside = list(islice((file for file in path.rglob("*") if file.is_file()), _MOST_FILES + 1))
    if len(inside) > _MOST_FILES:
        raise TranscriptError(
            f"this folder is no transcript: it holds more than {_MOST_FILES:,} files", path=str(path)
        )
    files = {file.relative_to(path).as_posix(): partial(open_stream, file) for file in inside}
    try:
        return open_folder(files, me=me, parsers=plugged_parsers())
    except TranscriptError as error:
        raise TranscriptError(error.message, path=str(path), hint=error.hint) from error
