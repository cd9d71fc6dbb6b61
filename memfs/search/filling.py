"""Vectors made in the background: a process of its own fills them in, while search goes on with what there is.

    python -m memfs.search.filling FOLDER ROOT ENGINE MODEL

It is started where so many texts lack vectors that nobody should wait for them: after the engine was changed. A lock
that it inherits says that it runs; a note beside the index says how far it is.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from memfs.errors import MemfsError

if TYPE_CHECKING:
    from memfs.search.embeddings import Embedder

_LOCK = "filling.lock"
_NICENESS = 10


def start_filling(folder: Path, root: str, embedder: Embedder) -> bool:
    """Have a process make all missing vectors; False when one is already at it, or cannot be started."""
    engine, model = embedder.origin
    command = [sys.executable, "-m", "memfs.search.filling", str(folder), root, engine, model]
    with _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB) as lock:
        if lock is None:
            return False
        try:
            child = subprocess.Popen(
                command,
                pass_fds=(lock,),  # the lock goes with the process that inherits it
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            return False
    Thread(target=child.wait, daemon=True).start()  # so that a server keeps no dead children
    return True


def await_filling(folder: Path) -> None:
    """Wait until no process makes vectors for the index in ``folder``."""
    with _locked(folder, fcntl.LOCK_EX):
        pass


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[int | None]:
    """Hold the lock that tells of filling, where it can be had; gives its file descriptor."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("ab") as stream:
        try:
            fcntl.flock(stream.fileno(), how)
        except BlockingIOError:
            yield None
        else:
            yield stream.fileno()


def main(folder: str, root: str, engine: str, model: str) -> int:
    """Fill in what is missing; says by its exit code whether that went well."""
    from memfs.search.embeddings import load_embedder
    from memfs.search.index import SearchIndex

    os.nice(_NICENESS)
    try:
        embedder = load_embedder(engine, model, state=Path(folder))
        report = SearchIndex(Path(folder), embedder, root=root, patience=60).fill_vectors()
    except (MemfsError, OSError):
        return 1
    return 1 if report.degraded else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
