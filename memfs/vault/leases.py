"""Who may work on an identity: one worker at a time, across processes and machines that share the vault.

A lease outlives no process of this host, and elsewhere no longer than its term. Its epoch grows at every
change of hands, so a worker that was frozen finds out before it writes.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memfs.errors import LeaseLost, VaultError
from memfs.processes import Process, process_start
from memfs.vault.files import write_atomic
from memfs.vault.layout import Layout
from memfs.vault.lock import hold_file
from memfs.vault.names import safe_name

LEASE_SECONDS = 600.0
DEADLINE_MARGIN = 60.0

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on ``identity``. ``expires`` is in seconds since the epoch of the clock (UTC)."""

    identity: str
    owner: str
    host: str
    pid: int
    start: str
    epoch: int
    expires: float

    @property
    def deadline(self) -> float:
        """When work must have ended, or the lease been renewed."""
        return self.expires - DEADLINE_MARGIN


@dataclass(frozen=True, slots=True)
class Held:
    """The answer when another worker has the identity."""

    identity: str
    owner: str
    host: str
    pid: int
    expires: float


def acquire_lease(
    layout: Layout, identity: str, *, clock: Clock, owner: str = "memfs", seconds: float = LEASE_SECONDS
) -> Lease | Held:
    """Take the lease when it is free, expired, or its owner on this host is dead; else say who has it.

    ``owner`` is a label for people; it is made unique. Raises UnsafePath for the identity's name, VaultError.
    """
    with _locked(layout, identity) as path:
        current, now = _read(path, identity), clock()
        if current is not None and _is_alive(current, now):
            return Held(identity, current.owner, current.host, current.pid, current.expires)
        pid = os.getpid()
        lease = Lease(
            identity,
            f"{owner}-{secrets.token_hex(4)}",
            os.uname().nodename,
            pid,
            process_start(pid) or "",
            current.epoch + 1 if current else 1,
            now + seconds,
        )
        _write(path, lease)
        return lease


def renew_lease(layout: Layout, lease: Lease, *, clock: Clock, seconds: float = LEASE_SECONDS) -> Lease:
    """The same lease for a new term, also when it expired and nobody took it. Raises LeaseLost."""
    with _locked(layout, lease.identity) as path:
        _require_same(_read(path, lease.identity), lease)
        renewed = replace(lease, expires=clock() + seconds)
        _write(path, renewed)
        return renewed


def check_lease(layout: Layout, lease: Lease, *, clock: Clock) -> None:
    """Make sure, under the vault lock and before anything is written, that the lease still holds.

    Raises LeaseLost when another worker took it or its term is over.
    """
    with _locked(layout, lease.identity) as path:
        current = _read(path, lease.identity)
        _require_same(current, lease)
        if current is not None and clock() >= current.expires:
            raise LeaseLost(
                f"the lease of {lease.identity} expired", hint="the work is done again by the next run"
            )


def release_lease(layout: Layout, lease: Lease) -> None:
    """Give the lease back; nothing happens when it is not ours any more. The epoch stays on record."""
    with _locked(layout, lease.identity) as path:
        current = _read(path, lease.identity)
        if current is not None and _same(current, lease):
            _write(path, replace(current, expires=0.0))


def _require_same(current: Lease | None, lease: Lease) -> None:
    if current is None or not _same(current, lease) or current.expires == 0:
        raise LeaseLost(
            f"another worker took over {lease.identity}", hint="nothing was written; its work counts instead"
        )


def _same(one: Lease, other: Lease) -> bool:
    return (one.owner, one.epoch) == (other.owner, other.epoch)


def _is_alive(lease: Lease, now: float) -> bool:
    # A term that ends later than any could was written by a clock that was wrong.
    if not now < lease.expires <= now + 2 * LEASE_SECONDS:
        return False
    return lease.host != os.uname().nodename or Process(lease.pid, lease.start).is_running()


@contextmanager
def _locked(layout: Layout, identity: str) -> Iterator[Path]:
    folder = layout.local / "leases"
    path = folder / f"{safe_name(identity)}.json"
    with hold_file(path.with_suffix(".lock"), what=f"the lease of {identity}"):
        yield path


def _read(path: Path, identity: str) -> Lease | None:
    """The lease on record; one that cannot be read holds nothing, since owners are unique."""
    try:
        lease = Lease(**json.loads(path.read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    except OSError as error:
        raise VaultError(f"cannot read the lease: {error.strerror}", path=str(path)) from error
    return lease if lease.identity == identity else None


def _write(path: Path, lease: Lease) -> None:
    write_atomic(path, json.dumps(asdict(lease)).encode())
