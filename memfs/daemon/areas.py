"""What is known of the files of one area, and what a look at the disk finds changed. The looks are the truth.

A file is told by size, times and inode. One that was written less than 2 s before it was seen is reported
once more when it has settled, since a second write in the same tick of the clock shows in none of these. One
that is absent is gone only when it is still absent a moment later: some editors save by taking it away first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memfs.daemon.hints import Hints
from memfs.model import Stat

SETTLE_SECONDS = 2.0
ABSENCE_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Difference:
    """Paths by what happened to them. ``renamed`` are (old, new): the same file under another name."""

    changed: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


class Area:
    """Files that belong together, by their path as spelled on disk.

    ``scan`` finds them all with their stat records; ``matches`` says of a path beneath ``root`` whether it
    could be one of them. ``now`` is in seconds of a clock that never goes back, ``wall`` in nanoseconds since
    the epoch.
    """

    def __init__(
        self,
        root: str,
        scan: Callable[[], Mapping[str, Stat]],
        matches: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.root = root
        self.matches = matches
        self.known: dict[str, Stat] = {}
        self._scan = scan
        self._absent: dict[str, float] = {}
        self._fresh: dict[str, float] = {}

    def look(self, now: float, wall: int) -> Difference:
        """Compare everything with what is known. Raises what ``scan`` raises; then nothing is forgotten."""
        return self._compare(dict(self._scan()), self.known.keys(), now, wall)

    def follow(self, hints: Hints, now: float, wall: int) -> Difference:
        """Look where ``hints`` lead, and at what has to be looked at again by now."""
        new = any(path not in self.known and self._may_hold(path) for path in hints.files)
        absent = any(at <= now for at in self._absent.values())
        if hints.everything or new or absent or any(self._touches(folder) for folder in hints.folders):
            return self.look(now, wall)
        asked = {path for path in hints.files if path in self.known}
        asked.update(path for path, at in self._fresh.items() if at <= now)
        found = {path: stat for path in asked if (stat := read_stat(path)) is not None}
        return self._compare(found, asked, now, wall)

    def next_look(self) -> float | None:
        """When something has to be looked at again; None when nothing has."""
        return min((*self._absent.values(), *self._fresh.values()), default=None)

    def _compare(self, found: Mapping[str, Stat], asked: Iterable[str], now: float, wall: int) -> Difference:
        changed = [path for path, stat in found.items() if self.known.get(path) != stat]
        absent = [path for path in asked if path not in found]
        renamed = self._renames(absent, [path for path in changed if path not in self.known], found)
        moved = {old for old, _ in renamed}
        gone = [path for path in absent if path not in moved and self._absent.get(path, now + 1) <= now]
        for path in absent:
            self._absent.setdefault(path, now + ABSENCE_SECONDS)
            self._fresh.pop(path, None)
        for path in (*gone, *moved):
            del self.known[path], self._absent[path]
        settled = [path for path, at in self._fresh.items() if at <= now and path in found]
        for path in settled:
            del self._fresh[path]
        for path, stat in found.items():
            self._absent.pop(path, None)
            self.known[path] = stat
        for path in changed:
            age = (wall - max(found[path].mtime_ns, found[path].ctime_ns)) / 1e9
            if age < SETTLE_SECONDS:
                self._fresh[path] = now + SETTLE_SECONDS
        return Difference(
            tuple(changed), tuple(p for p in settled if p not in set(changed)), tuple(gone), tuple(renamed)
        )

    def _touches(self, folder: str) -> bool:
        """Whether files of the area can lie beneath ``folder``."""
        above = self.root == folder or self.root.startswith(folder + os.sep)
        return above or _visible(self.root, folder) is not None

    def _may_hold(self, path: str) -> bool:
        rel = _visible(self.root, path)
        return path == self.root or (rel is not None and self.matches(rel))

    def _renames(
        self, absent: Iterable[str], new: Iterable[str], found: Mapping[str, Stat]
    ) -> list[tuple[str, str]]:
        """Pairs of an absent path and a new one that hold the same file, unwritten since."""
        places = {_content(found[path]): path for path in new}
        return [(old, places[key]) for old in absent if (key := _content(self.known[old])) in places]


def read_stat(path: str) -> Stat | None:
    """How the file lies on disk; None when there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return Stat(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def _content(stat: Stat) -> tuple[int, int, int]:
    """What a rename leaves as it is."""
    return stat.inode, stat.size, stat.mtime_ns


def _visible(root: str, path: str) -> str | None:
    """``path`` relative to ``root``; None when it is not beneath it, or hidden there."""
    rel = path[len(root) + 1 :] if path.startswith(root + os.sep) else None
    return None if rel is None or any(part.startswith(".") for part in rel.split(os.sep)) else rel
