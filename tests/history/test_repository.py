"""Opening, HEAD, blobs, trees, commits: against a real git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfs.errors import CommitNotFound, HistoryError
from memfs.history.messages import CommitMessage
from memfs.history.repository import Repository, find_top, init_repository, open_repository
from tests.conftest import Git
from tests.history.conftest import WHEN, Commit


def test_init_makes_a_bare_minimum(tmp_path: Path) -> None:
    vault = init_repository(tmp_path / "new", "trunk")
    head = vault.head()
    assert (head.ref, head.commit, head.state) == ("refs/heads/trunk", None, None)
    assert not (vault.git_dir / "hooks").exists()
    assert init_repository(tmp_path / "new", "other").head().ref == "refs/heads/trunk"


def test_init_refuses_a_folder_of_another_repository(repo: Path) -> None:
    with pytest.raises(HistoryError, match="inside the git repository"):
        init_repository(repo / "sub")
    assert not (repo / "sub").exists()


@pytest.mark.parametrize("branch", ["-x", "a..b", "", "HEAD"])
def test_init_refuses_what_is_no_branch(tmp_path: Path, branch: str) -> None:
    with pytest.raises(HistoryError, match="not a name"):
        init_repository(tmp_path / "new", branch)


def test_open_finds_the_top_and_real_path(repo: Path, tmp_path: Path) -> None:
    (repo / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo)
    assert open_repository(tmp_path / "link" / "a" / "b").top == repo
    assert find_top(tmp_path) is None
    with pytest.raises(HistoryError, match="not in a git repository"):
        open_repository(tmp_path)


def test_open_refuses_bare_and_moved_work_trees(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "config", "core.worktree", str(tmp_path))
    with pytest.raises(HistoryError, match="work tree is set to lie elsewhere"):
        open_repository(repo)
    git(repo, "config", "--unset", "core.worktree")
    git(repo, "config", "core.bare", "true")
    with pytest.raises(HistoryError, match="bare"):
        open_repository(repo)


def test_a_linked_work_tree(vault: Repository, git: Git, tmp_path: Path, commit: Commit) -> None:
    git(vault.top, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = open_repository(tmp_path / "side")
    assert side.common_dir == vault.common_dir
    assert side.git_dir != vault.git_dir
    made = commit(side, {"memories/coder/notes.md": "# Side\n"})
    assert side.head().commit == made == side.read_ref("refs/heads/side")
    assert vault.head().commit != made
    assert git(side.top, "status", "--porcelain") == ""
    assert git(vault.top, "status", "--porcelain") == ""


@pytest.mark.parametrize("broken", ["", "rubbish\n"])
def test_a_damaged_head_is_an_error(vault: Repository, broken: str) -> None:
    (vault.git_dir / "HEAD").write_text(broken, encoding="utf-8")
    with pytest.raises(HistoryError):
        open_repository(vault.top).head()


@pytest.mark.parametrize("content", [b"", b"rubbish\n", b"\0" * 41, b"1" * 40 + b"\n"])
def test_a_damaged_branch_is_never_taken_for_a_new_one(vault: Repository, content: bytes) -> None:
    """As a power loss leaves a ref: memfs must not begin a second history."""
    (vault.git_dir / "refs" / "heads" / "main").write_bytes(content)
    with pytest.raises(HistoryError, match="damaged"):
        vault.head()


def test_the_first_commit_of_an_unborn_branch(repo: Path, git: Git, commit: Commit) -> None:
    vault = open_repository(repo)
    assert vault.blob_ids(None, ["a.md"]) == {"a.md": None}
    made = commit(vault, {"memories/coder/notes.md": "# Notes\n"})
    assert git(repo, "rev-parse", "HEAD").strip() == made
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "fsck", "--strict") == ""


def test_a_commit_changes_exactly_its_paths(vault: Repository, git: Git, commit: Commit) -> None:
    commit(vault, {"memories/coder/notes.md": "# Notes\n- a\n", "memories/coder/decisions.md": None})
    shown = git(vault.top, "show", "--name-status", "--format=%an <%ae>%n%cn <%ce>%n%aI", "HEAD").splitlines()
    assert shown == [
        "memfs <memfs@localhost>",
        "Robin Person <robin@example.org>",
        "2026-03-14T09:30:00+00:00",
        "",
        "D\tmemories/coder/decisions.md",
        "M\tmemories/coder/notes.md",
    ]
    assert git(vault.top, "status", "--porcelain") == ""
    assert git(vault.top, "fsck", "--strict") == ""


def test_a_hand_edit_is_the_persons(vault: Repository, git: Git) -> None:
    head = vault.head()
    assert head.commit is not None
    tree = vault.write_tree(head.commit, {})
    when = WHEN.astimezone(timezone(timedelta(hours=-7, minutes=-30)))
    made = vault.write_commit(tree, [head.commit], "x\n", author="person", when=when)
    assert git(vault.top, "show", "-s", "--format=%an %cn %aI", made) == (
        "Robin Person Robin Person 2026-03-14T02:00:00-07:30\n"
    )


def test_a_time_without_zone_is_refused(vault: Repository) -> None:
    tree = vault.write_tree(None, {})
    with pytest.raises(HistoryError, match="time zone"):
        vault.write_commit(tree, [], "x\n", author="memfs", when=WHEN.replace(tzinfo=None))


@pytest.mark.parametrize(("name", "email"), [("Robin", ""), ("", "r@example.org"), (" . ", "r@example.org")])
def test_half_an_identity_is_none(repo: Path, git: Git, name: str, email: str) -> None:
    git(repo, "config", "user.name", name)
    git(repo, "config", "user.email", email)
    assert open_repository(repo).person is None


def test_move_ref_is_a_compare_and_swap(vault: Repository, commit: Commit) -> None:
    head = vault.head()
    assert head.commit is not None
    assert head.ref is not None
    made = commit(vault, {"memories/coder/notes.md": "new\n"})
    other = vault.write_commit(
        vault.write_tree(head.commit, {}), [head.commit], "other\n", author="memfs", when=WHEN
    )
    assert not vault.move_ref(head.ref, other, head.commit, when=WHEN)
    assert not vault.move_ref(head.ref, other, None, when=WHEN)
    assert vault.head().commit == made
    assert vault.move_ref("refs/heads/new", other, None, when=WHEN)
    with pytest.raises(HistoryError, match="full ref name"):
        vault.move_ref("-d", other, None, when=WHEN)


def test_read_blobs(vault: Repository) -> None:
    commit = vault.head().commit
    assert commit is not None
    paths = ["memories/coder/notes.md", "memories/coder", "nothing.md", "todo.txt"]
    assert vault.read_blobs(commit, paths) == {
        "memories/coder/notes.md": b"# Notes\n",
        "memories/coder": None,
        "nothing.md": None,
        "todo.txt": b"mine\n",
    }
    with pytest.raises(CommitNotFound):
        vault.read_blob("1" * 40, "todo.txt")


def test_a_commit_never_names_a_missing_blob(vault: Repository) -> None:
    with pytest.raises(HistoryError, match="missing"):
        vault.write_tree(vault.head().commit, {"a.md": ("100644", "1" * 40)})


@pytest.mark.parametrize(
    "path", ["/a", "a//b", "../a", "a/./b", "a/..", ".git/config", "a/.GIT/x", "a\nb", ""]
)
def test_unsafe_paths_are_refused(vault: Repository, path: str) -> None:
    blob = vault.write_blob("a.md", b"x")
    with pytest.raises(HistoryError, match="not a path"):
        vault.write_tree(None, {path: ("100644", blob)})


@pytest.mark.parametrize("path", ["todo.txt/a.md", "memories", "memories/coder"])
def test_a_file_is_never_made_a_folder_nor_the_other_way_round(vault: Repository, path: str) -> None:
    blob = vault.write_blob("a.md", b"x")
    with pytest.raises(HistoryError, match="should be"):
        vault.write_tree(vault.head().commit, {path: ("100644", blob)})


def test_two_changes_that_contradict_each_other_are_refused(vault: Repository) -> None:
    blob = ("100644", vault.write_blob("a.md", b"x"))
    with pytest.raises(HistoryError, match="should be"):
        vault.write_tree(None, {"a": blob, "a/b": blob})


names = st.sampled_from(["a", "b", "ab", "a.md", "a-b", "café", "中", "a b", "-x", "a0"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.sets(paths, max_size=8), after=st.sets(paths, max_size=8))
def test_the_tree_is_what_git_would_write(vault: Repository, before: set[str], after: set[str]) -> None:
    """Any set of files turned into any other by changes: the same tree as from an index."""
    blobs = [("100644", vault.write_blob("x", data)) for data in (b"1", b"2")]
    old, new = (
        {path: blob for path in _flat(chosen)} for chosen, blob in zip((before, after), blobs, strict=True)
    )
    if any(_clash(path, other) for path in old for other in new):
        return
    base = vault.write_commit(vault.write_tree(None, old), [], "x\n", author="memfs", when=WHEN)
    changes = {**dict.fromkeys(old), **new}
    assert vault.write_tree(base, changes) == _tree_by_index(vault, new)


def _flat(chosen: set[str]) -> set[str]:
    return {
        path for path in chosen if not any(_clash(path, other) for other in chosen if len(other) > len(path))
    }


def _clash(path: str, other: str) -> bool:
    return other.startswith(f"{path}/") or path.startswith(f"{other}/")


def _tree_by_index(vault: Repository, files: dict[str, tuple[str, str]]) -> str:
    lines = "".join(f"{mode} {oid}\t{path}\0" for path, (mode, oid) in files.items())
    env = {**os.environ, "GIT_INDEX_FILE": str(vault.git_dir / "scratch")}
    (vault.git_dir / "scratch").unlink(missing_ok=True)
    for arguments, data in ((["update-index", "-z", "--index-info"], lines), (["write-tree"], "")):
        told = subprocess.run(
            ["git", *arguments],
            cwd=vault.top,
            env=env,
            input=data,
            text=True,
            capture_output=True,
            check=True,
        )
    return told.stdout.strip()


@pytest.mark.parametrize("attributes", ["*.md text eol=crlf\n", "*.md text\n", "* text=auto eol=crlf\n"])
def test_line_endings_are_stored_as_git_would(repo: Path, attributes: str) -> None:
    (repo / ".gitattributes").write_text(attributes, encoding="utf-8")
    vault = open_repository(repo)
    data = b"one\r\ntwo\r\n"
    oid = vault.write_blob("a.md", data)
    assert vault.read_object(oid) == b"one\ntwo\n"
    assert vault.matches("a.md", data, oid)
    assert not vault.matches("a.md", b"one\r\nthree\r\n", oid)
    if "crlf" in attributes:
        assert vault.checkout_form("a.md", oid) == data
    assert vault.attributes(["a.md"])["a.md"]["text"] in ("set", "auto")


def test_autocrlf_is_honoured_and_safecrlf_does_not_stop_it(repo: Path, git: Git) -> None:
    git(repo, "config", "core.autocrlf", "true")
    git(repo, "config", "core.safecrlf", "true")
    vault = open_repository(repo)
    oid = vault.write_blob("a.md", b"one\r\ntwo\n")
    assert vault.read_object(oid) == b"one\ntwo\n"
    assert vault.checkout_form("a.md", oid) == b"one\r\ntwo\r\n"


def test_autocrlf_leaves_files_alone_that_have_crlf_in_the_index(repo: Path, git: Git) -> None:
    (repo / "a.md").write_bytes(b"one\r\n")
    git(repo, "add", "a.md")
    git(repo, "commit", "-q", "-m", "CRLF in history")
    git(repo, "config", "core.autocrlf", "true")
    vault = open_repository(repo)
    data = b"one\r\ntwo\r\n"
    (repo / "a.md").write_bytes(data)
    git(repo, "add", "a.md")
    assert vault.write_blob("a.md", data) == git(repo, "rev-parse", ":a.md").strip()
    assert vault.matches("a.md", data, git(repo, "rev-parse", ":a.md").strip())


def test_a_path_with_a_filter_is_refused(repo: Path) -> None:
    (repo / ".gitattributes").write_text("*.md filter=git-crypt\nplain.md -filter\n", encoding="utf-8")
    vault = open_repository(repo)
    assert vault.filtered(["a.md", "plain.md", "a.txt"]) == {"a.md"}
    with pytest.raises(HistoryError, match="filter"):
        vault.write_blob("a.md", b"secret")
    with pytest.raises(HistoryError, match="filter"):
        vault.checkout_form("a.md", vault.write_blob("plain.md", b"x"))
    assert not vault.matches("a.md", b"one\r\n", vault.write_blob("plain.md", b"one\n"))


def test_no_children_for_nothing(vault: Repository) -> None:
    assert vault.write_blobs({}) == {}
    assert vault.attributes([]) == {}
    vault.set_index({})


def test_a_tree_among_ten_thousand_files_costs_few_children(repo: Path, git: Git) -> None:
    """The number of children and what they read do not grow with the vault."""
    vault = open_repository(repo)
    blob = ("100644", vault.write_blob("x.md", b"x"))
    files = {f"memories/id{number % 10}/d{number % 97}/n{number}.md": blob for number in range(10_000)}
    base = vault.write_commit(vault.write_tree(None, files), [], "many\n", author="memfs", when=WHEN)
    traced = repo.parent / "trace"
    counting = _traced(vault, traced)
    new = ("100644", vault.write_blob("x.md", b"y"))
    tree = counting.write_tree(base, {"memories/id3/d5/new.md": new, "memories/id3/.ledger/notes.md": new})
    assert traced.read_text(encoding="utf-8").count('"event":"start"') == 3
    assert git(repo, "diff", "--name-only", base, tree).split() == [
        "memories/id3/.ledger/notes.md",
        "memories/id3/d5/new.md",
    ]
    assert "error" not in git(repo, "fsck", "--strict", base)


def _traced(vault: Repository, target: Path) -> Repository:
    from dataclasses import replace

    return replace(vault, git=replace(vault.git, variables={"GIT_TRACE2_EVENT": str(target)}))


def test_what_is_written_is_synced(
    vault: Repository, tmp_path: Path, commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git's own counters say that its children flush their files; memfs adds what they leave out."""
    synced: list[str] = []
    fsync = os.fsync

    def noting(handle: int) -> None:
        synced.append(os.path.realpath(f"/dev/fd/{handle}"))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noting)
    made = commit(_traced(vault, tmp_path / "trace"), {"memories/coder/notes.md": "synced\n"})
    events = (tmp_path / "trace").read_text(encoding="utf-8").splitlines()
    assert len([line for line in events if '"fsync/hardware-flush"' in line]) >= 4  # blob, index, commit, ref
    tree = vault.git.run("rev-parse", f"{made}^{{tree}}").out.decode().strip()
    store = vault.common_dir / "objects"
    expected = [store, store / tree[:2] / tree[2:], store / made[:2]]
    expected += [vault.common_dir / "refs" / "heads", vault.git_dir]
    assert {str(path) for path in expected} <= set(synced)


def test_sha256_repositories(tmp_path: Path, git: Git, commit: Commit) -> None:
    folder = tmp_path / "modern"
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", str(folder))
    vault = open_repository(folder)
    assert vault.object_format == "sha256"
    first = commit(vault, {"a/b.md": "one\n"})
    second = commit(vault, {"a/b.md": None, "a/c.md": "two\n"})
    assert len(second) == 64
    assert vault.read_blob(first, "a/b.md") == b"one\n"
    assert vault.read_blob(second, "a/b.md") is None
    assert vault.empty_tree == hashlib.sha256(b"tree 0\0").hexdigest()
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "fsck", "--strict") == ""


def test_maintenance_keeps_everything(vault: Repository, git: Git, commit: Commit) -> None:
    for number in range(3):
        commit(vault, {"memories/coder/notes.md": f"{number}\n"})
    vault.run_maintenance()
    assert git(vault.top, "log", "--oneline").count("\n") == 4
    assert git(vault.top, "fsck", "--strict") == ""
    assert vault.find_locks() == ()


def test_the_message_arrives_as_given(vault: Repository, git: Git, commit: Commit) -> None:
    git(vault.top, "config", "i18n.commitEncoding", "UTF-16")
    commit(vault, {"a.md": "x"}, CommitMessage("hand", "編集 café", "# not a comment\n-x"))
    shown = git(vault.top, "-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%B")
    assert shown.startswith("編集 café\n\n# not a comment\n-x\n\nMemfs-Kind: hand\n")
