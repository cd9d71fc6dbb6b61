"""A repository with some commits, and one commit made the way the merge protocol does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.history.messages import CommitMessage, render_message
from memfs.history.repository import Repository, open_repository
from tests.conftest import Git

WHEN = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
Commit = Callable[..., str]


@pytest.fixture
def vault(repo: Path, git: Git) -> Repository:
    """An open repository whose first commit holds two documents and a person's note."""
    for path, text in {
        "memories/coder/notes.md": "# Notes\n",
        "memories/coder/decisions.md": "# Decisions\n",
        "todo.txt": "mine\n",
    }.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text, encoding="utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Start")
    return open_repository(repo)


@pytest.fixture
def commit() -> Commit:
    """Files, then index, then ref: the order of the merge protocol."""

    def run(
        vault: Repository,
        files: Mapping[str, str | None],
        message: CommitMessage | None = None,
        *,
        when: datetime = WHEN,
    ) -> str:
        for path, text in files.items():
            target = vault.top / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True) if text is None else target.write_text(text, encoding="utf-8")
        head = vault.head()
        assert head.ref is not None
        blobs = vault.write_blobs({path: text.encode() for path, text in files.items() if text is not None})
        changes = {path: ("100644", blobs[path]) if path in blobs else None for path in files}
        vault.set_index(changes)
        tree = vault.write_tree(head.commit, changes)
        told = message or CommitMessage("merge", "coder: 1 note", base=head.commit, identity="coder")
        parents = [head.commit] if head.commit else []
        made = vault.write_commit(tree, parents, render_message(told), author="memfs", when=when)
        assert vault.move_ref(head.ref, made, head.commit, when=when)
        vault.sync(head.ref)
        return made

    return run
