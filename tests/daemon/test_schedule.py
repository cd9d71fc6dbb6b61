"""The schedule kept: slots run when they are due, missed ones at the start, failed ones again, all by a given clock."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memfs.config.changing import set_setting
from memfs.daemon.schedule import FIRST_PAUSE, LOOK_SECONDS, Keeper, Watchers, follow_schedule
from memfs.services.daily import DailyResult
from memfs.services.daily_run.runs import daily_status
from memfs.services.daily_run.slots import due_slots
from memfs.services.opening import Vault
from memfs.services.relay import add_baton, read_relay
from memfs.vault.leases import acquire_lease
from tests.services.days import NIGHT, A, B, clock_of, night_vault, say
from tests.services.vaults import merge_commits, new_vault

QUIET = "[embeddings]\nengine = 'none'\n[daily]\nreview = false\n"
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("schedule") / "vault", A, B).top


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    vault = night_vault(template, tmp_path / "vault", QUIET)
    clock_of(vault).now = NIGHT - timedelta(hours=12)
    return vault


class Stop(threading.Event):
    """An event by whose waiting the vault's clock moves on, and that is set at its end."""

    def __init__(self, vault: Vault, until: datetime) -> None:
        super().__init__()
        self._clock, self._until = clock_of(vault), until

    def wait(self, timeout: float | None = None) -> bool:
        self._clock.advance(timeout or 0)
        if self._clock.now >= self._until:
            self.set()
        return self.is_set()


def keeper(vault: Vault, results: list[DailyResult]) -> Keeper:
    return Keeper(vault, Stop(vault, NIGHT + 10 * DAY), Watchers(ended=results.append))


def test_on_the_first_start_the_slot_before_is_caught_up_then_each_day_has_its_run(vault: Vault) -> None:
    say(vault, A)

    told: list[str] = []
    follow_schedule(vault, Stop(vault, NIGHT + 2 * DAY + timedelta(minutes=5)), announce=told.append)
    begun = [line.rpartition(" of ")[2] for line in told if "starting the daily run of" in line]
    assert begun == [f"{NIGHT + n * DAY:%Y-%m-%d} 23:59:00" for n in (-1, 0, 1, 2)]
    assert len(merge_commits(vault.top)) == 1


def test_it_looks_again_within_a_minute_and_when_a_slot_is_due(vault: Vault) -> None:
    keep = keeper(vault, [])
    assert keep.look() == LOOK_SECONDS
    clock_of(vault).now = NIGHT - timedelta(seconds=7)
    assert keep.look() == 7.0


def test_a_machine_that_slept_through_slots_catches_up_in_order(vault: Vault) -> None:
    results: list[DailyResult] = []
    keep = keeper(vault, results)
    keep.look()
    clock_of(vault).now = NIGHT + 2 * DAY + timedelta(hours=3)
    say(vault, A)
    keep.look()
    assert [result.extracted_count for result in results] == [0, 1, 0, 0]
    assert due_slots(vault) == ()


def test_what_failed_is_tried_again_after_growing_pauses(vault: Vault) -> None:
    say(vault, A)
    say(vault, B)
    results: list[DailyResult] = []
    keep = keeper(vault, results)

    def hold() -> None:
        acquire_lease(vault.layout, B, clock=lambda: vault.clock().timestamp(), seconds=1000.0)

    hold()
    pauses = [keep.look() for _ in range(3)]
    assert pauses == [60.0, 120.0, 240.0]
    assert [(result.extracted_count, len(result.errors)) for result in results] == [(1, 1), (0, 1), (0, 1)]
    clock_of(vault).advance(1000)
    assert keep.look() == LOOK_SECONDS
    assert results[-1] == DailyResult(extracted_count=1)
    assert due_slots(vault) == ()


def test_when_a_missed_slot_fails_the_latest_still_runs(vault: Vault) -> None:
    keep = keeper(vault, [])
    keep.look()
    clock_of(vault).now = NIGHT + 2 * DAY + timedelta(hours=1)
    say(vault, A)
    acquire_lease(vault.layout, A, clock=lambda: vault.clock().timestamp(), seconds=1000.0)
    told: list[str] = []
    results: list[DailyResult] = []
    keep = Keeper(vault, Stop(vault, NIGHT + 9 * DAY), Watchers(told.append, ended=results.append))
    keep.look()
    begun = [line.rpartition(" of ")[2] for line in told if "starting the daily run of" in line]
    assert begun == [f"{NIGHT:%Y-%m-%d} 23:59:00", f"{NIGHT + 2 * DAY:%Y-%m-%d} 23:59:00"]
    assert all(result.errors for result in results)


def test_a_board_that_fills_up_brings_the_run_forward(vault: Vault) -> None:
    results: list[DailyResult] = []
    keep = keeper(vault, results)
    keep.look()
    for number in range(199):
        add_baton(vault, f"The queue of shard{number} drains well now", identity=A, channel="feishu")
    keep.look()
    assert len(results) == 1, "199 can wait"
    add_baton(vault, "We decided to use Redis Streams.", identity=A, channel="feishu", role="user")
    keep.look()
    assert [result.extracted_count for result in results] == [0, 1]
    assert read_relay(vault, A).batons == ()


def test_new_settings_count_at_the_next_look_and_wrong_ones_do_not(vault: Vault) -> None:
    told: list[str] = []
    keep = Keeper(vault, Stop(vault, NIGHT + DAY), Watchers(told.append))
    keep.look()
    now = clock_of(vault).now
    set_setting(vault.top, "daily.schedule", "0 30 12 * * *", local=True)
    clock_of(vault).now = now.replace(hour=12, minute=29, second=50)
    assert keep.look() == 10.0
    path = vault.top / "memfs.local.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("0 30 12", "0 99 12"), encoding="utf-8")
    assert keep.look() == 10.0
    assert any("the old settings stay" in line and "bad minute" in line for line in told)


def test_it_ends_at_once_when_told_to(vault: Vault) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=follow_schedule, args=(vault, stop))
    thread.start()
    stop.set()
    thread.join(60)
    assert not thread.is_alive()


def test_a_run_under_way_ends_after_its_session(vault: Vault) -> None:
    say(vault, A)
    say(vault, B)
    stop = threading.Event()

    def announce(line: str) -> None:
        if "memory updated" in line:
            stop.set()

    follow_schedule(vault, stop, announce=announce)
    assert len(merge_commits(vault.top)) == 1
    assert daily_status(vault).state == "error"
    assert [slot.due for slot in due_slots(vault)] == [NIGHT - DAY], "it is gone on with at the next start"


def test_what_nobody_foresaw_ends_a_run_and_not_the_schedule(vault: Vault) -> None:
    def lose(_: DailyResult) -> None:
        raise KeyError("somewhere")

    told: list[str] = []
    say(vault, A)
    keep = Keeper(vault, Stop(vault, NIGHT + 10 * DAY), Watchers(announce=told.append, ended=lose))
    assert keep.look() == FIRST_PAUSE
    assert "KeyError: 'somewhere'" in told[-1]
    assert keep.look() in (2 * FIRST_PAUSE, LOOK_SECONDS)
    assert len(merge_commits(vault.top)) == 1
