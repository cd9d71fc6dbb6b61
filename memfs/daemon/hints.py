"""Hints: where something may have changed, gathered from many threads for the one that looks."""

from __future__ import annotations

import threading
from dataclasses import dataclass

_QUIET_SECONDS = 0.1
_MAX_HINTS = 10_000


@dataclass(frozen=True, slots=True)
class Hints:
    """Where something may have changed: ``files`` and ``folders``, or ``everything``: events were lost."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    everything: bool = False


class HintBox:
    """Collects hints from watchdog's threads for the one thread that waits for them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._everything = False
        self._woken = False
        self._nudged = False

    def add(self, path: str, *, is_folder: bool) -> None:
        with self._changed:
            (self._folders if is_folder else self._files).add(path)
            if len(self._files) + len(self._folders) > _MAX_HINTS:
                self._lose()
            self._changed.notify()

    def lose(self) -> None:
        """Events were lost: everything has to be looked at."""
        with self._changed:
            self._lose()
            self._changed.notify()

    def wake(self) -> None:
        """End the present wait and all later ones."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def nudge(self) -> None:
        """End the present wait, or else the next one."""
        with self._changed:
            self._nudged = True
            self._changed.notify()

    def take(self, seconds: float | None) -> Hints:
        """Wait for a hint, at most ``seconds``, and a short while longer for those that belong to it."""
        with self._changed:
            self._changed.wait_for(lambda: self._nudged or self._something(), seconds)
            if self._something() and not self._woken:
                self._changed.wait_for(lambda: self._woken, _QUIET_SECONDS)
            self._nudged = False
            taken = Hints(frozenset(self._files), frozenset(self._folders), self._everything)
            self._files, self._folders, self._everything = set(), set(), False
            return taken

    def _something(self) -> bool:
        return self._woken or self._everything or bool(self._files or self._folders)

    def _lose(self) -> None:
        self._files, self._folders, self._everything = set(), set(), True
