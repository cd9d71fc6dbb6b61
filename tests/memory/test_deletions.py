"""What a person did since the last merge: moved, copied, deleted, renamed; and what is never taken for it."""

from __future__ import annotations

from dataclasses import replace

from memfs.memory.ids import text_hash, written_hash
from memfs.memory.ledger import LedgerRecord, parse_ledger, render_ledger
from memfs.memory.merge import Snapshot, missing_ids
from tests.memory.conftest import draft_of, on_day
from tests.memory.worlds import after, merge

FACT = draft_of(1, "notes", content="Staging listens on port 5433")[0]
OTHER = draft_of(9, "notes", content="Dead letters are kept for 14 days")[0]
LATER = draft_of(9, "projects", project="Mercury", stage="in production")[0]
STAGE = draft_of(1, "projects", project="Mercury", stage="beta")[0]


def merged(*drafts: object) -> Snapshot:
    empty = Snapshot({})
    return after(empty, merge(empty, list(drafts)))  # type: ignore[arg-type]


def with_text(snapshot: Snapshot, path: str, text: str | None, **rest: object) -> Snapshot:
    return replace(snapshot, documents={**snapshot.documents, path: text}, **rest)  # type: ignore[arg-type]


def record_of(snapshot: Snapshot, home: str, entry: str) -> LedgerRecord | None:
    return next((r for r in parse_ledger(snapshot.ledgers[home])[0] if r.id == entry), None)


def test_a_moved_entry_is_updated_where_it_is_and_its_record_follows() -> None:
    before = merged(STAGE)
    moved = with_text(before, STAGE.document, "# Mercury\n", places={STAGE.id: "projects/all.md"})
    moved = with_text(moved, "projects/all.md", f"# All\n\n- stage: beta ^{STAGE.id}\n")
    assert missing_ids(moved.documents, moved.ledgers) == (STAGE.id,)
    result = merge(moved, [LATER])
    assert result.documents == {"projects/all.md": f"# All\n\n- stage: in production ^{STAGE.id}\n"}
    done = after(moved, result)
    record = record_of(done, STAGE.document, STAGE.id)
    assert record is not None
    assert record.at == "projects/all.md"
    assert missing_ids(done.documents, done.ledgers) == ()
    assert not merge(replace(done, places={}), [LATER]).changed


def test_a_moved_entry_that_comes_home_is_at_home_again() -> None:
    before = merged(STAGE)
    away = replace(record_of(before, STAGE.document, STAGE.id), at="elsewhere.md")  # type: ignore[type-var]
    moved = replace(
        before, ledgers={STAGE.document: render_ledger([away])}, places={STAGE.id: STAGE.document}
    )
    moved = with_text(moved, "elsewhere.md", "# Elsewhere\n")
    home = after(moved, merge(moved, []))
    record = record_of(home, STAGE.document, STAGE.id)
    assert record is not None
    assert record.at is None


def test_after_a_rename_new_entries_go_to_the_path_of_their_type() -> None:
    before = merged(FACT)
    renamed = with_text(before, "notes.md", None, places={FACT.id: "my notes.md"})
    renamed = with_text(renamed, "my notes.md", before.documents["notes.md"])
    result = merge(renamed, [OTHER])
    assert list(result.documents) == ["notes.md"]
    assert [each.action for each in result.outcomes] == ["added"]


def test_an_entry_outside_of_memories_is_the_persons() -> None:
    before = with_text(merged(STAGE), STAGE.document, "# Mercury\n", outside=frozenset({STAGE.id}))
    result = merge(before, [LATER])
    assert not result.changed
    assert [(each.action, each.id) for each in result.outcomes] == [("kept", STAGE.id)]


def test_a_deletion_becomes_marks_without_any_text() -> None:
    before = merged(FACT, OTHER)
    gone = with_text(
        before, "notes.md", f"# Notes\n\n- {OTHER.text} ^{OTHER.id}\n", deleted_at={FACT.id: on_day(12)}
    )
    result = merge(gone, [])
    assert result.marks == f"entry {FACT.id} 2026-03-12T09:00:00Z\ntext {text_hash(FACT.text)}\n"
    assert "Staging" not in result.marks + result.ledgers["notes.md"]
    assert record_of(after(gone, result), "notes.md", FACT.id) is None


def test_a_missing_or_empty_document_is_never_taken_for_deletions() -> None:
    for text in (None, "", "\n \n", "\ufeff"):
        lost = with_text(merged(FACT), "notes.md", text)
        result = merge(lost, [OTHER])
        assert not result.changed
        assert [each.action for each in result.outcomes] == ["deferred"]


def test_a_removal_that_a_person_committed_is_one() -> None:
    removed = with_text(merged(FACT), "notes.md", None, deleted_at={FACT.id: on_day(5)})
    result = merge(removed, [FACT, OTHER])
    assert [each.action for each in result.outcomes] == ["forgotten", "added"]
    assert FACT.id not in (result.documents["notes.md"] or "")


def test_a_deferred_document_waits_and_its_siblings_go_on() -> None:
    waiting = replace(merged(FACT, STAGE), deferred={"notes.md": "changed a moment ago"})
    result = merge(waiting, [OTHER, LATER])
    assert [(each.action, each.reason) for each in result.outcomes] == [
        ("deferred", "changed a moment ago"),
        ("updated", None),
    ]
    assert list(result.documents) == [STAGE.document]


def test_in_a_broken_document_nothing_counts_as_deleted() -> None:
    for text in ("---\na: b: c\n---\n# Notes\n", "# Notes\n<<<<<<< HEAD\n- a\n>>>>>>> x\n"):
        broken = with_text(merged(FACT, STAGE), "notes.md", text, deleted_at={FACT.id: on_day(5)})
        result = merge(broken, [OTHER, LATER])
        assert [each.action for each in result.outcomes] == ["deferred" if False else "refused", "updated"]
        assert record_of(after(broken, result), "notes.md", FACT.id) or "notes.md" not in result.ledgers


def test_of_several_records_the_one_that_fits_the_disk_counts() -> None:
    before = merged(STAGE)
    other = LedgerRecord(STAGE.id, written_hash("stage: alpha"), on_day(8))
    both = before.ledgers[STAGE.document] + render_ledger([other])
    fits = replace(before, ledgers={STAGE.document: both})
    assert [each.action for each in merge(fits, [LATER]).outcomes] == ["updated"]
    neither = with_text(fits, STAGE.document, f"# Mercury\n\n- stage: as I say ^{STAGE.id}\n")
    earlier = draft_of(5, "projects", project="Mercury", stage="gamma")
    assert [each.action for each in merge(neither, earlier).outcomes] == ["kept"]
    assert [each.action for each in merge(neither, [LATER]).outcomes] == ["suggested"]


def test_a_copy_elsewhere_is_the_persons() -> None:
    copied = with_text(merged(STAGE), "projects/copy.md", f"# Copy\n\n- stage: beta ^{STAGE.id}\n")
    result = merge(copied, [LATER])
    assert list(result.documents) == [STAGE.document]


def test_unreadable_ledger_lines_are_reported() -> None:
    odd = replace(merged(FACT), ledgers={"notes.md": "what is this\n"})
    assert merge(odd, []).problems == (".ledger/notes.md: line 1 is not a ledger record",)
