"""Suggestions: offered, accepted, rejected, accepted by hand; and what was only inferred."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.errors import EntryNotFound
from memfs.memory.ids import text_hash
from memfs.memory.merge import Snapshot
from memfs.memory.suggestions import accept_suggestion, reject_suggestion
from memfs.memory.views import view_entries
from memfs.model import Draft
from tests.memory.conftest import draft_of
from tests.memory.worlds import after, merge

STAGE = draft_of(1, "projects", project="Mercury", stage="beta")[0]
LATER = draft_of(9, "projects", project="Mercury", stage="in production")[0]
LAST = draft_of(12, "projects", project="Mercury", stage="paused")[0]
DOC = STAGE.document


def offered() -> Snapshot:
    empty = Snapshot({})
    world = after(empty, merge(empty, [STAGE]))
    edited = replace(world, documents={DOC: (world.documents[DOC] or "").replace("beta", "nearly there")})
    return after(edited, merge(edited, [LATER]))


def actions(snapshot: Snapshot, *drafts: Draft) -> list[str]:
    return [each.action for each in merge(snapshot, drafts).outcomes]


def body(snapshot: Snapshot) -> str:
    return (snapshot.documents[DOC] or "").split("# Mercury\n\n")[1]


def test_a_suggestion_is_listed_as_one() -> None:
    views = view_entries(f"memories/demo/{DOC}", offered().documents[DOC] or "", root="")
    assert [(view.id, view.status, view.text) for view in views] == [
        (STAGE.id, None, "Mercury: stage: nearly there"),
        (f"{STAGE.id}-q", "suggestion", "Mercury: stage: in production"),
    ]


@pytest.mark.parametrize("suffix", ["", "-q"])
def test_accepting_puts_it_in_place(suffix: str) -> None:
    before = offered()
    done = after(before, accept_suggestion(before, STAGE.id + suffix))
    assert body(done) == f"- stage: in production ^{STAGE.id}\n"
    assert actions(done, LATER) == ["unchanged"]
    assert actions(done, LAST) == ["updated"]


def test_rejecting_takes_it_away_for_good() -> None:
    before = offered()
    done = after(before, reject_suggestion(before, STAGE.id))
    assert body(done) == f"- stage: nearly there ^{STAGE.id}\n"
    assert f"text {text_hash(LATER.text)}" in done.marks
    assert actions(done, LATER) == ["forgotten"]
    assert actions(done, LAST) == ["suggested"]


@pytest.mark.parametrize(
    ("added", "left"),
    [
        ("  > ask Ana first\n  > and Bo\n", "  > ask Ana first\n  > and Bo\n"),
        ("  ask Ana first\n", "  > ask Ana first\n"),
        ("\n  a paragraph of mine\n", "\n  a paragraph of mine\n"),
    ],
)
def test_what_a_person_wrote_below_a_suggestion_stays(added: str, left: str) -> None:
    before = offered()
    text = (before.documents[DOC] or "") + added
    remarked = replace(before, documents={DOC: text})
    accepted = after(remarked, accept_suggestion(remarked, STAGE.id))
    assert body(accepted) == f"- stage: in production ^{STAGE.id}\n{left}"
    rejected = after(remarked, reject_suggestion(remarked, STAGE.id))
    assert body(rejected) == f"- stage: nearly there ^{STAGE.id}\n{left}"
    newer = after(remarked, merge(remarked, [LAST]))
    assert body(newer).endswith(f" stage: paused ^{STAGE.id}-q\n{added}")


def test_what_a_person_wrote_below_an_entry_stays_when_another_text_is_accepted() -> None:
    before = offered()
    line = f"- stage: nearly there ^{STAGE.id}\n"
    text = (before.documents[DOC] or "").replace(line, f"{line}  since the audit\n")
    remarked = replace(before, documents={DOC: text})
    accepted = after(remarked, accept_suggestion(remarked, STAGE.id))
    assert body(accepted) == f"- stage: in production ^{STAGE.id}\n  since the audit\n"


def test_accepting_by_hand_rejects_nothing() -> None:
    before = offered()
    by_hand = replace(before, documents={DOC: f"# Mercury\n\n- stage: in production ^{STAGE.id}\n"})
    done = after(by_hand, merge(by_hand, []))
    assert done.marks == ""
    assert actions(done, LATER) == ["kept"]


def test_an_edited_suggestion_is_accepted_as_it_stands() -> None:
    before = offered()
    edited = replace(before, documents={DOC: (before.documents[DOC] or "").replace("in production", "live")})
    done = after(edited, accept_suggestion(edited, STAGE.id))
    assert body(done) == f"- stage: live ^{STAGE.id}\n"


def test_nothing_offered_is_said() -> None:
    for change in (accept_suggestion, reject_suggestion):
        with pytest.raises(EntryNotFound, match="nothing is offered"):
            change(Snapshot({DOC: "# Mercury\n"}), STAGE.id)


def test_what_is_inferred_lands_as_a_suggestion() -> None:
    guess = replace(STAGE, inferred=True)
    before = Snapshot({DOC: "# Mercury\n\n- own line\n"})
    result = merge(before, [guess])
    assert [each.action for each in result.outcomes] == ["suggested"]
    offered_alone = after(before, result)
    assert f"> [!question] 2026-03-01: stage: beta ^{STAGE.id}-q\n" in body(offered_alone)
    assert not merge(offered_alone, [guess]).changed
    accepted = after(offered_alone, accept_suggestion(offered_alone, STAGE.id))
    assert body(accepted) == f"- own line\n- stage: beta ^{STAGE.id}\n"
    rejected = after(offered_alone, reject_suggestion(offered_alone, STAGE.id))
    assert rejected.documents == before.documents
    assert actions(rejected, guess) == ["forgotten"]


def test_what_was_guessed_and_then_said_is_an_entry() -> None:
    before = Snapshot({DOC: "# Mercury\n"})
    guessed = after(before, merge(before, [replace(STAGE, inferred=True)]))
    assert actions(guessed, LATER) == ["added"]


def test_a_guess_about_an_untouched_entry_is_offered_under_it() -> None:
    empty = Snapshot({})
    world = after(empty, merge(empty, [STAGE]))
    done = after(world, merge(world, [replace(LATER, inferred=True)]))
    assert body(done) == (
        f"- stage: beta ^{STAGE.id}\n  > [!question] 2026-03-09: stage: in production ^{STAGE.id}-q\n"
    )


OWN = "# Mercury\n\nIntroduction.\n\n* Stage: alpha, mine\n* own line\n"


def test_another_value_is_offered_under_a_persons_line() -> None:
    before = Snapshot({DOC: OWN})
    result = merge(before, [STAGE])
    assert [each.action for each in result.outcomes] == ["suggested"]
    done = after(before, result)
    assert done.documents[DOC] == OWN.replace(
        "mine\n", f"mine\n  > [!question] 2026-03-01: stage: beta ^{STAGE.id}-q\n"
    )
    assert not merge(done, [STAGE]).changed
    rejected = after(done, reject_suggestion(done, STAGE.id))
    assert rejected.documents == before.documents
    assert actions(rejected, STAGE) == ["forgotten"]


def test_accepting_it_makes_the_line_an_entry() -> None:
    before = Snapshot({DOC: OWN})
    offered_once = after(before, merge(before, [STAGE]))
    accepted = after(offered_once, accept_suggestion(offered_once, STAGE.id))
    assert accepted.documents[DOC] == OWN.replace("Stage: alpha, mine", f"stage: beta ^{STAGE.id}")
    assert actions(accepted, STAGE) == ["unchanged"]
    assert actions(accepted, LATER) == ["updated"]


def test_a_line_with_an_id_of_the_persons_own_keeps_it() -> None:
    before = Snapshot({DOC: "# Mercury\n\n- stage: alpha ^my-id\n"})
    offered_once = after(before, merge(before, [STAGE]))
    accepted = after(offered_once, accept_suggestion(offered_once, STAGE.id))
    assert accepted.documents[DOC] == "# Mercury\n\n- stage: beta ^my-id\n"
    assert actions(accepted, LATER) == ["updated"]
