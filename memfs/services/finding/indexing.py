"""The search index of a vault, brought up to the files as they lie on disk."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memfs.model import Stat
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from pathlib import Path

    from memfs.search.cutting import Dates
    from memfs.search.index import SearchIndex, Stale, UpdateReport
    from memfs.services.opening import Vault

Read = Callable[[Iterable[str]], Mapping[str, bytes | None]]
Announce = Callable[[str], object]
_WORTH_SAYING = 1.0  # seconds after which, and between which, progress is told


def open_index(vault: Vault) -> SearchIndex:
    """The vault's search index; nothing is loaded before it is used."""
    from memfs.services.entries import days_said

    return make_index(vault, vault.layout.derived / "index", partial(days_said, vault))


def make_index(vault: Vault, folder: Path, dates: Dates) -> SearchIndex:
    """An index in ``folder`` with the vault's engine; ``dates`` tell when entries were said."""
    from memfs.search.embeddings import load_embedder
    from memfs.search.index import SearchIndex

    settings = vault.config.embeddings
    embedder = load_embedder(settings.engine, settings.model, state=vault.layout.derived / "index")
    return SearchIndex(folder, embedder, root=vault.layout.root, dates=dates)


def refresh_index(vault: Vault, index: SearchIndex, announce: Announce | None = None) -> UpdateReport:
    """Bring the index up to the files as they lie on disk; cheap when nothing changed.

    ``announce`` is told how many documents are done of how many, where that takes long.
    """
    return bring_up(index, document_stats(vault), partial(_read_files, vault), announce)


def bring_up(
    index: SearchIndex, stats: Mapping[str, Stat], read: Read, announce: Announce | None = None
) -> UpdateReport:
    """Bring an index up to files that ``stats`` tell of and ``read`` gives; None for one that is gone.

    An index that proves to be damaged while it is written is emptied; then all the other files follow.
    """
    from memfs.search.index import UpdateReport

    report = UpdateReport()
    seen: set[str] = set()
    while todo := [path for path in _differing(index.stale(stats)) if path not in seen]:
        seen.update(todo)
        report = _joined(report, index.update(read(todo), stats, tell=_telling(announce)))
    if index.vectors_missing():
        report = _joined(report, index.catch_up_vectors())
    return report


def _telling(announce: Announce | None) -> Callable[[int, int], None] | None:
    """What announces progress now and then; of a short update it says nothing."""
    if announce is None:
        return None
    said = time.monotonic()

    def tell(done: int, count: int) -> None:
        nonlocal said
        if time.monotonic() - said >= _WORTH_SAYING:
            said = time.monotonic()
            announce(f"{done}/{count}")

    return tell


def _differing(stale: Stale) -> tuple[str, ...]:
    return (*stale.changed, *stale.gone)


def _joined(first: UpdateReport, second: UpdateReport) -> UpdateReport:
    """What two passes did together; why vectors are missing is what the last one says."""
    return replace(
        second,
        indexed=first.indexed + second.indexed,
        removed=first.removed + second.removed,
        deferred=first.deferred + second.deferred,
        problems=first.problems + second.problems,
    )


def follow_index(
    vault: Vault, index: SearchIndex, *, seconds: float = 0.5, announce: Announce | None = None
) -> Iterator[UpdateReport]:
    """The same in parts that take about so many seconds, for who has other things to do between.

    At last the vectors that are missing everywhere are made, in the background.
    """
    stats = document_stats(vault)
    stale = index.stale(stats)
    paths, part = [*stale.changed, *stale.gone], 32
    count, tell = len(paths), _telling(announce)
    while paths:
        began = time.monotonic()
        report = index.update(_read_files(vault, paths[:part]), stats)
        del paths[:part]
        part = part * 2 if time.monotonic() - began < seconds else max(1, part // 2)
        if tell is not None and paths:
            tell(count - len(paths), count)
        yield report
    if index.vectors_missing():
        yield index.catch_up_vectors(at_hand=0)


def index_documents(vault: Vault, index: SearchIndex, documents: Mapping[str, Stat | None]) -> UpdateReport:
    """Bring the index up to documents that changed, as a watcher saw them lie on disk (None: gone)."""
    there = {path: stat for path, stat in documents.items() if stat is not None}
    gone = dict.fromkeys(path for path in documents if path not in there)
    return index.update({**_read_files(vault, there), **gone}, there)


def reindex(vault: Vault, announce: Announce | None = None) -> UpdateReport:
    """Build the index anew from the files; ``announce`` is told how far that is."""
    stats = document_stats(vault)
    index = open_index(vault)
    report = index.rebuild(_read_files(vault, stats), stats, tell=_telling(announce))
    if index.vectors_missing():
        index.fill_vectors()
    return report


def drop_indexes(vault: Vault) -> None:
    """Delete everything derived that holds texts, of the past and of conversations too; search makes it anew.

    An index holds on to a deleted text for a while, so this is what a purge has to do.
    """
    for name in ("index", "past", "sessions", "links"):
        shutil.rmtree(vault.layout.derived / name, ignore_errors=True)


def document_stats(vault: Vault) -> dict[str, Stat]:
    """The documents that are searched, and how each lies on disk."""
    return dict(scan_documents(vault.layout, vault.config.search.include).documents)


def _read_files(vault: Vault, paths: Iterable[str]) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {}
    for path in paths:
        try:
            files[path] = (vault.top / path).read_bytes()
        except (FileNotFoundError, IsADirectoryError, PermissionError):
            files[path] = None
    return files
