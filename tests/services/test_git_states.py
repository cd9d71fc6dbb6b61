"""Repositories in odd states: memfs honours them or waits, says so, and loses nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import RepositoryBusy
from memfs.history.repository import Repository
from memfs.services.merging.merges import Merged
from memfs.services.opening import Vault, open_vault
from tests.services.person import check_sound, is_pending, recover, run_paused
from tests.services.vaults import (
    IDENTITY,
    committed,
    copy_vault,
    document,
    far_clock,
    git,
    merge,
    merge_commits,
    new_vault,
    note,
    proposal,
)

NOTES = f"memories/{IDENTITY}/notes.md"
FIRST, SECOND = "The staging database listens on port 5433", "The mail relay listens on port 2525"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states") / "vault"
    merge(new_vault(folder), note(FIRST))
    return folder


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return copy_vault(template, tmp_path / "vault")


def second(vault: Vault) -> Merged:
    return merge(vault, note(SECOND, 4), session="s2")


def text(vault: Vault) -> str:
    return document(vault, "notes.md").read_text(encoding="utf-8")


def check_done(vault: Vault) -> None:
    """The second note is in the file and in HEAD once, and there is nothing left to commit."""
    for now in (text(vault), committed(vault.top, NOTES)):
        assert now.count(FIRST) == now.count(SECOND) == 1
    assert not is_pending(vault)
    assert git(vault.top, "status", "--porcelain", "--", "memories") == ""
    check_sound(vault)


# -- locks ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for the index's lock for a moment only."""
    monkeypatch.setitem(Repository.set_index.__kwdefaults__, "seconds", 0.1)


@pytest.mark.usefixtures("impatient")
def test_gi_01_with_the_index_locked_the_merge_stays_pending_and_says_so(vault: Vault) -> None:
    head = git(vault.top, "rev-parse", "HEAD")
    lock = vault.top / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(RepositoryBusy, match="index is locked") as caught:
        second(vault)
    assert caught.value.path == str(lock)
    assert "remove it" in str(caught.value.hint)
    assert lock.exists(), "it may be a git at work"
    assert git(vault.top, "rev-parse", "HEAD") == head
    assert is_pending(vault)
    assert SECOND in text(vault), "the file change is not lost"
    lock.unlink()
    recover(vault)
    check_done(vault)
    assert second(vault).commit is None


@pytest.mark.usefixtures("impatient")
def test_gi_11_a_commit_that_fails_leaves_the_index_as_it_was(vault: Vault) -> None:
    (vault.top / "Garden.md").write_text("- sow beans\n", encoding="utf-8")
    git(vault.top, "add", "Garden.md")
    before = git(vault.top, "ls-files", "-s")
    lock = vault.top / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(RepositoryBusy):
        second(vault)
    assert git(vault.top, "ls-files", "-s") == before
    lock.unlink()
    recover(vault)
    assert "Garden.md" not in git(vault.top, "ls-tree", "-r", "--name-only", "HEAD")
    assert git(vault.top, "diff", "--cached", "--name-only").split() == ["Garden.md"]


@pytest.mark.usefixtures("impatient")
def test_a_lock_on_the_branch_leaves_the_merge_pending(vault: Vault) -> None:
    lock = vault.top / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    paused = run_paused(lambda: second(vault) and None, "never", 1, lambda: None)
    assert paused.busy is not None
    assert "lock" in paused.busy
    assert is_pending(vault)
    lock.unlink()
    recover(vault)
    check_done(vault)
    assert len(merge_commits(vault.top)) == 2


def test_gi_22_two_processes_commit_one_after_the_other(vault: Vault) -> None:
    def other() -> None:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                merge(vault, proposal("decisions", 5, topic="Queue", decision="Use Redis"), session="s3")
                code = 0
            finally:
                os._exit(code)
        waiting.append(pid)

    waiting: list[int] = []
    run_paused(lambda: second(vault) and None, "place.done", 1, other)
    assert os.waitstatus_to_exitcode(os.waitpid(waiting[0], 0)[1]) == 0
    check_done(vault)
    assert "Use Redis" in committed(vault.top, f"memories/{IDENTITY}/decisions.md")
    assert all(len(line.split()) <= 2 for line in git(vault.top, "log", "--format=%H %P").splitlines())


# -- documents that are deferred -----------------------------------------------------------------------------------


def test_a_document_with_a_filter_is_deferred_and_reported(vault: Vault) -> None:
    (vault.top / ".gitattributes").write_text("notes.md filter=crypt\n", encoding="utf-8")
    git(vault.top, "config", "filter.crypt.clean", "touch ran; cat")
    before = text(vault)
    merged = merge(vault, note(SECOND, 4), proposal("decisions", 5, topic="Queue", decision="Use Redis"))
    assert [reason for reason in merged.waiting if "notes.md" in reason and "git filter" in reason]
    assert "Use Redis" in committed(vault.top, f"memories/{IDENTITY}/decisions.md"), "the others go on"
    assert text(vault) == before
    assert not (vault.top / "ran").exists()
    (vault.top / ".gitattributes").unlink()
    second(vault)
    check_done(vault)


def test_a_partly_staged_document_is_deferred_and_reported(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    notes.write_text(text(vault) + "- staged\n", encoding="utf-8")
    git(vault.top, "add", NOTES)
    notes.write_text(text(vault) + "- not staged\n", encoding="utf-8")
    status, before = git(vault.top, "status", "--porcelain"), text(vault)
    assert [reason for reason in second(vault).waiting if "partly staged" in reason]
    assert (git(vault.top, "status", "--porcelain"), text(vault)) == (status, before)
    git(vault.top, "add", NOTES)  # staged whole: a hand edit like any other
    second(vault)
    check_done(vault)
    assert committed(vault.top, NOTES, "HEAD~1").endswith("- staged\n- not staged\n")


def test_gi_15_a_stash_that_popped_into_a_conflict_is_left_to_the_person(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    notes.write_text(text(vault) + "- stashed\n", encoding="utf-8")
    git(vault.top, "stash", "-q")
    notes.write_text(text(vault) + "- other\n", encoding="utf-8")
    git(vault.top, "commit", "-q", "-a", "-m", "Other")
    git(vault.top, "stash", "pop", "-q", check=False)
    status, before = git(vault.top, "status", "--porcelain"), text(vault)
    assert "UU" in status
    assert [reason for reason in second(vault).waiting if "in conflict" in reason]
    assert (git(vault.top, "status", "--porcelain"), text(vault)) == (status, before)
    git(vault.top, "add", NOTES)  # with its markers: still no document to write into
    head = git(vault.top, "rev-parse", "HEAD")
    assert second(vault).waiting
    assert (git(vault.top, "rev-parse", "HEAD"), text(vault)) == (head, before)
    kept = [
        line for line in before.splitlines(keepends=True) if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")
    ]
    notes.write_text("".join(kept), encoding="utf-8")
    git(vault.top, "add", NOTES)
    second(vault)
    check_done(vault)
    assert "- stashed\n" in text(vault)


def test_gi_15_a_conflict_that_begins_in_the_window_stays_one(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    git(vault.top, "switch", "-q", "-c", "other")
    notes.write_text(text(vault) + "- other\n", encoding="utf-8")
    git(vault.top, "commit", "-q", "-a", "-m", "Other")
    git(vault.top, "switch", "-q", "main")
    run_paused(
        lambda: second(vault) and None,
        "ref.moved",
        1,
        lambda: git(vault.top, "merge", "-q", "--squash", "other", check=False) and None,
    )
    assert "UU" in git(vault.top, "status", "--porcelain", "--", NOTES)
    git(vault.top, "checkout", "-q", "--ours", "--", NOTES)
    git(vault.top, "add", NOTES)
    check_done(vault)


def test_gi_14_the_vaults_hooks_do_not_run(vault: Vault) -> None:
    hooks = vault.top / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{vault.top}/ran'\nexit 1\n", encoding="utf-8")
        (hooks / name).chmod(0o755)
    second(vault)
    assert not (vault.top / "ran").exists()
    for hook in hooks.iterdir():
        hook.unlink()
    check_done(vault)


def test_gi_14_what_a_hook_of_the_persons_commit_changes_is_a_hand_edit(vault: Vault) -> None:
    hook = vault.top / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho '- by the hook' >> '{vault.top / NOTES}'\n", encoding="utf-8")
    hook.chmod(0o755)
    run_paused(
        lambda: second(vault) and None,
        "index.before",
        1,
        lambda: git(vault.top, "commit", "-q", "--allow-empty", "-m", "Run the hook") and None,
    )
    assert SECOND in committed(vault.top, NOTES)
    assert text(vault).endswith("- by the hook\n"), "theirs stands on top, not committed"
    hook.unlink()
    merge(vault, note("Backups run at night", 6), session="s3")
    check_done(vault)
    assert "- by the hook" in committed(vault.top, NOTES, "HEAD~1")


# -- what the person is in the middle of ---------------------------------------------------------------------------


def detach(vault: Vault) -> None:
    git(vault.top, "checkout", "-q", "--detach")


def begin_bisect(vault: Vault) -> None:
    git(vault.top, "bisect", "start")


def fork_history(vault: Vault) -> None:
    """Another branch whose commit conflicts with main's."""
    notes = document(vault, "notes.md")
    git(vault.top, "switch", "-q", "-c", "other")
    notes.write_text(text(vault) + "- other\n", encoding="utf-8")
    git(vault.top, "commit", "-q", "-a", "-m", "Other")
    git(vault.top, "switch", "-q", "main")
    notes.write_text(text(vault) + "- mine\n", encoding="utf-8")
    git(vault.top, "commit", "-q", "-a", "-m", "Mine")


def begin(*arguments: str) -> Callable[[Vault], None]:
    def start(vault: Vault) -> None:
        fork_history(vault)
        git(vault.top, *arguments, check=False)

    return start


def begin_am(vault: Vault) -> None:
    fork_history(vault)
    patch = git(vault.top, "format-patch", "-1", "--stdout", "other")
    subprocess.run(
        ["git", "-C", str(vault.top), "am", "-q"], input=patch, text=True, capture_output=True, check=False
    )


STATES = (
    ("HEAD is detached", detach, ("switch", "-q", "main")),
    ("a bisect is under way", begin_bisect, ("bisect", "reset")),
    ("a merge is under way", begin("merge", "other"), ("merge", "--abort")),
    ("a rebase is under way", begin("rebase", "other"), ("rebase", "--abort")),
    ("a cherry-pick is under way", begin("cherry-pick", "other"), ("cherry-pick", "--abort")),
    ("a revert is under way", begin("revert", "--no-edit", "HEAD~1"), ("revert", "--abort")),
    ("an? am is under way", begin_am, ("am", "--abort")),
)


@pytest.mark.parametrize(("words", "start", "finish"), STATES, ids=[state[0] for state in STATES])
def test_gi_27_memfs_waits_and_says_so(
    vault: Vault, words: str, start: Callable[[Vault], None], finish: tuple[str, ...]
) -> None:
    start(vault)
    before = text(vault), git(vault.top, "status", "--porcelain"), git(vault.top, "for-each-ref")
    with pytest.raises(RepositoryBusy, match=words) as caught:
        second(vault)
    assert caught.value.hint
    assert (text(vault), git(vault.top, "status", "--porcelain"), git(vault.top, "for-each-ref")) == before
    assert not is_pending(vault)
    git(vault.top, *finish)
    second(vault)
    check_done(vault)


@pytest.mark.parametrize("step", ["log.written", "place.done", "index.set", "commit.written"])
@pytest.mark.parametrize(("start", "finish"), [state[1:] for state in STATES[:2]], ids=["detached", "bisect"])
def test_gi_27_a_merge_caught_in_the_middle_waits_too(
    vault: Vault, step: str, start: Callable[[Vault], None], finish: tuple[str, ...]
) -> None:
    paused = run_paused(lambda: second(vault) and None, step, 1, lambda: start(vault))
    assert paused.busy is not None
    assert "is detached" in paused.busy or "under way" in paused.busy
    assert is_pending(vault)
    with pytest.raises(RepositoryBusy):
        second(vault)
    git(vault.top, *finish)
    recover(vault)
    check_done(vault)
    assert len(merge_commits(vault.top)) == 2


# -- repositories of another kind ----------------------------------------------------------------------------------


def test_the_first_commit_of_a_branch_can_be_a_merge(vault: Vault) -> None:
    git(vault.top, "update-ref", "-d", "refs/heads/main")
    staged = set(git(vault.top, "ls-files").split())
    second(vault)
    assert git(vault.top, "rev-list", "--count", "HEAD").strip() in ("1", "2")
    assert committed(vault.top, NOTES).count(SECOND) == 1
    assert set(git(vault.top, "ls-files").split()) >= staged
    git(vault.top, "commit", "-q", "-m", "What was staged before")
    check_done(vault)


def test_an_orphan_branch_is_another_branch(vault: Vault) -> None:
    git(vault.top, "checkout", "-q", "--orphan", "fresh")
    with pytest.raises(RepositoryBusy, match="fresh is checked out"):
        second(vault)
    git(vault.top, "switch", "-q", "main")
    second(vault)
    check_done(vault)


def test_a_linked_work_tree_is_a_vault_of_its_own(vault: Vault, tmp_path: Path) -> None:
    git(vault.top, "switch", "-q", "-c", "elsewhere")
    git(vault.top, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
    linked = open_vault(tmp_path / "linked", environ={}, clock=far_clock())
    second(linked)
    for now in (text(linked), committed(linked.top, NOTES)):
        assert now.count(FIRST) == now.count(SECOND) == 1
    assert git(linked.top, "status", "--porcelain") == ""
    assert SECOND not in text(vault)
    assert git(vault.top, "status", "--porcelain") == ""
    with pytest.raises(RepositoryBusy, match="elsewhere is checked out"):
        second(vault)


def test_without_a_name_memfs_commits_under_its_own(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    notes = document(vault, "notes.md")
    notes.write_text(text(vault) + "- by hand\n", encoding="utf-8")
    config = (vault.top / ".git" / "config").read_bytes()
    second(vault)
    check_done(vault)
    assert git(vault.top, "log", "-2", "--format=%an %cn").split() == ["memfs"] * 4
    assert (vault.top / ".git" / "config").read_bytes() == config


@pytest.mark.parametrize("names", [("GIT_DIR",), ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")])
def test_an_inherited_git_dir_leads_nowhere_else(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    other = new_vault(tmp_path / "other").top
    before = git(other, "rev-parse", "HEAD"), git(other, "ls-files", "-s")
    places = {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": ".git/index"}
    with monkeypatch.context() as inherited:
        for name in names:
            inherited.setenv(name, str(other / places[name]))
        second(copy_of(vault))
    assert (git(other, "rev-parse", "HEAD"), git(other, "ls-files", "-s")) == before
    check_done(vault)


def copy_of(vault: Vault) -> Vault:
    """The same vault, its repository not opened yet."""
    return open_vault(vault.top, environ={}, clock=far_clock())


# -- line endings --------------------------------------------------------------------------------------------------


def with_attributes(vault: Vault) -> None:
    (vault.top / ".gitattributes").write_text("*.md text eol=crlf\n", encoding="utf-8")
    git(vault.top, "add", ".gitattributes")
    git(vault.top, "commit", "-q", "-m", "Windows line endings")


def with_autocrlf(vault: Vault) -> None:
    git(vault.top, "config", "core.autocrlf", "true")


@pytest.mark.parametrize("setting", [with_attributes, with_autocrlf])
@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("never", ()),
        ("index.before", ("commit", "-q", "-a", "-m", "All")),
        ("index.set", ("stash", "-q")),
        ("blobs.written", ("commit", "-q", "--amend", "--no-edit")),
    ],
)
def test_line_endings_of_a_checkout_are_honoured(
    vault: Vault, setting: Callable[[Vault], None], step: str, command: tuple[str, ...]
) -> None:
    setting(vault)
    notes = document(vault, "notes.md")
    notes.unlink()
    git(vault.top, "checkout", "-q", "--", NOTES)
    assert b"\r\n" in notes.read_bytes()
    notes.write_bytes(notes.read_bytes() + b"- by hand\r\n")
    paused = run_paused(lambda: second(vault) and None, step, 1, lambda: git(vault.top, *command) and None)
    assert (paused.reached, paused.busy) == (step != "never", None)
    raw = notes.read_bytes()
    assert raw.count(b"\n") == raw.count(b"\r\n"), "every line of the file ends as before"
    check_done(vault)
    assert "\r" not in committed(vault.top, NOTES)
    assert "- by hand" in committed(vault.top, NOTES)
    changed = git(vault.top, "log", "-3", "--format=", "--numstat", "--", NOTES).split("\n")
    assert all(int(line.split()[1]) <= 1 for line in changed if line), "no whole-file diff"


def test_a_document_committed_with_its_own_line_endings_keeps_them(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    notes.write_bytes(notes.read_bytes().replace(b"\n", b"\r\n"))
    git(vault.top, "commit", "-q", "-a", "-m", "CRLF as it is")
    second(vault)
    check_done(vault)
    raw = notes.read_bytes()
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert git(vault.top, "show", "--format=", "--numstat", "HEAD", "--", NOTES).split()[:2] == ["1", "0"]
