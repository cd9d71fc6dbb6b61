"""Left-over locks: only those go that nobody can hold."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memfs.history.locks import Child, boot_time, child_alive, child_of, find_locks, remove_stale_locks
from memfs.history.repository import Repository
from memfs.processes import process_start

KINDS = ["index.lock", "HEAD.lock", "packed-refs.lock", "refs/heads/main.lock", "config.lock"]


def _dead(command: str = "update-ref") -> Child:
    child = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.DEVNULL)
    record = Child(child.pid, process_start(child.pid) or "1", time.time(), command)
    child.wait()
    return record


def _lock(vault: Repository, kind: str, at: float | None = None) -> Path:
    path = vault.git_dir / kind
    path.touch()
    if at is not None:
        os.utime(path, (at, at))
    return path


def test_a_process_is_told_from_another_with_its_id() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    record = child_of(child.pid, time.time(), "update-ref")
    assert child_alive(record)
    assert not child_alive(Child(record.pid, "another", record.at, record.command))
    child.communicate(b"\n")
    assert not child_alive(record)


def test_the_boot_lies_before_now() -> None:
    boot = boot_time()
    assert boot is not None
    assert boot < time.time()


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_of_an_unknown_owner_stays_and_is_reported(vault: Repository, kind: str) -> None:
    path = _lock(vault, kind)
    removed, left = vault.remove_stale_locks([])
    assert removed == ()
    assert [(lock.path, lock.owner) for lock in left] == [(path, "unknown")]
    assert path.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_from_before_this_boot_goes(vault: Repository, kind: str) -> None:
    boot = boot_time()
    assert boot is not None
    path = _lock(vault, kind, boot - 60)
    removed, left = vault.remove_stale_locks()
    assert [lock.owner for lock in removed] == ["boot"]
    assert left == ()
    assert not path.exists()


@pytest.mark.parametrize("kind", ["HEAD.lock", "packed-refs.lock", "refs/heads/main.lock"])
def test_a_ref_lock_of_a_dead_child_goes(vault: Repository, kind: str) -> None:
    child = _dead()
    path = _lock(vault, kind)
    assert vault.remove_stale_locks([child])[1] == ()
    assert not path.exists()


def test_an_index_lock_is_never_blamed_on_a_child(vault: Repository) -> None:
    """memfs's children lock a private index only, so the person's index lock is somebody else's."""
    path = _lock(vault, "index.lock")
    assert vault.remove_stale_locks([_dead("update-index")])[0] == ()
    assert path.exists()


def test_a_lock_made_long_after_the_child_is_not_its_own(vault: Repository) -> None:
    child = _dead()
    path = _lock(vault, "HEAD.lock", child.at + 3600)
    assert vault.remove_stale_locks([child])[0] == ()
    assert path.exists()


def test_nothing_goes_while_the_child_lives(vault: Repository) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    record = child_of(child.pid, time.time(), "update-ref")
    path = _lock(vault, "HEAD.lock")
    assert vault.remove_stale_locks([record, _dead()])[0] == ()
    assert path.exists()
    child.communicate(b"\n")
    assert [lock.path for lock in vault.remove_stale_locks([record])[0]] == [path]


def test_nothing_goes_while_a_git_runs_in_the_vault(vault: Repository) -> None:
    held = subprocess.Popen(
        ["git", "cat-file", "--batch"],
        cwd=vault.top / "memories",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert held.stdin is not None
    held.stdin.write(b"HEAD\n")
    held.stdin.flush()
    assert held.stdout is not None
    held.stdout.readline()  # it runs for sure
    path = _lock(vault, "HEAD.lock")
    dead = _dead()
    if Path("/proc/self/stat").exists():
        assert vault.remove_stale_locks([dead])[0] == ()
    held.communicate()
    vault.remove_stale_locks([dead])
    assert not path.exists()


def test_memfss_own_index_lock_is_known_by_its_private_index(vault: Repository) -> None:
    """As a kill between taking the lock and moving the index into place leaves it."""
    dead = _dead()
    folder = vault.git_dir / "memfs"
    folder.mkdir()
    private = folder / f"index-{dead.pid}"
    private.write_bytes((vault.git_dir / "index").read_bytes())
    os.link(private, vault.git_dir / "index.lock")
    assert [lock.owner for lock in vault.find_locks()] == ["memfs"]
    removed, left = vault.remove_stale_locks()
    assert (len(removed), left) == (1, ())
    assert not private.exists()
    vault.set_index({"a.md": ("100644", vault.write_blob("a.md", b"x"))}, seconds=0)


def test_private_indexes_of_the_dead_are_cleared_away(vault: Repository) -> None:
    folder = vault.git_dir / "memfs"
    folder.mkdir()
    dead = _dead()
    (folder / f"index-{dead.pid}").touch()
    (folder / f"index-{dead.pid}.lock").touch()
    mine = folder / f"index-{os.getpid()}"
    mine.touch()
    vault.remove_stale_locks()
    assert list(folder.iterdir()) == [mine]


def test_no_boot_time_means_no_guess(vault: Repository) -> None:
    _lock(vault, "HEAD.lock", 0.0)
    places = vault.git_dir, vault.common_dir
    assert [lock.owner for lock in find_locks(*places, boot=None)] == ["unknown"]
    assert remove_stale_locks(*places, vault.top, boot=None)[0] == ()
