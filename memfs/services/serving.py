"""The one server of a vault: which process it is and where it listens, for those who hand work to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memfs.errors import VaultLocked
from memfs.processes import Process, process_start
from memfs.vault.local import LocalState
from memfs.vault.lock import hold_file, is_held

if TYPE_CHECKING:
    from memfs.vault.layout import Layout

_RECORD = "server"
_LOCK = "watch.lock"  # whoever watches the vault holds it: `memfs watch` or `memfs up`


@dataclass(frozen=True, slots=True)
class Serving:
    """A running `memfs up`: its process, its address, and the version of memfs that it runs."""

    pid: int
    start: str
    host: str
    port: int
    version: str

    @property
    def url(self) -> str:
        """Where it answers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@contextmanager
def only_watch(layout: Layout, what: str) -> Iterator[None]:
    """Be the one process that watches the vault; ``what`` is the command that asks.

    Raises:
        VaultLocked: another watches it already.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(hold_file(layout.local / _LOCK, 0, "the watch"))
        except VaultLocked as error:
            found = find_serving(layout)
            other = f"memfs up is running at {found.url}" if found else "another memfs watch is running"
            raise VaultLocked(
                f"{other} on this vault ({error.message})",
                hint=f"one is enough; stop that one first to run memfs {what} here",
            ) from error
        yield


@contextmanager
def announce_serving(layout: Layout, host: str, port: int, version: str) -> Iterator[Serving]:
    """Say in local state that this process serves the vault there, until the end."""
    state, pid = LocalState(layout), os.getpid()
    serving = Serving(pid, process_start(pid) or "", host, port, version)

    def put(record: dict[str, Any]) -> None:
        record.clear()
        record.update(asdict(serving))

    def drop(record: dict[str, Any]) -> None:
        if record.get("pid") == pid:
            record.clear()

    state.update_record(_RECORD, put)
    try:
        yield serving
    finally:
        state.update_record(_RECORD, drop)


def is_watched(layout: Layout) -> bool:
    """Whether a `memfs watch` or `memfs up` looks after this vault now."""
    return is_held(layout.local / _LOCK)


def find_serving(layout: Layout) -> Serving | None:
    """The `memfs up` that serves this vault now; None where none does."""
    record = LocalState(layout).read_record(_RECORD)
    try:
        serving = Serving(**record)
        running = Process(serving.pid, serving.start).is_running()
    except TypeError:
        return None
    return serving if running else None
