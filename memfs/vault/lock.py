"""Exclusive locks that the kernel frees when their holder dies (flock), between threads and processes."""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memfs.errors import VaultError, VaultLocked
from memfs.vault.folders import ensure_folder, open_folder
from memfs.vault.layout import Layout

LOCK_TIMEOUT = 10.0
_POLL = 0.01
_held = threading.local()


@contextmanager
def hold_vault(layout: Layout, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
    """Be the one writer of the vault. Held for milliseconds, never during a model call.

    ``timeout`` in seconds. Raises VaultLocked, naming the holder; RuntimeError when this thread holds it.
    """
    with hold_file(layout.local / "vault.lock", timeout, "the vault"):
        yield


@contextmanager
def hold_file(path: Path, timeout: float = LOCK_TIMEOUT, what: str = "the file") -> Iterator[None]:
    """Hold the lock file ``path`` (made when missing, never removed). Raises as `hold_vault`."""
    mine: set[Path] = _held.__dict__.setdefault("paths", set())
    if path in mine:
        raise RuntimeError(f"this thread already holds {what}")
    descriptor = _open(path)
    try:
        _wait(descriptor, path, timeout, what)
        mine.add(path)
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "host": os.uname().nodename}).encode(), 0)
            yield
        finally:
            mine.discard(path)
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether some process holds the lock file ``path`` now."""
    if not path.exists():
        return False
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(path: Path) -> int:
    ensure_folder(path.parent, mode=0o700)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open_folder(path.parent) as folder:
        try:
            return os.open(path.name, flags, 0o600, dir_fd=folder)
        except OSError as error:
            raise VaultError(f"cannot open the lock: {error.strerror}", path=str(path)) from error


def _wait(descriptor: int, path: Path, timeout: float, what: str) -> None:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise VaultLocked(
                    f"{_holder(descriptor)} holds {what}",
                    path=str(path),
                    hint="try again when it has finished",
                ) from error
        time.sleep(_POLL)


def _holder(descriptor: int) -> str:
    try:
        record = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {record['pid']} on {record['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
