"""The audit log, commits by name and date, and what they changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memfs.errors import CommitNotFound, HistoryError
from memfs.history.display import diff_text, documents_at
from memfs.history.log import (
    changed_blobs,
    commit_at,
    find_commit,
    is_ancestor,
    last_changes,
    read_commit,
    read_log,
)
from memfs.history.messages import CommitMessage, EntryChange
from memfs.history.repository import Repository, open_repository
from tests.conftest import Git
from tests.history.conftest import WHEN, Commit

NOTE = "memories/coder/notes.md"


def _message(identity: str, kind: str = "merge") -> CommitMessage:
    return CommitMessage(
        kind, f"{identity}: 1 note", identity=identity, entries=(EntryChange("m-a", "added"),)
    )


def test_nothing_is_committed_yet(repo: Path) -> None:
    vault = open_repository(repo)
    assert read_log(vault) == ()
    with pytest.raises(CommitNotFound, match="nothing was committed"):
        commit_at(vault, WHEN)
    with pytest.raises(CommitNotFound):
        find_commit(vault, "HEAD")


def test_entries_tell_who_when_and_what(vault: Repository, commit: Commit) -> None:
    made = commit(vault, {NOTE: "a\n"}, when=WHEN.astimezone(timezone(timedelta(hours=8))))
    entry, start = read_log(vault)
    assert (entry.commit, entry.kind, entry.author, entry.email) == (
        made,
        "merge",
        "memfs",
        "memfs@localhost",
    )
    assert entry.time == WHEN
    assert entry.time.utcoffset() == timedelta(hours=8)
    assert entry.parents == (start.commit,)
    assert entry.message is not None
    assert entry.message.identity == "coder"
    assert (start.kind, start.message, start.parents) == ("other", None, ())
    assert start.author == "Robin Person"


def test_the_log_is_chosen_from(vault: Repository, commit: Commit) -> None:
    for number, identity in enumerate(["a", "ab", "a"]):
        when = WHEN + timedelta(days=number)
        commit(vault, {f"memories/{identity}/n.md": f"{number}\n"}, _message(identity), when=when)
    commit(vault, {"memories/a/n.md": "u\n"}, _message("a", "undo"), when=WHEN + timedelta(days=9))
    assert [entry.kind for entry in read_log(vault, identity="a")] == ["undo", "merge", "merge"]
    assert len(read_log(vault, identity="a", kinds=["merge"], limit=1)) == 1
    assert len(read_log(vault, identity="ab")) == 1
    assert len(read_log(vault, paths=["memories/ab/n.md"])) == 1
    assert len(read_log(vault, paths=["memories/*/n.md"])) == 0
    assert len(read_log(vault, limit=2)) == 2
    assert read_log(vault, limit=0) == ()
    between = read_log(vault, since=WHEN + timedelta(hours=1), until=WHEN + timedelta(days=2, hours=1))
    assert len(between) == 2
    assert len(read_log(vault, kinds=["other"])) == 1
    assert read_log(vault, after=vault.head().commit) == ()


@pytest.mark.parametrize("identity", ["-x", "a.*b", "--all", "a\nb"])
def test_t6_odd_identities_are_only_text(vault: Repository, commit: Commit, identity: str) -> None:
    commit(vault, {NOTE: "x\n"}, _message("aXXb"))
    assert read_log(vault, identity=identity) == ()


def test_a_persons_revert_is_seen(vault: Repository, commit: Commit, git: Git) -> None:
    made = commit(vault, {NOTE: "a\n"})
    git(vault.top, "revert", "--no-edit", made)
    entry = read_log(vault)[0]
    assert (entry.kind, entry.reverts, entry.message) == ("revert", (made,), None)


def test_a_squash_is_seen(vault: Repository, commit: Commit, git: Git) -> None:
    git(vault.top, "checkout", "-q", "-b", "side")
    for identity in ("a", "b"):
        commit(vault, {f"memories/{identity}/n.md": "x\n"}, _message(identity))
    git(vault.top, "checkout", "-q", "main")
    git(vault.top, "merge", "-q", "--squash", "side")
    git(vault.top, "commit", "-q", "--no-edit")
    entry = read_log(vault)[0]
    assert entry.kind == "squash"
    assert {group.identity for group in entry.groups} == {"a", "b"}
    assert read_log(vault, identity="b") == (entry,)


def test_commits_by_name(vault: Repository, commit: Commit, git: Git) -> None:
    made = commit(vault, {NOTE: "a\n"})
    git(vault.top, "tag", "-m", "annotated", "v1")
    for name in (made, made[:7], f" {made[:12]} ", "main", "v1", "HEAD"):
        assert find_commit(vault, name) == made
    assert read_commit(vault, made[:7]).commit == made


@pytest.mark.parametrize(
    "name", ["", "-n1", "--all", "deadbeef", "nothing", "HEAD:todo.txt", "a\nb", "main..HEAD"]
)
def test_names_of_no_commit(vault: Repository, name: str) -> None:
    with pytest.raises(CommitNotFound) as caught:
        find_commit(vault, name)
    assert caught.value.hint


def test_an_ambiguous_prefix_says_so(vault: Repository) -> None:
    head = vault.head().commit
    assert head is not None
    tree = vault.write_tree(head, {})
    seen: dict[str, str] = {}
    for number in range(2000):  # two commits with the same four digits come soon
        made = vault.git.run(
            "hash-object", "-w", "-t", "commit", "--stdin",
            stdin=f"tree {tree}\nauthor A <a@b> {number} +0000\ncommitter A <a@b> 1 +0000\n\nx\n".encode(),
        ).out.decode().strip()  # fmt: skip
        if made[:4] in seen:
            break
        seen[made[:4]] = made
    with pytest.raises(CommitNotFound, match="several") as caught:
        find_commit(vault, made[:4])
    assert "digits" in str(caught.value)


def test_commits_by_date(vault: Repository, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for day in (1, 5):
        date = f"2030-01-0{day}T00:00:00Z"
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)
        git(vault.top, "commit", "-q", "--allow-empty", "-m", date)
        made.append(git(vault.top, "rev-parse", "HEAD").strip())
    assert commit_at(vault, datetime(2030, 1, 3, tzinfo=UTC)) == made[0]
    assert commit_at(vault, datetime(2030, 1, 5, tzinfo=UTC)) == made[1]
    with pytest.raises(CommitNotFound):
        commit_at(vault, datetime(2001, 1, 1, tzinfo=UTC))


def test_ancestors(vault: Repository, commit: Commit) -> None:
    start = vault.head().commit
    assert start is not None
    made = commit(vault, {NOTE: "a\n"})
    assert is_ancestor(vault, start, made)
    assert not is_ancestor(vault, made, start)
    assert not is_ancestor(vault, "1" * 40, made)


def test_what_changed(vault: Repository, commit: Commit) -> None:
    start = vault.head().commit
    made = commit(vault, {NOTE: "a\n", "memories/coder/decisions.md": None, "café/新.md": "n\n"})
    changes = changed_blobs(vault, start, made)
    assert set(changes) == {NOTE, "memories/coder/decisions.md", "café/新.md"}
    before, after = changes[NOTE]
    assert before is not None
    assert after is not None
    assert vault.read_object(before[1]) == b"# Notes\n"
    assert vault.read_object(after[1]) == b"a\n"
    assert changes["memories/coder/decisions.md"][1] is None
    assert changes["café/新.md"][0] is None
    assert set(changed_blobs(vault, start, made, [NOTE])) == {NOTE}
    assert set(changed_blobs(vault, None, made)) == {NOTE, "café/新.md", "todo.txt"}


def test_who_touched_a_path_last(vault: Repository, commit: Commit) -> None:
    made = commit(vault, {NOTE: "a\n"})
    found = last_changes(vault, [NOTE, "todo.txt", "nothing.md"])
    assert found[NOTE].commit == made
    assert found["todo.txt"].subject == "Start"
    assert "nothing.md" not in found


def test_diffs_for_people(vault: Repository, commit: Commit, git: Git) -> None:
    git(vault.top, "config", "diff.noprefix", "true")
    git(vault.top, "config", "color.ui", "always")
    start = vault.head().commit
    made = commit(vault, {NOTE: "# Notes\n- café ^m-a\n", "b.md": "x\n"})
    patch = diff_text(vault, start, made, [NOTE])
    assert patch.startswith(f"diff --git a/{NOTE} b/{NOTE}\n")
    assert patch.endswith("+- café ^m-a\n")
    assert "b.md" not in patch
    assert "b.md" in diff_text(vault, None, made)
    assert diff_text(vault, made, made) == ""


def test_documents_of_the_past(vault: Repository, commit: Commit) -> None:
    start = vault.head().commit
    assert start is not None
    made = commit(vault, {NOTE: None, "café/新 x.md": "n\n"})
    assert documents_at(vault, start) == ("memories/coder/decisions.md", NOTE, "todo.txt")
    assert documents_at(vault, made, "café") == ("café/新 x.md",)
    with pytest.raises(HistoryError):
        documents_at(vault, "1" * 40)


def test_gitpython_answers_from_this_repository_only(
    vault: Repository, tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    commit = vault.head().commit
    assert commit is not None
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_COMMON_DIR": other / ".git",
        "GIT_OBJECT_DIRECTORY": other / ".git" / "objects",
        "GIT_INDEX_FILE": other / "index",
        "GIT_NAMESPACE": "x",
        "GIT_CEILING_DIRECTORIES": "/",
    }.items():
        monkeypatch.setenv(name, str(value))
    assert "todo.txt" in documents_at(vault, commit)
    assert "+mine" in diff_text(vault, None, commit)


def test_sha256_histories_can_be_shown(tmp_path: Path, git: Git, commit: Commit) -> None:
    folder = tmp_path / "modern"
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", str(folder))
    vault = open_repository(folder)
    made = commit(vault, {NOTE: "a\n"})
    assert documents_at(vault, made) == (NOTE,)
    assert "+a" in diff_text(vault, None, made)
    assert read_commit(vault, made[:6]).commit == made
