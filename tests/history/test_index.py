"""The person's index: read with all its flags, changed only where meant."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memfs.errors import RepositoryBusy
from memfs.history.index import IndexEntry
from memfs.history.repository import Repository, open_repository
from tests.conftest import PROJECT, Git


def _blob(vault: Repository, text: str) -> tuple[str, str]:
    return "100644", vault.write_blob("x.md", text.encode())


def test_entries_and_their_flags(vault: Repository, git: Git) -> None:
    top = vault.top
    (top / "new.md").write_text("", encoding="utf-8")
    (top / "empty.md").write_text("", encoding="utf-8")
    git(top, "add", "-N", "new.md")
    git(top, "add", "empty.md")
    git(top, "update-index", "--skip-worktree", "todo.txt")
    git(top, "update-index", "--assume-unchanged", "memories/coder/notes.md")
    entries = vault.index_entries(
        ["new.md", "empty.md", "todo.txt", "memories/coder/notes.md", "gone.md", "memories"]
    )
    assert entries["gone.md"] == entries["memories"] == ()
    assert entries["new.md"][0].intent_to_add
    assert not entries["empty.md"][0].intent_to_add
    assert entries["todo.txt"][0].skip_worktree
    assert not entries["todo.txt"][0].assume_unchanged
    assert entries["memories/coder/notes.md"][0].assume_unchanged


def test_conflict_stages(vault: Repository, git: Git) -> None:
    top, note = vault.top, "memories/coder/notes.md"
    git(top, "checkout", "-q", "-b", "side")
    (top / note).write_text("side\n", encoding="utf-8")
    git(top, "commit", "-qam", "side")
    git(top, "checkout", "-q", "main")
    (top / note).write_text("main\n", encoding="utf-8")
    git(top, "commit", "-qam", "main")
    with pytest.raises(AssertionError, match="merge"):
        git(top, "merge", "-q", "side")
    assert [entry.stage for entry in vault.index_entries([note])[note]] == [1, 2, 3]
    head = vault.head()
    assert head.state == "merge"
    assert vault.staged(head.commit, [note, "todo.txt"]) == {note}


def test_staged_is_what_differs_from_the_commit(vault: Repository, git: Git) -> None:
    top, commit = vault.top, vault.head().commit
    note, new, gone = "memories/coder/notes.md", "new.md", "memories/coder/decisions.md"
    asked = [note, new, gone, "todo.txt", "nothing.md"]
    assert vault.staged(commit, asked) == frozenset()
    (top / note).write_text("staged\n", encoding="utf-8")
    (top / new).write_text("announced\n", encoding="utf-8")
    git(top, "add", note)
    git(top, "add", "-N", new)
    git(top, "rm", "-q", "--cached", gone)
    assert vault.staged(commit, asked) == {note, gone}


def test_set_index_touches_only_its_paths(vault: Repository, git: Git) -> None:
    top = vault.top
    (top / "todo.txt").write_text("staged by hand\n", encoding="utf-8")
    git(top, "add", "todo.txt")
    (top / "todo.txt").write_text("and edited on\n", encoding="utf-8")
    git(top, "update-index", "--skip-worktree", "memories/coder/notes.md")
    before = git(top, "ls-files", "-s", "-v").splitlines()
    blob = _blob(vault, "new\n")
    vault.set_index({"memories/coder/new.md": blob, "memories/coder/decisions.md": None})
    after = git(top, "ls-files", "-s", "-v").splitlines()
    assert set(before) - set(after) == {line for line in before if line.endswith("decisions.md")}
    assert set(after) - set(before) == {f"H 100644 {blob[1]} 0\tmemories/coder/new.md"}
    assert "MM todo.txt" in git(top, "status", "--porcelain")
    assert list((vault.git_dir / "memfs").iterdir()) == []


def test_a_conflict_elsewhere_survives(vault: Repository, git: Git) -> None:
    oid = _blob(vault, "x\n")[1]
    git(vault.top, "update-index", "--index-info", stdin=f"100644 {oid} 1\tc.md\n100644 {oid} 2\tc.md\n")
    vault.set_index({"a.md": _blob(vault, "a\n")})
    assert [entry.stage for entry in vault.index_entries(["c.md"])["c.md"]] == [1, 2]


def test_an_index_that_is_not_there_yet(repo: Path, git: Git) -> None:
    vault = open_repository(repo)
    vault.set_index({"a.md": _blob(vault, "a\n")})
    assert git(repo, "ls-files") == "a.md\n"


def test_racily_clean_files_stay_suspect(vault: Repository, git: Git) -> None:
    """A file edited in the same instant as the index was written must not look clean afterwards."""
    top = vault.top
    index = vault.git_dir / "index"
    (top / "todo.txt").write_text("same\n", encoding="utf-8")
    git(top, "add", "todo.txt")
    git(top, "commit", "-q", "-m", "x")
    stamp = (top / "todo.txt").stat().st_mtime_ns
    os.utime(index, ns=(stamp, stamp))
    (top / "todo.txt").write_text("SAME\n", encoding="utf-8")
    os.utime(top / "todo.txt", ns=(stamp, stamp))
    os.utime(index, ns=(stamp, stamp))
    git(top, "config", "core.trustctime", "false")
    vault.set_index({"a.md": _blob(vault, "a\n")})
    assert " M todo.txt" in git(top, "status", "--porcelain")


def test_it_waits_for_a_lock_and_then_succeeds(vault: Repository, git: Git) -> None:
    lock = vault.git_dir / "index.lock"
    lock.touch()
    timer = threading.Timer(0.1, lock.unlink)
    timer.start()
    vault.set_index({"a.md": _blob(vault, "a\n")}, seconds=60)
    timer.join()
    assert "a.md" in git(vault.top, "ls-files")


def test_a_lock_that_stays_is_reported_and_nothing_changes(vault: Repository) -> None:
    lock = vault.git_dir / "index.lock"
    lock.touch()
    before = (vault.git_dir / "index").read_bytes()
    with pytest.raises(RepositoryBusy, match="locked") as caught:
        vault.set_index({"a.md": _blob(vault, "a\n")}, seconds=0)
    assert caught.value.path == str(lock)
    assert caught.value.hint
    assert (vault.git_dir / "index").read_bytes() == before
    assert lock.exists()
    assert list((vault.git_dir / "memfs").iterdir()) == []


def test_an_index_entry_knows_its_blob() -> None:
    assert IndexEntry("100644", "ab").blob == ("100644", "ab")


def test_a_kill_at_any_moment_leaves_the_person_a_working_git(vault: Repository, git: Git) -> None:
    """Whatever a killed memfs leaves in the git directory, the next one clears away what was its own."""
    script = (
        "import sys, pathlib; from memfs.history.repository import open_repository\n"
        "vault = open_repository(pathlib.Path(sys.argv[1]))\n"
        "print('ready', flush=True)\n"
        "for number in range(10**6):\n"
        "    vault.set_index({f'n{number % 5}.md': ('100644', sys.argv[2])})\n"
        "    print(number, flush=True)\n"
    )
    oid = vault.write_blob("x.md", b"x")
    for laps in (0, 1, 2, 3, 5):
        worker = subprocess.Popen(
            [sys.executable, "-c", script, str(vault.top), oid], stdout=subprocess.PIPE, cwd=PROJECT
        )
        assert worker.stdout is not None
        for _ in range(laps + 1):
            assert worker.stdout.readline()
        worker.kill()
        worker.communicate()
        _, left = open_repository(vault.top).remove_stale_locks()
        assert left == ()
        git(vault.top, "status")
        git(vault.top, "commit", "-q", "--allow-empty", "-m", "goes on")
    assert git(vault.top, "fsck", "--strict", "--no-dangling") == ""


def test_file_systems_without_hard_links(
    vault: Repository, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(f"no links here: {source} {target}")

    monkeypatch.setattr(os, "link", refuse)
    vault.set_index({"a.md": _blob(vault, "a\n")})
    assert "a.md" in git(vault.top, "ls-files")
    assert not (vault.git_dir / "index.lock").exists()
