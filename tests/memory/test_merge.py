"""Corners of the merge that the golden cases do not show: boxes, modes, rollback, guards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.memory.checks import check_edit
from memfs.memory.ledger import parse_ledger
from memfs.memory.meeting import merged_box
from memfs.memory.merge import Snapshot, entry_texts, merge_drafts
from memfs.model import Draft
from tests.memory.conftest import TODAY, draft_of, on_day
from tests.memory.worlds import after, merge

FACT = draft_of(1, "notes", content="Staging listens on port 5433")[0]
TASK = draft_of(1, "actions", task="Write the runbook", status="pending")[0]
DONE = draft_of(5, "actions", task="Write the runbook", status="done")[0]
OPEN_AGAIN = draft_of(9, "actions", task="Write the runbook", status="pending")[0]


def step(before: Snapshot, *drafts: Draft) -> Snapshot:
    return after(before, merge(before, drafts))


def edit(snapshot: Snapshot, path: str, old: str, new: str) -> Snapshot:
    text = snapshot.documents[path] or ""
    assert old in text
    return replace(snapshot, documents={**snapshot.documents, path: text.replace(old, new)})


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "later", "box"),
    [
        (" ", " ", "x", True, "x"),
        (" ", " ", "x", False, " "),
        (" ", " ", "", True, " "),
        (" ", " ", None, True, " "),
        (" ", "x", " ", True, "x"),
        (" ", "X", "x", True, "X"),
        (" ", "/", "x", True, "/"),
        (" ", None, "x", True, None),
        ("x", "x", " ", True, " "),
        ("x", " ", "x", True, " "),
        ("x", "X", " ", True, " "),
        (None, " ", "x", True, "x"),
    ],
)
def test_boxes(base: str | None, ours: str | None, theirs: str | None, later: bool, box: str | None) -> None:
    assert merged_box(base, ours, theirs, later=later) == box


def test_a_task_is_ticked_opened_again_and_left_to_the_person() -> None:
    done = step(Snapshot({}), TASK, DONE)
    assert "- [x] Write the runbook" in (done.documents["actions.md"] or "")
    assert "- [ ] Write the runbook" in (step(done, OPEN_AGAIN).documents["actions.md"] or "")
    by_hand = edit(step(Snapshot({}), TASK), "actions.md", "[ ]", "[x]")
    assert not merge(by_hand, [OPEN_AGAIN]).documents
    taken = edit(done, "actions.md", "[x]", "[ ]")
    later = draft_of(20, "actions", task="Write the runbook", status="done")
    assert not merge(taken, later).documents


def test_the_box_of_an_edited_task_is_merged_on_its_own() -> None:
    edited = edit(step(Snapshot({}), TASK), "actions.md", "the runbook", "the runbook for webhooks")
    done = step(edited, DONE)
    assert "- [x] Write the runbook for webhooks" in (done.documents["actions.md"] or "")
    assert "[!question]" not in (done.documents["actions.md"] or "")


def test_newer_evidence_for_the_same_text_counts() -> None:
    beta, gamma = (
        draft_of(day, "projects", project="M", stage=stage)[0] for day, stage in ((1, "beta"), (5, "gamma"))
    )
    said_again = replace(beta, evidence=replace(beta.evidence, time=on_day(9)))
    world = step(Snapshot({}), beta, said_again)
    assert parse_ledger(world.ledgers[beta.document])[0][0].time == on_day(9)
    assert [each.action for each in merge(world, [gamma]).outcomes] == ["unchanged"]


def test_of_equal_time_the_last_in_a_batch_wins_and_a_later_batch_changes_nothing() -> None:
    one, two = (draft_of(1, "projects", project="M", stage=stage)[0] for stage in ("beta", "gamma"))
    world = step(Snapshot({}), one, two)
    assert "stage: gamma" in (world.documents[one.document] or "")
    assert not merge(world, [one, two]).changed
    assert [each.action for each in merge(world, [one]).outcomes] == ["unchanged"]


def test_modes() -> None:
    update_only = replace(FACT, mode="update_only")
    assert [each.action for each in merge(Snapshot({}), [update_only]).outcomes] == ["unchanged"]
    first, second = (
        draft_of(day, "events", name="Talk", date="2026-03-01", summary=text)[0]
        for day, text in ((1, "a"), (5, "b"))
    )
    world = step(Snapshot({}), first)
    assert [each.action for each in merge(world, [second]).outcomes] == ["unchanged"]
    edited = edit(world, first.document, "summary: a", "summary: a, I think")
    assert [each.action for each in merge(edited, [second]).outcomes] == ["unchanged"]


def test_a_draft_whose_second_edit_is_refused_changes_nothing() -> None:
    old, new = (
        draft_of(day, "decisions", topic="Queue", decision=what)[0]
        for day, what in ((1, "RabbitMQ"), (5, "Redis"))
    )
    world = step(Snapshot({}), old)
    fenced = replace(world, documents={"decisions.md": f"{world.documents['decisions.md']}\n```\nopen\n"})
    result = merge(fenced, [new, FACT])
    assert [each.action for each in result.outcomes] == ["refused", "added"]
    assert list(result.documents) == list(result.ledgers) == ["notes.md"]


def test_drafts_of_another_identity_are_no_entries() -> None:
    with pytest.raises(InvalidRequest, match="other"):
        merge_drafts(Snapshot({}), [FACT], identity="other", language="en", today=TODAY)


def test_a_deletion_that_nobody_dated_is_dated_today() -> None:
    gone = replace(step(Snapshot({}), FACT), documents={"notes.md": "# Notes\n"})
    assert f"entry {FACT.id} 2026-03-31T23:59:59.999999Z" in (merge(gone, []).marks or "")


def test_texts_of_entries_are_plain() -> None:
    linked = replace(FACT, text="Ask [[memories/demo/entities/people/will|Will]]")
    assert entry_texts(step(Snapshot({}), linked)) == {FACT.id: "Ask Will"}


@pytest.mark.parametrize(
    "after_text",
    [
        "# N\n\n- one\n- changed ^m-a\n",
        "# N\n\n- ONE\n- two ^m-a\n",
        "# N\n\n- two ^m-a\n- one\n",
        "# N\n- two ^m-a\n",
        "# N\n\n- one\n- two ^m-a\n- stray\n",
        "# N\r\n\r\n- one\r\n- two ^m-a\r\n",
        "",
        " \n",
    ],
)
def test_an_edit_that_touches_more_than_its_entry_is_refused(after_text: str) -> None:
    before = "# N\n\n- one\n- two ^m-a\n"
    with pytest.raises(InvalidDocument):
        check_edit(before, after_text, frozenset({"m-b"}))


def test_an_edit_of_its_own_entry_passes() -> None:
    before = "# N\n\n- one\n- two ^m-a\n"
    for text in (
        "# N\n\n- one\n- changed ^m-a\n",
        "# N\n\n- one\n",
        before + "- new ^m-b\n",
        before + "\n## S\n\n- new ^m-b\n",
    ):
        check_edit(before, text, frozenset({"m-a", "m-b"}))
    check_edit("# N\n\n- one", "# N\n\n- one\n- new ^m-b", frozenset({"m-b"}))
