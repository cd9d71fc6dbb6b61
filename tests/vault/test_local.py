from __future__ import annotations

import threading

import pytest

from memfs.errors import UnsafePath
from memfs.model import Cursor
from memfs.vault import records
from memfs.vault.layout import Layout
from memfs.vault.local import LocalState
from memfs.vault.records import Quarantine


@pytest.fixture
def state(layout: Layout) -> LocalState:
    return LocalState(layout)


def cursor(offset: int, session: str = "s-1") -> Cursor:
    return Cursor("codex", session, offset, "m1", 500, "h", "t", "x/rollout.jsonl")


def test_a_record_is_kept_and_read_by_another(layout: Layout, state: LocalState) -> None:
    assert state.read_record("any") == {}
    assert state.update_record("any", lambda record: record.setdefault("名", 1)) == 1
    assert LocalState(layout).read_record("any") == {"名": 1}
    with pytest.raises(UnsafePath):
        state.read_record("../../config")


def test_a_change_that_fails_changes_nothing(state: LocalState) -> None:
    state.update_record("any", lambda record: record.update(a=1))

    def change(record: dict[str, int]) -> None:
        record["a"] = 2
        raise KeyError

    with pytest.raises(KeyError):
        state.update_record("any", change)
    assert state.read_record("any") == {"a": 1}


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_damaged_record_is_kept_aside_and_begun_anew(
    layout: Layout, state: LocalState, damage: bytes
) -> None:
    state.update_record("any", lambda record: record.update(a=1))
    path = layout.local / "state" / "any.json"
    path.write_bytes(damage)
    assert state.read_record("any") == {}
    state.update_record("any", lambda record: record.update(b=2))
    assert state.read_record("any") == {"b": 2}
    assert path.with_suffix(".damaged").read_bytes() == damage
    assert state.damaged_records() == ("any",)


def test_changes_of_many_threads_all_count(state: LocalState) -> None:
    barrier = threading.Barrier(4)

    def add() -> None:
        barrier.wait()
        for _ in range(10):
            records.add_tokens(state, "a", "2026-11-30", 5)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert records.tokens_used(state, "a", "2026-11-30") == 200


def test_tokens_are_by_identity_and_day_and_old_days_go(state: LocalState) -> None:
    for day in range(1, 101):
        records.add_tokens(state, "a", f"2026-{day:03d}", day)
    assert records.tokens_used(state, "a", "2026-100") == 100
    assert records.tokens_used(state, "a", "2026-001") == 0
    assert records.tokens_used(state, "b", "2026-100") == 0
    assert len(state.read_record("tokens")["a"]) == 62


def test_failures_in_a_row(state: LocalState) -> None:
    assert [records.count_failure(state, "x") for _ in range(3)] == [1, 2, 3]
    records.clear_failures(state, "x")
    records.clear_failures(state, "never")
    assert records.count_failure(state, "x") == 1


def test_last_runs_and_slots(state: LocalState) -> None:
    assert records.last_run(state, "a") is None
    records.set_last_run(state, "a", 12.5)
    assert records.last_run(state, "a") == 12.5
    records.mark_slot(state, "2026-11-30", "a")
    records.mark_slot(state, "2026-11-30", "b")
    assert records.slot_done(state, "2026-11-30") == {"a", "b"}
    assert records.slot_done(state, "2026-12-01") == frozenset()


def test_quarantine_is_a_list_of_ranges(state: LocalState) -> None:
    late = Quarantine("a", "codex", "s-1", 10, 20, "no JSON three times", 200.0, ("m1", "m2"))
    early = Quarantine("a", "chatgpt", "s-2", 0, 0, "no JSON three times", 100.0, ("m9",))
    for item in (late, early, late):
        records.quarantine(state, item)
    assert records.quarantined(state) == (early, late)
    records.release_quarantine(state, early)
    assert records.quarantined(state) == (late,)


def test_cursor_moves_wait_for_a_commit(state: LocalState) -> None:
    records.set_pending_cursor(state, "a", cursor(10), 100.0)
    records.set_pending_cursor(state, "a", cursor(20), 200.0)
    records.set_pending_cursor(state, "a", cursor(5, "s-2"), 300.0)
    assert records.pending_cursors(state, "a") == ((cursor(20), 100.0), (cursor(5, "s-2"), 300.0))
    records.drop_pending_cursors(state, "a", (cursor(10), cursor(5, "s-2")))
    assert records.pending_cursors(state, "a") == ((cursor(20), 100.0),)
    assert records.pending_cursors(state, "b") == ()


def test_backfill_is_chosen_per_source(state: LocalState) -> None:
    assert records.backfill(state, "codex") is None
    records.set_backfill(state, "codex", "30d")
    assert records.backfill(state, "codex") == "30d"


def test_the_first_notice_of_a_deletion_counts(state: LocalState) -> None:
    records.note_deletions(state, "a", {"m-1": "2026-11-30T10:00:00+00:00"})
    noted = records.note_deletions(
        state, "a", {"m-1": "2026-12-01T10:00:00+00:00", "m-2": "2026-12-02T10:00:00+00:00"}
    )
    assert noted == {"m-1": "2026-11-30T10:00:00+00:00", "m-2": "2026-12-02T10:00:00+00:00"}
    records.drop_deletions(state, "a", frozenset({"m-1", "m-9"}))
    assert records.note_deletions(state, "a", {}) == {"m-2": "2026-12-02T10:00:00+00:00"}
