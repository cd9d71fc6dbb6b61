from __future__ import annotations

import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.dates import find_dates
from memfs.extraction.phrasebook import LANGUAGES, phrasebook

WEDNESDAY = date(2026, 6, 10)


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "the demo is tomorrow", "2026-06-11"),
        ("en", "the day after tomorrow at 5", "2026-06-12"),
        ("en", "due Friday", "2026-06-12"),
        ("en", "next Tuesday 9:30", "2026-06-16"),
        ("en", "the Thursday after next", "2026-06-18"),
        ("en", "a week from Friday", "2026-06-19"),
        ("en", "it went down last Friday", "2026-06-05"),
        ("en", "in two weeks to the day", "2026-06-24"),
        ("en", "we signed three years ago", "2023-06-10"),
        ("en", "by month end", "2026-06-30"),
        ("en", "by the end of this month", "2026-06-30"),
        ("en", "in Cardiff on 18 June", "2026-06-18"),
        ("en", "on January 3rd", "2027-01-03"),
        ("en", "live on the 15th", "2026-06-15"),
        ("en", "pushed to the 9th", "2026-07-09"),
        ("en", "expires 2026-09-03", "2026-09-03"),
        ("en", "yesterday's migration", "2026-06-09"),
        ("zh", "明天开会", "2026-06-11"),
        ("zh", "后天去深圳", "2026-06-12"),
        ("zh", "稿子下周五给", "2026-06-19"),
        ("zh", "周五前交", "2026-06-12"),
        ("zh", "上周三上线了", "2026-06-03"),
        ("zh", "月底之前", "2026-06-30"),
        ("zh", "十一月底之前", "2026-11-30"),
        ("zh", "八月一号给他看", "2026-08-01"),
        ("zh", "12 月 19 日年会", "2026-12-19"),
        ("zh", "下个月 8 号到期", "2026-07-08"),
        ("zh", "三天后出发", "2026-06-13"),
        ("zh", "昨天宕机了", "2026-06-09"),
        ("de", "übermorgen kommt er", "2026-06-12"),
        ("de", "muss in drei Wochen raus", "2026-07-01"),
        ("de", "am 3. Oktober", "2026-10-03"),
        ("es", "el viernes que viene", "2026-06-12"),
        ("es", "pasado mañana", "2026-06-12"),
        ("fr", "après-demain", "2026-06-12"),
        ("fr", "le 14 juillet", "2026-07-14"),
        ("ja", "来週の金曜日", "2026-06-19"),
        ("ja", "6月20日に納品", "2026-06-20"),
    ],
)
def test_days_become_absolute(language: str, text: str, day: str) -> None:
    (found,) = find_dates(text, WEDNESDAY, (phrasebook(language),))
    assert found.day.isoformat() == day
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I may march on with version 5.30 of 12"),
        ("en", "at home on thursdays"),
        ("en", "wiped every Sunday night"),
        ("en", "30 February"),
        ("en", "the second option of 3"),
        ("zh", "每周三开例会"),
        ("zh", "三周的时间"),
        ("zh", "3 号线坐两站"),
        ("zh", "第 5 号选手"),
        ("de", "guten Morgen"),
    ],
)
def test_what_is_no_single_day_is_left(language: str, text: str) -> None:
    assert find_dates(text, WEDNESDAY, (phrasebook(language),)) == []


def test_a_bare_day_lies_in_the_month_spoken_of() -> None:
    (found,) = find_dates("13 号给到设计", WEDNESDAY, (phrasebook("zh"),), anchor=date(2026, 11, 15))
    assert found.day == date(2026, 11, 13)


@given(st.text(max_size=120), st.dates(date(1990, 1, 1), date(2100, 1, 1)), st.sampled_from(LANGUAGES))
def test_any_text_is_read_without_an_error(text: str, base: date, language: str) -> None:
    spans = [(m.start, m.end) for m in find_dates(text, base, (phrasebook(language),))]
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


@pytest.mark.parametrize(
    "text",
    [
        "We decided that team A meets on Monday.",
        "the office closes at five on Friday",
        "Dana is on call on Wednesday",
        "deploys on Friday need a second reviewer",
        "the backup runs on Sunday",
        "I usually work from home on Friday",
    ],
)
def test_a_weekday_of_a_habit_is_no_one_day(text: str) -> None:
    assert find_dates(text, date(2026, 11, 30), (phrasebook("en"),)) == []


@pytest.mark.parametrize("text", ["每周一开会", "我们决定团队周一开会", "周五一律不发版", "规定周三交周报"])
def test_a_weekday_of_a_habit_is_no_one_day_in_chinese(text: str) -> None:
    assert find_dates(text, date(2026, 11, 30), (phrasebook("zh"),)) == []


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "on Friday we ship", 4),
        ("en", "the team meets by Friday", 4),
        ("en", "we decided to launch next Monday", 7),
        ("en", "the team will meet on Friday", 4),
        ("zh", "下周一开会", 7),
        ("zh", "这周五交稿", 4),
        ("zh", "周五前一律交齐", 4),
    ],
)
def test_deadlines_and_plans_keep_their_day(language: str, text: str, day: int) -> None:
    (found,) = find_dates(text, date(2026, 11, 30), (phrasebook(language),))
    assert found.day == date(2026, 12, day)
