"""The relay board as text: one line a baton, and nothing a person wrote is touched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.errors import InvalidDocument
from memfs.memory.board import (
    Baton,
    BoardLine,
    baton_id,
    channel_name,
    insert_lines,
    parse_board,
    remove_lines,
    render_line,
)
from memfs.memory.board_records import BatonRecord, BoardRecords, parse_records, render_records
from memfs.memory.board_rules import is_live, is_low_signal, is_overdue, leaves, shared_sequence

TIME = datetime(2026, 11, 30, 10, 30)
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HAND = "---\ntags: [a]\n---\r\n# My board\n\nProse that I wrote.\n\n- a plain item\n- [ ] a task\n"


def line(text: str = "Take Redis Streams", id: str = "r-1", number: int = 12) -> BoardLine:
    return BoardLine(id, TIME, "feishu", number, "user", text)


def baton(hours: float = 0, **more: object) -> Baton:
    made = Baton("r-1", NOW - timedelta(hours=hours), "feishu", 1, "user", "x")
    return Baton(**{**{name: getattr(made, name) for name in made.__slots__}, **more})  # type: ignore[arg-type]


def test_a_line_is_as_the_protocol_says() -> None:
    assert render_line(line()) == "- 2026-11-30T10:30:00 feishu#012 user: Take Redis Streams ^r-1"
    assert parse_board(render_line(line())) == (line(),)


texts = st.text(min_size=1, max_size=80).filter(lambda text: bool(text.strip()))


@given(texts)
def test_any_text_is_one_line_and_one_baton(text: str) -> None:
    shown = render_line(line(text))
    assert "\n" not in shown
    found = parse_board(f"# Relay board\n\n{shown}\n- after\n")
    assert [one.id for one in found] in (["r-1"], [])  # [] where nothing visible is left of the text
    assert not found or render_line(found[0]) == " ".join(shown.split())


@given(st.lists(texts, min_size=1, max_size=5), st.sampled_from([None, HAND, "", "no newline at the end"]))
def test_what_is_put_on_a_board_can_be_taken_off_and_the_rest_keeps_its_bytes(
    said: list[str], before: str | None
) -> None:
    lines = [line(f"x{text}", f"r-{number}") for number, text in enumerate(said)]
    board = insert_lines(before, lines)
    found = parse_board(board)
    assert [one.id for one in found] == [one.id for one in lines]
    assert insert_lines(board, lines) == board
    left = remove_lines(board, {one.id: one.text for one in found})
    assert parse_board(left) == ()
    assert [row for row in left.splitlines() if row.strip()] == [
        row for row in (before if before is not None else "# Relay board").splitlines() if row.strip()
    ]


def test_lines_by_hand_count_and_keep_their_place() -> None:
    text = (
        "# Board\n\n- 2026-11-30T09:00 desk#3 assistant: written by hand\n- not a baton\n"
        "- 2026-11-30T09:01:00 desk#4 user：全角冒号 ^own-id\n"
        "- 2026-13-45T09:01:00 desk#5 user: no such day\n```\n- 2026-11-30T09:01:00 desk#6 user: code\n```\n"
    )
    first, second = parse_board(text)
    assert (first.text, first.sequence, second.id, second.text) == (
        "written by hand",
        3,
        "own-id",
        "全角冒号",
    )
    assert remove_lines(text, {"own-id": "全角冒号"}) == text.replace(
        "- 2026-11-30T09:01:00 desk#4 user：全角冒号 ^own-id\n", ""
    )
    assert remove_lines(text, {first.id: first.text}).startswith("# Board\n\n- not a baton\n")


def test_a_line_that_says_something_else_by_now_stays() -> None:
    board = insert_lines(None, [line("new words")])
    assert remove_lines(board, {"r-1": "old words"}) == board


def test_a_copied_line_is_another_baton() -> None:
    copied = f"{render_line(line())}\n{render_line(line())}\n"
    first, second = parse_board(copied)
    assert first.id == "r-1"
    assert second.id not in ("r-1", "")


def test_what_a_person_nested_under_a_baton_stays() -> None:
    board = f"{render_line(line())}\n  - my remark\n{render_line(line('other', 'r-2'))}\n"
    left = remove_lines(board, {"r-1": "Take Redis Streams"})
    assert "my remark" in left
    assert [one.id for one in parse_board(left)] == ["r-2"]


def test_a_board_with_conflict_markers_is_not_written() -> None:
    with pytest.raises(InvalidDocument):
        insert_lines("<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", [line()])


def test_crlf_and_bom_are_kept() -> None:
    board = insert_lines("\ufeff# B\r\n\r\n- a\r\n", [line()])
    assert board == f"\ufeff# B\r\n\r\n- a\r\n{render_line(line())}\r\n"


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [("feishu", "feishu"), ("微信 群", "微信-群"), ("a#1: b", "a-1-b"), ("x" * 90, "x" * 40), ("#:", "")],
)
def test_a_channel_is_one_word(given_name: str, shown: str) -> None:
    assert channel_name(given_name) == shown


def test_ids_are_those_of_the_same_parts() -> None:
    assert baton_id("a", "b") == baton_id("a", "b") != baton_id("ab", "")


# When it leaves


def test_a_baton_lives_for_a_day_and_longer_while_nothing_has_read_it() -> None:
    assert is_live(baton(23.9, done=True), NOW)
    assert not is_live(baton(24, done=True), NOW)
    assert is_live(baton(500), NOW)
    assert not is_live(baton(24, bootstrap=True), NOW)
    assert is_overdue(baton(24), NOW)
    assert not is_overdue(baton(24, done=True), NOW)
    assert not is_overdue(baton(24, bootstrap=True), NOW)
    assert is_live(baton(-5, done=True), NOW)  # a clock that was wrong


def test_a_merge_that_wrote_something_clears_what_is_done() -> None:
    assert leaves(baton(1, done=True), NOW, wrote=True)
    assert not leaves(baton(1, done=True), NOW, wrote=False)
    assert not leaves(baton(100), NOW, wrote=True)
    assert leaves(baton(1, bootstrap=True), NOW, wrote=True)


def test_a_reply_shares_the_number_of_its_question() -> None:
    asked = baton(sequence=7, session="s")
    assert shared_sequence([asked], "feishu", "s") == 7
    assert shared_sequence([asked], "feishu", "other") is None
    assert shared_sequence([asked, baton(sequence=7, session="s", role="assistant")], "feishu", "s") is None


LOW = [
    "ok",
    "OK!",
    "okay",
    "好的",
    "好的，收到",
    "thanks a lot",
    "👍",
    "123",
    "哈哈哈",
    "...",
    "嗯嗯",
    "got it, thanks",
    "hahaha",
]
TOLD = [
    "yes",
    "done",
    "copy the file",
    "好消息：上线",
    "部署了",
    "Use RabbitMQ",
    "no",
    "ok, we take Redis",
    "v2",
]


@pytest.mark.parametrize("text", LOW)
def test_acknowledgements_tell_nothing(text: str) -> None:
    assert is_low_signal(text)


@pytest.mark.parametrize("text", TOLD)
def test_a_short_answer_tells_something(text: str) -> None:
    assert not is_low_signal(text)


# Records


def test_records_are_read_as_they_are_written() -> None:
    one = BatonRecord("r-1", NOW.isoformat(), "feishu", 3, "user", "s", "m", "hash")
    other = BatonRecord("r-2", NOW.isoformat(), "微信", 9, "assistant")
    records = BoardRecords(seeded="2026-11-30").with_batons(one, other)
    assert parse_records(render_records(records)) == records
    assert records.last == {"feishu": 3, "微信": 9}


def test_lines_that_cannot_be_read_are_told() -> None:
    zoneless = '{"id": "r", "time": "2026-11-30T10:00:00", "channel": "a", "sequence": 1, "role": "user"}'
    records = parse_records(f'{{"id": "r-1"}}\nnonsense\n[1]\n{zoneless}\n' + '{"channel": "a", "last": 4}\n')
    assert len(records.problems) == 4
    assert records.last == {"a": 4}
