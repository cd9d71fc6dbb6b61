"""The index follows the documents: at once where they are known to have changed, in parts where all are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from memfs.daemon.wording import Notice, notice
from memfs.services.finding.indexing import follow_index, index_documents, open_index

if TYPE_CHECKING:
    from memfs.model import Stat
    from memfs.search.index import SearchIndex, UpdateReport
    from memfs.services.opening import Vault

_MANY = 30  # documents at once are indexed in parts
_BREATH_SECONDS = 1.0


class IndexFollower:
    """Keeps one vault's index up. Each step is short, so that others have their turn between."""

    def __init__(self, vault: Vault, say: Callable[[Notice], None]) -> None:
        self._say = say
        self._changed: dict[str, Stat | None] = {}
        self._deferred = False
        self.use(vault)

    def use(self, vault: Vault) -> None:
        """Go on with the settings of ``vault``."""
        self._vault = vault
        self._index: SearchIndex | None = None
        self._parts: Iterator[UpdateReport] | None = None
        self._compare = True
        self._count = 0

    def note(self, documents: Mapping[str, Stat | None]) -> None:
        """These changed; None: gone."""
        self._changed |= documents

    def compare(self) -> None:
        """Compare everything with the index: it can be deleted at any time."""
        self._compare = True

    @property
    def busy(self) -> bool:
        """Whether all documents are being compared."""
        return self._parts is not None

    def wait(self) -> float | None:
        """Seconds until the next step; None when there is none."""
        if self._parts is None and not self._compare and not self._changed:
            return None
        return _BREATH_SECONDS if self._deferred else 0.0

    def step(self) -> None:
        """Do the next step; says how many documents were taken over, when that is done.

        Raises SearchIndexError; then everything is compared when that is asked for again.
        """
        if self._parts is None and (self._compare or len(self._changed) > _MANY):
            self._compare, self._changed, self._count = False, {}, 0
            self._parts = follow_index(self._vault, self._open(), announce=self._announce)
        if self._parts is None:
            documents, self._changed = self._changed, {}
            self._count = (
                self._take(index_documents(self._vault, self._open(), documents)) if documents else 0
            )
        else:
            parts, self._parts = self._parts, None
            report = next(parts, None)
            if report is not None:
                self._parts = parts
                self._count += self._take(report)
                return
        if self._count:
            self._say(notice("indexed", count=self._count))

    def _announce(self, part: str) -> None:
        self._say(notice("indexing", part=part))

    def _open(self) -> SearchIndex:
        if self._index is None:
            self._index = open_index(self._vault)
        return self._index

    def _take(self, report: UpdateReport) -> int:
        self._deferred = bool(report.deferred)  # another process writes the index
        self._compare |= self._deferred
        return len(report.indexed) + len(report.removed)
