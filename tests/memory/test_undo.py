"""Undo, forget and move: entry by entry, hand edits kept, nothing comes back from the same evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.errors import EntryNotFound
from memfs.memory.ids import text_hash
from memfs.memory.ledger import parse_ledger
from memfs.memory.merge import MergeResult, Snapshot
from memfs.memory.removal import move_entry, remove_entry
from memfs.memory.undo import Version, undo_entries, undo_marks
from memfs.model import Draft
from tests.memory.conftest import draft_of, on_day
from tests.memory.worlds import after, merge

STAGE = draft_of(1, "projects", project="Mercury", stage="beta")[0]
LATER = draft_of(9, "projects", project="Mercury", stage="in production")[0]
STACK = draft_of(9, "projects", project="Mercury", tech_stack=("Go",))[0]
LAST = draft_of(12, "projects", project="Mercury", stage="paused")[0]
FACT = draft_of(1, "notes", content="Staging listens on port 5433")[0]
DOC = STAGE.document


def version(snapshot: Snapshot) -> Version:
    return Version(snapshot.documents, snapshot.ledgers, snapshot.marks)


def step(before: Snapshot, *drafts: Draft) -> Snapshot:
    return after(before, merge(before, drafts))


def told(result: MergeResult) -> dict[str, str]:
    return {each.id: each.action for each in result.outcomes}


def edit(snapshot: Snapshot, old: str, new: str, path: str = DOC) -> Snapshot:
    text = snapshot.documents[path] or ""
    assert old in text
    return replace(snapshot, documents={**snapshot.documents, path: text.replace(old, new)})


def test_entry_by_entry_hand_edits_are_kept() -> None:
    before = step(Snapshot({}), STAGE)
    made = step(before, LATER, STACK)
    now = edit(edit(made, "tech_stack: Go", "tech_stack: Go 1.23"), "# Mercury\n", "# Mercury\n\nMy words.\n")
    result = undo_entries(now, version(before), version(made))
    assert told(result) == {STAGE.id: "updated", STACK.id: "kept"}
    assert (result.documents[DOC] or "").endswith(
        f"# Mercury\n\nMy words.\n\n- stage: beta ^{STAGE.id}\n- tech_stack: Go 1.23 ^{STACK.id}\n"
    )
    done = after(now, result)
    assert [o.action for o in merge(done, [LATER]).outcomes] == ["forgotten"]
    assert [o.action for o in merge(done, [LAST]).outcomes] == ["updated"]


def test_what_a_later_merge_changed_is_kept() -> None:
    before = step(Snapshot({}), STAGE)
    made = step(before, LATER)
    now = step(made, LAST)
    result = undo_entries(now, version(before), version(made))
    assert told(result) == {STAGE.id: "kept"}
    assert not result.documents


def test_a_document_that_the_merge_made_goes_again() -> None:
    before = Snapshot({"notes.md": None})
    made = step(before, FACT)
    assert undo_entries(made, version(before), version(made)).documents == {"notes.md": None}
    other = draft_of(20, "notes", content="Something else entirely", tags=("pitfall",))
    twice = step(made, *other)
    first_gone = after(twice, undo_entries(twice, version(before), version(made)))
    assert FACT.text not in (first_gone.documents["notes.md"] or "")
    assert "## Notes" not in (first_gone.documents["notes.md"] or "")
    assert other[0].id in (first_gone.documents["notes.md"] or "")


def test_undo_of_a_superseded_decision_restores_the_earlier_one() -> None:
    old, new = (
        draft_of(day, "decisions", topic="Queue", decision=what)[0]
        for day, what in ((1, "RabbitMQ"), (5, "Redis"))
    )
    before = step(Snapshot({}), old)
    made = step(before, new)
    now = edit(made, "# Decisions\n", "# Decisions\n\nMine.\n", "decisions.md")
    done = after(now, undo_entries(now, version(before), version(made)))
    text = done.documents["decisions.md"] or ""
    assert text.endswith(f"# Decisions\n\nMine.\n\n- **Queue**: RabbitMQ. (2026-03-01) ^{old.id}\n")
    assert [o.action for o in merge(done, [new]).outcomes] == ["forgotten"]


def test_a_revert_by_git_leaves_marks() -> None:
    before = step(Snapshot({}), STAGE)
    made = step(before, LATER, STACK)
    result = undo_marks(before, version(before), version(made))
    assert not result.documents
    reverted = after(before, result)
    assert [o.action for o in merge(reverted, [LATER, STACK]).outcomes] == ["forgotten", "forgotten"]


def test_forget_takes_every_line_with_the_id_and_marks_it() -> None:
    before = edit(step(Snapshot({}), STAGE, STACK), "- stage", f"- a copy ^{STAGE.id}\n- stage")
    result = remove_entry(before, STAGE.id, time=on_day(20))
    done = after(before, result)
    assert STAGE.id not in (done.documents[DOC] or "")
    assert STACK.id in (done.documents[DOC] or "")
    assert f"entry {STAGE.id} 2026-03-20T09:00:00Z" in done.marks
    assert f"text {text_hash('stage: beta')}" in done.marks
    assert [o.action for o in merge(done, [STAGE, LATER]).outcomes] == ["forgotten", "forgotten"]
    with pytest.raises(EntryNotFound):
        remove_entry(done, STAGE.id, time=on_day(21))


def test_forget_takes_a_suggestion_along_and_a_persons_own_entry() -> None:
    offered = step(edit(step(Snapshot({}), STAGE), "beta", "nearly"), LATER)
    assert "-q" not in (remove_entry(offered, STAGE.id, time=on_day(20)).documents[DOC] or "-q")
    own = Snapshot({"notes.md": "# Notes\n\n- mine ^my-note\n- other\n"})
    assert remove_entry(own, "my-note", time=on_day(20)).documents == {"notes.md": "# Notes\n\n- other\n"}


def test_undo_of_forget_brings_the_entry_back() -> None:
    before = step(Snapshot({}), STAGE, STACK)
    gone = after(before, remove_entry(before, STAGE.id, time=on_day(20)))
    assert undo_entries(gone, version(before), version(gone)).documents == before.documents
    now = edit(gone, "# Mercury\n", "# Mercury\n\nMine.\n")
    done = after(now, undo_entries(now, version(before), version(gone)))
    assert f"- stage: beta ^{STAGE.id}\n" in (done.documents[DOC] or "")
    assert done.marks == ""
    assert [o.action for o in merge(done, [LATER]).outcomes] == ["updated"]


def test_move_gives_the_entry_to_another_identity() -> None:
    source, target = step(Snapshot({}), STAGE), Snapshot({DOC: None})
    left, arrived, entry = move_entry(source, target, STAGE.id, identity="other", time=on_day(20))
    assert STAGE.id not in (left.documents[DOC] or "")
    moved = after(target, arrived)
    assert f"- stage: beta ^{entry}\n" in (moved.documents[DOC] or "")
    assert "identity: other" in (moved.documents[DOC] or "")
    assert entry != STAGE.id
    assert parse_ledger(moved.ledgers[DOC])[0][0].id == entry
    assert [o.action for o in merge(after(source, left), [STAGE]).outcomes] == ["forgotten"]
    with pytest.raises(EntryNotFound):
        move_entry(after(source, left), target, STAGE.id, identity="other", time=on_day(21))
