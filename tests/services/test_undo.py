"""Undo: bytes come back, hand edits stay, what goes is not extracted again; a person's git revert counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import CommitNotFound, InvalidRequest
from memfs.services.audit import why
from memfs.services.changing import accept, forget, move, reject, remember
from memfs.services.ingest import ingest
from memfs.services.merging.merges import Merged
from memfs.services.merging.reverts import absorb_reverts
from memfs.services.opening import Vault
from memfs.services.undo import Undone, undo
from tests.services.lexical import edit, fsck, lexical_vault, memory_hashes, reopened, texts, the_entry
from tests.services.talks import Script, inbox, put_talk, says, talk
from tests.services.vaults import IDENTITY, document, git, merge, note, proposal

REVIEW = note("Deploys on Friday need a second reviewer", 1)
REDIS = proposal("decisions", 2, topic="Queue", decision="Use Redis", reason="operations run it")
KAFKA = proposal("decisions", 10, "s2", topic="Queue", decision="Use Kafka", reason="it can replay")
STORE = proposal("entities", 6, category="tools", name="Redis", content="An in-memory store")
NAME = proposal("profile", 3, name="Priya", role="engineer")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", IDENTITY, "writer")


def actions(done: Undone | Merged) -> list[str]:
    return sorted(outcome.action for outcome in done.outcomes)


def commit_of(merged: Merged) -> str:
    assert merged.commit is not None
    return merged.commit


def test_undo_of_a_merge_restores_every_byte(vault: Vault) -> None:
    merge(vault, NAME)
    before = memory_hashes(vault)
    merged = merge(vault, REVIEW, REDIS, STORE)
    done = undo(vault, commit_of(merged)[:10])
    assert memory_hashes(vault) == before
    assert actions(done) == ["removed"] * 3
    assert done.undone == merged.commit
    assert git(vault.top, "log", "-1", "--format=%s").startswith("undo ")
    assert git(vault.top, "status", "--short") == ""
    assert fsck(vault.top) == ""


def test_undo_of_an_update_says_again_what_it_said(vault: Vault) -> None:
    merge(vault, REDIS)
    before = memory_hashes(vault)
    merged = merge(vault, KAFKA, session="s2")
    assert "Superseded" in document(vault, "decisions.md").read_text()
    undo(vault, commit_of(merged))
    assert memory_hashes(vault) == before
    entry = the_entry(vault, "Redis")
    assert (entry.origin, entry.source) == ("extracted", "claude-code/s1")
    assert next(r.provenance.messages for r in why(vault, entry.id or "").reasons) == ("s1-2",)


def test_what_goes_is_not_extracted_again_and_later_evidence_brings_other_words(vault: Vault) -> None:
    undo(vault, commit_of(merge(vault, REVIEW, REDIS)))
    assert actions(merge(vault, REVIEW, REDIS)) == ["forgotten", "forgotten"]
    assert actions(merge(vault, KAFKA)) == ["added"]
    assert texts(vault) == ["Queue: Use Kafka, because it can replay. (2026-03-10)"]


def test_hand_edits_since_are_kept_and_reported(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    merged = merge(vault, REVIEW, note("Staging is reset on Monday", 2), REDIS)
    edit(notes, "a second reviewer", "two reviewers")
    notes.write_text(notes.read_text() + "- a line of mine\n")
    done = undo(vault, commit_of(merged))
    kept = [outcome.reason for outcome in done.outcomes if outcome.action == "kept"]
    assert kept == ["it was changed since"]
    assert sorted(texts(vault)) == ["Deploys on Friday need two reviewers", "a line of mine"]
    assert not document(vault, "decisions.md").exists()


def test_an_entry_that_moved_is_taken_back_where_it_is(vault: Vault) -> None:
    merged = merge(vault, REVIEW)
    old, new = document(vault, "notes.md"), document(vault, "rules.md")
    old.rename(new)
    git(vault.top, "add", "-A")
    git(vault.top, "commit", "-qm", "Rename")
    undo(vault, commit_of(merged))
    assert texts(vault) == []
    assert "Deploys" not in new.read_text()


def test_undo_twice_and_undo_of_an_undo(vault: Vault) -> None:
    merged = merge(vault, REVIEW, REDIS, STORE)
    after = memory_hashes(vault)
    first = undo(vault, commit_of(merged))
    again = undo(vault, commit_of(merged))
    assert (again.commit, actions(again)) == (None, ["unchanged"] * 3)
    back = undo(vault, first.commit or "")
    assert actions(back) == ["added"] * 3
    assert memory_hashes(vault) == after
    assert not vault.layout.forgotten_file(IDENTITY).exists()
    assert the_entry(vault, "second reviewer").source == "claude-code/s1"
    assert actions(merge(vault, REVIEW, REDIS, STORE)) == ["unchanged"] * 3
    assert undo(vault, first.commit or "").commit is None
    assert actions(undo(vault, back.commit or "")) == ["removed"] * 3
    assert texts(vault) == []


def _remember(vault: Vault) -> str | None:
    return remember(vault, "Staging is reset on Monday", identity=IDENTITY).commit


def _forget(vault: Vault) -> str | None:
    return forget(vault, the_entry(vault, "Priya").id or "").commit


def _forget_all(vault: Vault) -> str | None:
    return forget(vault, the_entry(vault, "in-memory").id or "").commit


def _move(vault: Vault) -> str | None:
    return move(vault, the_entry(vault, "Priya").id or "", "writer").commit


def _accept(vault: Vault) -> str | None:
    return accept(vault, the_entry(vault, "Redis 7").id or "").commit


def _reject(vault: Vault) -> str | None:
    return reject(vault, the_entry(vault, "Redis 7").id or "").commit


@pytest.mark.parametrize("change", [_remember, _forget, _forget_all, _move, _accept, _reject])
def test_undo_of_every_change_restores_every_byte(
    vault: Vault, change: Callable[[Vault], str | None]
) -> None:
    merge(vault, NAME, REDIS, STORE)
    edit(document(vault, "decisions.md"), "Use Redis", "Use Redis 7")
    merge(vault, KAFKA, session="s2")
    before = memory_hashes(vault)
    commit = change(vault)
    assert memory_hashes(vault) != before
    undo(vault, commit or "")
    assert memory_hashes(vault) == before
    assert git(vault.top, "status", "--short") == ""
    assert fsck(vault.top) == ""


def test_undo_of_forget_keeps_what_a_person_wrote_since(vault: Vault) -> None:
    merge(vault, REVIEW)
    commit = forget(vault, the_entry(vault, "Friday").id or "").commit
    notes = document(vault, "notes.md")
    notes.write_text(notes.read_text() + "\n- mine, later\n")
    undo(vault, commit or "")
    assert sorted(texts(vault)) == ["Deploys on Friday need a second reviewer", "mine, later"]
    assert the_entry(vault, "mine, later").origin == "hand"
    assert actions(merge(vault, REVIEW)) == ["unchanged"]


def test_what_is_no_merge_is_refused(vault: Vault) -> None:
    first = git(vault.top, "rev-list", "--max-parents=0", "HEAD").strip()
    with pytest.raises(InvalidRequest, match="no merge of memfs") as caught:
        undo(vault, first)
    assert "git revert" in (caught.value.hint or "")
    (vault.top / "mine.md").write_text("x\n")
    git(vault.top, "add", "mine.md")
    git(vault.top, "commit", "-qm", "Mine")
    with pytest.raises(InvalidRequest):
        undo(vault, "HEAD")
    with pytest.raises(CommitNotFound):
        undo(vault, "abcdef12")


def test_a_persons_revert_counts_as_undo(vault: Vault) -> None:
    merged = merge(vault, REVIEW, REDIS)
    git(vault.top, "revert", "--no-edit", commit_of(merged))
    assert texts(vault) == []
    assert absorb_reverts(vault) == (merged.commit,)
    assert git(vault.top, "log", "-1", "--format=%s").startswith("undo ")
    assert absorb_reverts(vault) == ()
    assert actions(merge(vault, REVIEW, REDIS)) == ["forgotten", "forgotten"]
    assert texts(vault) == []
    assert git(vault.top, "status", "--short") == ""


def test_after_a_revert_the_cursor_stays(vault: Vault) -> None:
    put_talk(inbox(vault), talk("a", says("notes", content="Deploys need a reviewer")))
    ingest(vault, extractor=Script())
    assert len(texts(vault)) == 1
    git(vault.top, "revert", "--no-edit", "HEAD")
    fresh = reopened(vault)
    again = ingest(fresh, extractor=Script())
    assert texts(fresh) == []
    assert again.sessions == ()
    assert list((vault.layout.identity_dir(IDENTITY) / ".cursors").rglob("*/*/*"))
    assert git(vault.top, "status", "--short") == ""


def test_a_revert_of_the_revert_brings_the_memory_back(vault: Vault) -> None:
    merged = merge(vault, REVIEW)
    git(vault.top, "revert", "--no-edit", commit_of(merged))
    git(vault.top, "revert", "--no-edit", "HEAD")
    assert absorb_reverts(vault) == ()
    assert not vault.layout.forgotten_file(IDENTITY).exists()
    assert texts(vault) == ["Deploys on Friday need a second reviewer"]
    assert actions(merge(vault, REVIEW)) == ["unchanged"]
    edit(document(vault, "notes.md"), "a second reviewer", "two reviewers")
    assert texts(vault) == ["Deploys on Friday need two reviewers"]


def test_undo_after_a_squash_names_what_to_do(vault: Vault) -> None:
    merge(vault, REVIEW)
    merge(vault, KAFKA, session="s2")
    git(vault.top, "reset", "-q", "--soft", "HEAD~2")
    git(vault.top, "commit", "-qm", "Squashed")
    with pytest.raises(InvalidRequest):
        undo(vault, "HEAD")
    assert len(texts(vault)) == 2


def _moved_with_a_persons_words(vault: Vault) -> tuple[str, str]:
    """The commit of a move of an entry that a person had edited, and the entry's id in its new place."""
    merge(vault, REDIS)
    edit(document(vault, "decisions.md"), "Use Redis", "Use Redis 7")
    moved = move(vault, the_entry(vault, "Redis 7").id or "", "writer")
    return moved.commit or "", moved.id


def test_undo_of_a_move_takes_a_persons_words_back_to_the_old_place_only(vault: Vault) -> None:
    merge(vault, REDIS)
    edit(document(vault, "decisions.md"), "Use Redis", "Use Redis 7")
    before = memory_hashes(vault)
    moved = move(vault, the_entry(vault, "Redis 7").id or "", "writer")
    done = undo(vault, moved.commit or "")
    assert actions(done) == ["added", "removed"]
    assert memory_hashes(vault) == before
    assert not vault.layout.forgotten_file(IDENTITY).exists()
    again = undo(vault, done.commit or "")
    assert actions(again) == ["added", "removed"]
    assert the_entry(vault, "Redis 7").id == moved.id
    assert len(texts(vault)) == 1


def test_undo_of_a_move_keeps_what_was_changed_in_the_new_place_and_adds_no_copy(vault: Vault) -> None:
    commit, entry = _moved_with_a_persons_words(vault)
    edit(vault.top / the_entry(vault, "Redis 7").path, "Use Redis 7", "Use Redis 8")
    done = undo(vault, commit)
    assert [(each.id, each.action, each.reason) for each in done.outcomes] == [
        (entry, "kept", "it was changed since")
    ]
    assert done.commit is None
    assert texts(vault) == ["Queue: Use Redis 8, because operations run it. (2026-03-02)"]


def test_undo_of_a_move_adds_no_copy_of_what_moved_on(vault: Vault) -> None:
    commit, entry = _moved_with_a_persons_words(vault)
    move(vault, entry, IDENTITY)
    assert undo(vault, commit).commit is None
    assert len(texts(vault)) == 1
