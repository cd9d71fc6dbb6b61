"""A repository whose configuration wants to run programs (T5): nothing memfs offers runs one of them.

Every program is the same script, which leaves a marker with the name it was started by.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.errors import HistoryError
from memfs.history.display import diff_text, documents_at, risky_settings
from memfs.history.log import changed_blobs, commit_at, find_commit, last_changes, read_commit, read_log
from memfs.history.messages import CommitMessage, render_message
from memfs.history.provenance import ProvenanceIndex
from memfs.history.repository import Repository, open_repository
from tests.conftest import Git
from tests.history.conftest import WHEN

HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "commit-msg",
    "prepare-commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push",
    "pre-auto-gc", "post-rewrite", "post-index-change", "reference-transaction", "fsmonitor-watchman",
)  # fmt: skip
SETTINGS = {
    "core.fsmonitor": "{run} fsmonitor",
    "core.hooksPath": "{hooks}",
    "core.pager": "{run} pager",
    "core.editor": "{run} editor",
    "core.askPass": "{run}",
    "core.sshCommand": "{run} ssh",
    "core.gitProxy": "{run}",
    "core.alternateRefsCommand": "{run} alternates",
    "sequence.editor": "{run} sequence",
    "pager.log": "{run} pager-log",
    "pager.diff": "{run} pager-diff",
    "commit.gpgSign": "true",
    "tag.gpgSign": "true",
    "log.showSignature": "true",
    "gpg.program": "{run}",
    "gpg.format": "openpgp",
    "user.signingKey": "0000",
    "credential.helper": "!{run} credential",
    "alias.log": "!{run} alias",
    "alias.hash-object": "!{run} alias",
    "diff.external": "{run} external",
    "diff.evil.command": "{run} diff-command",
    "diff.evil.textconv": "{run} textconv",
    "merge.evil.driver": "{run} merge-driver",
    "filter.evil.clean": "{run} clean",
    "filter.evil.smudge": "{run} smudge",
    "filter.evil.process": "{run} process",
    "filter.evil.required": "true",
    "trailer.sign.command": "{run} trailer",
    "interactive.diffFilter": "{run} diff-filter",
    "gc.recentObjectsHook": "{run} recent",
    "uploadpack.packObjectsHook": "{run} pack",
    "remote.origin.url": "ext::{run} remote",
    "remote.origin.uploadpack": "{run} uploadpack",
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "protocol.allow": "always",
    "include.path": "{include}",
}


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture
def hostile(vault: Repository, git: Git, tmp_path: Path, marks: Path) -> Repository:
    """The vault, with two signed-looking commits, every hook, and every setting that starts a program."""
    top = vault.top
    run = tmp_path / "run.sh"
    run.write_text(f'#!/bin/sh\necho "$0 $*" > {marks}/$$\nexit 0\n', encoding="utf-8")
    run.chmod(0o755)
    for folder in (vault.git_dir / "hooks", tmp_path / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).write_bytes(run.read_bytes())
            (folder / name).chmod(0o755)
    included = tmp_path / "included"
    included.write_text(f'[filter "evil2"]\n\tclean = {run} clean2\n', encoding="utf-8")
    (top / ".gitattributes").write_text(
        "*.txt diff=evil merge=evil\n*.evil filter=evil diff=evil\n*.evil2 filter=evil2\n", encoding="utf-8"
    )
    lines = [
        f"{key}={value.format(run=run, hooks=tmp_path / 'hooks', include=included)}"
        for key, value in SETTINGS.items()
    ]
    for line in lines:
        key, _, value = line.partition("=")
        git(top, "-c", "core.hooksPath=/dev/null", "config", key, value)
    return open_repository(top)


def _signed(vault: Repository, tree: str, parent: str) -> str:
    """A commit object with a signature, which `log.showSignature` would have checked."""
    text = (
        f"tree {tree}\nparent {parent}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    )
    made = vault.git.run("hash-object", "-w", "-t", "commit", "--stdin", stdin=text.encode())
    return made.out.decode().strip()


def test_plain_git_does_run_them(hostile: Repository, marks: Path) -> None:
    """Without this the other tests would prove nothing."""
    (hostile.top / "x.evil").write_text("x", encoding="utf-8")
    subprocess.run(["git", "status"], cwd=hostile.top, capture_output=True, check=False, timeout=60)
    subprocess.run(["git", "add", "x.evil"], cwd=hostile.top, capture_output=True, check=False, timeout=60)
    told = "".join(path.read_text(encoding="utf-8") for path in marks.iterdir())
    assert "fsmonitor" in told
    assert "clean" in told or "process" in told


def test_t5_no_program_of_the_repository_runs(hostile: Repository, marks: Path, tmp_path: Path) -> None:
    """Every function of the room, once, in the order of a merge and a look back at it."""
    vault = hostile
    head = vault.head()
    assert head.commit is not None
    assert head.ref is not None
    assert vault.person == ("Robin Person", "robin@example.org")
    paths = ["todo.txt", "memories/coder/notes.md", "x.evil", "x.evil2"]
    (vault.top / "x.evil").write_text("x", encoding="utf-8")
    vault.read_blobs(head.commit, paths)
    vault.blob_ids(head.commit, paths)
    vault.index_entries(paths)
    vault.staged(head.commit, paths)
    assert vault.filtered(paths) == {"x.evil", "x.evil2"}
    for path in ("x.evil", "x.evil2"):
        with pytest.raises(HistoryError, match="filter"):
            vault.write_blob(path, b"x")
    blob = ("100644", vault.write_blob("todo.txt", b"one\r\ntwo\r\n"))
    assert vault.matches("todo.txt", b"one\r\ntwo\r\n", blob[1])
    assert not vault.matches("todo.txt", b"other", blob[1])
    assert not vault.matches("x.evil", b"other", blob[1])
    vault.checkout_form("todo.txt", blob[1])
    vault.set_index({"todo.txt": blob, "memories/coder/decisions.md": None})
    tree = vault.write_tree(head.commit, {"todo.txt": blob, "memories/coder/decisions.md": None})
    signed = _signed(vault, tree, head.commit)
    message = CommitMessage("merge", "x", base=head.commit, identity="coder")
    made = vault.write_commit(tree, [signed], render_message(message), author="memfs", when=WHEN)
    assert vault.move_ref(head.ref, made, head.commit, when=WHEN)
    vault.sync(head.ref)
    _look_back(vault, made, tmp_path / "provenance")
    for locked in (vault.find_locks, vault.remove_stale_locks, vault.run_maintenance):
        locked()
    assert list(marks.iterdir()) == []
    raw = vault.git.run("cat-file", "commit", made).out
    assert b"gpgsig" not in raw


def _look_back(vault: Repository, made: str, folder: Path) -> None:
    assert len(read_log(vault)) == 3
    read_log(vault, paths=["todo.txt"], identity="coder", kinds=["merge"], since=WHEN, limit=5)
    read_commit(vault, made[:8])
    find_commit(vault, "main")
    commit_at(vault, datetime.now(UTC))
    changed_blobs(vault, f"{made}~2", made)
    last_changes(vault, ["todo.txt"])
    ProvenanceIndex(folder, vault).find("m-x")
    assert "+one" in diff_text(vault, f"{made}~2", made)
    assert "todo.txt" in documents_at(vault, made)


def test_a_missing_object_is_not_fetched(hostile: Repository, marks: Path) -> None:
    for read in (hostile.read_object, lambda oid: hostile.read_blob(oid, "a.md")):
        with pytest.raises(HistoryError):
            read("1" * 40)
    with pytest.raises(HistoryError):
        hostile.write_tree(None, {"a.md": ("100644", "1" * 40)})
    assert list(marks.iterdir()) == []


@pytest.mark.parametrize("place", ["objects/info/alternates", "commondir"])
def test_odd_places_run_nothing(hostile: Repository, marks: Path, place: str) -> None:
    (hostile.git_dir / place).parent.mkdir(parents=True, exist_ok=True)
    (hostile.git_dir / place).write_text("/nowhere/at/all\n", encoding="utf-8")
    reads: list[Callable[[], object]] = [lambda: open_repository(hostile.top).head(), hostile.head]
    for read in reads:
        with contextlib.suppress(HistoryError):
            read()
    assert list(marks.iterdir()) == []


def test_replace_refs_do_not_change_what_is_read(vault: Repository, git: Git) -> None:
    commit = vault.head().commit
    assert commit is not None
    real = git(vault.top, "rev-parse", "HEAD:todo.txt").strip()
    fake = git(vault.top, "hash-object", "-w", "--stdin", stdin="forged\n").strip()
    git(vault.top, "replace", real, fake)
    assert vault.read_blob(commit, "todo.txt") == b"mine\n"


def test_check_names_what_plain_git_would_run(hostile: Repository, vault: Repository) -> None:
    found = risky_settings(hostile)
    for name in (
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil2.clean",
        "diff.external",
        "hook pre-commit",
    ):
        assert name in found
    assert not any(name.startswith(("user.", "commit.")) for name in found)
    assert vault.top == hostile.top


def test_an_ordinary_repository_has_nothing_to_name(vault: Repository) -> None:
    assert risky_settings(vault) == ()


def test_a_broken_configuration_is_an_error_of_ours(vault: Repository) -> None:
    (vault.git_dir / "config").write_text("[core\n\tx\n", encoding="utf-8")
    with pytest.raises(HistoryError, match="configuration"):
        risky_settings(vault)
    with pytest.raises(HistoryError):
        vault.head()
