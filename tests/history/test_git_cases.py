"""Bug reports of other projects about git, as far as this room can answer them."""

from __future__ import annotations

import os
import subprocess
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.errors import HistoryError, RepositoryBusy
from memfs.history import runner as runner_module
from memfs.history.messages import CommitMessage, render_message
from memfs.history.repository import Repository, open_repository
from tests.conftest import Git
from tests.history.conftest import WHEN, Commit

NOTE = "memories/coder/notes.md"


def _changed(vault: Repository, text: str) -> dict[str, tuple[str, str] | None]:
    return {NOTE: ("100644", vault.write_blob(NOTE, text.encode()))}


def test_gi_01_a_left_index_lock_is_said_and_nothing_moves(vault: Repository, git: Git) -> None:
    before = vault.head().commit
    (vault.git_dir / "index.lock").touch()
    with pytest.raises(RepositoryBusy) as caught:
        vault.set_index(_changed(vault, "new\n"), seconds=0)
    assert "index.lock" in str(caught.value)
    assert vault.head().commit == before
    assert [lock.owner for lock in vault.find_locks()] == ["unknown"]
    (vault.git_dir / "index.lock").unlink()
    vault.set_index(_changed(vault, "new\n"), seconds=0)
    assert f"M  {NOTE}" in git(vault.top, "status", "--porcelain") or "MM" in git(
        vault.top, "status", "--porcelain"
    )


def test_gi_03_signing_and_hooks_are_left_out_by_choice(
    vault: Repository, git: Git, commit: Commit, tmp_path: Path
) -> None:
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    signer.chmod(0o755)
    git(vault.top, "config", "commit.gpgSign", "true")
    git(vault.top, "config", "gpg.program", str(signer))
    made = commit(vault, {NOTE: "a\n"})
    assert "gpgsig" not in git(vault.top, "cat-file", "commit", made)


def test_gi_05_no_signing_agent_can_hang_a_commit(
    vault: Repository, git: Git, commit: Commit, tmp_path: Path
) -> None:
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\ncat /dev/tty\nsleep 3600\n", encoding="utf-8")
    agent.chmod(0o755)
    git(vault.top, "config", "gpg.format", "ssh")
    git(vault.top, "config", "gpg.ssh.program", str(agent))
    git(vault.top, "config", "user.signingKey", "key")
    git(vault.top, "config", "commit.gpgSign", "true")
    assert commit(vault, {NOTE: "a\n"}) == vault.head().commit


def test_gi_06_without_an_identity_memfs_uses_its_own(
    vault: Repository, git: Git, commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    before = (vault.git_dir / "config").read_bytes()
    stranger = open_repository(vault.top)
    made = commit(stranger, {NOTE: "a\n"})
    shown = git(vault.top, "show", "-s", "--format=%an <%ae> %cn <%ce>", made).strip()
    assert shown == "memfs <memfs@localhost> memfs <memfs@localhost>"
    hand = stranger.write_commit(stranger.write_tree(made, {}), [made], "x\n", author="person", when=WHEN)
    assert git(vault.top, "show", "-s", "--format=%an", hand).strip() == "memfs"
    assert (vault.git_dir / "config").read_bytes() == before
    assert not (tmp_path / ".gitconfig").exists()


def test_gi_07_somebody_elses_repository(
    vault: Repository, monkeypatch: pytest.MonkeyPatch, own_environment: Path
) -> None:
    config = (own_environment / ".gitconfig").read_bytes()
    # git's own switch for its tests: it takes every repository for somebody else's.
    monkeypatch.setitem(runner_module._FIXED, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(HistoryError, match="belongs to another user") as caught:
        open_repository(vault.top)
    assert f"git config --global --add safe.directory '{vault.top}'" in str(caught.value)
    assert (own_environment / ".gitconfig").read_bytes() == config


def test_gi_10_a_commit_names_exactly_its_own_paths(vault: Repository, git: Git, commit: Commit) -> None:
    for number in range(9):
        (vault.top / f"staged{number}.txt").write_text("mine\n", encoding="utf-8")
    (vault.top / "todo.txt").write_text("staged\n", encoding="utf-8")
    (vault.top / "untracked.txt").write_text("mine\n", encoding="utf-8")
    git(vault.top, "add", "todo.txt", *(f"staged{number}.txt" for number in range(9)))
    (vault.top / "todo.txt").write_text("staged and edited on\n", encoding="utf-8")
    before = git(vault.top, "status", "--porcelain")
    commit(vault, {NOTE: "a\n"})
    assert git(vault.top, "show", "--name-only", "--format=", "HEAD").split() == [NOTE]
    assert git(vault.top, "status", "--porcelain") == before
    assert git(vault.top, "show", ":todo.txt") == "staged\n"


def test_gi_11_a_commit_that_fails_leaves_the_index(vault: Repository) -> None:
    head = vault.head()
    assert head.ref is not None
    before = (vault.git_dir / "index").read_bytes()
    with pytest.raises(HistoryError, match="missing"):
        vault.write_tree(head.commit, {NOTE: ("100644", "1" * 40)})
    made = vault.write_commit(vault.write_tree(None, {}), [], "x\n", author="memfs", when=WHEN)
    assert not vault.move_ref(head.ref, made, "2" * 40, when=WHEN)
    assert (vault.git_dir / "index").read_bytes() == before
    assert vault.head() == head


@pytest.fixture
def other(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "other"
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    git(folder, "commit", "-q", "--allow-empty", "-m", "other")
    return folder


def test_gi_12_run_from_a_git_hook(
    vault: Repository, git: Git, commit: Commit, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = git(other, "rev-parse", "HEAD")
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(other / ".git"))
        patch.setenv("GIT_WORK_TREE", str(other))
        patch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
        patch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
        patch.setenv("GIT_AUTHOR_NAME", "somebody else")
        made = commit(open_repository(vault.top), {NOTE: "a\n"})
    assert git(vault.top, "rev-parse", "HEAD").strip() == made
    assert git(vault.top, "status", "--porcelain") == ""
    assert git(other, "rev-parse", "HEAD") == theirs
    assert git(other, "status", "--porcelain") == ""


def test_gi_13_a_relative_index_file(
    vault: Repository, git: Git, commit: Commit, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.chdir(other)
        patch.setenv("GIT_INDEX_FILE", ".git/index.outer")
        commit(vault, {NOTE: "a\n"})
    assert not (other / ".git" / "index.outer").exists()
    assert not (vault.top / ".git" / "index.outer").exists()
    assert git(vault.top, "status", "--porcelain") == ""


UNDER_WAY = {
    "merge": ("git merge side", "git merge --abort"),
    "rebase": ("git rebase side", "git rebase --abort"),
    "rebase-apply": ("git rebase --apply side", "git rebase --abort"),
    "cherry-pick": ("git cherry-pick side", "git cherry-pick --abort"),
    "revert": ("git revert --no-edit HEAD~1", "git revert --abort"),
    "bisect": ("git bisect start", "git bisect reset"),
    "am": ("git format-patch -1 --stdout side | git am", "git am --abort"),
}


@pytest.mark.parametrize("case", list(UNDER_WAY))
def test_gi_15_what_a_person_has_under_way_is_seen(vault: Repository, git: Git, case: str) -> None:
    top = vault.top
    git(top, "checkout", "-q", "-b", "side")
    for branch, text in (("side", "theirs\n"), ("main", "ours\n"), ("main", "ours again\n")):
        git(top, "checkout", "-q", branch)
        (top / NOTE).write_text(text, encoding="utf-8")
        git(top, "commit", "-qam", text)
    begin, abort = UNDER_WAY[case]
    subprocess.run(begin, shell=True, cwd=top, capture_output=True, check=False)
    assert vault.head().state == ("rebase" if case == "rebase-apply" else case)
    subprocess.run(abort, shell=True, cwd=top, capture_output=True, check=True)
    assert vault.head().state is None


def test_gi_15_between_two_picks_of_a_series(vault: Repository) -> None:
    todo = vault.git_dir / "sequencer" / "todo"
    todo.parent.mkdir()
    for first, state in (("pick 1 x\n", "cherry-pick"), ("revert 1 x\n", "revert")):
        todo.write_text(first, encoding="utf-8")
        assert vault.head().state == state


def test_gi_20_names_of_any_script(vault: Repository, git: Git, commit: Commit) -> None:
    names = [
        "café.md",
        "café.md",
        "新しい/日本.md",
        'quo"te.md',
        "tab\there.md",
        "back\\slash.md",
        "-dash.md",
        ":(top)x",
    ]
    files: dict[str, str | None] = {f"memories/coder/{name}": f"{name}\n" for name in names}
    made = commit(vault, files)
    assert vault.read_blobs(made, list(files)) == {path: f"{text}".encode() for path, text in files.items()}
    assert all(vault.index_entries(list(files)).values())
    assert vault.staged(made, list(files)) == frozenset()
    assert git(vault.top, "status", "--porcelain") == ""
    assert set(vault.attributes(list(files))) == set(files)


def test_gi_21_reads_take_no_lock(vault: Repository) -> None:
    head = vault.head()
    assert head.commit is not None
    index = vault.git_dir / "index"
    (vault.git_dir / "index.lock").touch()
    os.utime(vault.top / "todo.txt")  # plain `git status` would now want to write the index
    before = index.read_bytes(), index.stat().st_mtime_ns
    vault.staged(head.commit, ["todo.txt"])
    vault.read_blob(head.commit, "todo.txt")
    vault.attributes(["todo.txt"])
    vault.matches("todo.txt", b"x", "1" * 40)
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before


def test_gi_22_two_commits_at_once_are_both_kept(vault: Repository, git: Git) -> None:
    start = threading.Barrier(4)

    def work(number: int) -> None:
        mine = open_repository(vault.top)
        path = f"memories/coder/n{number}.md"
        change = {path: ("100644", mine.write_blob(path, b"x\n"))}
        start.wait()
        for _ in range(100):
            head = mine.head()
            assert head.commit is not None
            assert head.ref is not None
            tree = mine.write_tree(head.commit, change)
            text = render_message(CommitMessage("merge", f"{number}"))
            made = mine.write_commit(
                tree, [head.commit], text, author="memfs", when=WHEN + timedelta(hours=number)
            )
            if mine.move_ref(head.ref, made, head.commit, when=WHEN):
                return

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    files = git(vault.top, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert {f"memories/coder/n{number}.md" for number in range(4)} <= set(files)
    assert git(vault.top, "log", "--oneline").count("\n") == 5
    assert git(vault.top, "fsck", "--strict", "--no-dangling") == ""


def test_gi_22_a_locked_branch_is_busy(vault: Repository, git: Git) -> None:
    git(vault.top, "pack-refs", "--all")
    head = vault.head()
    assert head.commit is not None
    assert head.ref is not None
    made = vault.write_commit(vault.write_tree(None, {}), [head.commit], "x\n", author="memfs", when=WHEN)
    (vault.git_dir / "refs" / "heads" / "main.lock").touch()
    quick = tuple(
        (key, "0" if key.endswith("LockTimeout") else value) for key, value in runner_module.OVERRIDES
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner_module, "OVERRIDES", quick)
        with pytest.raises(RepositoryBusy, match="refs/heads/main"):
            vault.move_ref(head.ref, made, head.commit, when=WHEN)
    assert vault.head() == head


def test_gi_24_a_folder_that_is_a_repository_is_refused(vault: Repository, git: Git, other: Path) -> None:
    inner = vault.top / "memories" / "inner"
    other.rename(inner)
    git(vault.top, "add", "memories/inner")
    git(vault.top, "commit", "-q", "-m", "gitlink")
    blob = ("100644", vault.write_blob("a.md", b"x"))
    for path in ("memories/inner", "memories/inner/a.md"):
        with pytest.raises(HistoryError, match="should be"):
            vault.write_tree(vault.head().commit, {path: blob})
    assert vault.blob_ids(vault.head().commit, ["memories/inner"]) == {"memories/inner": None}


def test_gi_26_a_hook_cannot_rewrite_what_is_committed(vault: Repository, commit: Commit) -> None:
    hook = vault.git_dir / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho changed > {NOTE}\ngit add {NOTE}\n", encoding="utf-8")
    hook.chmod(0o755)
    made = commit(vault, {NOTE: "as merged\n"})
    assert vault.read_blob(made, NOTE) == b"as merged\n"
    assert (vault.top / NOTE).read_text(encoding="utf-8") == "as merged\n"


def test_gi_27_a_detached_head_is_seen(vault: Repository, git: Git) -> None:
    git(vault.top, "checkout", "-q", "--detach")
    head = vault.head()
    assert (head.ref, head.state) == (None, "detached")
    assert head.commit is not None
