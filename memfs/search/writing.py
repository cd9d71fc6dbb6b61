"""One writer at a time, across processes: a lock that goes with the process that held it."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_POLL_SECONDS = 0.02


@contextmanager
def hold_writer(folder: Path, patience: float) -> Iterator[bool]:
    """Hold the writer's lock of the index in ``folder``; True when it was had within ``patience`` seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + patience
    with (folder / "writer.lock").open("ab") as stream:
        while not (held := _try_lock(stream.fileno())) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        yield held  # closing the file lets go


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
