from __future__ import annotations

import json
import signal
import threading

import pytest

from memfs.errors import LeaseLost, UnsafePath
from memfs.vault.layout import Layout
from memfs.vault.leases import (
    DEADLINE_MARGIN,
    LEASE_SECONDS,
    Held,
    Lease,
    acquire_lease,
    check_lease,
    release_lease,
    renew_lease,
)
from tests.vault.conftest import Child, read_line

ACQUIRE = """
import sys
from memfs.vault.layout import open_layout
from memfs.vault.leases import acquire_lease
print(acquire_lease(open_layout(sys.argv[1]), "a", clock=lambda: 1000.0, owner="other").owner, flush=True)
sys.stdin.readline()
"""


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def take(layout: Layout, clock: Clock, identity: str = "a") -> Lease:
    lease = acquire_lease(layout, identity, clock=clock)
    assert isinstance(lease, Lease)
    return lease


def test_one_worker_at_a_time(layout: Layout, clock: Clock) -> None:
    lease = take(layout, clock)
    assert lease.expires == 1000 + LEASE_SECONDS
    assert lease.deadline == lease.expires - DEADLINE_MARGIN
    held = acquire_lease(layout, "a", clock=clock)
    assert held == Held("a", lease.owner, lease.host, lease.pid, lease.expires)
    assert isinstance(acquire_lease(layout, "b", clock=clock), Lease)
    check_lease(layout, lease, clock=clock)


def test_a_released_lease_is_free_and_its_epoch_goes_on(layout: Layout, clock: Clock) -> None:
    first = take(layout, clock)
    release_lease(layout, first)
    second = take(layout, clock)
    assert (first.epoch, second.epoch) == (1, 2)
    release_lease(layout, first)  # not ours any more: nothing happens
    check_lease(layout, second, clock=clock)
    for act in (check_lease, renew_lease):
        with pytest.raises(LeaseLost):
            act(layout, first, clock=clock)


def test_a_released_lease_cannot_be_used_on(layout: Layout, clock: Clock) -> None:
    lease = take(layout, clock)
    release_lease(layout, lease)
    for act in (check_lease, renew_lease):
        with pytest.raises(LeaseLost):
            act(layout, lease, clock=clock)


def test_renewing_moves_the_end(layout: Layout, clock: Clock) -> None:
    lease = take(layout, clock)
    clock.now += 500
    renewed = renew_lease(layout, lease, clock=clock)
    assert (renewed.expires, renewed.epoch) == (1500 + LEASE_SECONDS, lease.epoch)
    clock.now += 500
    check_lease(layout, lease, clock=clock)
    assert isinstance(acquire_lease(layout, "a", clock=clock), Held)


def test_f3_a_frozen_owner_can_write_nothing_after_a_takeover(layout: Layout, clock: Clock) -> None:
    frozen = take(layout, clock)
    clock.now += 2 * LEASE_SECONDS
    taken = take(layout, clock)
    assert taken.epoch == frozen.epoch + 1
    for act in (check_lease, renew_lease):
        with pytest.raises(LeaseLost):
            act(layout, frozen, clock=clock)
    check_lease(layout, taken, clock=clock)


def test_an_expired_lease_must_be_renewed_before_writing(layout: Layout, clock: Clock) -> None:
    lease = take(layout, clock)
    clock.now = lease.expires
    with pytest.raises(LeaseLost):
        check_lease(layout, lease, clock=clock)
    check_lease(layout, renew_lease(layout, lease, clock=clock), clock=clock)


def test_a_living_owner_elsewhere_keeps_its_lease_and_a_dead_one_loses_it_at_once(
    layout: Layout, clock: Clock, child: Child
) -> None:
    other = child(ACQUIRE, layout.top)
    owner = read_line(other)
    assert owner.startswith("other-")
    held = acquire_lease(layout, "a", clock=clock)
    assert isinstance(held, Held)
    assert (held.owner, held.pid) == (owner, other.pid)
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert take(layout, clock).epoch == 2


def test_a_reused_pid_is_not_the_owner(layout: Layout, clock: Clock) -> None:
    take(layout, clock)
    path = layout.local / "leases" / "a.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "start": "another boot/1"}))
    assert take(layout, clock).epoch == 2


def test_another_host_s_lease_holds_until_it_expires(layout: Layout, clock: Clock) -> None:
    lease = take(layout, clock)
    path = layout.local / "leases" / "a.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "host": "elsewhere", "pid": 1, "start": ""}))
    assert isinstance(acquire_lease(layout, "a", clock=clock), Held)
    clock.now = lease.expires
    assert take(layout, clock).epoch == 2


def test_f15_a_term_from_a_wrong_clock_holds_nobody_up(layout: Layout, clock: Clock) -> None:
    clock.now += 10 * 365 * 86400
    take(layout, clock)
    clock.now = 1000
    assert take(layout, clock).epoch == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"{}", b'{"identity": "a"}', b"\xff\xfe"])
def test_a_damaged_record_holds_nothing_and_confuses_nobody(
    layout: Layout, clock: Clock, damage: bytes
) -> None:
    lost = take(layout, clock)
    (layout.local / "leases" / "a.json").write_bytes(damage)
    with pytest.raises(LeaseLost):
        check_lease(layout, lost, clock=clock)
    take(layout, clock)
    with pytest.raises(LeaseLost):
        check_lease(layout, lost, clock=clock)


def test_of_many_threads_one_gets_it(layout: Layout, clock: Clock) -> None:
    barrier = threading.Barrier(6)
    answers: list[Lease | Held] = []

    def ask() -> None:
        barrier.wait()
        answers.append(acquire_lease(layout, "a", clock=clock))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (lease,) = [answer for answer in answers if isinstance(answer, Lease)]
    assert {answer.owner for answer in answers} == {lease.owner}


def test_only_safe_names_have_leases(layout: Layout, clock: Clock) -> None:
    with pytest.raises(UnsafePath):
        acquire_lease(layout, "../x", clock=clock)
