"""Documents to what the index holds of them, one after another, so that a whole vault is never held in pieces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfs.search.chunking import Chunk, chunk_document
from memfs.search.lexicon import to_fields

# Of a path and block ids in it: the day (ISO) that an entry was said on, where its own line does not tell.
Dates = Callable[[str, Collection[str]], Mapping[str, str]]
Cut = Callable[[str, str, str], Sequence[Chunk]]  # of a path, a text and the root: its chunks
Tell = Callable[[int, int], object]  # how many files of how many are done
Piece = tuple[Chunk, dict[str, Any]]  # a chunk, and its fields in the index


@dataclass(frozen=True, slots=True)
class Cutting:
    """How texts become what is indexed: what cuts them, under which root, and when entries were said."""

    root: str = ""
    dates: Dates | None = None
    cut: Cut = chunk_document

    def pieces(self, texts: Mapping[str, str], tell: Tell | None = None) -> Iterator[Piece]:
        """Yield what is indexed of texts by path; ``tell`` is told how far that is."""
        for done, (path, text) in enumerate(texts.items()):
            if tell is not None:
                tell(done, len(texts))
            chunks = self.cut(path, text, self.root)
            for chunk in _dated(path, chunks, self.dates) if self.dates else chunks:
                yield chunk, to_fields(chunk)


def _dated(path: str, chunks: Sequence[Chunk], dates: Dates) -> Iterator[Chunk]:
    """Yield the chunks, entries without a date of their own with the day that they were said on.

    The date of an action is the day it is due, so one without stays without.
    """
    undated = [c.view.id for c in chunks if c.view.id and not c.view.date and c.view.type != "actions"]
    told = dates(path, undated) if undated else {}
    days = {entry: told[entry] for entry in undated if entry in told}
    for chunk in chunks:
        day = days.get(chunk.view.id or "")
        yield replace(chunk, view=replace(chunk.view, date=day)) if day else chunk
