"""The derived index of where entries come from."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memfs.history.messages import CommitMessage, EntryChange
from memfs.history.provenance import ProvenanceIndex, read_known
from memfs.history.repository import Repository, open_repository
from memfs.model import Tokens
from tests.conftest import Git
from tests.history.conftest import WHEN, Commit

NOTE = "memories/coder/notes.md"


def _message(*entries: EntryChange, tokens: Tokens | None = None) -> CommitMessage:
    return CommitMessage("merge", "x", identity="coder", extractor="rules", tokens=tokens, entries=entries)


@pytest.fixture
def index(vault: Repository, tmp_path: Path) -> ProvenanceIndex:
    return ProvenanceIndex(tmp_path / "derived", vault)


def test_an_entrys_commits_oldest_first(vault: Repository, index: ProvenanceIndex, commit: Commit) -> None:
    added = EntryChange("m-a", "added", "codex/s1", ("1", "2"))
    first = commit(vault, {NOTE: "1\n"}, _message(added, tokens=Tokens(10, 2)))
    assert [found.commit for found in index.find("m-a")] == [first]
    updated = EntryChange("m-a", "updated", "codex/s2", ("9",))
    other = EntryChange("m-aa", "added")
    second = commit(vault, {NOTE: "2\n"}, _message(updated, other), when=WHEN + timedelta(days=1))
    one, two = index.find("m-a")
    assert (one.commit, one.action, one.source, one.messages) == (first, "added", "codex/s1", ("1", "2"))
    assert (one.extractor, one.tokens, one.time) == ("rules", Tokens(10, 2), WHEN)
    assert (two.commit, two.action, two.tokens) == (second, "updated", None)
    assert index.find("m-nothing") == ()


def test_it_grows_and_equals_a_rebuild(vault: Repository, index: ProvenanceIndex, commit: Commit) -> None:
    for number in range(5):
        change = EntryChange(f"m-{number % 2}", "updated", "s/x", (str(number),))
        commit(vault, {NOTE: f"{number}\n"}, _message(change), when=WHEN + timedelta(hours=number))
        index.find("m-0")
    grown = {id_: index.find(id_) for id_ in ("m-0", "m-1")}
    index.rebuild()
    assert {id_: index.find(id_) for id_ in ("m-0", "m-1")} == grown
    assert [len(found) for found in grown.values()] == [3, 2]


def test_rewritten_history_is_read_anew(
    vault: Repository, index: ProvenanceIndex, commit: Commit, git: Git
) -> None:
    commit(vault, {NOTE: "1\n"}, _message(EntryChange("m-a", "added")))
    assert len(index.find("m-a")) == 1
    git(vault.top, "reset", "-q", "--hard", "HEAD~1")
    assert index.find("m-a") == ()
    commit(vault, {NOTE: "2\n"}, _message(EntryChange("m-b", "added")))
    assert index.find("m-a") == ()
    assert len(index.find("m-b")) == 1


@pytest.mark.parametrize("name", ["head.json", "entries.jsonl"])
@pytest.mark.parametrize("content", [None, b"", b"\x00\xff{", b'{"version": 9}', b"[]"])
def test_damage_means_rebuild(
    vault: Repository, index: ProvenanceIndex, commit: Commit, name: str, content: bytes | None
) -> None:
    commit(vault, {NOTE: "1\n"}, _message(EntryChange("m-a", "added")))
    index.find("m-a")
    if content is None:
        (index.folder / name).unlink()
    else:
        (index.folder / name).write_bytes(content)
    assert len(index.find("m-a")) == 1


def test_a_torn_tail_is_not_read(vault: Repository, index: ProvenanceIndex, commit: Commit) -> None:
    commit(vault, {NOTE: "1\n"}, _message(EntryChange("m-a", "added")))
    index.find("m-a")
    with (index.folder / "entries.jsonl").open("ab") as stream:
        stream.write(b'{"id": "m-a", "com')
    assert len(index.find("m-a")) == 1


def test_a_squash_tells_of_all_its_merges(
    vault: Repository, index: ProvenanceIndex, commit: Commit, git: Git
) -> None:
    git(vault.top, "checkout", "-q", "-b", "side")
    commit(vault, {NOTE: "1\n"}, _message(EntryChange("m-a", "added", "s/1", ("1",))))
    commit(vault, {NOTE: "2\n"}, _message(EntryChange("m-a", "updated", "s/2", ("2",))))
    git(vault.top, "checkout", "-q", "main")
    git(vault.top, "merge", "-q", "--squash", "side")
    git(vault.top, "commit", "-q", "--no-edit")
    assert {(found.action, found.source) for found in index.find("m-a")} == {
        ("added", "s/1"),
        ("updated", "s/2"),
    }


def test_branches_that_come_together(
    vault: Repository, index: ProvenanceIndex, commit: Commit, git: Git
) -> None:
    git(vault.top, "checkout", "-q", "-b", "side")
    commit(vault, {"a.md": "1\n"}, _message(EntryChange("m-a", "added", "s/1", ("1",))))
    git(vault.top, "checkout", "-q", "main")
    commit(vault, {"b.md": "1\n"}, _message(EntryChange("m-b", "added")), when=WHEN + timedelta(days=1))
    assert index.find("m-a") == ()
    git(vault.top, "merge", "-q", "--no-edit", "side")
    assert len(index.find("m-a")) == len(index.find("m-b")) == 1


def test_a_shallow_clone_says_so(vault: Repository, commit: Commit, git: Git, tmp_path: Path) -> None:
    commit(vault, {NOTE: "1\n"}, _message(EntryChange("m-a", "added")))
    commit(vault, {NOTE: "2\n"}, _message(EntryChange("m-b", "added")))
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{vault.top}", str(tmp_path / "clone"))
    clone = open_repository(tmp_path / "clone")
    index = ProvenanceIndex(tmp_path / "derived2", clone)
    assert clone.is_shallow()
    assert not vault.is_shallow()
    assert index.find("m-a") == ()
    assert len(index.find("m-b")) == 1


def test_nothing_is_committed_yet(repo: Path, tmp_path: Path) -> None:
    assert ProvenanceIndex(tmp_path / "derived", open_repository(repo)).find("m-a") == ()


def test_an_id_that_another_entry_names_as_evidence_keeps_its_own_commit(
    vault: Repository, index: ProvenanceIndex, commit: Commit
) -> None:
    commit(vault, {NOTE: "1\n"}, _message(EntryChange("m-a", "added", "s/1", ("1",))))
    commit(vault, {NOTE: "2\n"}, _message(EntryChange("m-b", "added", "m-a", ("m-a",))))
    latest = index.latest()
    assert latest["m-a"][1] == "s/1"
    assert read_known(index.folder, ["m-a", "m-b"]) == latest
