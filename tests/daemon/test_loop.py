"""The loop: what it does with a change, that it outlives what goes wrong, and that it ends when told."""

from __future__ import annotations

import os
import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memfs.daemon.loop import Loop, watch
from memfs.model import Cursor
from memfs.search.filling import await_filling
from memfs.services.finding.indexing import open_index
from memfs.services.opening import Vault, open_vault
from memfs.services.recall import search
from memfs.vault.displaced import list_displaced
from memfs.vault.local import LocalState
from memfs.vault.records import pending_cursors, set_pending_cursor
from tests.conftest import Git
from tests.daemon.watching import (
    AT_ONCE,
    DEADLINE,
    IDENTITY,
    Lines,
    append,
    inbox,
    real_clock,
    running_loop,
    source_settings,
    start_vault,
    talk,
)

REMEMBER = "Please remember that the staging database listens on port 5433."
EACH_SECOND = AT_ONCE + "[watch]\nrescan_seconds = 1\n"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return start_vault(tmp_path / "vault")


def merges(vault: Vault, git: Git) -> int:
    return len(git(vault.top, "log", "--format=%H", "--grep=^Memfs-Kind: merge$").split())


def test_a_transcript_becomes_a_commit_that_search_finds(vault: Vault, git: Git) -> None:
    with running_loop(vault) as lines:
        inbox(vault).write_text(talk(REMEMBER))
        at = lines.wait_for(f"{IDENTITY}: noticed chat.jsonl")
        lines.wait_for("1 turn ", "1 added", after=at)
        assert merges(vault, git) == 1
        assert any("5433" in hit.view.text for hit in search(vault, "staging database port").hits)
    assert lines.all[-1] == "stopped"


def test_once_does_what_is_due_and_ends(vault: Vault, git: Git) -> None:
    for number in range(3):
        text = f"Please remember that the service number {number} listens on port {5000 + number}."
        inbox(vault, f"{number}.jsonl").write_text(talk(text, session=f"s{number}"))
    lines = Lines()
    watch(vault, announce=lines, once=True)
    assert lines.count("1 turn ") == 3
    assert merges(vault, git) == 3
    assert lines.count("index updated") >= 1
    again = Lines()
    watch(vault, announce=again, once=True)
    assert merges(vault, git) == 3
    assert again.count("turns") == 0


def test_settings_are_read_again(vault: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "chat.jsonl").write_text(talk(REMEMBER))
    local = vault.top / "memfs.local.toml"
    with running_loop(vault) as lines:
        lines.wait_for("index updated")
        local.write_text(AT_ONCE + "[extract")
        at = lines.wait_for("the old settings stay", "memfs.local.toml")
        local.write_text(AT_ONCE + "language = 'zh'\n" + source_settings(folder))
        at = lines.wait_for("the old settings stay", "language", after=at)
        local.write_text("language = 'zh'\n" + AT_ONCE + source_settings(folder))
        at = lines.wait_for("已重新读取设置", after=at)
        at = lines.wait_for("发现 chat.jsonl", after=at)
        lines.wait_for("1 条", after=at)


def test_a_source_added_while_running_waits_for_nobody(vault: Vault) -> None:
    with running_loop(vault) as lines:
        lines.wait_for("index updated")
        folder = vault.layout.inbox / "gardener"
        folder.mkdir()
        (folder / "chat.jsonl").write_text(talk(REMEMBER))
        lines.wait_for("gardener: 1 turn ", "1 added")


def test_hand_edits_reach_the_index(vault: Vault) -> None:
    note = vault.layout.document(IDENTITY, "notes.md")
    with running_loop(vault) as lines:
        at = lines.wait_for("index updated")
        note.write_text("# Notes\n\n- The harbour crane is painted yellow\n")
        at = lines.wait_for("index updated: 1 document", after=at)
        assert search(vault, "harbour crane").hits
        temp = note.with_name("notes.md.tmp")
        temp.write_text("# Notes\n\n- The lighthouse is painted red\n")
        os.replace(temp, note)
        lines.wait_for("index updated: 1 document", after=at)
        assert search(vault, "lighthouse painted").hits
        assert not any("crane" in hit.view.text for hit in search(vault, "harbour crane").hits)


def test_it_outlives_whatever_goes_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> None:
    vault = start_vault(tmp_path / "vault", EACH_SECOND)
    from memfs.services.ingest import ingest

    failures = iter([ZeroDivisionError("first line\nsecond line")])

    def fail_once(*arguments: object, **named: object) -> object:
        for failure in failures:
            raise failure
        return ingest(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("memfs.daemon.lots.ingest", fail_once)
    inbox(vault).write_text(talk(REMEMBER))
    with running_loop(vault) as lines:
        at = lines.wait_for("waiting: interrupted; next try in 1 s")
        at = lines.wait_for("went wrong, going on: ZeroDivisionError: first line")
        lines.wait_for("1 added", after=at)
    assert lines.count("second line") == 0
    assert merges(vault, git) == 1


def test_an_index_that_cannot_be_written_stops_no_merge(vault: Vault, git: Git) -> None:
    vault.layout.derived.mkdir(exist_ok=True)
    (vault.layout.derived / "index").write_text("in the way")
    with running_loop(vault) as lines:
        lines.wait_for("went wrong, going on")
        inbox(vault).write_text(talk(REMEMBER))
        lines.wait_for("1 added")
        (vault.layout.derived / "index").unlink()
        (vault.top / "Note.md").write_text("# Whales\n")
        lines.wait_for("index updated")
    assert lines.count("went wrong") <= 3, "it is not tried again and again"
    assert merges(vault, git) == 1


def test_a_save_into_a_displaced_file_is_merged_soon_after(tmp_path: Path) -> None:
    """An editor holds notes.md open while a merge exchanges it, and saves into what it holds."""
    vault = start_vault(tmp_path / "vault", AT_ONCE + "[watch]\nrescan_seconds = 86400\n")
    notes = vault.layout.document(IDENTITY, "notes.md")
    notes.write_text("# Notes\n\n- mine\n")
    os.utime(notes, (1_700_000_000, 1_700_000_000))
    opened = notes.open("a", encoding="utf-8")
    inbox(vault).write_text(talk(REMEMBER))
    with running_loop(vault) as lines:
        lines.wait_for("1 added")
        opened.write("- saved late\n")
        opened.close()
        assert list_displaced(vault.layout)
        lines.wait_until(lambda: "- saved late\n" in notes.read_text())
        assert "5433" in notes.read_text()


def test_cursor_moves_are_committed_after_an_hour(tmp_path: Path, git: Git) -> None:
    now: list[datetime] = [real_clock()]
    vault = start_vault(tmp_path / "vault", AT_ONCE, clock=lambda: now[0])
    cursor = Cursor("claude-code", "s9", 10, "m1", 10, "0" * 64, "0" * 64)
    state = LocalState(vault.layout)
    set_pending_cursor(state, IDENTITY, cursor, now[0].timestamp())
    lines = Lines()
    watch(vault, announce=lines, once=True)
    assert pending_cursors(state, IDENTITY)
    now[0] += timedelta(seconds=3601)
    git(vault.top, "switch", "-q", "-c", "draft")
    watch(vault, announce=lines, once=True)
    assert pending_cursors(state, IDENTITY), "it waits on another branch"
    git(vault.top, "switch", "-q", "main")
    watch(vault, announce=lines, once=True)
    assert not pending_cursors(state, IDENTITY)
    assert lines.count("committed how far was read") == 1


def test_a_stop_is_honoured_in_a_large_vault_that_is_indexed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(120):
        (vault.top / f"Note {number}.md").write_text(f"# Note {number}\n\nSome text about {number}.\n")
    stop = threading.Event()
    lines = Lines()
    loop = Loop(vault, lines, stop)
    parts = []
    from memfs.services.finding.indexing import follow_index

    def stop_after_one(*arguments: object, **named: object) -> object:
        for report in follow_index(*arguments, **named):  # type: ignore[arg-type]
            stop.set()
            parts.append(report)
            yield report

    monkeypatch.setattr("memfs.daemon.indexing.follow_index", stop_after_one)
    loop.run(once=True)
    assert len(parts) == 1
    assert 0 < len(parts[0].indexed) < 120


def test_two_loops_on_one_vault_do_everything_once(vault: Vault, git: Git) -> None:
    with running_loop(vault) as one, running_loop(vault) as other:
        for number in range(5):
            text = f"Please remember that the service number {number} listens on port {5000 + number}."
            append(inbox(vault, f"{number}.jsonl"), talk(text, session=f"s{number}"))
        for number in range(5):
            find_either(one, other, f"claude-code/s{number}")
    total = sum(line.endswith("]") and "1 added" in line for line in one.all + other.all)
    assert total == 5
    assert merges(vault, git) == 5


def find_either(one: Lines, other: Lines, part: str) -> None:
    """Wait until one of two loops has said it."""
    if not one.count(part) and not other.count(part):
        done = threading.Event()
        threads = [
            threading.Thread(target=_tell, args=(lines, part, done), daemon=True) for lines in (one, other)
        ]
        for thread in threads:
            thread.start()
        assert done.wait(60), f"neither said {part}"


def _tell(lines: Lines, part: str, done: threading.Event) -> None:
    with lines._more:
        if lines._more.wait_for(lambda: done.is_set() or lines._find((part,), 0) is not None, 60):
            done.set()


class SlowModel:
    """Stands where ingest is called and thinks until it is told to go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from memfs.services.ingest import ingest

        self.thinks = threading.Event()
        self.goes_on = threading.Event()

        def slowly(*arguments: object, **named: object) -> object:
            self.thinks.set()
            assert self.goes_on.wait(DEADLINE)
            return ingest(*arguments, **named)  # type: ignore[arg-type]

        monkeypatch.setattr("memfs.daemon.lots.ingest", slowly)


def test_the_index_follows_while_a_model_thinks(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, git: Git
) -> None:
    model = SlowModel(monkeypatch)
    inbox(vault).write_text(talk(REMEMBER))
    with running_loop(vault) as lines:
        assert model.thinks.wait(DEADLINE)
        at = lines.wait_for("index updated")
        (vault.top / "Note.md").write_text("# Whales\n\nHumpback whales sing.\n")
        at = lines.wait_for("index updated: 1 document", after=at)
        assert search(vault, "humpback whales").hits
        assert merges(vault, git) == 0
        model.goes_on.set()
        lines.wait_for("1 added", after=at)


def test_a_stop_leaves_a_model_behind_that_thinks_too_long(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, git: Git
) -> None:
    monkeypatch.setattr("memfs.daemon.loop.GRACE_SECONDS", 0.05)
    model = SlowModel(monkeypatch)
    inbox(vault).write_text(talk(REMEMBER))
    with running_loop(vault) as lines:
        assert model.thinks.wait(DEADLINE)
    assert lines.all[-1] == "stopped"
    assert merges(vault, git) == 0
    left = next(thread for thread in threading.enumerate() if thread.name == "memfs-ingest")
    model.goes_on.set()
    left.join(DEADLINE)
    assert not left.is_alive()


def test_vectors_of_another_model_are_made_while_nothing_else_changes(tmp_path: Path) -> None:
    vault = start_vault(tmp_path / "vault", AT_ONCE.replace("'none'", "'multilingual'"))
    (vault.top / "Note.md").write_text("# Note\n\nThe staging database listens on port 5433.\n")
    watch(vault, announce=Lines(), once=True)
    assert not open_index(vault).vectors_missing()
    (vault.top / "memfs.local.toml").write_text(AT_ONCE.replace("'none'", "'static'"))
    changed = open_vault(vault.top, environ={}, clock=real_clock)
    assert open_index(changed).vectors_missing()
    watch(changed, announce=Lines(), once=True)
    await_filling(vault.layout.derived / "index")
    assert not open_index(changed).vectors_missing()


def test_a_long_rebuild_is_told(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(80):
        (vault.top / f"Note {number}.md").write_text(f"# Note {number}\n\nSome text about {number}.\n")
    monkeypatch.setattr("memfs.services.finding.indexing._WORTH_SAYING", 0.0)
    lines = Lines()
    watch(vault, announce=lines, once=True)
    assert lines.count("indexing documents: 32/") == 1
