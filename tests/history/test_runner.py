"""The runner: its environment, limits, and plain words for failures."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.errors import CommitNotFound, HistoryError
from memfs.history import pipes, runner
from memfs.history.locks import Child
from memfs.history.repository import Repository, open_repository
from tests.conftest import Git
from tests.history.conftest import WHEN


def test_nothing_of_git_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GIT_DIR",
        "GIT_TRACE",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_COUNT",
        "SSH_ASKPASS",
    ):
        monkeypatch.setenv(name, "evil")
    monkeypatch.setenv("LD_PRELOAD", "evil.so")
    assert "evil" not in runner.scrubbed_environment().values()
    assert "evil.so" not in runner.scrubbed_environment().values()


def test_a_git_of_the_current_folder_is_never_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / "git"
    planted.write_text("#!/bin/sh\n", encoding="utf-8")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    runner.git_binary.cache_clear()
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert runner.git_binary() != str(planted)
    runner.git_binary.cache_clear()
    monkeypatch.setenv("PATH", ".")
    with pytest.raises(HistoryError, match="not installed"):
        runner.git_binary()
    runner.git_binary.cache_clear()


def test_a_child_that_hangs_is_stopped(vault: Repository, tmp_path: Path) -> None:
    """Opening a pipe that nobody reads never ends; the limit ends it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    slow = replace(vault.git, variables={"GIT_TRACE2_EVENT": str(pipe)})
    with pytest.raises(HistoryError, match="did not finish"):
        slow.run("rev-list", "--all", seconds=0.2)


def test_output_is_capped(vault: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    oid = vault.write_blob("big.md", b"x" * 200_000)
    monkeypatch.setattr(pipes, "OUTPUT_CAP", 1000)
    with pytest.raises(HistoryError, match="more than 1000 bytes"):
        vault.read_object(oid)


def test_large_input_and_output_at_once(vault: Repository) -> None:
    data = os.urandom(3_000_000)
    oid = vault.write_blob("big.md", data)
    assert vault.read_object(oid) == data
    many = [oid] * 3
    asked = "".join(f"{name}\n" for name in many).encode()
    assert len(vault.git.run("cat-file", "--batch", stdin=asked).out) > 9_000_000


def test_input_that_is_not_wanted(vault: Repository) -> None:
    assert vault.git.run("version", stdin=b"x" * 1_000_000).out.startswith(b"git version")


def test_children_that_take_locks_are_told_of(vault: Repository) -> None:
    seen: list[Child] = []
    watched = open_repository(vault.top, on_child=seen.append)
    head = watched.head()
    assert head.commit is not None
    assert head.ref is not None
    assert seen == []
    assert watched.move_ref(head.ref, head.commit, head.commit, when=WHEN)
    assert [child.command for child in seen] == ["update-ref"]
    assert seen[0].pid != os.getpid()


@pytest.mark.parametrize(
    ("said", "kind", "plain"),
    [
        ("fatal: bad object 1234", CommitNotFound, "bad object 1234"),
        ("fatal: write error: No space left on device", HistoryError, "disk is full"),
        ("fatal: not a git repository: 'x'", HistoryError, "not a git repository"),
        ("", HistoryError, "exit code 128"),
    ],
)
def test_failures_in_plain_words(said: str, kind: type[HistoryError], plain: str) -> None:
    error = runner.translate(runner.Result(128, b"", said), "log", Path("/vault"))
    assert type(error) is kind
    assert plain in str(error)


def test_a_folder_that_is_gone(vault: Repository, tmp_path: Path) -> None:
    moved = replace(vault.git, top=tmp_path / "gone")
    with pytest.raises(HistoryError, match="could not be started"):
        moved.run("version")


def test_prompts_have_no_terminal(vault: Repository, git: Git) -> None:
    """A child is a session of its own, so nothing it starts can ask on the person's terminal."""
    git(vault.top, "config", "alias.session", "!ps -o sid= -p $$")
    told = vault.git.run("session").out.decode().strip()
    assert int(told) != os.getsid(0)
