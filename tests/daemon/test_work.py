"""Transcripts from noticed to merged: the gate, the daily run, intervals, what waits and what is tried again."""

from __future__ import annotations

import json
import os
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.daemon.changes import ChangeSet
from memfs.daemon.lots import LOT
from memfs.daemon.watcher import Watcher
from memfs.daemon.work import TranscriptWork
from memfs.services.ingesting.candidates import identity_fed
from memfs.services.ingesting.sources import TranscriptFile
from memfs.services.opening import Vault, open_vault
from memfs.vault.leases import Lease, acquire_lease, release_lease
from memfs.vault.local import LocalState
from memfs.vault.records import last_run, set_last_run
from tests.conftest import Git
from tests.daemon.watching import IDENTITY, append, inbox, real_clock, start_vault, talk

REMEMBER = "Please remember that the staging database listens on port 5433."
PLAIN = "[watch]\nrescan_seconds = 60\n"


class Bench:
    """A vault whose clock is moved by hand, its watcher, and the work on its transcripts."""

    def __init__(self, folder: Path, settings: str = PLAIN) -> None:
        self.now = real_clock()
        self.vault: Vault = start_vault(folder, settings, clock=lambda: self.now)
        self.lines: list[str] = []
        self.stop = threading.Event()
        self.watcher = Watcher(self.vault)
        self.work = TranscriptWork(self.vault, self.lines.append, self.stop)

    def look(self) -> ChangeSet:
        """One look at everything."""
        changes = self.watcher.look()
        self.work.take(changes)
        return changes

    def later(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def run_all(self) -> int:
        """Do everything that is due; gives how many lots committed."""
        committed = 0
        while self.work.wait() == 0:
            committed += self.work.run()
        return committed

    def change_settings(self, settings: str) -> None:
        (self.vault.top / "memfs.local.toml").write_text(settings)
        self.vault = open_vault(self.vault.top, environ={}, clock=lambda: self.now)
        self.watcher.use(self.vault)
        self.work.use(self.vault)

    def said(self, *parts: str) -> list[str]:
        return [line for line in self.lines if all(part in line for part in parts)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "vault")


def test_waits_for_quiet_then_merges(bench: Bench) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.now = real_clock()
    bench.look()
    assert bench.said("noticed chat.jsonl, waiting 90 s")
    assert not bench.work.run()
    bench.later(91)
    assert bench.run_all() == 1
    assert bench.said("1 turn ", "1 added")
    assert "5433" in (bench.vault.layout.document(IDENTITY, "notes.md")).read_text()


def test_what_was_merged_before_is_no_news_at_the_next_start(bench: Bench) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.now = real_clock()
    bench.look()
    bench.later(91)
    assert bench.run_all() == 1
    bench.lines.clear()
    bench.watcher, bench.work = (
        Watcher(bench.vault),
        TranscriptWork(bench.vault, bench.lines.append, bench.stop),
    )
    inbox(bench.vault, "new.jsonl").write_text(
        talk("Please remember that the gate opens at seven.", session="s2")
    )
    bench.look()
    assert not bench.said("noticed", "transcripts")
    assert not bench.said("noticed chat.jsonl")
    assert bench.said("noticed new.jsonl")


def test_the_interval_defers_and_is_kept_over_restarts(bench: Bench) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.now = real_clock()
    set_last_run(LocalState(bench.vault.layout), IDENTITY, bench.now.timestamp() - 100)
    bench.look()
    assert bench.said("deferred 200 s by the interval")
    bench.later(195)
    assert bench.run_all() == 0
    bench.later(6)
    assert bench.run_all() == 1
    assert last_run(LocalState(bench.vault.layout), IDENTITY) == bench.now.timestamp()


def test_grown_while_it_was_due_waits_again(bench: Bench) -> None:
    chat = inbox(bench.vault)
    chat.write_text(talk(REMEMBER))
    bench.look()
    bench.now = real_clock() + timedelta(seconds=100)
    append(chat, talk("More.", first=2))
    os.utime(chat, (bench.now.timestamp(), bench.now.timestamp()))
    bench.look()
    assert bench.run_all() == 0
    bench.later(91)
    assert bench.run_all() == 1
    assert bench.said("2 turns")


def test_many_transcripts_are_one_line_and_merged_in_lots(bench: Bench) -> None:
    for number in range(LOT + 5):
        text = f"Please remember that the service number {number} listens on port {5000 + number}."
        inbox(bench.vault, f"{number}.jsonl").write_text(talk(text, session=f"s{number}"))
    bench.look()
    assert len(bench.lines) == 1
    assert f"noticed {LOT + 5} transcripts" in bench.lines[0]
    bench.later(100)
    assert bench.run_all() == 2
    assert len(bench.said("1 turn ")) == LOT + 5


def test_a_stop_ends_between_two_sessions(bench: Bench) -> None:
    for number in range(4):
        inbox(bench.vault, f"{number}.jsonl").write_text(talk(f"{REMEMBER} {number}", session=f"s{number}"))
    bench.look()
    bench.later(100)
    bench.work._tell = lambda line: (bench.lines.append(line), bench.stop.set())[0]
    assert bench.work.run()
    assert len(bench.said("1 turn ")) == 1
    assert not bench.said("next try")
    lease = acquire_lease(bench.vault.layout, IDENTITY, clock=lambda: bench.now.timestamp())
    assert isinstance(lease, Lease), "the lease was given back"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("[extract]\nmodel = ''\n", "extraction is off"),
        ("[extract]\nwhen = 'daily'\n", "left to the daily run"),
        (
            "[memory_policy]\nself.enabled = false\npeer.enabled = false\nworking_memory.enabled = false\n",
            "the memory policy allows nothing",
        ),
    ],
)
def test_a_closed_gate_notes_what_is_pending_and_drops_nothing(
    tmp_path: Path, settings: str, why: str
) -> None:
    bench = Bench(tmp_path / "vault", settings)
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.look()
    assert bench.said("noticed chat.jsonl, pending", why)
    bench.later(1000)
    assert bench.work.wait() is None
    assert not bench.work.run()
    bench.change_settings(PLAIN)
    bench.look()
    assert bench.run_all() == 1
    assert bench.said("1 turn ", "1 added")


def test_the_gate_is_checked_again_when_working(bench: Bench) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.look()
    page = bench.vault.layout.document(IDENTITY, "identity.md")
    open_gate = page.read_text()
    closed = "".join(f"memory_{name}: false\n" for name in ("self", "peer", "working"))
    page.write_text(open_gate.replace("---\n", f"---\n{closed}", 1))
    bench.later(100)
    assert bench.run_all() == 0
    assert bench.said("pending", "the memory policy allows nothing")
    page.write_text(open_gate)
    changes = ChangeSet(documents=dict.fromkeys([bench.vault.layout.rel(page)]))
    bench.work.take(changes)
    assert bench.run_all() == 1


def test_another_branch_waits_and_costs_no_extraction(bench: Bench, git: Git) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    git(bench.vault.top, "switch", "-q", "-c", "draft")
    bench.look()
    bench.later(1000)
    assert bench.run_all() == 0
    assert bench.said("pending", "draft is checked out")
    git(bench.vault.top, "switch", "-q", "main")
    bench.look()
    assert bench.run_all() == 1


def test_an_identity_that_another_process_works_on_is_tried_again(bench: Bench) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.look()
    bench.later(100)
    lease = acquire_lease(bench.vault.layout, IDENTITY, clock=lambda: bench.now.timestamp())
    assert isinstance(lease, Lease)
    assert bench.run_all() == 0
    assert bench.said("waiting: ", "another memfs process", "next try in 60 s")
    bench.look()
    assert bench.work.wait() is None, "not before the pause is over"
    bench.later(61)
    bench.look()
    assert bench.run_all() == 0
    assert bench.said("next try in 120 s")
    release_lease(bench.vault.layout, lease)
    bench.later(121)
    bench.look()
    assert bench.run_all() == 1


def test_a_document_that_has_to_wait_is_tried_when_it_changes(bench: Bench, git: Git) -> None:
    """notes.md is partly staged: it waits, and nothing is tried until it changes."""
    home = bench.vault.layout.identity_dir(IDENTITY)
    notes = home / "notes.md"
    notes.write_text("# Notes\n\n- mine\n")
    git(bench.vault.top, "add", str(notes))
    git(bench.vault.top, "commit", "-q", "-m", "Note")
    append(notes, "- staged\n")
    git(bench.vault.top, "add", str(notes))
    append(notes, "- not staged\n")
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.look()
    bench.later(100)
    assert bench.run_all() == 0
    assert bench.said("waiting", "notes.md", "partly staged")
    other = ChangeSet(documents=dict.fromkeys([bench.vault.layout.rel(home / "profile.md")]))
    bench.work.take(other)
    assert bench.work.wait() is None
    git(bench.vault.top, "add", str(notes))
    bench.later(400)
    bench.work.take(ChangeSet(documents=dict.fromkeys([bench.vault.layout.rel(notes)])))
    assert bench.run_all() == 1
    assert "5433" in notes.read_text()
    assert "- not staged" in notes.read_text()


def test_a_file_that_is_no_transcript_is_named_and_left_until_it_changes(bench: Bench) -> None:
    path = inbox(bench.vault, "data.jsonl")
    path.write_text('{"a": 1}\n')
    bench.look()
    assert bench.said("data.jsonl")
    assert bench.work.wait() is None
    said = len(bench.lines)
    bench.look()
    assert len(bench.lines) == said
    path.write_text(talk(REMEMBER))
    bench.look()
    bench.later(100)
    assert bench.run_all() == 1


def test_what_goes_wrong_with_one_leaves_the_others(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        inbox(bench.vault, f"{name}.jsonl").write_text(talk(f"{REMEMBER} {name}", session=name))

    def fail_at_a(vault: Vault, file: TranscriptFile) -> tuple[str | None, str | None]:
        if file.rel == "a.jsonl":
            raise ZeroDivisionError
        return identity_fed(vault, file)

    monkeypatch.setattr("memfs.daemon.work.identity_fed", fail_at_a)
    with pytest.raises(ZeroDivisionError):
        bench.look()
    assert bench.work.wait() == 0
    bench.work.take(ChangeSet())
    bench.later(100)
    bench.run_all()
    assert len(bench.said("1 turn ")) == 2


def test_an_unforeseen_error_of_a_run_is_not_repeated_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.look()
    bench.later(100)

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("memfs.daemon.lots.ingest", fail)
        with pytest.raises(ZeroDivisionError):
            bench.work.run()
    assert bench.work.wait() is None
    bench.later(61)
    bench.look()
    assert bench.run_all() == 1


def test_identities_are_worked_on_one_by_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "vault")
    for identity in (IDENTITY, "gardener"):
        folder = bench.vault.layout.inbox / identity
        folder.mkdir(exist_ok=True)
        (folder / "chat.jsonl").write_text(talk(REMEMBER, session=identity))
    bench.look()
    bench.later(100)
    assert bench.run_all() == 2
    assert bench.said("gardener", "1 added")
    assert bench.said(IDENTITY, "1 added")
    assert {at for at in json.loads(_runs(bench.vault)).values()} == {bench.now.timestamp()}


def _runs(vault: Vault) -> str:
    return json.dumps(LocalState(vault.layout).read_record("runs"))


def test_in_the_vaults_language(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "vault", "language = 'zh'\n")
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.now = real_clock()
    bench.look()
    assert bench.lines == [f"{IDENTITY}：发现 chat.jsonl，等待 90 秒"]


def test_a_clock_that_went_back_holds_nothing_up(bench: Bench) -> None:
    inbox(bench.vault).write_text(talk(REMEMBER))
    bench.now = real_clock() - timedelta(days=365)
    set_last_run(LocalState(bench.vault.layout), IDENTITY, real_clock().timestamp())
    bench.look()
    assert bench.work.wait() == 90
    bench.later(90)
    assert bench.run_all() == 1


def test_a_transcript_of_a_source_in_the_inbox_is_noticed_once(tmp_path: Path) -> None:
    """Its settings count: seen as the inbox's, the person's own words would be a peer's."""
    source = f'[[sources]]\npath = "inbox/{IDENTITY}"\nname = "mine"\nidentity = "{IDENTITY}"\nme = ["Ana"]\n'
    bench = Bench(tmp_path / "vault", PLAIN + source)
    chat = bench.vault.layout.inbox / IDENTITY / "weekend.txt"
    chat.write_text("Ana 2026-11-10 09:00\nWe decided to use SQLite for the tide cache.\n", encoding="utf-8")
    assert [file.source.name for file in bench.look().transcripts] == ["mine"]
    (bench.vault.layout.inbox / IDENTITY / "later.txt").write_text("Ana 2026-11-11 09:00\nHello.\n")
    assert [file.source.name for file in bench.look().transcripts] == ["mine"]
