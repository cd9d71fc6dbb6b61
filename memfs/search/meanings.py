"""The vectors of an index: made after its words are in place, and compared with a question.

Models are slow, so no lock is held while one works. A note beside the index says for which model the vectors
are complete, and how many there were; with less than that, search says that it is degraded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import SearchIndexError
from memfs.search.storage import Storage
from memfs.search.vectors import Similarities, VectorStore
from memfs.search.writing import hold_writer

if TYPE_CHECKING:
    from memfs.search.embeddings import Embedder

UNKNOWN_LANGUAGE = "the meaning half of search knows English; this query was searched by its words"
NO_ENGINE = "searched by words only: no embedding engine is set"
REBUILDING = "vectors are being rebuilt: some entries are found by words only"
_AT_ONCE = 512


class Meanings:
    """The vectors that ``embedder`` makes of the texts in an index; without one there are none."""

    def __init__(self, storage: Storage, folder: Path, embedder: Embedder | None, patience: float) -> None:
        self._storage = storage
        self._folder = folder
        self._embedder = embedder
        self._patience = patience
        self._opened: VectorStore | None = None

    def fill(self, texts: Mapping[str, str], *, everything: bool) -> tuple[str, ...]:
        """Make the vectors that ``texts`` (by their keys) lack; say why, where that failed.

        Args:
            everything: ``texts`` are all that the index holds.
        """
        if self._embedder is None:
            return ()
        complete = everything or self.complete()
        try:
            store = self._store(self._embedder)
            self._fill(store, self._embedder, texts)
        except SearchIndexError as error:
            self._storage.write_note("vectors", None)
            return (error.message,)
        with hold_writer(self._folder, self._patience) as held:
            if held and everything:
                store.compact(texts)
            self._storage.write_note("vectors", self._state(store) if complete else None)
        if everything:
            store.improve()
        return ()

    def complete(self, dimensions: int | None = None) -> bool:
        """Say whether the vectors of the current model are all there; ``dimensions`` where they are known."""
        note = self._storage.note("vectors")
        if self._embedder is None or not isinstance(note, list) or note[0] != self._embedder.name:
            return False
        if dimensions not in (None, note[1]):
            return False
        return VectorStore(self._folder / "vectors", note[0], note[1]).count() >= int(note[2])

    @property
    def least(self) -> float:
        """The cosine from which on two texts have something in common."""
        return self._embedder.scale.far if self._embedder else 1.0

    def likeness(self, cosine: float) -> float:
        """Return what a cosine of the current model means, 0 to 1."""
        return self._embedder.scale.likeness(cosine) if self._embedder else 0.0

    def compare(
        self, query: str, owners: Collection[str] | None = None
    ) -> tuple[Similarities | None, tuple[str, ...]]:
        """Compare a question with the vectors of ``owners`` (None: with all); say why not, or why not with all."""
        if self._embedder is None:
            return None, (NO_ENGINE,)
        try:
            if not self._embedder.serves(query):
                return None, (UNKNOWN_LANGUAGE,)
            near = self._store(self._embedder).compare(self._embedder.embed([query])[0], owners)
        except SearchIndexError as error:
            return None, (f"searched by words only: {error.message}",)
        if self.complete(self._embedder.dimensions):
            return near, ()
        if self.complete():  # the model has other dimensions than it had: the next update makes its vectors
            self._storage.write_note("vectors", None)
        done = self._storage.note("filling")
        return near, (REBUILDING, f"{int(done)} %") if isinstance(done, int) else (REBUILDING,)

    def lacking(self, keys: Iterable[str]) -> int:
        """Return how many of ``keys`` have no vector of the current model."""
        if self._embedder is None:
            return 0
        try:
            have = set(self._store(self._embedder).keys())
        except SearchIndexError:
            return 0
        return sum(key not in have for key in keys)

    def improve(self) -> bool:
        """Bring the approximate index over the vectors up to them; says whether it did anything."""
        if self._embedder is None:
            return False
        return self._store(self._embedder).improve()

    def _fill(self, store: VectorStore, embedder: Embedder, texts: Mapping[str, str]) -> None:
        have = store.rows_of(list(texts))
        missing = [key for key, text in texts.items() if key not in have and text and embedder.serves(text)]
        for start in range(0, len(missing), _AT_ONCE):
            keys = missing[start : start + _AT_ONCE]
            vectors = embedder.embed([texts[key] for key in keys])
            with hold_writer(self._folder, self._patience) as held:
                if not held:
                    raise SearchIndexError("the index is busy: vectors are made next time")
                store.add(keys, vectors)
                self._storage.write_note("filling", 100 * (start + len(keys)) // len(missing))

    def _store(self, embedder: Embedder) -> VectorStore:
        if self._opened is None:
            self._opened = VectorStore(self._folder / "vectors", embedder.name, embedder.dimensions)
        return self._opened

    def _state(self, store: VectorStore) -> list[str | int]:
        assert self._embedder is not None
        return [self._embedder.name, store.dimensions, store.count()]
