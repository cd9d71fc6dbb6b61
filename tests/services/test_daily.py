"""The daily run with the rules: each identity's day found and condensed, what failed tried again, the board cleared."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memfs.config.changing import set_setting
from memfs.errors import InvalidRequest
from memfs.services.daily import RETRIES, DailyResult, daily_status, run_daily
from memfs.services.daily_run import runs as daily_runs
from memfs.services.daily_run.compact_way import ingest_compact
from memfs.services.daily_run.extraction import find_pending
from memfs.services.daily_run.runs import DailyRequest, run_joined
from memfs.services.daily_run.slots import SlotBook, due_slots
from memfs.services.entries import list_entries
from memfs.services.ingest import Way, ingest
from memfs.services.ingesting.seen import open_seen
from memfs.services.ingesting.sessions import is_merged
from memfs.services.ingesting.sources import find_all
from memfs.services.opening import Vault, open_vault
from memfs.services.relay import add_baton, read_relay
from memfs.vault.leases import acquire_lease
from memfs.vault.lock import hold_file
from tests.services.days import FACTS, NIGHT, A, B, C, Told, clock_of, night_vault, say
from tests.services.vaults import git, merge_commits, new_vault


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("daily") / "vault", A, B, C).top


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return night_vault(template, tmp_path / "vault", "[embeddings]\nengine = 'none'\n")


def remembered(vault: Vault, identity: str) -> str:
    return "\n".join(f"{each.type}: {each.text}" for each in list_entries(vault, identity=identity))


def log_of(vault: Vault) -> str:
    return (vault.layout.local / "logs" / "daily.log").read_text(encoding="utf-8")


# What a run does


def test_each_identitys_day_is_found_and_condensed(vault: Vault) -> None:
    for identity in (A, B, C):
        say(vault, identity)
    told = Told()
    assert told.run(vault) == DailyResult(extracted_count=3)
    assert "PostgreSQL" in remembered(vault, A)
    assert "commit messages" in remembered(vault, B)
    assert "Priya" in remembered(vault, C)
    assert "PostgreSQL" not in remembered(vault, B) + remembered(vault, C)
    assert len(merge_commits(vault.top)) == 3
    assert told.percents("extraction") == [(0, None), (10, A), (10, B), (10, C), (50, None)]
    assert told.percents("archiving") == [(0, None), (10, A), (10, B), (10, C), (100, None)]


def test_its_log_says_counts_seconds_tokens_and_bytes(vault: Vault) -> None:
    say(vault, A)
    told = Told()
    told.run(vault)
    text = "\n".join(told.lines)
    assert told.lines[0] == "[DailyMemoryExtraction] starting the daily run"
    assert "active identities: 1" in text
    assert f"identity: {A}" in text
    assert "read: turns 2, sessions 1, batons 0 (" in text
    assert " s, tokens: 0)" in text
    assert "memory updated: added 1, updated 0, superseded 0, dropped 0" in text
    assert "[DailyMemoryExtraction] extraction: identities 1; archiving: files 0 (0 B in all)" in told.lines
    assert all(line.split(" ", 1)[1] in told.lines for line in log_of(vault).splitlines())


def test_in_chinese_it_says_what_the_daily_job_says(template: Path, tmp_path: Path) -> None:
    vault = night_vault(template, tmp_path / "zh", "language = 'zh'\n[embeddings]\nengine = 'none'\n")
    say(vault, A)
    told = Told()
    told.run(vault)
    for line in ("开始执行每日任务", "发现 1 个激活的身份", f"处理身份: {A}"):
        assert f"[DailyMemoryExtraction] {line}" in told.lines
    assert any(
        line.startswith("[DailyMemoryExtraction] 记忆抽取: 1 个身份, 文件归档: 0 个文件")
        for line in told.lines
    )


def test_nothing_is_read_twice_and_only_what_waits_counts(vault: Vault) -> None:
    say(vault, A)
    assert run_daily(vault).extracted_count == 1
    assert run_daily(vault).extracted_count == 0
    say(vault, A, FACTS[A], "I have to renew the certificate before Friday.")
    assert run_daily(vault).extracted_count == 1
    assert "certificate" in remembered(vault, A)


def test_one_identity_can_be_asked_for(vault: Vault) -> None:
    say(vault, A)
    say(vault, B)
    told = Told()
    assert told.run(vault, identity=B).extracted_count == 1
    assert remembered(vault, A) == ""
    assert told.percents("archiving") == [(0, None), (10, B), (100, None)]
    with pytest.raises(InvalidRequest, match="no identity is called nobody"):
        run_daily(vault, identity="nobody")


def test_turned_off_it_extracts_nothing_and_says_so(template: Path, tmp_path: Path) -> None:
    vault = night_vault(template, tmp_path / "off", "[extract]\nmodel = ''\n")
    say(vault, A)
    told = Told()
    assert told.run(vault) == DailyResult()
    assert any("extraction is turned off" in line for line in told.lines)


def test_a_transcript_that_cannot_be_read_is_an_error_and_stops_nothing(vault: Vault) -> None:
    say(vault, A)
    (vault.layout.inbox / A / "broken.bin").write_bytes(bytes(range(256)))
    result = run_daily(vault)
    assert result.extracted_count == 1
    assert ["broken.bin" in error for error in result.errors] == [True]
    assert daily_status(vault).state == "error"


# Failures


def hold(vault: Vault, identity: str) -> None:
    """Another worker has the identity."""
    acquire_lease(vault.layout, identity, clock=lambda: vault.clock().timestamp())


def test_one_identitys_failure_stops_no_other_and_is_tried_three_times_more(vault: Vault) -> None:
    for identity in (A, B, C):
        say(vault, identity)
    hold(vault, B)
    told = Told()
    result = told.run(vault)
    assert result.extracted_count == 2
    assert len(told.pauses) == RETRIES == 3
    assert [error.startswith(f"{B}: ") for error in result.errors] == [True]
    assert "is working on it" in result.errors[0]
    assert "Priya" in remembered(vault, C)
    assert remembered(vault, B) == ""
    text = log_of(vault)
    assert f"{B} failed, trying again (3 of 3)" in text
    assert f"{B} failed: " in text
    status = daily_status(vault)
    assert (status.state, status.errors) == ("error", result.errors)


def test_what_succeeds_at_a_later_try_is_no_error(vault: Vault) -> None:
    say(vault, B)
    branch = git(vault.top, "branch", "--show-current").strip()
    git(vault.top, "checkout", "-q", "-b", "elsewhere")
    pauses: list[float] = []

    def back(seconds: float) -> None:
        pauses.append(seconds)
        git(vault.top, "checkout", "-q", branch)

    result = run_daily(vault, pause=back)
    assert (result.extracted_count, result.errors, len(pauses)) == (1, (), 1)
    assert "commit messages" in remembered(vault, B)


def archiving(vault: Vault, files: Path, backup: Path) -> Vault:
    """The vault, opened anew, that archives what lies in ``files`` to ``backup``; with one file there."""
    files.mkdir()
    (files / "plan.txt").write_text("the plan", encoding="utf-8")
    os.utime(files / "plan.txt", (1_700_000_000, 1_700_000_000))
    set_setting(vault.top, "archive.roots", f"{files}, {backup}", local=True)
    set_setting(vault.top, "file_archive_path", str(backup), local=True)
    say(vault, A, f"{FACTS[A]} file: {files}/plan.txt")
    return open_vault(vault.top, environ={}, clock=vault.clock)


def test_archive_failure_is_harmless_to_memory(vault: Vault, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    backup.write_text("a file where the archive should be", encoding="utf-8")
    vault = archiving(vault, tmp_path / "files", backup)
    told = Told()
    result = told.run(vault)
    assert (result.extracted_count, result.archived_files) == (1, 0)
    assert "PostgreSQL" in remembered(vault, A)
    assert any(error.startswith(f"{A}: archive: ") for error in result.errors)
    assert len(told.pauses) >= RETRIES
    assert (tmp_path / "files" / "plan.txt").read_text(encoding="utf-8") == "the plan"
    assert told.percents("archiving")[-1] == (100, None)
    backup.unlink()
    again = Told().run(vault)
    assert (again.archived_files, again.errors) == (1, ()), "the next run catches up"


def test_files_are_archived_to_the_slots_day(vault: Vault, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    vault = archiving(vault, tmp_path / "files", backup)
    (slot,) = due_slots(vault)
    clock_of(vault).advance(3 * 3600)  # caught up in the night: the day is the slot's
    result = Told().run(vault, slot)
    assert (result.archived_files, result.archived_size, result.errors) == (1, 8, ())
    copies = [path.relative_to(backup).as_posix() for path in backup.rglob("plan.txt")]
    assert [copy.split("/")[1] for copy in copies] == [NIGHT.date().isoformat()]
    assert copies[0].startswith(f"{A}_")


def test_a_backup_path_outside_of_the_roots_is_refused_before_anything_is_done(
    vault: Vault, tmp_path: Path
) -> None:
    say(vault, A)
    with pytest.raises(InvalidRequest, match=r"archive\.roots"):
        run_daily(vault, backup_path=tmp_path / "elsewhere")
    assert remembered(vault, A) == ""


def test_a_run_that_is_stopped_ends_between_sessions_and_loses_nothing(vault: Vault) -> None:
    say(vault, A)
    say(vault, B)
    merged: list[int] = []

    def stop() -> bool:
        merged.append(len(merge_commits(vault.top)))
        return merged[-1] > 0

    result = run_daily(vault, stop=stop)
    assert "stopped" in result.errors[-1]
    assert len(merge_commits(vault.top)) == 1
    assert run_daily(vault).errors == ()
    assert "commit messages" in remembered(vault, B)


# The relay board


def test_what_nobody_has_read_of_the_board_is_extracted_then_leaves_it(vault: Vault) -> None:
    add_baton(
        vault, "We decided to use Redis Streams for the queue.", identity=A, channel="feishu", role="user"
    )
    add_baton(vault, "Told them the trade-offs of the queue", identity=A, channel="feishu")
    result = run_daily(vault)
    assert (result.extracted_count, result.errors) == (1, ())
    assert "Redis Streams" in remembered(vault, A)
    assert read_relay(vault, A).batons == ()
    (commit,) = merge_commits(vault.top)
    body = git(vault.top, "log", "-1", "--format=%B", commit)
    assert f"relay/{NIGHT.date().isoformat()}#" in body


def test_when_nothing_new_is_written_the_board_stays(vault: Vault) -> None:
    add_baton(vault, "What does the ledger weigh these days?", identity=A, channel="feishu", role="user")
    result = run_daily(vault)
    assert (result.extracted_count, result.errors) == (1, ())
    assert [baton.done for baton in read_relay(vault, A).batons] == [True]
    assert run_daily(vault).extracted_count == 0, "read once"
    clock_of(vault).advance(25 * 3600)
    run_daily(vault)
    assert read_relay(vault, A).batons == (), "its 24 hours are over"


def test_unmerged_batons_are_kept_beyond_their_time(vault: Vault) -> None:
    baton = add_baton(vault, "We decided to use Redis Streams.", identity=A, channel="feishu", role="user")
    hold(vault, A)
    clock_of(vault).advance(25 * 3600)
    hold(vault, A)
    result = Told().run(vault)
    assert result.errors
    board = read_relay(vault, A)
    assert [each.id for each in board.batons] == [baton.id] == list(board.overdue)


# Status


def test_status_tells_the_last_and_the_next_run(vault: Vault) -> None:
    status = daily_status(vault)
    assert (status.last_run_at, status.state) == (None, "idle")
    run_daily(vault)
    clock_of(vault).advance(1)
    status = daily_status(vault)
    assert status.last_run_at == NIGHT
    assert status.next_run_at == NIGHT + timedelta(days=1)
    assert status.state == "idle"


def test_while_it_runs_status_says_so_and_a_dead_run_is_an_error(vault: Vault) -> None:
    seen: list[str] = []
    run_daily(vault, progress=lambda _: seen.append(daily_status(vault).state))
    assert set(seen) == {"running"}
    process = multiprocessing.get_context("fork").Process(target=_die_in_a_run, args=(vault,))
    process.start()
    process.join()
    status = daily_status(vault)
    assert status.state == "error"
    assert "died before its end" in status.errors[0]
    run_daily(vault)
    assert daily_status(vault).state == "idle"


def _die_in_a_run(vault: Vault) -> None:
    run_joined(vault, DailyRequest(), lambda: os._exit(9))


# Joined runs


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A semaphore that is released whenever a run begins to wait for another, also in forked processes."""
    semaphore = multiprocessing.get_context("fork").Semaphore(0)

    def hold(path: Path, timeout: float, what: str) -> Any:
        if timeout:
            semaphore.release()
        return hold_file(path, timeout, what)

    monkeypatch.setattr(daily_runs, "hold_file", hold)
    return semaphore


def _run_held(vault: Vault, identity: str | None, begun: Any, go: Any, answers: Any) -> None:
    def progress(_: object) -> None:
        begun.set()
        go.wait(60)

    answers.put(run_daily(vault, identity=identity, progress=progress))


def _join(vault: Vault, answers: Any) -> None:
    answers.put(run_daily(vault))


@pytest.mark.parametrize("identity", [None, B])
def test_runs_at_the_same_time(vault: Vault, waiting: Any, identity: str | None) -> None:
    """What is asked for again is one run across processes; what was not asked for comes after it."""
    say(vault, A)
    say(vault, B)
    context = multiprocessing.get_context("fork")
    begun, go = context.Event(), context.Event()
    answers: Any = context.Queue()
    first = context.Process(target=_run_held, args=(vault, identity, begun, go, answers))
    first.start()
    assert begun.wait(60)
    others: list[Any] = [context.Process(target=_join, args=(vault, answers)) for _ in range(2)]
    others.append(threading.Thread(target=_join, args=(vault, answers)))
    for each in others:
        each.start()
        assert waiting.acquire(timeout=60)
    go.set()
    results = [answers.get(timeout=60) for _ in range(4)]
    for each in (first, *others):
        each.join()
    if identity is None:
        assert results == [DailyResult(extracted_count=2)] * 4
        assert log_of(vault).count("starting the daily run") == 1
    else:
        assert results == [DailyResult(extracted_count=1)] * 4, (
            "the others wanted more, and joined one another"
        )
        assert log_of(vault).count("starting the daily run") == 2
    assert "PostgreSQL" in remembered(vault, A)
    assert "commit messages" in remembered(vault, B)


# Slots


def test_a_slot_is_done_once_however_often_it_is_asked_for(vault: Vault) -> None:
    say(vault, A)
    (slot,) = due_slots(vault)
    assert slot.due == NIGHT
    assert Told().run(vault, slot).extracted_count == 1
    assert due_slots(vault) == ()
    told = Told()
    assert told.run(vault, slot) == DailyResult()
    assert told.lines == []


def test_a_slot_stays_open_for_those_who_failed(vault: Vault) -> None:
    say(vault, A)
    say(vault, B)
    hold(vault, B)
    (slot,) = due_slots(vault)
    assert Told().run(vault, slot).extracted_count == 1
    assert due_slots(vault) == (slot,)
    book = SlotBook(vault, slot)
    assert (book.is_done(A), book.is_done(B), book.archived) == (True, False, True)
    clock_of(vault).advance(700)  # the other worker's term is over
    told = Told()
    assert told.run(vault, slot) == DailyResult(extracted_count=1)
    assert [line for line in told.lines if "identity: " in line] == [f"[DailyMemoryExtraction] identity: {B}"]
    assert told.percents("archiving") == [], "the files of this slot were archived"
    assert due_slots(vault) == ()


def test_slots_that_were_missed_are_due_in_order_on_a_new_vault_only_the_last(vault: Vault) -> None:
    clock_of(vault).advance(-3600)
    (slot,) = due_slots(vault)
    assert slot.day == (NIGHT - timedelta(days=1)).date(), "the day before: its slot was missed"
    Told().run(vault, slot)
    clock_of(vault).advance(3600 + 2 * 86400)
    assert [slot.due for slot in due_slots(vault)] == [NIGHT + timedelta(days=n) for n in range(3)]


def test_a_slot_closed_by_a_clock_that_was_wrong_blocks_nothing(vault: Vault) -> None:
    clock_of(vault).advance(400 * 86400)
    Told().run(vault, due_slots(vault)[-1])
    clock_of(vault).now = NIGHT + timedelta(seconds=5)
    (slot,) = due_slots(vault)
    assert slot.due == NIGHT
    say(vault, A)
    assert Told().run(vault, slot).extracted_count == 1
    assert due_slots(vault) == ()


# Size


def test_ten_identities_of_forty_turns_each(tmp_path: Path) -> None:
    names = [f"agent-{n}" for n in range(10)]
    top = new_vault(tmp_path / "template", *names).top
    vault = night_vault(top, tmp_path / "vault", "[embeddings]\nengine = 'none'\n")
    for name in names:
        facts = [f"We decided to use tool{n} for task{n}." for n in range(20)]
        say(vault, name, *facts)
    result = run_daily(vault)
    assert (result.extracted_count, result.errors) == (10, ())
    assert all("tool19" in remembered(vault, name) for name in names)


def test_pending_counts_what_waits(vault: Vault) -> None:
    say(vault, A)
    add_baton(vault, "The queue is slow on Mondays, says Ana", identity=B, channel="feishu")
    found = find_pending(vault, None, [], [])
    assert [(each.identity, len(each.files), each.batons) for each in found] == [(A, 1, 0), (B, 0, 1)]


def test_a_copied_vault_has_nothing_pending(vault: Vault, tmp_path: Path) -> None:
    """Its cursors say that all is merged; no note of files as they lie came with it."""
    for identity in (A, B):
        say(vault, identity)
    Told().run(vault)
    copied = copied_without_notes(vault, tmp_path / "copied")
    told = Told()
    assert told.run(copied) == DailyResult(extracted_count=0)
    assert "[DailyMemoryExtraction] active identities: 0" in told.lines
    with open_seen(copied.layout.derived) as seen:
        files = [file for _, found in find_all(copied) for file in found]
        assert [is_merged(copied, file, seen) for file in files] == [True, True], "they are opened no more"
    say(copied, B, FACTS[B], "I prefer early returns to nested conditionals.")
    assert [(each.identity, len(each.files)) for each in find_pending(copied, None, [], [])] == [(B, 1)]
    assert Told().run(copied) == DailyResult(extracted_count=1)
    assert "early returns" in remembered(copied, B)


@pytest.mark.parametrize("way", [None, ingest_compact])
def test_what_was_looked_at_for_nothing_is_noted(vault: Vault, tmp_path: Path, way: Way | None) -> None:
    path = say(vault, A)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"type": "user", "half a line')
    Told().run(vault)
    copied = copied_without_notes(vault, tmp_path / "copied")
    (pending,) = find_pending(copied, None, [], [])
    told = ingest(copied, files=pending.files, way=way)
    assert (told.sessions, told.waiting, told.problems) == ((), (), ())
    assert find_pending(copied, None, [], []) == ()


def copied_without_notes(vault: Vault, folder: Path) -> Vault:
    shutil.copytree(vault.top, folder, symlinks=True)
    shutil.rmtree(folder / ".memfs")
    return open_vault(folder, environ={}, clock=clock_of(vault))
