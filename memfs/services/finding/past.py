"""Memory as it was at a commit: an index of its tree, derived, and kept for the commits last asked about.

The vectors of now are taken along, so only texts that have changed since are embedded.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.memory.ledger import LedgerRecord, parse_ledger
from memfs.memory.views import locate
from memfs.model import EntryView, Stat
from memfs.services.entries import days_of, views_with_origin
from memfs.services.finding.indexing import bring_up, make_index
from memfs.services.showing import commit_at
from memfs.vault.globs import compile_globs
from memfs.vault.layout import Layout
from memfs.vault.names import is_protected
from memfs.vault.scan import is_conflict_copy

if TYPE_CHECKING:
    from memfs.search.index import SearchIndex, UpdateReport
    from memfs.services.opening import Vault

_KEPT = 4  # indexes of commits
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Past:
    """The vault at a commit. ``today`` is the day that questions there are asked on."""

    vault: Vault
    commit: str
    today: date

    @cached_property
    def blobs(self) -> Mapping[str, str]:
        """The files of the commit, by path."""
        from memfs.history.listing import list_blobs

        return list_blobs(self.vault.repository, self.commit)

    def open_index(self) -> tuple[SearchIndex, UpdateReport]:
        """The index of the commit, complete."""
        folder = self.vault.layout.derived / "past" / self.commit[:20]
        _make_room(folder, self.vault.layout.derived / "index")
        index = make_index(self.vault, folder, self._days)
        report = bring_up(index, self._stats(), self._read)
        return index, report

    def entries(self, path: str, *, journal: bool = False) -> tuple[EntryView, ...]:
        """The entries of a document as they were, with their origin; of a ``journal`` its lines."""
        content = self._read([path])[path]
        text = (content or b"").decode("utf-8", "replace")
        return views_with_origin(
            self.vault, path, text, lambda ids: self._records(path, ids), journal=journal
        )

    def with_provenance(self, views: Iterable[EntryView]) -> Iterator[EntryView]:
        """Views with the source and commit that had last written them by then."""
        from memfs.history.log import is_ancestor
        from memfs.history.provenance import ProvenanceIndex

        repository = self.vault.repository
        index = ProvenanceIndex(self.vault.layout.derived / "provenance", repository)
        for view in views:
            wrote = reversed(index.find(view.id)) if view.id else ()
            last = next((each for each in wrote if is_ancestor(repository, each.commit, self.commit)), None)
            yield replace(view, commit=last.commit, source=last.source) if last else view

    def _stats(self) -> dict[str, Stat]:
        """The documents that are searched; what stands for their stat records says which blob they are."""
        wanted = searched_paths(self.vault.layout, self.vault.config.search.include)
        return {
            path: Stat(0, int(oid[:15], 16), 0, int(oid[15:30], 16))
            for path, oid in self.blobs.items()
            if wanted(path)
        }

    def _read(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        from memfs.history.listing import read_blob_contents

        oids = {path: self.blobs[path] for path in paths if path in self.blobs}
        contents = dict(read_blob_contents(self.vault.repository, list(oids.values())))
        return {path: contents.get(oids.get(path, "")) for path in paths}

    def _days(self, path: str, ids: Collection[str]) -> Mapping[str, str]:
        return days_of(self.vault, self._records(path, ids))

    def _records(self, path: str, ids: Collection[str]) -> Mapping[str, LedgerRecord]:
        """What the ledgers of then say of the entries of a document, its own ledger first."""
        place = locate(path, root=self.vault.layout.root)
        if place is None or not ids:
            return {}
        own, others = self._ledgers.get(place.identity, ({}, {}))
        found = {**others, **own.get(place.document, {})}
        return {entry: found[entry] for entry in ids if entry in found}

    @cached_property
    def _ledgers(
        self,
    ) -> Mapping[str, tuple[Mapping[str, Mapping[str, LedgerRecord]], Mapping[str, LedgerRecord]]]:
        """Per identity: the records of each ledger, and of all."""
        memories = self.vault.layout.rel(self.vault.layout.memories)
        named = re.compile(rf"{re.escape(memories)}/([^/]+)/\.ledger/(.+\.md)")
        found: dict[str, tuple[dict[str, Mapping[str, LedgerRecord]], dict[str, LedgerRecord]]] = {}
        paths = {path: match for path in self.blobs if (match := named.fullmatch(path))}
        for path, content in self._read(paths).items():
            records, _ = parse_ledger((content or b"").decode("utf-8", "replace"))
            by_document, everything = found.setdefault(paths[path][1], ({}, {}))
            by_document[paths[path][2]] = {record.id: record for record in records}
            everything |= {record.id: record for record in records}
        return found


def open_past(vault: Vault, at: str) -> Past:
    """The vault ``at`` a date (its end), a moment or a commit.

    Raises:
        CommitNotFound: no such commit, or nothing was committed yet.
    """
    from memfs.history.log import read_commit

    commit = commit_at(vault, at)
    if _DAY.match(at.strip()):
        with suppress(ValueError):
            return Past(vault, commit, date.fromisoformat(at.strip()[:10]))
    return Past(vault, commit, read_commit(vault.repository, commit).time.astimezone(vault.zone).date())


def searched_paths(layout: Layout, include: Sequence[str]) -> Callable[[str], bool]:
    """Which paths of a commit are searched: by the same rules as files that lie in the vault."""
    matches = compile_globs(include)
    prefix = f"{layout.root}/" if layout.root else ""
    apart = tuple(f"{prefix}{name}/" for name in ("inbox", "archive", "templates"))
    relay = re.compile(re.escape(prefix) + r"memories/[^/]+/relay\.md")

    def wanted(path: str) -> bool:
        parts = path.split("/")
        hidden = any(part.startswith(".") or is_protected(part) for part in parts)
        own = path.startswith(apart) or relay.fullmatch(path) is not None
        return matches(path) and not hidden and not own and not is_conflict_copy(parts[-1])

    return wanted


def _make_room(folder: Path, current: Path) -> None:
    """Mark an index as the last used, drop those not used for longest, and give a new one the vectors of now."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        with suppress(FileNotFoundError, shutil.Error):
            shutil.copytree(current / "vectors", folder / "vectors")
    os.utime(folder)
    others = sorted(folder.parent.iterdir(), key=lambda other: other.stat().st_mtime_ns, reverse=True)
    for old in others[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
