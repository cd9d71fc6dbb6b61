"""The edge to watchdog: its events become hints that something under a path may have changed. Nothing more is
believed of them.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from memfs.daemon.hints import HintBox

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver, ObservedWatch

# Reading a file raises "opened" and "closed without writing": with these, memfs would wake itself for ever.
CONTENT_EVENTS: tuple[type[FileSystemEvent], ...] = (
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    FileClosedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
)
_LOGGERS = ("watchdog.observers.inotify", "watchdog.observers.inotify_c")


@dataclass(frozen=True, slots=True)
class _Armed:
    watch: ObservedWatch
    recursive: bool
    place: tuple[int, int]


class Events:
    """The watches on folders. Raises OSError where the system has no more watches or instances to give."""

    def __init__(self, box: HintBox) -> None:
        # watchdog warns at every new folder of a burst that it watches it already.
        warnings.filterwarnings("ignore", message="Callback with id ", category=RuntimeWarning)
        self._handler = _Handler(box)
        self._armed: dict[str, _Armed] = {}
        self._log = _LogFilter(box)
        self._observer: BaseObserver = Observer()
        self._observer.start()
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._log)

    def arm(self, folders: Mapping[str, bool]) -> None:
        """Watch exactly these folders; True: with all beneath. A folder that was made anew is watched anew.

        A folder that is not there is left out.
        """
        alive = {emitter.watch for emitter in self._observer.emitters if emitter.is_alive()}
        places = {path: _place(path) for path in folders}
        for path, armed in list(self._armed.items()):
            if armed.watch not in alive or (folders.get(path), places.get(path)) != (
                armed.recursive,
                armed.place,
            ):
                self._observer.unschedule(self._armed.pop(path).watch)
        for path, recursive in folders.items():
            place = places[path]
            if path not in self._armed and place is not None:
                self._arm(path, recursive, place)
        self._probe()

    def is_alive(self) -> bool:
        """Whether watchdog's threads still run."""
        return self._observer.is_alive()

    def close(self) -> None:
        """End the watches and watchdog's threads."""
        self._observer.stop()
        self._observer.join()
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self._log)

    def _arm(self, path: str, recursive: bool, place: tuple[int, int]) -> None:
        try:
            watch = self._schedule(path, recursive, CONTENT_EVENTS)
        except (FileNotFoundError, NotADirectoryError):
            return
        self._armed[path] = _Armed(watch, recursive, place)

    def _schedule(self, path: str, recursive: bool, kinds: Iterable[type[FileSystemEvent]]) -> ObservedWatch:
        return self._observer.schedule(self._handler, path, recursive=recursive, event_filter=list(kinds))

    def _probe(self) -> None:
        """Make sure that watches are left: watchdog says nothing when a folder in a watched one gets none."""
        if sys.platform != "linux":
            return
        with tempfile.TemporaryDirectory(prefix="memfs-watch-") as folder:
            self._observer.unschedule(self._schedule(folder, False, (DirMovedEvent,)))


class _Handler(FileSystemEventHandler):
    def __init__(self, box: HintBox) -> None:
        self._box = box

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._box.add(os.fsdecode(path), is_folder=event.is_directory)


class _LogFilter(logging.Filter):
    """Takes watchdog's only sign that events or watches were lost, a line of its log, for what it means.

    Nothing of that log is shown: the rest is threads that were stopped while they waited.
    """

    def __init__(self, box: HintBox) -> None:
        super().__init__()
        self._box = box

    def filter(self, record: logging.LogRecord) -> bool:
        if record.getMessage().startswith(("Inotify queue overflowed", "Unable to rebuild")):
            self._box.lose()
        return False


def _place(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def plan_watches(roots: Iterable[str], own: Iterable[str]) -> dict[str, bool]:
    """Which folders to watch (True: with all beneath) so that ``roots`` are covered and ``own`` are not."""
    planned: dict[str, bool] = {}
    for root in sorted(roots, key=len):
        covered = any(whole and root.startswith(folder + os.sep) for folder, whole in planned.items())
        if not covered:
            _plan(root, frozenset(own), planned)
    return planned


def _plan(folder: str, own: frozenset[str], planned: dict[str, bool]) -> None:
    if not any(place.startswith(folder + os.sep) for place in own):
        planned[folder] = True
        return
    planned[folder] = False
    try:
        with os.scandir(folder) as entries:
            inside = [e for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")]
    except OSError:
        return
    for entry in inside:
        if entry.path not in own:
            _plan(entry.path, own, planned)
