"""The search index of a vault: kept equal to the files, searched by words and by meaning.

Under its folder lie ``v3/`` (`storage`) and ``vectors/`` (by text and model; they outlive a rebuild). The
index never reads the vault: callers compare stat records with `SearchIndex.stale` and hand in the texts that
changed. Whatever cannot be read is dropped, and then everything is stale: rebuilt, never repaired.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import SearchIndexError
from memfs.model import Stat
from memfs.search.analysis import encodable
from memfs.search.chunking import chunk_document
from memfs.search.cutting import Cut, Cutting, Dates, Tell
from memfs.search.filling import start_filling
from memfs.search.lexicon import Filters, all_chunks
from memfs.search.meanings import Meanings
from memfs.search.planning import Content
from memfs.search.searching import SearchResult, search_storage
from memfs.search.storage import Storage, panics_as_damage
from memfs.search.updating import Updating
from memfs.search.writing import hold_writer

if TYPE_CHECKING:
    from memfs.search.embeddings import Embedder

_LONGEST_QUERY = 10_000  # characters
_AT_HAND = 2_000  # so many vectors are made while one waits
_DAMAGE = (ValueError, OSError, sqlite3.Error)


@dataclass(frozen=True, slots=True)
class Stale:
    """How the files differ from the index: to be read again, and no longer there."""

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What an update did.

    ``deferred`` files wait for another writer and stay stale; ``problems`` are files that could not be
    indexed, with the reason; ``degraded`` says why vectors are missing, if they are.
    """

    indexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    degraded: tuple[str, ...] = ()


class SearchIndex:
    """The index in ``folder``. Cheap to make: nothing is opened or loaded before it is used.

    Args:
        folder: for derived files; made when something is written.
        embedder: makes vectors; None searches by words only.
        root: the folder of memfs's own folders within the vault ("" at its top).
        patience: seconds to wait for another writer.
        dates: when entries were said whose lines do not tell.
        cut: what makes chunks of a text.
    """

    def __init__(
        self,
        folder: Path,
        embedder: Embedder | None = None,
        *,
        root: str = "",
        patience: float = 10.0,
        dates: Dates | None = None,
        cut: Cut = chunk_document,
    ) -> None:
        self.folder = folder
        self.embedder = embedder
        self._root = root
        self._patience = patience
        self._storage = Storage(folder, root)
        self._updating = Updating(self._storage, Cutting(root, dates, cut), embedder is not None)
        self._vectors = Meanings(self._storage, folder, embedder, patience)

    def stale(self, stats: Mapping[str, Stat]) -> Stale:
        """Compare the files as they lie on disk with the index.

        Args:
            stats: every file that should be searched, by path relative to the vault.
        """
        try:
            held = self._storage.manifest.stats() if self._storage.fits() else {}
        except sqlite3.Error:
            held = {}
        changed = tuple(
            path for path, stat in stats.items() if held.get(path) != stat and path == encodable(path)
        )
        return Stale(changed, tuple(path for path in held if path not in stats))

    def problems(self) -> tuple[tuple[str, str], ...]:
        """Return the files that could not be indexed, with the reason."""
        try:
            records = self._storage.manifest.records() if self._storage.fits() else {}
        except sqlite3.Error:
            return ()
        return tuple((record.path, record.problem) for record in records.values() if record.problem)

    def update(
        self,
        files: Mapping[str, Content],
        stats: Mapping[str, Stat] | None = None,
        *,
        tell: Tell | None = None,
    ) -> UpdateReport:
        """Take over files as they are now, all in one commit.

        Args:
            files: text or bytes by path relative to the vault; None for a file that is gone. Bytes that are
                not UTF-8 are reported, and the rest is indexed.
            stats: how each file lay on disk before it was read; a file without is looked at again next time.
            tell: is told how many files are done, of how many.

        Raises:
            SearchIndexError: the folder cannot be written.
        """
        return self._write(files, stats or {}, tell, rebuild=False)

    def rebuild(
        self,
        files: Mapping[str, Content],
        stats: Mapping[str, Stat] | None = None,
        *,
        tell: Tell | None = None,
    ) -> UpdateReport:
        """Replace everything the index holds by ``files``; readers keep the old state until it is done."""
        return self._write(files, stats or {}, tell, rebuild=True)

    def clear(self) -> None:
        """Delete the index, so that everything is stale. Vectors stay: they belong to texts, not to files."""
        with hold_writer(self.folder, self._patience) as held:
            if held:
                self._storage.clear()

    def search(
        self, query: str, filters: Filters | None = None, limit: int = 10, *, today: date | None = None
    ) -> SearchResult:
        """Return what answers ``query`` best, the best first; any text is a query, and none can fail.

        Args:
            filters: what may be seen; None means everything.
            today: the day of asking, for "last week"; without it only named days count.
        """
        query = encodable(query[:_LONGEST_QUERY])
        for attempt in (1, 2):  # once more: another process may just have begun the index anew
            try:
                with panics_as_damage():
                    return search_storage(
                        self._storage,
                        self._vectors,
                        query,
                        filters or Filters(),
                        limit,
                        today or date.today(),
                    )
            except _DAMAGE:
                self._storage.close()
                if attempt == 2:
                    self.clear()
        return SearchResult((), ("the index was damaged and is being rebuilt",))

    def verify(self) -> bool:
        """Read all that the index holds. One that is damaged is deleted, so that everything is stale: False."""
        if not self._storage.fits():
            return True
        try:
            with panics_as_damage():
                held = {chunk.view.path for chunk in all_chunks(self._storage.searcher())}
            sound = held <= self._storage.manifest.records().keys()
        except _DAMAGE:
            sound = False
        if not sound:
            self.clear()
        return sound

    def vectors_missing(self) -> bool:
        """Say whether texts in the index still lack vectors of the current model."""
        return self.embedder is not None and not self._vectors.complete()

    def fill_vectors(self) -> UpdateReport:
        """Make the vectors that are missing for the current model, for everything in the index, now."""
        return UpdateReport(degraded=self._vectors.fill(self._meanings(), everything=True))

    def catch_up_vectors(self, at_hand: int | None = None) -> UpdateReport:
        """Make the vectors that are missing: now where they are few (``at_hand``), else in the background.

        Search goes on meanwhile, and says how far that is.
        """
        few = _AT_HAND if at_hand is None else at_hand
        texts = self._meanings()
        if self.embedder is None or self._vectors.lacking(texts) <= few or not self.embedder.origin[0]:
            return UpdateReport(degraded=self._vectors.fill(texts, everything=True))
        start_filling(self.folder, self._root, self.embedder)
        return UpdateReport()

    def _meanings(self) -> dict[str, str]:
        """What vectors are made of, by their keys, for everything in the index."""
        try:
            chunks = all_chunks(self._storage.searcher()) if self._storage.fits() else []
        except _DAMAGE:
            return {}
        return {chunk.key: chunk.meaning for chunk in chunks}

    def improve(self) -> bool:
        """Bring the approximate index of a very large store of vectors up to it; says whether it did anything."""
        return self._vectors.improve()

    def _write(
        self, files: Mapping[str, Content], stats: Mapping[str, Stat], tell: Tell | None, *, rebuild: bool
    ) -> UpdateReport:
        with hold_writer(self.folder, self._patience) as held:
            if not held:
                return UpdateReport(deferred=tuple(files), degraded=self._updating.busy())
            try:
                done = self._updating.write(files, stats, tell, rebuild=rebuild)
            except _DAMAGE:
                self._storage.clear()
                try:
                    done = self._updating.write(files, stats, tell, rebuild=rebuild)
                except _DAMAGE as error:
                    raise SearchIndexError(
                        f"the index cannot be written: {error}", path=str(self.folder)
                    ) from error
        problems = [(record.path, record.problem) for record in done.plan.put if record.problem]
        problems += [(path, "its name is not UTF-8") for path in done.plan.unnamed]
        return UpdateReport(
            tuple(record.path for record in done.plan.put if not record.problem),
            tuple(done.plan.drop),
            problems=tuple(problems),
            degraded=self._vectors.fill(done.texts, everything=done.everything),
        )
