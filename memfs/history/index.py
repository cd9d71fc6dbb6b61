"""The person's index: what it holds for a path, and setting exactly the paths of a commit.

`git update-index` works on a private copy; the copy then takes the index's place under git's own lock, which
is a hard link of it. So the lock exists for microseconds, and one that a crash leaves is provably memfs's.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memfs.errors import HistoryError, RepositoryBusy
from memfs.history.objects import EMPTY_BLOBS, chunks
from memfs.history.runner import Git
from memfs.history.trees import Blob

LOCK_SECONDS = 5.0
_PAUSE = 0.02  # seconds between two looks at a lock
_INTENT_TO_ADD = 1 << 29


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One entry of the index. ``stage`` is 0, or 1 to 3 in a conflict (base, ours, theirs)."""

    mode: str
    oid: str
    stage: int = 0
    skip_worktree: bool = False
    assume_unchanged: bool = False
    intent_to_add: bool = False

    @property
    def blob(self) -> Blob:
        """Mode and object id."""
        return self.mode, self.oid


def read_entries(git: Git, paths: Sequence[str]) -> dict[str, tuple[IndexEntry, ...]]:
    """What the index holds for each path; several entries only in a conflict, none when it is not tracked."""
    found: dict[str, tuple[IndexEntry, ...]] = dict.fromkeys(paths, ())
    for portion in chunks(paths):
        out = git.run("ls-files", "-s", "-v", "-z", "--full-name", "--", *portion).out
        for record in filter(None, out.split(b"\0")):
            head, _, name = record.partition(b"\t")
            path = name.decode("utf-8", "surrogateescape")
            if path in found:
                found[path] += (_entry(head.decode("ascii")),)
    empty = [path for path, entries in found.items() if any(entry.oid in EMPTY_BLOBS for entry in entries)]
    for path in _intended(git, empty):
        found[path] = tuple(replace(entry, intent_to_add=True) for entry in found[path])
    return found


def _entry(head: str) -> IndexEntry:
    tag, mode, oid, stage = head.split(" ")
    return IndexEntry(mode, oid, int(stage), skip_worktree=tag in "Ss", assume_unchanged=tag.islower())


def _intended(git: Git, paths: Sequence[str]) -> list[str]:
    """Which of these empty entries are only announced (`git add -N`). Reads flags, never file contents."""
    found: list[str] = []
    for portion in chunks(paths):
        out = git.run("ls-files", "--debug", "-z", "--full-name", "--", *portion).out
        path = ""
        for line in out.decode("utf-8", "surrogateescape").split("\n"):
            name, separator, rest = line.partition("\0")
            if separator:
                path, line = name, rest
            flags = line.partition("flags: ")[2]
            if flags and int(flags, 16) & _INTENT_TO_ADD:
                found.append(path)
    return [path for path in found if path in paths]


def set_entries(
    git: Git, git_dir: Path, changes: Mapping[str, Blob | None], absent: str, *, seconds: float = LOCK_SECONDS
) -> None:
    """Set these paths of the index (None removes one); every other entry stays as it is.

    ``absent`` is the all-zero object id of this repository's length. Waits up to ``seconds`` for a lock, then
    raises RepositoryBusy with the index untouched.
    """
    if not changes:
        return
    deadline = time.monotonic() + seconds
    folder = git_dir / "memfs"
    folder.mkdir(exist_ok=True)
    private = folder / f"index-{os.getpid()}"
    try:
        while True:
            before = _copy_index(git_dir / "index", private)
            _update(git, private, changes, absent)
            if _install(git_dir, private, before):
                return
            if time.monotonic() >= deadline:
                raise _busy(git_dir)
            time.sleep(_PAUSE)
    finally:
        private.unlink(missing_ok=True)


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _copy_index(index: Path, private: Path) -> tuple[int, int, int] | None:
    """Copy the index, its time included: git tells racily clean entries by it. Returns its stat record."""
    private.unlink(missing_ok=True)
    private.with_name(private.name + ".lock").unlink(missing_ok=True)
    before = _stat(index)
    if before is not None:
        shutil.copy2(index, private)
    return before


def _update(git: Git, private: Path, changes: Mapping[str, Blob | None], absent: str) -> None:
    lines = bytearray()
    for path, blob in changes.items():
        mode, oid = blob if blob is not None else ("0", absent)
        lines += f"{mode} {oid}\t".encode("ascii") + path.encode("utf-8", "surrogateescape") + b"\0"
    git.run("update-index", "-z", "--index-info", stdin=bytes(lines), env={"GIT_INDEX_FILE": str(private)})


def _install(git_dir: Path, private: Path, before: tuple[int, int, int] | None) -> bool:
    """Put the private index in place under git's lock. False: locked, or the index changed meanwhile."""
    index, lock = git_dir / "index", git_dir / "index.lock"
    try:
        _take_lock(private, lock)
    except FileExistsError:
        return False
    if _stat(index) != before:
        lock.unlink()
        return False
    os.replace(lock, index)
    sync_path(git_dir)
    return True


def _take_lock(private: Path, lock: Path) -> None:
    try:
        os.link(private, lock)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(private.read_bytes())
            stream.flush()
            os.fsync(stream.fileno())


def _busy(git_dir: Path) -> RepositoryBusy:
    lock = git_dir / "index.lock"
    reason = "git's index is locked" if lock.exists() else "git's index keeps changing"
    return RepositoryBusy(
        reason,
        path=str(lock),
        hint="finish the git command that runs; if none does, a crashed one left this file: remove it",
    )


def sync_path(path: Path) -> None:
    """Make a file, or a folder's entries, durable. One that is gone (objects were packed) needs nothing."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        raise HistoryError(f"it could not be made durable: {error.strerror}", path=str(path)) from error
    finally:
        os.close(handle)
