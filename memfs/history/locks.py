"""Lock files that a crash left in the git directory: which may go, and which are only reported.

Removed are only locks older than this boot, locks that provably are memfs's own (a hard link of its private
index), and ref locks of a recorded memfs child that is dead. Any other lock may belong to a git at work.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memfs.processes import process_start

# A recorded child is stopped after its time limit, so a lock made later cannot be its own.
_CHILD_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Child:
    """A git child: process id, a mark of its start (no later process has both), epoch seconds, command."""

    pid: int
    start: str
    at: float
    command: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file that is there. ``owner``: memfs's own, left over from before this boot, or not known."""

    path: Path
    at: float
    owner: Literal["memfs", "boot", "unknown"]


def child_of(pid: int, at: float, command: str) -> Child:
    """The record of a child that runs now."""
    return Child(pid, process_start(pid) or "", at, command)


def child_alive(child: Child) -> bool:
    """Whether the recorded child still runs (another process with its id does not count)."""
    return process_start(child.pid) == child.start


def boot_time() -> float | None:
    """When this machine started, in epoch seconds; None where that cannot be told."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
            if line.startswith("btime "):
                return float(line.split()[1])
    with suppress(OSError, ValueError, IndexError):
        told = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "kern.boottime"], capture_output=True, text=True, check=False
        )
        return float(told.stdout.split("sec = ")[1].split(",")[0])
    return None


def find_locks(
    git_dir: Path, common_dir: Path, children: Sequence[Child] = (), boot: float | None = None
) -> tuple[Lock, ...]:
    """The lock files in a git directory, each with its owner as far as it can be proven."""
    return tuple(_judge(path, git_dir, children, boot) for path in _lock_paths(git_dir, common_dir))


def remove_stale_locks(
    git_dir: Path, common_dir: Path, top: Path, children: Sequence[Child] = (), boot: float | None = None
) -> tuple[tuple[Lock, ...], tuple[Lock, ...]]:
    """Remove the locks that nobody can hold. Returns those removed, and those left (to be reported)."""
    locks = find_locks(git_dir, common_dir, children, boot)
    busy = any(child_alive(child) for child in children) or _git_runs_in(top)
    removed = tuple(lock for lock in locks if lock.owner == "boot" or (lock.owner == "memfs" and not busy))
    for lock in removed:
        lock.path.unlink(missing_ok=True)
    for leftover in private_indexes(git_dir):
        leftover.unlink(missing_ok=True)
    return removed, tuple(lock for lock in locks if lock not in removed)


def private_indexes(git_dir: Path) -> tuple[Path, ...]:
    """Private index files (and their locks) whose process is gone."""
    found = (git_dir / "memfs").glob("index-*")
    return tuple(path for path in found if not _maker_runs(path))


def _maker_runs(path: Path) -> bool:
    number = path.name.removeprefix("index-").removesuffix(".lock")
    return number.isdigit() and process_start(int(number)) is not None


def _lock_paths(git_dir: Path, common_dir: Path) -> Iterator[Path]:
    fixed = [git_dir / "index.lock", git_dir / "HEAD.lock"]
    fixed += [common_dir / name for name in ("packed-refs.lock", "config.lock", "objects/maintenance.lock")]
    yield from (path for path in fixed if path.is_file())
    yield from sorted((common_dir / "refs" / "heads").rglob("*.lock"))


def _judge(path: Path, git_dir: Path, children: Iterable[Child], boot: float | None) -> Lock:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return Lock(path, 0.0, "unknown")
    if boot is not None and stat.st_mtime < boot:
        return Lock(path, stat.st_mtime, "boot")
    if path.name == "index.lock":
        own = any(os.path.samefile(path, private) for private in private_indexes(git_dir))
    else:
        own = any(
            not child_alive(child) and -1.0 <= stat.st_mtime - child.at <= _CHILD_SECONDS
            for child in children
        )
    return Lock(path, stat.st_mtime, "memfs" if own else "unknown")


def _git_runs_in(top: Path) -> bool:
    """Whether some git runs in this work tree now. Only Linux can tell cheaply; elsewhere False."""
    for comm in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            if comm.read_text(encoding="utf-8", errors="replace").strip() == "git":
                here = (comm.parent / "cwd").resolve()
                if here == top or top in here.parents:
                    return True
    return False
