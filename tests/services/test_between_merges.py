"""A person's git between merges: reverts, squashes, amends, resets and stashes move no memory and no cursor."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol

import pytest

from memfs.services.audit import why
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import Vault
from memfs.services.undo import undo
from tests.services.person import check_sound, run, run_paused, texts_at, texts_on_disk
from tests.services.talks import put_talks, talk
from tests.services.vaults import IDENTITY, copy_vault, document, git, new_vault

FIRST = talk(
    "s1",
    "We decided to use PostgreSQL for the ledger because operations run it already.",
    "I prefer early returns to nested conditionals.",
)
SECOND = talk(
    "s2",
    "Remember that the staging database listens on port 5433.",
    "We decided to use Redis Streams for the queue because it runs already.",
    day=2,
)
GROWN = talk("s2", *SECOND.said, "I prefer small commits with one reason each.", day=2)
OLD = ("use PostgreSQL for the ledger", "prefer early returns")
NEW = ("listens on port 5433", "use Redis Streams for the queue")
LATER = "prefer small commits"
SQUASH = {"GIT_SEQUENCE_EDITOR": "sed -i.bak 2s/^pick/squash/", "GIT_EDITOR": "true"}
FIXUP = {"GIT_SEQUENCE_EDITOR": "sed -i.bak 2s/^pick/fixup/", "GIT_EDITOR": "true"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("between") / "vault"
    vault = new_vault(folder)
    put_talks(vault, [FIRST])
    ingest(vault)
    put_talks(vault, [SECOND])
    ingest(vault)
    return folder


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return copy_vault(template, tmp_path / "vault")


class Ingest(Protocol):
    def __call__(self, vault: Vault, *, grown: bool = False) -> IngestReport: ...


@pytest.fixture(params=[False, True], ids=["derived kept", "derived gone"])
def read_again(request: pytest.FixtureRequest) -> Ingest:
    """Ingest again, with or without what is derived; ``grown``: the second session went on."""

    def run_again(vault: Vault, *, grown: bool = False) -> IngestReport:
        if request.param:
            shutil.rmtree(vault.layout.derived, ignore_errors=True)
        if grown:
            put_talks(vault, [GROWN])
        return ingest(vault)

    return run_again


def count(texts: dict[str, str], line: str) -> int:
    return sum(text.count(line) for path, text in texts.items() if path.endswith(".md") and "/." not in path)


def check_all(vault: Vault, *lines: str) -> None:
    """Each line stands once on disk, and once in HEAD after a plain commit; the repository is sound."""
    run(vault, "commit", "-q", "--allow-empty", "-m", "A plain commit")
    for texts in (texts_on_disk(vault), texts_at(vault, "HEAD")):
        assert {line: count(texts, line) for line in lines} == dict.fromkeys(lines, 1)
    check_sound(vault)


def check_goes_on(vault: Vault, read_again: Ingest) -> None:
    """Nothing is merged twice; what the session said since comes in, once."""
    assert sum(session.added for session in read_again(vault).sessions) == 0
    check_all(vault, *OLD, *NEW)
    grown = read_again(vault, grown=True)
    assert [(session.turns, session.added) for session in grown.sessions] == [(2, 1)]
    check_all(vault, *OLD, *NEW, LATER)


def entry_of(vault: Vault, line: str) -> str:
    return next(view.id or "" for view in list_entries(vault) if line in view.text)


def test_a_revert_of_a_merge_counts_as_its_undo(vault: Vault, read_again: Ingest) -> None:
    cursors = {path: text for path, text in texts_at(vault, "HEAD").items() if "/.cursors/" in path}
    run(vault, "revert", "--no-edit", "HEAD")
    for grown in (False, True):
        read_again(vault, grown=grown)
        check_all(vault, *OLD)
        assert not any(count(texts_on_disk(vault), line) for line in NEW), (
            "extracted again from the same evidence"
        )
    assert count(texts_on_disk(vault), LATER) == 1
    assert {path for path in texts_at(vault, "HEAD") if "/.cursors/" in path} == set(cursors)


def test_a_revert_of_a_revert_brings_the_memory_back(vault: Vault, read_again: Ingest) -> None:
    run(vault, "revert", "--no-edit", "HEAD")
    run(vault, "revert", "--no-edit", "HEAD")
    check_goes_on(vault, read_again)


def test_a_revert_of_an_older_merge_keeps_what_came_later(vault: Vault, read_again: Ingest) -> None:
    if not run(vault, "revert", "--no-edit", "HEAD~1"):  # both merges added to the end of one document
        path = vault.layout.document_rel(IDENTITY, "decisions.md")
        text = texts_at(vault, "HEAD")[path]
        kept = "".join(line for line in text.splitlines(keepends=True) if OLD[0] not in line)
        (vault.top / path).write_text(kept, encoding="utf-8")
        run(vault, "add", vault.layout.rel(vault.layout.memories))  # the records as they are
        git(vault.top, "-c", "core.editor=true", "revert", "--continue")
    read_again(vault)
    check_all(vault, *NEW)
    assert not any(count(texts_on_disk(vault), line) for line in OLD)


@pytest.mark.parametrize("editor", [SQUASH, FIXUP], ids=["squash", "fixup"])
def test_a_rebase_that_squashes_merges_moves_no_cursor(
    vault: Vault, read_again: Ingest, editor: dict[str, str]
) -> None:
    assert run(vault, "rebase", "-q", "-i", "HEAD~2", env=editor)
    check_goes_on(vault, read_again)
    reasons = why(vault, entry_of(vault, NEW[0])).reasons
    assert editor is FIXUP or [turn.turn and turn.turn.text for turn in reasons[0].turns] == [SECOND.said[0]]


def test_a_squash_merge_moves_no_cursor(vault: Vault, read_again: Ingest) -> None:
    git(vault.top, "branch", "backup")
    git(vault.top, "reset", "-q", "--hard", "HEAD~2")
    git(vault.top, "merge", "-q", "--squash", "backup")
    git(vault.top, "commit", "-q", "-m", "All memory in one")
    check_goes_on(vault, read_again)


def test_an_amended_merge_stays_what_it_was(vault: Vault, read_again: Ingest) -> None:
    notes = document(vault, "notes.md")
    notes.write_text(notes.read_text(encoding="utf-8") + "- by hand\n", encoding="utf-8")
    run(vault, "commit", "-q", "-a", "--amend", "--no-edit")
    check_goes_on(vault, read_again)
    check_all(vault, "- by hand")
    assert why(vault, entry_of(vault, NEW[0])).reasons


def test_undo_of_an_amended_merge_keeps_the_hand_edit(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    notes.write_text(notes.read_text(encoding="utf-8") + "- by hand\n", encoding="utf-8")
    run(vault, "commit", "-q", "-a", "--amend", "--no-edit")
    undo(vault, "HEAD")
    check_all(vault, *OLD, "- by hand")
    assert not any(count(texts_on_disk(vault), line) for line in NEW)


def test_after_a_soft_reset_the_next_merge_commits_all_of_the_memory(
    vault: Vault, read_again: Ingest
) -> None:
    git(vault.top, "reset", "-q", "--soft", "HEAD~1")
    read_again(vault, grown=True)
    head = texts_at(vault, "HEAD")
    assert count(head, LATER) == 1
    assert all(count(head, line) == 1 for line in NEW), "the cursor is committed ahead of its memory"
    check_goes_on_after_reset(vault, read_again)


def check_goes_on_after_reset(vault: Vault, read_again: Ingest) -> None:
    assert not any(session.added for session in read_again(vault, grown=True).sessions)
    check_all(vault, *OLD, *NEW, LATER)


def test_after_a_soft_reset_a_plain_commit_holds_the_memory(vault: Vault, read_again: Ingest) -> None:
    git(vault.top, "reset", "-q", "--soft", "HEAD~1")
    check_goes_on(vault, read_again)


def test_after_a_hard_reset_the_transcript_is_read_again(vault: Vault, read_again: Ingest) -> None:
    git(vault.top, "reset", "-q", "--hard", "HEAD~1")
    read_again(vault)
    check_all(vault, *OLD, *NEW)


def test_a_stash_across_a_merge_gives_the_hand_edit_back(vault: Vault, read_again: Ingest) -> None:
    decisions = document(vault, "decisions.md")
    text = decisions.read_text(encoding="utf-8")
    decisions.write_text(text.replace("# Decisions\n", "# Decisions\n\nWhat we settled.\n"), encoding="utf-8")
    git(vault.top, "stash", "-q")
    read_again(vault, grown=True)
    git(vault.top, "stash", "pop", "-q")
    check_all(vault, *OLD, *NEW, LATER) if run(vault, "commit", "-q", "-a", "-m", "Say what it is") else None
    assert "What we settled." in decisions.read_text(encoding="utf-8")


def test_a_merge_on_another_branch_waits_for_the_vaults_own(vault: Vault, read_again: Ingest) -> None:
    from memfs.errors import RepositoryBusy

    git(vault.top, "switch", "-q", "-c", "other")
    with pytest.raises(RepositoryBusy, match="other is checked out"):
        read_again(vault, grown=True)
    assert not count(texts_on_disk(vault), LATER)
    git(vault.top, "switch", "-q", "main")
    assert [session.added for session in read_again(vault, grown=True).sessions] == [1]
    check_all(vault, *OLD, *NEW, LATER)


@pytest.mark.parametrize(
    "command", [("commit", "-q", "-a"), ("add", "-A")], ids=["commit -a", "add -A, commit"]
)
def test_undo_of_a_merge_that_the_person_committed_in_the_window(
    vault: Vault, read_again: Ingest, command: tuple[str, ...]
) -> None:
    """The merge's own commit holds what was left, or nothing; its base tells what it did."""
    put_talks(vault, [GROWN])
    decisions = document(vault, "decisions.md")

    def commit_all() -> None:
        decisions.write_text(decisions.read_text(encoding="utf-8") + "- by hand\n", encoding="utf-8")
        (vault.top / "Garden.md").write_text("- sow beans\n", encoding="utf-8")
        git(vault.top, *command, *(("-m", "All") if command[0] == "commit" else ()))
        if command[0] == "add":
            git(vault.top, "commit", "-q", "-m", "All")

    run_paused(lambda: ingest(vault) and None, "index.before", 1, commit_all)
    check_all(vault, *OLD, *NEW, LATER, "- by hand")
    merged = git(vault.top, "log", "-1", "--format=%H", "--grep=Memfs-Kind: merge").strip()
    undo(vault, merged)
    check_all(vault, *OLD, *NEW, "- by hand")
    assert not count(texts_on_disk(vault), LATER)
    assert not read_again(vault).sessions or not count(texts_on_disk(vault), LATER)
