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
from typing import TYPE_CHECKING

from memfs.daemon.areas import Area, Difference
from memfs.daemon.changes import ChangeSet
from memfs.daemon.events import Events, plan_watches
from memfs.daemon.hints import HintBox, Hints
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
    from memfs.services.ingesting.sources import TranscriptSource
    from memfs.services.opening import Vault

POLL_SECONDS = 1.0
_POLL_SHARE = 10.0  # of the time between two looks, a look may take a tenth
_LIMITS = {
    errno.ENOSPC: "watches (fs.inotify.max_user_watches)",
    errno.EMFILE: "instances (fs.inotify.max_user_instances)",
}
# Notices that are said once, and by what they are told apart.
_ONCE = {
    "conflict": "path",
    "twins": "paths",
    "choose": "source",
    "unreadable": "path",
    "polling": "seconds",
    "exhausted": "limit",
}


class Watcher:
    """Watches one vault. To be closed after use: a context manager."""

    def __init__(self, vault: Vault) -> None:
        self._box = HintBox()
        self._events: Events | None = None
        self._lost: frozenset[str] = frozenset()
        self._told: set[tuple[str, object]] = set()
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

    def changes(self, stop: threading.Event, wait: Callable[[], float | None]) -> Iterator[ChangeSet]:
        """Yield change sets until ``stop``; an empty one when the seconds that ``wait`` tells have passed.

        The first one holds everything that is there.
        """
        threading.Thread(target=self._wake_at, args=(stop,), name="memfs-stop", daemon=True).start()
        while not stop.is_set():
            hints = self._box.take(self._seconds(wait()))
            if not stop.is_set():
                yield self.look(hints)

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
        for area in self._areas():
            self._look_in(found, area, None if complete else hints)
        if complete:
            self._next_look = time.monotonic() + self._pause(time.monotonic() - began)
            found.complete = True
        found.notices = [said for said in found.notices if self._is_news(said)]
        return found

    def nudge(self) -> None:
        """Yield a change set now, though nothing changed. Any thread may call it."""
        self._box.nudge()

    def _wake_at(self, stop: threading.Event) -> None:
        stop.wait()
        self._box.wake()

    def _areas(self) -> tuple[Area, ...]:
        return (self._settings, self._documents, *self._sources.values())

    def _look_in(self, found: ChangeSet, area: Area, hints: Hints | None) -> None:
        now, wall = time.monotonic(), time.time_ns()
        try:
            difference = area.look(now, wall) if hints is None else area.follow(hints, now, wall)
        except (MemfsError, OSError) as error:
            found.notices.append(notice("unreadable", path=area.root, reason=str(error)))
            return
        if area is self._settings:
            found.settings |= difference != Difference()
        elif isinstance(area, DocumentArea):
            found.add_documents(area, difference)
        elif isinstance(area, SourceArea):
            found.add_transcripts(area, difference)

    def _is_news(self, said: Notice) -> bool:
        if said.word not in _ONCE:
            return True
        mark = (said.word, dict(said.values)[_ONCE[said.word]])
        known = mark in self._told
        self._told.add(mark)
        return not known

    # When to look

    def _pause(self, took: float) -> float:
        """Seconds until the next look at everything, when this one took so long."""
        rescan = float(self._vault.config.watch.rescan_seconds)
        if self._events is not None or self._vault.config.watch.polling == "never":
            return rescan
        return min(rescan, max(POLL_SECONDS, took * _POLL_SHARE))

    def _seconds(self, wanted: float | None) -> float:
        """How long to wait for hints."""
        if str(self._vault.top) in self._lost:
            return POLL_SECONDS
        now = time.monotonic()
        again = [at - now for area in self._areas() if (at := area.next_look()) is not None]
        waits = [self._next_look - now, *again]
        if wanted is not None:
            waits.append(wanted)
        if self._lost:
            waits.append(POLL_SECONDS)
        return max(0.0, min(waits))

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
        sources, known = real_sources(self._vault), self._sources
        self._sources = {source: known.get(source) or SourceArea(self._vault, source) for source in sources}
        self._check_roots(found)
        if self._vault.config.watch.polling == "always":
            self._drop_events()
            found.notices.append(notice("polling", seconds=int(POLL_SECONDS)))
        elif not self._exhausted:
            try:
                self._set_watches(sources)
            except OSError as error:
                self._drop_events()
                self._exhausted = True
                limit = _LIMITS.get(error.errno or 0, str(error))
                found.notices.append(notice("exhausted", limit=limit, seconds=int(self._pause(0.0))))

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
