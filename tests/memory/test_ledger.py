"""Ledger and marks: lines that survive branch merges."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memfs.memory.ledger import LedgerRecord, parse_ledger, render_ledger
from memfs.memory.marks import Mark, blocks_entry, blocks_text, parse_marks, render_marks
from tests.memory.conftest import on_day

B32 = "abcdefghijklmnopqrstuvwxyz234567"
HASHES = st.text(B32, min_size=20, max_size=20)
IDS = st.text(B32, min_size=13, max_size=13).map(lambda text: f"m-{text}")
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
RECORDS = st.builds(
    LedgerRecord,
    IDS,
    HASHES | st.tuples(HASHES, st.text(B32, min_size=6, max_size=6)).map(".".join),
    TIMES,
    st.sampled_from(["extracted", "hand", "remembered"]),
    st.sampled_from([None, " ", "x", "/", "-", "?"]),
    st.sampled_from([None, "notes.md", "projects/my project.md", "peers/bob/笔记.md"]),
)


@given(st.lists(RECORDS))
def test_what_is_written_is_read(records: list[LedgerRecord]) -> None:
    text = render_ledger(records)
    read, problems = parse_ledger(text)
    assert set(read) == set(records)
    assert not problems
    assert render_ledger(read) == text
    assert text.splitlines() == sorted(set(text.splitlines()))


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    records, problems = parse_ledger(text)
    assert parse_marks(text)
    assert len(records) + len(problems) <= len(text.splitlines())


def test_the_line_is_frozen() -> None:
    record = LedgerRecord("m-abcdefghijklm", "q" * 20, on_day(11), "extracted", " ", "projects/mercury.md")
    line = f"m-abcdefghijklm {'q' * 20} 2026-03-11T09:00:00Z extracted box=_ at=projects/mercury.md\n"
    assert render_ledger([record]) == line
    assert parse_ledger(line) == ((record,), ())


def test_times_are_compared_and_written_in_utc() -> None:
    local = datetime(2026, 3, 11, 17, tzinfo=timezone(timedelta(hours=8)))
    assert "2026-03-11T09:00:00Z" in render_ledger([LedgerRecord("m-a", "q" * 20, local)])
    naive = LedgerRecord("m-a", "q" * 20, datetime(2026, 3, 11, 9))
    assert parse_ledger(render_ledger([naive]))[0][0].time == on_day(11)


def test_a_union_merge_keeps_both_records_and_broken_lines_are_named() -> None:
    one, two = (LedgerRecord("m-a", letter * 20, on_day(1)) for letter in "ab")
    text = f"{render_ledger([one])}<<<<<<< HEAD\n{render_ledger([two])}\nm-b nonsense\n"
    records, problems = parse_ledger(text)
    assert records == (one, two)
    assert problems == ("line 2 is not a ledger record", "line 5 is not a ledger record")


@given(
    st.lists(
        st.builds(Mark, st.just("text"), HASHES) | st.builds(Mark, st.just("entry"), IDS, st.none() | TIMES)
    )
)
def test_marks_are_read_as_written(marks: list[Mark]) -> None:
    text = render_marks(marks)
    read, problems = parse_marks(text)
    assert set(read) <= set(marks)
    assert not problems
    assert render_marks(read) == text


def test_of_several_marks_of_one_id_the_latest_counts() -> None:
    marks = [Mark("entry", "m-a", on_day(1)), Mark("entry", "m-a", on_day(5)), Mark("entry", "m-b", None)]
    assert render_marks(marks) == "entry m-a 2026-03-05T09:00:00Z\nentry m-b -\n"
    assert render_marks([*marks, Mark("entry", "m-a", None)]).startswith("entry m-a -\n")


def test_an_entry_mark_blocks_evidence_up_to_its_time() -> None:
    marks = (Mark("entry", "m-a", on_day(5)), Mark("entry", "m-b", None), Mark("text", "q" * 20))
    assert blocks_entry(marks, "m-a", on_day(4))
    assert blocks_entry(marks, "m-a", on_day(5))
    assert not blocks_entry(marks, "m-a", on_day(6))
    assert blocks_entry(marks, "m-b", on_day(28))
    assert not blocks_entry(marks, "m-c", on_day(1))
    assert blocks_text(marks, "q" * 20)
    assert not blocks_text(marks, "r" * 20)


def test_broken_marks_are_named() -> None:
    assert parse_marks("text short\n\nentry m-a yesterday\n") == (
        (),
        ("line 1 is not a mark", "line 3 is not a mark"),
    )
