"""Rewriting history without a text: real repositories of odd shapes, everything else as it was."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memfs.errors import HistoryError
from memfs.history.purge import PLACEHOLDER, find_text, purge_texts
from memfs.history.repository import open_repository
from memfs.history.tracing import line_author, name_at, versions_with_id
from tests.conftest import Git

WORD = b"Bluebird"


def commit_all(repo: Path, git: Git, message: str = "Work") -> str:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return git(repo, "rev-parse", "HEAD").strip()


def fsck(repo: Path) -> int:
    return subprocess.run(
        ["git", "-C", str(repo), "fsck", "--strict"], capture_output=True, check=False
    ).returncode


@pytest.fixture
def odd(repo: Path, git: Git) -> Path:
    """Merges, tags, links, modes, odd names, bytes that look like the stream's own, and the word in many places."""
    (repo / "clean.txt").write_text("clean\n")
    commit_all(repo, git, "Clean")
    (repo / "bin").write_bytes(bytes(range(256)) + WORD + b"\0" + bytes(range(256)))
    (repo / "stream.txt").write_bytes(b"data 5\nBluebird\ncommit refs/heads/x\ndone\n")
    (repo / 'naïve \n"name".md').write_text("Bluebird\n")
    (repo / "run.sh").write_text("#!/bin/sh\n")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("clean.txt")
    (repo / "empty").write_bytes(b"")
    commit_all(repo, git, "Say Bluebird\n\nBluebird twice: Bluebird")
    git(repo, "branch", "side", "HEAD~1")
    git(repo, "tag", "light")
    git(repo, "tag", "-a", "heavy", "-m", "A tag of Bluebird")
    git(repo, "switch", "-q", "side")
    (repo / "side.txt").write_text("Bluebird by the side\n")
    commit_all(repo, git, "Side")
    git(repo, "switch", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge Bluebird", "side")
    for name in ("bin", "stream.txt", 'naïve \n"name".md', "side.txt"):
        (repo / name).unlink()
    (repo / 'naïve \n"name".md').write_text("clean now\n")
    commit_all(repo, git, "Clean up")
    return repo


def test_the_word_is_gone_and_all_else_is_as_it_was(odd: Path, git: Git) -> None:
    repository = open_repository(odd)
    first = git(odd, "rev-list", "--max-parents=0", "main").strip()
    tree, count = git(odd, "rev-parse", "HEAD^{tree}"), git(odd, "rev-list", "--count", "main")
    names = git(odd, "for-each-ref", "--format=%(refname) %(objecttype)")
    authors = git(odd, "log", "--format=%an %ae %at %cn %ct", "main")
    found, _ = find_text(repository, [WORD])
    assert len(found) == 7  # four blobs, two commits, one tag
    told = purge_texts(repository, [WORD])
    assert told.left == ()
    assert find_text(repository, [WORD])[0] == ()
    assert told.moved == ("refs/heads/main", "refs/heads/side", "refs/tags/heavy", "refs/tags/light")
    assert git(odd, "rev-parse", "HEAD^{tree}") == tree
    assert git(odd, "rev-list", "--count", "main") == count
    assert git(odd, "rev-list", "--max-parents=0", "main").strip() == first
    assert git(odd, "for-each-ref", "--format=%(refname) %(objecttype)") == names
    assert git(odd, "log", "--format=%an %ae %at %cn %ct", "main") == authors
    assert git(odd, "status", "--porcelain") == ""
    assert git(odd, "reflog") == ""
    assert fsck(odd) == 0


def test_the_bytes_around_the_word_stay(odd: Path, git: Git) -> None:
    repository = open_repository(odd)
    purge_texts(repository, [WORD])
    blob = repository.read_blob(git(odd, "rev-parse", "light").strip(), "bin")
    assert blob == bytes(range(256)) + PLACEHOLDER + b"\0" + bytes(range(256))
    stream = repository.read_blob(git(odd, "rev-parse", "light").strip(), "stream.txt")
    assert stream == b"data 5\n" + PLACEHOLDER + b"\ncommit refs/heads/x\ndone\n"
    assert git(odd, "log", "-1", "--format=%B", "light").strip() == "Say [purged]\n\n[purged] twice: [purged]"


def test_the_longer_of_two_texts_goes_first(repo: Path, git: Git) -> None:
    (repo / "a.md").write_text("Bluebird is the name\nBluebird\n")
    commit_all(repo, git)
    (repo / "a.md").write_text("")
    commit_all(repo, git)
    repository = open_repository(repo)
    purge_texts(repository, [WORD, b"Bluebird is the name", b" ", b""])
    blob = repository.read_blob(git(repo, "rev-parse", "HEAD~1").strip(), "a.md")
    assert blob == PLACEHOLDER + b"\n" + PLACEHOLDER + b"\n"


def test_a_tip_that_holds_the_text_is_refused_and_nothing_moves(odd: Path, git: Git) -> None:
    (odd / "mine.md").write_text("still Bluebird\n")
    tip = commit_all(odd, git)
    refs = git(odd, "for-each-ref")
    with pytest.raises(HistoryError) as caught:
        purge_texts(open_repository(odd), [WORD])
    assert caught.value.path == "mine.md"
    assert git(odd, "for-each-ref") == refs
    assert git(odd, "rev-parse", "HEAD").strip() == tip


def test_the_proof_names_what_is_left(odd: Path, git: Git) -> None:
    (odd / "staged.md").write_text("Bluebird, staged\n")
    git(odd, "add", "staged.md")
    told = purge_texts(open_repository(odd), [WORD])
    assert [entry.split()[0] for entry in told.left] == ["blob"]
    assert git(odd, "status", "--porcelain").strip() == "A  staged.md"


def test_a_stash_and_a_shallow_clone_are_refused(odd: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{odd}", "clone")
    with pytest.raises(HistoryError, match="shallow"):
        purge_texts(open_repository(tmp_path / "clone"), [WORD])
    (odd / "clean.txt").write_text("changed\n")
    git(odd, "stash")
    refs = git(odd, "for-each-ref")
    with pytest.raises(HistoryError, match="stash"):
        purge_texts(open_repository(odd), [WORD])
    assert git(odd, "for-each-ref") == refs


def test_gi_26_no_hook_and_no_filter_runs(odd: Path, git: Git, tmp_path: Path) -> None:
    told = tmp_path / "ran"
    hooks = odd / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-rewrite", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {told}\n")
        (hooks / name).chmod(0o755)
    git(odd, "config", "gc.recentObjectsHook", f"touch {told}")
    git(odd, "config", "core.fsmonitor", f"touch {told}")
    told.unlink(missing_ok=True)
    purge_texts(open_repository(odd), [WORD])
    assert not told.exists()


def test_gi_12_an_inherited_git_dir_is_not_rewritten(
    odd: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "x.md").write_text("Bluebird\n")
    tip = commit_all(other, git)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    purge_texts(open_repository(odd), [WORD])
    monkeypatch.delenv("GIT_DIR")
    assert git(other, "rev-parse", "HEAD").strip() == tip
    assert "GIT_DIR" not in os.environ


def test_a_line_and_a_name_are_followed_back(repo: Path, git: Git) -> None:
    (repo / "a.md").write_text("one\ntwo\nthree\nfour ^x\n")
    first = commit_all(repo, git)
    (repo / "a.md").write_text("one\ntwo\nthree\nfour, or five ^x\n")
    second = commit_all(repo, git)
    (repo / "a.md").rename(repo / "b.md")
    commit_all(repo, git)
    repository = open_repository(repo)
    assert name_at(repository, first, "b.md") == "a.md"
    assert name_at(repository, first, "a.md") == "a.md"
    assert name_at(repository, first, "c.md") is None
    assert line_author(repository, "b.md", "not there") is None
    assert line_author(repository, "c.md", "one") is None
    writer = line_author(repository, "b.md", "four, or five ^x")
    assert writer is not None
    assert writer.author == "Robin Person"
    versions = list(versions_with_id(repository, "x"))
    assert {first, second} <= set(git(repo, "rev-list", "HEAD").split())
    assert {version.splitlines()[-1] for version in versions} == {b"four ^x", b"four, or five ^x"}
