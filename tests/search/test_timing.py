"""What is said of the times that a question names."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.search.timing import Span, understood
from memfs.search.when import read_when

MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("what did we decide last March", [("last March", "2026-03-01", "2026-03-31")]),
        ("上周的决定", [("上周", "2026-11-23", "2026-11-29")]),
        ("三月", [("三月", "2026-03-01", "2026-03-31"), ("三月", "2027-03-01", "2027-03-31")]),
        (
            "2026-03-04 or yesterday",
            [("2026-03-04", "2026-03-04", "2026-03-04"), ("yesterday", "2026-11-29", "2026-11-29")],
        ),
        ("deploys on Friday", []),
    ],
)
def test_words_and_days(query: str, told: list[tuple[str, str, str]]) -> None:
    spans = [Span(words, date.fromisoformat(a), date.fromisoformat(b)) for words, a, b in told]
    assert list(understood(query, MONDAY)) == spans


QUERIES = st.text(max_size=60) | st.sampled_from(
    ["last March yesterday", "去年三月", "Q3 2025 to Q1", "今早和上周末"]
)


@given(QUERIES)
def test_something_is_said_exactly_when_the_ranking_goes_by_it(query: str) -> None:
    assert bool(understood(query, MONDAY)) == bool(read_when(query, MONDAY).ranges)


@given(
    st.lists(
        st.sampled_from(["last March", "yesterday", "2026-03-04", "上周", "三天前", "words"]), max_size=4
    )
)
def test_what_is_said_are_the_days_of_the_ranking(words: list[str]) -> None:
    query = ", ".join(words)
    told = {(_number(span.since), _number(span.until)) for span in understood(query, MONDAY)}
    assert told == set(read_when(query, MONDAY).ranges)


def _number(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day
