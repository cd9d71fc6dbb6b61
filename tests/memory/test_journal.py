"""Working memory: the guards of a rewrite, and a block in its document beside a person's edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.markdown.document import parse_document
from memfs.memory.journal import UNMENTIONED, Line, Page, alike, anchors, rewrite
from memfs.memory.journal_block import JournalBlock
from memfs.memory.journal_pages import anchor_id, read_block
from memfs.memory.merge import MergeResult, Snapshot, merge_drafts, missing_ids
from memfs.memory.undo import Version, undo_entries
from memfs.model import Evidence
from tests.memory.worlds import after

DAY = date(2026, 3, 1)
PATH = "journal/2026-03-01.md"


def said(hour: int = 9, message: str = "m1") -> Evidence:
    return Evidence("claude-code/s1", (message,), datetime(2026, 3, 1, hour, tzinfo=UTC))


def lines(**sections: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(name, text, said()) for name, texts in sections.items() for text in texts)


def old(section: str, text: str, **rest: Any) -> Line:
    return Line(section, text, id="m-" + section, **rest)


def texts(result: Sequence[Line], section: str | None = None) -> list[str]:
    return [line.text for line in result if section in (None, line.section)]


def rewritten(before: Sequence[Line], new: Sequence[Line], **options: Any) -> tuple[Line, ...]:
    return rewrite(before, new, **{"whole": True, "limit": 20} | options)[0]


# The guards


def test_errors_are_only_added_to() -> None:
    before = [old("errors", "The migration failed: column ledger.id is missing")]
    after_ = rewritten(before, lines(errors=["The pool ran out of connections"]))
    assert texts(after_) == [before[0].text, "The pool ran out of connections"]
    again = rewritten(
        before, lines(errors=["The migration failed since the column ledger.id is missing there"])
    )
    assert texts(again) == [before[0].text], "said again in other words it stays as it was written"


@pytest.mark.parametrize(
    ("line", "new", "kept"),
    [
        ("The ledger moves to PostgreSQL 16 on 2026-03-09", "The ledger moves to PostgreSQL", True),
        (
            "The ledger moves to PostgreSQL 16 on 2026-03-09",
            "On 2026-03-09 the ledger moves to PostgreSQL 16",
            False,
        ),
        ("We go with blue-green deploys", "Deploys are on Fridays", True),
        ("We go with blue-green deploys", "We go with blue-green deploys, decided by Priya", False),
        ("账本数据库改用 PostgreSQL 16", "账本数据库改用 PostgreSQL", True),
        ("账本数据库改用 PostgreSQL 16", "3 月起账本数据库改用 PostgreSQL 16", False),
    ],
)
def test_a_fact_goes_only_into_one_that_says_as_much(line: str, new: str, kept: bool) -> None:
    after_ = rewritten([old("facts", line)], lines(facts=[new]))
    assert texts(after_) == ([line, new] if kept else [new])


def test_a_named_file_is_not_lost_and_a_goal_keeps_its_numbers() -> None:
    before = [
        old("files", "src/ledger/migrate.py: the migration"),
        Line("goals", "Move 40 tables", id="m-g1"),
        Line("goals", "Look around", id="m-g2"),
    ]
    after_ = rewritten(before, lines(goals=["Finish the migration"], files=["src/app.py"]))
    assert set(texts(after_, "files")) == {"src/ledger/migrate.py: the migration", "src/app.py"}
    assert texts(after_, "goals") == ["Move 40 tables", "Finish the migration"]


@pytest.mark.parametrize(("issue", "mark"), [("The VPN drops at noon", "en"), ("VPN 中午断线", "zh")])
def test_an_open_issue_that_vanished_is_restored_once_and_marked(issue: str, mark: str) -> None:
    first = rewritten([old("issues", issue, box=" ")], ())
    assert texts(first) == [issue + UNMENTIONED[mark]]
    assert texts(rewritten(first, ())) == []
    assert texts(rewritten(first, lines(issues=[issue]))) == [issue], "named again it is open as before"


def test_a_solved_issue_is_ticked_and_then_may_go() -> None:
    (ticked,) = rewritten([old("issues", "The VPN drops at noon", box=" ")], (), solved=["The VPN drops"])
    assert (ticked.text, ticked.box) == ("The VPN drops at noon", "x")
    assert rewritten([ticked], ()) == ()


def test_what_is_only_added_takes_nothing_away() -> None:
    before = [old("goals", "Look around"), old("issues", "The VPN drops at noon", box=" ")]
    after_ = rewritten(before, lines(files=["a.py"]), whole=False)
    assert texts(after_) == ["Look around", "The VPN drops at noon", "a.py"]


def test_a_persons_line_stays_and_is_not_said_beside_it() -> None:
    mine = old("facts", "The VPN drops at 13:00", own=False)
    assert rewritten([mine], lines(facts=["The VPN drops at 12:00"])) == (mine,)
    assert rewritten([mine], ()) == (mine,)


def test_a_full_section_takes_no_more_and_says_so() -> None:
    result, dropped = rewrite(
        [old("errors", "One failed")], lines(errors=["Two broke", "Three crashed"]), whole=True, limit=2
    )
    assert texts(result) == ["One failed", "Two broke"]
    assert [each.reason for each in dropped] == ["errors and corrections: there are 2 lines already"]


def test_what_counts_as_an_anchor_and_as_alike() -> None:
    assert anchors("See src/a.py and README.md on 2026-03-09, 40 rows.") == {
        "src/a.py",
        "readme.md",
        "2026-03-09",
        "40",
    }
    assert not alike(old("facts", "The port is 5433"), Line("facts", "The port is 5434"))
    assert not alike(old("facts", "Tests run nightly"), Line("facts", "Deploys run weekly"))


# In the document


def block(
    state: str = "The ledger moves", *, hour: int = 9, session: str = "claude-code/s1", **page: Any
) -> JournalBlock:
    whole = Page("Ledger move", state, said(hour), **{"whole": True} | page)
    return JournalBlock("demo", DAY, session, "09:00", whole)


def merged(snapshot: Snapshot, *blocks: JournalBlock, language: Any = "en") -> MergeResult:
    return merge_drafts(snapshot, (), identity="demo", language=language, today=DAY, changes=blocks)


def step(snapshot: Snapshot, *blocks: JournalBlock, language: Any = "en") -> Snapshot:
    return after(snapshot, merged(snapshot, *blocks, language=language))


EMPTY = Snapshot({PATH: None})
FULL = lines(
    goals=["Move the ledger"],
    facts=["PostgreSQL 16 it is"],
    files=["src/migrate.py"],
    errors=["pool.py: ran out of connections"],
    issues=["Who owns the backups?"],
)


def document(snapshot: Snapshot) -> str:
    return snapshot.documents[PATH] or ""


def bare(snapshot: Snapshot) -> str:
    """The document without ids."""
    return "\n".join(line.rpartition(" ^")[0] or line for line in document(snapshot).splitlines())


def edit(snapshot: Snapshot, before: str, now: str) -> Snapshot:
    assert before in document(snapshot)
    changed = document(snapshot).replace(before, now)
    gone = missing_ids({PATH: changed}, snapshot.ledgers)
    return replace(
        snapshot,
        documents={PATH: changed},
        deleted_at=dict.fromkeys(gone, datetime(2026, 3, 1, 10, tzinfo=UTC)),
    )


def test_a_block_as_it_is_read() -> None:
    world = step(EMPTY, block(lines=FULL))
    assert (
        bare(world)
        == """---
identity: demo
type: journal
created: 2026-03-01
---

# 2026-03-01

## 09:00 Ledger move

- The ledger moves

### Task and goals

- Move the ledger

### Key facts and decisions

- PostgreSQL 16 it is

### Files and context

- src/migrate.py

### Errors and corrections

- pool.py: ran out of connections

### Open issues

- [ ] Who owns the backups?"""
    )
    assert merged(world, block(lines=FULL)).documents == {}, "the same again changes nothing"


def test_two_sessions_of_a_day_with_one_title_have_a_block_each() -> None:
    world = step(EMPTY, block(lines=FULL), block("Another", session="claude-code/s2"), language="zh")
    headings = [section.title for section in parse_document(document(world)).sections]
    assert headings[:2] == ["2026-03-01", "09:00 Ledger move"]
    assert headings[-1] == "09:00 Ledger move (2)"
    assert "### 未决问题" in document(world)
    other = read_block(parse_document(document(world)), anchor_id("demo", DAY, "claude-code/s2"))
    assert other == ("Another", ())


def test_a_block_is_brought_up_to_date_in_place() -> None:
    world = step(EMPTY, block(lines=FULL), block("Another", session="claude-code/s2"))
    new = lines(goals=["Verify the move"], facts=["PostgreSQL 16 it is, with pgBackRest"])
    world = step(world, block("It has moved", hour=12, lines=new, solved=("Who owns the backups",)))
    told = bare(world)
    assert "- It has moved\n" in told
    assert "The ledger moves" not in told
    assert "- Verify the move\n" in told
    assert "- Move the ledger\n" not in told
    assert "- PostgreSQL 16 it is, with pgBackRest\n" in told
    assert "- src/migrate.py" in told
    assert "- pool.py: ran out of connections" in told
    assert "- [x] Who owns the backups?" in told
    assert told.endswith("## 09:00 Ledger move (2)\n\n- Another")
    assert document(world).count(f"^{anchor_id('demo', DAY, 'claude-code/s1')}") == 1


def test_a_persons_edits_win() -> None:
    world = step(EMPTY, block(lines=FULL))
    world = edit(world, "## 09:00 Ledger move", "## My morning")
    world = edit(world, "- The ledger moves ^", "- The ledger moves, slowly ^")
    world = edit(world, "- PostgreSQL 16 it is ^", "- PostgreSQL 17 it is ^")
    world = edit(world, "- [ ] Who", "- [X] Who")
    world = edit(world, "### Open issues\n", "### Open issues\n\nA word of mine.\n")
    new = lines(facts=["PostgreSQL 16 it is"], issues=["Nobody restores backups"])
    told = bare(step(world, block("It has moved", hour=12, lines=new)))
    for kept in (
        "## My morning",
        "- The ledger moves, slowly",
        "- PostgreSQL 17 it is",
        "- [X] Who owns the backups?",
    ):
        assert kept in told
    assert "A word of mine." in told
    assert "PostgreSQL 16" not in told
    assert "- [ ] Nobody restores backups" in told
    assert "09:00 Ledger move" not in told


def test_a_deleted_line_stays_deleted_and_a_deleted_block_too() -> None:
    world = step(EMPTY, block(lines=FULL))
    line = next(each for each in document(world).splitlines(keepends=True) if "pool.py" in each)
    world = step(edit(world, line, ""), block(hour=12, lines=FULL))
    assert "pool.py" not in document(world)
    taken_out = "# 2026-03-01\n\nNothing of note.\n"
    gone = missing_ids({PATH: taken_out}, world.ledgers)
    world = replace(
        world,
        documents={PATH: taken_out},
        deleted_at=dict.fromkeys(gone, datetime(2026, 3, 1, 13, tzinfo=UTC)),
    )
    assert document(step(world, block(hour=12, lines=FULL))) == taken_out


def test_older_things_are_added_and_take_nothing_away() -> None:
    world = step(EMPTY, block("It has moved", hour=12, lines=FULL))
    world = step(world, block("It begins", hour=8, lines=lines(goals=["Plan the move"])))
    told = bare(world)
    assert "- It has moved" in told
    assert "It begins" not in told
    assert "- Move the ledger\n- Plan the move" in told


def test_a_document_that_must_wait_is_left_and_told() -> None:
    snapshot = replace(EMPTY, deferred={PATH: "the file has a git filter"})
    result = merged(snapshot, block(lines=FULL))
    assert (result.documents, result.outcomes) == ({}, ())
    assert [each.reason for each in result.dropped] == [f"{PATH}: the file has a git filter"]


def test_two_sections_of_one_name_leave_the_block_as_it_is() -> None:
    world = step(EMPTY, block(lines=FULL))
    world = edit(world, "### Open issues\n", "### Open issues\n\n### Open issues\n")
    result = merged(world, block("Later", hour=12, lines=lines(issues=["Another one"])))
    assert result.documents == {}
    assert "2 sections are called" in result.dropped[0].reason


def test_undo_brings_the_block_back_as_it_was() -> None:
    first = step(EMPTY, block(lines=FULL))
    second = step(first, block("It has moved", hour=12, lines=lines(goals=["Verify the move"])))
    before = Version(first.documents, first.ledgers, first.marks)
    now = Version(second.documents, second.ledgers, second.marks)
    assert after(second, undo_entries(second, before, now)).documents == first.documents
    start = Version({PATH: None}, {}, "")
    undone = after(first, undo_entries(first, start, before))
    assert undone.documents == {PATH: None}
    assert step(undone, block(lines=FULL)).documents == {PATH: None}, "what was undone does not come back"


@pytest.mark.parametrize(
    "hostile",
    ["# Heading", "- [ ] item", "> [!note] x", "```sh", "x ^m-aaaaaaaaaaaaa", "a\nb", "<script>", "---"],
)
def test_no_text_becomes_structure(hostile: str) -> None:
    page = Page(
        hostile, hostile, said(), lines(goals=[hostile], facts=[hostile], issues=[hostile]), whole=True
    )
    world = step(EMPTY, JournalBlock("demo", DAY, "s1", "", page))
    read = parse_document(document(world))
    assert [section.level for section in read.sections] == [1, 2, 3, 3, 3]
    assert len(read.blocks) == 4
    assert all(each.kind == "item" for each in read.blocks)
    assert "m-aaaaaaaaaaaaa" not in read.block_ids
    assert merged(world, JournalBlock("demo", DAY, "s1", "", page)).documents == {}


# Over many rewrites


SAYINGS = [
    "The ledger moves to PostgreSQL 16 on 2026-03-09",
    "PostgreSQL it is",
    "src/migrate.py holds the script",
    "See README.md and src/app.py, 40 rows",
    "The VPN drops at noon",
    "Nobody owns the backups",
    "账本改用 PostgreSQL 16",
    "VPN 中午断线",
]
LINES = st.lists(
    st.builds(
        Line, st.sampled_from(["goals", "facts", "files", "errors", "issues"]), st.sampled_from(SAYINGS)
    ),
    max_size=6,
)
ROUNDS = st.lists(
    st.tuples(LINES, st.lists(st.sampled_from(SAYINGS), max_size=2), st.booleans()), min_size=1, max_size=6
)


@given(ROUNDS, st.sets(st.integers(0, 5)))
@settings(max_examples=300, deadline=None)
def test_no_rewrite_loses_what_the_guards_protect(
    rounds: list[tuple[list[Line], list[str], bool]], mine: set[int]
) -> None:
    block: tuple[Line, ...] = ()
    for number, (new, solved, whole) in enumerate(rounds):
        before = tuple(
            replace(line, id=line.id or f"m-{number}-{at}", own=line.own and at not in mine)
            for at, line in enumerate(block)
        )
        block = rewritten(before, new, solved=solved, whole=whole)
        assert [line for line in before if not line.own] == [line for line in block if not line.own]
        assert set(texts(before, "errors")) <= set(texts(block, "errors"))
        for line in before:
            if line.section in ("facts", "files"):
                kept = [each.text for each in block if anchors(line.text) <= anchors(each.text)]
                assert kept, f"{line.text} is lost"
            if not whole:
                assert any(line.id == each.id for each in block), "what is added to loses nothing"
        ids = [line.id for line in block if line.id]
        assert len(ids) == len(set(ids))


@given(st.lists(st.tuples(LINES, st.integers(8, 20), st.booleans()), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_whatever_is_written_is_a_sound_document_and_is_written_once(
    rounds: list[tuple[list[Line], int, bool]],
) -> None:
    world = EMPTY
    for new, hour, whole in rounds:
        told = block("It goes on", hour=hour, lines=tuple(new), whole=whole)
        world = step(world, told)
        read = parse_document(document(world))
        assert read.writable
        ids = [each.block_id for each in read.blocks]
        assert None not in ids
        assert len(ids) == len(set(ids))
    if whole:
        settled = step(world, told)  # what was restored and marked goes when it is left out again
        assert merged(settled, told).documents == {}
