"""Exports of many conversations: one reader each, and one for the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memfs.model import Turn
from memfs.transcripts.lines import size_of
from memfs.transcripts.message_ids import with_ids
from memfs.transcripts.reader import Progress, Reader, Source


def conversation_reader(format: str, source: Source, progress: Progress, turns: Sequence[Turn]) -> Reader:
    """One conversation of an export."""
    known = list(with_ids(turns, progress.session.id))
    return Reader(format, source.name, progress, lambda: known, incremental=False)


def export_reader(format: str, source: Source, readers: Sequence[Reader], of: int) -> Reader:
    """The file: its turns are those of all conversations; those that could not be read are reported."""
    size = size_of(source.stream)
    progress = Progress(consumed=size, settled=size)
    if len(readers) < of:
        progress.problems.append(f"{source.name}: {len(readers)} of {of} conversations could be read")

    def turns() -> Iterator[Turn]:
        for reader in readers:
            yield from reader

    return Reader(format, source.name, progress, turns, incremental=False, conversations=tuple(readers))
