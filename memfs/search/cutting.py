"""Documents to what the index holds of them, one after another, so that a whole vault is never held in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfs.search.chunking import Chunk, chunk_document
from memfs.search.lexicon import to_fields

# Of a path and block ids in it: the day (ISO) that an entry was said on, where its own line does not tell.
Dates = Callable[[str, Collection[str]], Mapping[str, str]]
Cut = Callable[[str, str, str], Sequence[Chunk]]  # of a path, a text and the root: its chunks
Tell = Callable[[int, int], object]  # how many files of how many are done
Piece = tuple[dict[str, Any], str]  # a chunk's fields in the index, and what its vector is made of
Task = tuple[str, str, dict[str, str]]  # a path, its text, and the days of entries in it
_MUCH = 2_000_000  # characters from which on processes are worth their start
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]+)")


@dataclass(frozen=True, slots=True)
class Cutting:
    """How texts become what is indexed: what cuts them, under which root, and when entries were said."""

    root: str = ""
    dates: Dates | None = None
    cut: Cut = chunk_document

    def pieces(self, texts: Mapping[str, str], tell: Tell | None = None) -> Iterator[Piece]:
        """Yield what is indexed of texts by path; ``tell`` is told how far that is."""
        for done, pieces in enumerate(self._cut_up(texts)):
            if tell is not None:
                tell(done, len(texts))
            yield from pieces

    def one(self, task: Task) -> list[Piece]:
        """Return what is indexed of one document."""
        path, text, days = task
        chunks = self.cut(path, text, self.root)
        return [(to_fields(chunk), chunk.meaning) for chunk in (_dated(chunks, days) if days else chunks)]

    def _cut_up(self, texts: Mapping[str, str]) -> Iterator[list[Piece]]:
        tasks = (self._task(path, text) for path, text in texts.items())
        if self.cut is not chunk_document or sum(map(len, texts.values())) < _MUCH:
            return map(self.one, tasks)
        from memfs.search.workers import cut_apart

        return cut_apart(self, tasks)

    def _task(self, path: str, text: str) -> Task:
        ids = set(_BLOCK_ID.findall(text)) if self.dates else ()
        return path, text, dict(self.dates(path, ids)) if self.dates and ids else {}


def _dated(chunks: Iterable[Chunk], days: Mapping[str, str]) -> Iterator[Chunk]:
    """Yield the chunks, entries without a date of their own with the day that they were said on.

    The date of an action is the day it is due, so one without stays without.
    """
    for chunk in chunks:
        day = None if chunk.view.date or chunk.view.type == "actions" else days.get(chunk.view.id or "")
        yield replace(chunk, view=replace(chunk.view, date=day)) if day else chunk
