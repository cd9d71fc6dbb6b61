"""The watcher: an iterator of change sets over the vault and the folders of its sources.

Events are hints of where to look; a look at the disk is the truth: of everything at start, at intervals, and
after events were lost. Watches are set before the first look, so that nothing is lost between. Where the
system has no watches to give, or a network drive tells of no changes, it looks more often instead.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memfs.daemon.areas import Area, Difference
from memfs.daemon.events import Events, HintBox, Hints, plan_watches
from memfs.daemon.places import (
    DocumentArea,
    SourceArea,
    own_folders,
    real_sources,
    settings_area,
    watched_roots,
)
from memfs.daemon.wording import Notice, notice
from memfs.errors import MemfsError

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.services.sources import TranscriptFile, TranscriptSource

POLL_SECONDS = 1.0
_POLL_SHARE = 10.0  # of the time between two looks, a look may take a tenth
_LIMITS = {
    errno.ENOSPC: "watches (fs.inotify.max_user_watches)",
    errno.EMFILE: "instances (fs.inotify.max_user_instances)",
}


@dataclass(slots=True)
class ChangeSet:
    """What changed. ``documents`` are relative to the vault and may be gone; ``transcripts`` are new or grew.

    ``settled``: transcripts to be read again, since they were written in the moment in which they were read.
    ``renamed``: transcripts under a new name, with the old path. ``gone``: transcripts that are no more.
    ``complete``: everything was looked at. ``notices`` are for people.
    """

    documents: list[str] = field(default_factory=list)
    transcripts: list[TranscriptFile] = field(default_factory=list)
    settled: list[TranscriptFile] = field(default_factory=list)
    renamed: list[tuple[str, TranscriptFile]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    settings: bool = False
    complete: bool = False
    notices: list[Notice] = field(default_factory=list)


class Watcher:
    """Watches one vault. To be closed after use: a context manager."""

    def __init__(self, vault: Vault) -> None:
        self._box = HintBox()
        self._events: Events | None = None
        self._lost: frozenset[str] = frozenset()
        self._told: set[tuple[object, ...]] = set()
        self._sources: dict[TranscriptSource, SourceArea] = {}
        self.use(vault)

    def use(self, vault: Vault) -> None:
        """Go on with the settings of ``vault``; sources that stayed the same keep what is known of them."""
        self._vault = vault
        self._documents = DocumentArea(vault)
        self._settings = settings_area(vault)
        self._settings.look(time.monotonic(), time.time_ns())
        for area in self._sources.values():
            area.vault = vault
        self._exhausted = False
        self._next_look = 0.0

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop_events()

    @property
    def sources(self) -> tuple[TranscriptSource, ...]:
        """The sources that are watched."""
        return tuple(self._sources)

    def changes(self, stop: threading.Event, wait: Callable[[], float | None]) -> Iterator[ChangeSet]:
        """Yield change sets until ``stop``; an empty one when the seconds that ``wait`` tells have passed.

        The first one holds everything that is there.
        """
        threading.Thread(target=self._wake_at, args=(stop,), name="memfs-stop", daemon=True).start()
        while not stop.is_set():
            hints = self._box.take(self._seconds(wait()))
            if not stop.is_set():
                yield self.look(hints)

    def _wake_at(self, stop: threading.Event) -> None:
        stop.wait()
        self._box.wake()

    def look(self, hints: Hints | None = None) -> ChangeSet:
        """Look where ``hints`` say and wherever it is time to; without hints, at everything."""
        found = ChangeSet()
        began = time.monotonic()
        complete = hints is None or hints.everything or began >= self._next_look
        complete |= self._check_roots(found)
        if str(self._vault.top) in self._lost:
            return found
        if complete or (hints and hints.folders):
            self._arm(found)
        for area in (self._settings, self._documents, *self._sources.values()):
            self._look_in(found, area, None if complete else hints)
        if complete:
            self._next_look = time.monotonic() + self._pause(time.monotonic() - began)
            found.complete = True
        return found

    def _pause(self, took: float) -> float:
        """Seconds until the next look at everything, when this one took so long."""
        rescan = float(self._vault.config.watch.rescan_seconds)
        if self._events is not None or self._vault.config.watch.polling == "never":
            return rescan
        return min(rescan, max(POLL_SECONDS, took * _POLL_SHARE))

    def _seconds(self, wanted: float | None) -> float:
        """How long to wait for hints."""
        now = time.monotonic()
        areas = (self._settings, self._documents, *self._sources.values())
        waits = [self._next_look - now, *(at - now for area in areas if (at := area.next_look()) is not None)]
        if wanted is not None:
            waits.append(wanted)
        if self._lost:
            waits.append(POLL_SECONDS)
            if str(self._vault.top) in self._lost:
                return POLL_SECONDS
        return max(0.0, min(waits))

    # Looking

    def _look_in(self, found: ChangeSet, area: Area, hints: Hints | None) -> None:
        try:
            difference = _difference(area, hints)
        except (MemfsError, OSError) as error:
            self._tell(found, notice("unreadable", path=area.root, reason=str(error)))
            return
        if area is self._settings:
            found.settings |= difference != Difference()
        elif isinstance(area, DocumentArea):
            self._add_documents(found, area, difference)
        elif isinstance(area, SourceArea):
            self._add_transcripts(found, area, difference)

    def _add_documents(self, found: ChangeSet, area: DocumentArea, difference: Difference) -> None:
        renamed = [path for pair in difference.renamed for path in pair]
        paths = (*difference.changed, *difference.settled, *difference.gone, *renamed)
        found.documents += [area.name(path) for path in dict.fromkeys(paths)]
        self._say_renames(found, difference)
        for path in area.last.conflicts:
            self._tell(found, notice("conflict", path=path))
        for twins in area.last.twins:
            self._tell(found, notice("twins", paths=", ".join(twins)))

    def _add_transcripts(self, found: ChangeSet, area: SourceArea, difference: Difference) -> None:
        moved = {new for _, new in difference.renamed}
        found.transcripts += [area.file(path) for path in difference.changed if path not in moved]
        found.settled += [area.file(path) for path in difference.settled]
        found.renamed += [(old, area.file(new)) for old, new in difference.renamed]
        found.gone += difference.gone
        self._say_renames(found, difference)
        if area.question:
            self._tell(found, notice("choose", reason=area.question), "choose", area.source)

    def _say_renames(self, found: ChangeSet, difference: Difference) -> None:
        names = [(os.path.basename(old), os.path.basename(new)) for old, new in difference.renamed]
        found.notices += [notice("renamed", old=old, new=new) for old, new in names]

    def _tell(self, found: ChangeSet, said: Notice, *key: object) -> None:
        """Add a notice that is said once, as far as ``key`` (else itself) tells it from others."""
        mark = key or (said,)
        if mark not in self._told:
            self._told.add(mark)
            found.notices.append(said)

    # Folders and watches

    def _check_roots(self, found: ChangeSet) -> bool:
        """Notice roots that vanished or came back; whether any did."""
        top = str(self._vault.top)
        roots = {top, *(str(source.root) for source in self._sources)}
        lost = frozenset(root for root in roots if not os.path.exists(root))
        gone, back = lost - self._lost, (self._lost - lost) & roots
        found.notices += [notice("lost", path=path) for path in sorted(gone)]
        found.notices += [notice("back", path=path) for path in sorted(back)]
        found.settings |= top in back
        self._lost = lost
        return bool(gone or back)

    def _arm(self, found: ChangeSet) -> None:
        """Bring areas and watches in line with the folders that there are."""
        sources = real_sources(self._vault)
        self._sources = {
            source: self._sources.get(source) or SourceArea(self._vault, source) for source in sources
        }
        self._check_roots(found)
        if self._vault.config.watch.polling == "always":
            self._drop_events()
            self._tell(found, notice("polling", seconds=int(POLL_SECONDS)))
        elif not self._exhausted:
            try:
                self._set_watches(sources)
            except OSError as error:
                self._drop_events()
                self._exhausted = True
                seconds = int(self._pause(0.0))
                limit = _LIMITS.get(error.errno or 0, str(error))
                self._tell(found, notice("exhausted", limit=limit, seconds=seconds))

    def _set_watches(self, sources: tuple[TranscriptSource, ...]) -> None:
        if self._events is not None and not self._events.is_alive():
            self._drop_events()
        if self._events is None:
            self._events = Events(self._box)
        self._events.arm(plan_watches(watched_roots(self._vault, sources), own_folders(self._vault)))

    def _drop_events(self) -> None:
        if self._events is not None:
            self._events.close()
            self._events = None


def _difference(area: Area, hints: Hints | None) -> Difference:
    now, wall = time.monotonic(), time.time_ns()
    if hints is None or any(_touches(area, folder) for folder in hints.folders):
        return area.look(now, wall)
    known = [path for path in hints.files if path in area.known]
    if any(path not in area.known and _may_be_new(area, path) for path in hints.files):
        return area.look(now, wall)
    if known:
        return area.look_at(known, now, wall)
    at = area.next_look()
    return area.look_again(now, wall) if at is not None and at <= now else Difference()


def _touches(area: Area, folder: str) -> bool:
    """Whether files of the area can lie beneath ``folder``."""
    if area.root == folder or area.root.startswith(folder + os.sep):
        return True
    return (rel := _beneath(area.root, folder)) is not None and not _is_hidden(rel)


def _may_be_new(area: Area, path: str) -> bool:
    if path == area.root:
        return True
    rel = _beneath(area.root, path)
    return rel is not None and not _is_hidden(rel) and area.matches(rel)


def _beneath(root: str, path: str) -> str | None:
    return path[len(root) + 1 :] if path.startswith(root + os.sep) else None


def _is_hidden(rel: str) -> bool:
    return any(part.startswith(".") for part in rel.split(os.sep))
