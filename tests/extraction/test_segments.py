from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.segments import cut_segments, estimate_tokens
from memfs.model import Turn

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def turns_with(gaps: list[int], size: int = 20) -> list[Turn]:
    time, turns = START, []
    for number, gap in enumerate(gaps):
        time += timedelta(minutes=gap)
        turns.append(
            Turn("user" if number % 2 == 0 else "assistant", "x" * size, time.isoformat(), id=str(number))
        )
    return turns


@given(st.lists(st.integers(0, 200), max_size=120), st.integers(1, 50), st.integers(1, 200))
def test_every_turn_lies_in_exactly_one_segment_in_order(gaps: list[int], most: int, tokens: int) -> None:
    turns = turns_with(gaps)
    segments = cut_segments(turns, zone=UTC, max_turns=most, max_tokens=tokens)
    assert [turn for segment in segments for turn in segment.turns] == turns
    assert [segment.start for segment in segments] == [turns.index(segment.turns[0]) for segment in segments]
    for segment in segments:
        assert len(segment.turns) <= most
        size = sum(estimate_tokens(turn.text) for turn in segment.turns)
        assert size <= tokens or len(segment.turns) == 1


@given(st.lists(st.integers(0, 200), min_size=1, max_size=60))
def test_context_is_earlier_user_turns_only(gaps: list[int]) -> None:
    turns = turns_with(gaps)
    for segment in cut_segments(turns, zone=UTC):
        assert segment.context == tuple(t for t in turns[: segment.start] if t.role == "user")[-4:]


def test_a_silence_over_an_hour_cuts() -> None:
    sizes = [len(each.turns) for each in cut_segments(turns_with([0, 5, 61, 60, 200]), zone=UTC)]
    assert sizes == [2, 2, 1]


def test_forty_turns_at_most() -> None:
    assert [len(each.turns) for each in cut_segments(turns_with([1] * 95), zone=UTC)] == [40, 40, 15]


def test_times_without_zone_are_local_and_broken_ones_do_not_cut() -> None:
    turns = [Turn("user", "a", "2026-03-01T09:00:00"), Turn("user", "b", "soon"), Turn("user", "c", None)]
    assert len(cut_segments(turns, zone=UTC)) == 1


def test_turns_before_the_batch_serve_as_context() -> None:
    earlier = [Turn("user", "before"), Turn("assistant", "yes")]
    (segment,) = cut_segments(turns_with([0]), zone=UTC, earlier=earlier)
    assert segment.context == (earlier[0],)


def test_cjk_counts_a_token_a_character() -> None:
    assert estimate_tokens("你好世界") == 4
    assert estimate_tokens("abcdefgh") == 2
