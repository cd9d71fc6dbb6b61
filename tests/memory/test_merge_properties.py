"""What holds for every merge, whatever a person did before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.markdown.document import parse_document
from memfs.memory.ledger import parse_ledger
from memfs.memory.merge import Snapshot
from memfs.memory.undo import Version, undo_entries
from memfs.memory.views import view_entries
from memfs.model import Draft
from tests.memory.conftest import on_day
from tests.memory.worlds import BATCHES, EDITS, after, edited, merge

Edits = Sequence[tuple[str, int]]
ROUNDS = st.tuples(BATCHES, EDITS, BATCHES)


def _world(first: list[Draft], edits: Edits) -> Snapshot:
    empty = Snapshot({})
    return _with_documents(edited(after(empty, merge(empty, first)), edits), first)


def _with_documents(snapshot: Snapshot, drafts: list[Draft]) -> Snapshot:
    missing = {draft.document: None for draft in drafts if draft.document not in snapshot.documents}
    return replace(snapshot, documents={**snapshot.documents, **missing})


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_merging_twice_equals_once(rounds: tuple[list[Draft], Edits, list[Draft]]) -> None:
    first, edits, second = rounds
    once = _world(first, edits)
    once = after(once, merge(once, second))
    again = merge(once, second)
    assert not again.changed, again


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_no_line_of_the_person_changes(rounds: tuple[list[Draft], Edits, list[Draft]]) -> None:
    first, edits, second = rounds
    before = _world(first, edits)
    result = merge(before, second)
    for path, text in result.documents.items():
        owned = {r.id: r.hash for ledger in before.ledgers.values() for r in parse_ledger(ledger)[0]}
        own_before = _lines_outside(before.documents.get(path) or "", set(owned))
        own_after = _lines_outside(text or "", set(owned))
        assert _is_subsequence(own_before, own_after)


def _lines_outside(text: str, entries: set[str]) -> list[str]:
    document = parse_document(text)
    inside = {n for b in document.blocks if b.block_id in entries for n in range(b.start, b.end)}
    return [line.rstrip("\r\n") for n, line in enumerate(document.lines) if n not in inside and line.strip()]


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(line in rest for line in short)


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_an_edited_entry_keeps_its_text(rounds: tuple[list[Draft], Edits, list[Draft]]) -> None:
    first, edits, second = rounds
    before = _world(first, edits)
    result = merge(before, second)
    for path, text in result.documents.items():
        for line in (before.documents.get(path) or "").splitlines():
            if ", as I say ^" in line and "[!question]" not in line:
                kept = line.replace("[ ]", "[x]")
                assert any(kept == now.replace("[ ]", "[x]") for now in (text or "").splitlines())


@settings(max_examples=60, deadline=None)
@given(ROUNDS, st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(
    rounds: tuple[list[Draft], Edits, list[Draft]], random: Random
) -> None:
    first, edits, second = rounds
    before = _world(first, edits)
    spread = [
        replace(draft, evidence=replace(draft.evidence, time=on_day(1 + at % 28, at // 28)))
        for at, draft in enumerate(second)
    ]
    shuffled = random.sample(spread, len(spread))
    one, other = merge(before, spread), merge(before, shuffled)
    assert (one.documents, one.ledgers, one.marks) == (other.documents, other.ledgers, other.marks)


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_undo_restores_the_bytes(rounds: tuple[list[Draft], Edits, list[Draft]]) -> None:
    first, edits, second = rounds
    settled = _world(first, edits)
    settled = after(settled, merge(settled, []))  # what the person did is noticed before
    result = merge(settled, second)
    merged = after(settled, result)
    undone = undo_entries(
        merged,
        Version(settled.documents, settled.ledgers, settled.marks),
        Version(merged.documents, merged.ledgers, merged.marks),
    )
    restored = after(merged, undone)
    for path in result.documents:
        assert restored.documents[path] == settled.documents.get(path)
    for home, text in restored.ledgers.items():
        assert text == settled.ledgers.get(home, "")


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_what_was_undone_does_not_come_back(rounds: tuple[list[Draft], Edits, list[Draft]]) -> None:
    first, edits, second = rounds
    # Marks know what stood there in the end, not a note it covered, nor what was overtaken at once.
    second = list({draft.id: draft for draft in second if draft.type != "notes"}.values())
    settled = _world(first, edits)
    settled = after(settled, merge(settled, []))
    merged = after(settled, merge(settled, second))
    undone = undo_entries(
        merged,
        Version(settled.documents, settled.ledgers, settled.marks),
        Version(merged.documents, merged.ledgers, merged.marks),
    )
    restored = after(merged, undone)
    again = merge(restored, second)
    assert not [each for each in again.outcomes if each.action in ("added", "suggested")]
    assert not again.documents


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_ledger_and_documents_agree(rounds: tuple[list[Draft], Edits, list[Draft]]) -> None:
    first, edits, second = rounds
    before = _world(first, edits)
    done = after(before, merge(before, second))
    for home, ledger in done.ledgers.items():
        document = parse_document(done.documents.get(home) or "")
        records, problems = parse_ledger(ledger)
        assert not problems
        for record in records:
            assert document.find(record.id), (home, record)


@settings(max_examples=100, deadline=None)
@given(BATCHES)
def test_each_draft_is_one_entry_of_one_line(drafts: list[Draft]) -> None:
    empty = Snapshot({})
    result = merge(empty, drafts)
    for path, text in result.documents.items():
        views = view_entries(f"memories/demo/{path}", text or "", root="")
        recorded = {record.id for record in parse_ledger(result.ledgers[path])[0]}
        assert {view.id for view in views} == recorded
        assert len(views) == len(recorded)
        assert len(parse_document(text or "").sections) <= 1 + len({d.section for d in drafts}) + 1


PIECES = st.sampled_from(
    [
        "# T",
        "## Notes",
        "- a ^m-a",
        "- [ ] b",
        "  - c",
        "> [!question] x ^m-q",
        "```",
        "~~~",
        "---",
        "===",
        "a | b",
        "- | -",
        "<!--",
        "-->",
        "<div>",
        "1. x",
        "\tcode",
        "",
        "text",
        "%%",
        "k: v",
        "\ufeff",
        "| a |",
        "$$",
        "- ",
    ]
)
DOCUMENTS = st.lists(PIECES, max_size=10).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda newline: newline.join(lines))
) | st.text(max_size=60)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, BATCHES)
def test_any_document_is_kept_as_it_is(text: str, drafts: list[Draft]) -> None:
    before = Snapshot({draft.document: text for draft in drafts})
    result = merge(before, drafts)
    done = after(before, result)
    for path in result.documents:
        assert _is_subsequence(_lines_outside(text, set()), _lines_outside(done.documents[path] or "", set()))
    assert not merge(done, drafts).changed
    undone = undo_entries(done, Version(before.documents), Version(done.documents, done.ledgers, done.marks))
    assert after(done, undone).documents == before.documents
