"""Times in questions."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.search.when import read_when

MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("query", "ranges"),
    [
        ("what happened yesterday", [(20261129, 20261129)]),
        ("last week", [(20261123, 20261129)]),
        ("上周组会", [(20261123, 20261129)]),
        ("this month", [(20261101, 20261130)]),
        ("上个月", [(20261001, 20261031)]),
        ("last year", [(20250101, 20251231)]),
        ("the past 10 days", [(20261120, 20261130)]),
        ("最近三天", [(20261127, 20261130)]),
        ("decided in March", [(20260301, 20260331), (20270301, 20270331)]),
        ("last August", [(20260801, 20260831)]),
        ("July 2026", [(20260701, 20260731)]),
        ("去年十月", [(20251001, 20251031)]),
        ("2026年2月", [(20260201, 20260228)]),
        ("first half of December", [(20251201, 20251215), (20261201, 20261215)]),
        ("十二月上旬", [(20251201, 20251210), (20261201, 20261210)]),
        ("Q3", [(20260701, 20260930)]),
        ("第三季度", [(20260701, 20260930)]),
        ("this summer", [(20260601, 20260831)]),
        ("winter 2025", [(20251201, 20260228)]),
        ("in 2025", [(20250101, 20251231)]),
        ("2026-03", [(20260301, 20260331)]),
        ("on 2026-03-11", [(20260311, 20260311)]),
        ("last March, 2026-03-04", [(20260304, 20260304), (20260301, 20260331)]),
        ("three days ago", [(20261127, 20261127)]),
        ("a couple of weeks ago", [(20261113, 20261119)]),
        ("a month ago", [(20261001, 20261031)]),
        ("the last two weeks", [(20261116, 20261130)]),
        ("last Tuesday", [(20261124, 20261124)]),
        ("last Monday", [(20261123, 20261123)]),
        ("next Friday", [(20261204, 20261204)]),
        ("last weekend", [(20261128, 20261129)]),
        ("last night", [(20261129, 20261129)]),
        ("上周三的会议", [(20261125, 20261125)]),
        ("本周日", [(20261206, 20261206)]),
        ("上周末", [(20261128, 20261129)]),
        ("三天前", [(20261127, 20261127)]),
        ("两周之前", [(20261113, 20261119)]),
        ("两个月前", [(20260901, 20260930)]),
        ("去年三月", [(20250301, 20250331)]),
    ],
)
def test_times(query: str, ranges: list[tuple[int, int]]) -> None:
    assert list(read_when(query, MONDAY).ranges) == ranges


@pytest.mark.parametrize(
    "query",
    [
        "how should I contact May",
        "may I march on",
        "19 May outage",
        "上海",
        "9999-99-99",
        "port 2024x",
        "十百月",
        "who reviews deploys on Friday",
        "周三站会",
        "the weekend rule",
    ],
)
def test_what_is_no_time(query: str) -> None:
    when = read_when(query, MONDAY)
    assert when.ranges == ()
    assert when.rest == query


def test_words_of_time_leave_the_question_and_figures_stay() -> None:
    assert read_when("signing key last week", MONDAY).rest.split() == ["signing", "key"]
    assert "2026-03-11" in read_when("what of 2026-03-11", MONDAY).rest


@given(st.text(max_size=100), st.dates(min_value=date(1990, 1, 1), max_value=date(2100, 1, 1)))
def test_any_text_on_any_day(query: str, today: date) -> None:
    when = read_when(query, today)
    assert len(when.rest) == len(query)
    assert all(first <= last for first, last in when.ranges)
