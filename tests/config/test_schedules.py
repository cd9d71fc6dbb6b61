"""Schedules: six fields in a time zone, over days when the clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.config.schedules import Schedule, parse_schedule, schedule_problem

BERLIN = ZoneInfo("Europe/Berlin")
APIA = ZoneInfo("Pacific/Apia")
NIGHTLY = "0 59 23 * * *"


def at(text: str, zone: ZoneInfo = BERLIN, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


def following(schedule: Schedule, moment: datetime, count: int) -> list[str]:
    found = []
    for _ in range(count):
        due = schedule.after(moment)
        assert due is not None
        found.append(due.astimezone(schedule.zone).isoformat())
        moment = due
    return found


def test_a_day_ends_at_its_last_minute_in_summer_and_winter() -> None:
    schedule = parse_schedule(NIGHTLY, BERLIN)
    assert following(schedule, at("2026-10-24T12:00"), 3) == [
        "2026-10-24T23:59:00+02:00",
        "2026-10-25T23:59:00+01:00",
        "2026-10-26T23:59:00+01:00",
    ]


def test_a_time_that_the_clock_leaves_out_is_due_at_the_change() -> None:
    schedule = parse_schedule("30 30 2 * * *", BERLIN)
    assert following(schedule, at("2026-03-28T12:00"), 2) == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:30:30+02:00",
    ]


def test_a_time_that_the_clock_repeats_is_due_once() -> None:
    schedule = parse_schedule("0 30 2 * * *", BERLIN)
    assert following(schedule, at("2026-10-24T12:00"), 2) == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-26T02:30:00+01:00",
    ]
    second_time = at("2026-10-25T02:10", fold=1)
    assert next(schedule.until(second_time)) == at("2026-10-25T02:30").astimezone(UTC)


def test_a_schedule_of_every_hour_goes_on_in_real_time() -> None:
    schedule = parse_schedule("0 0 * * * *", BERLIN)
    dues = following(schedule, at("2026-10-25T01:30"), 3)
    assert dues == ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00"]
    assert following(schedule, at("2026-03-29T01:30"), 2) == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-29T04:00:00+02:00",
    ]


def test_a_day_that_a_country_skipped_has_its_slot_when_the_next_begins() -> None:
    schedule = parse_schedule(NIGHTLY, APIA)
    assert following(schedule, at("2011-12-29T12:00", APIA), 3) == [
        "2011-12-29T23:59:00-10:00",
        "2011-12-31T00:00:00+14:00",
        "2011-12-31T23:59:00+14:00",
    ]


def test_every_twenty_seconds() -> None:
    schedule = parse_schedule("*/20 * * * * *", BERLIN)
    start = datetime(2026, 11, 30, 10, 0, 5, tzinfo=UTC)
    assert [due[17:19] for due in following(schedule, start, 4)] == ["20", "40", "00", "20"]


def test_a_time_that_is_due_now_was_due() -> None:
    schedule = parse_schedule(NIGHTLY, BERLIN)
    now = at("2026-11-30T23:59")
    assert next(schedule.until(now)) == now
    assert next(schedule.until(now - timedelta(microseconds=1))) == at("2026-11-29T23:59")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("59 23 * * *", "six fields"),
        ("0 61 23 * * *", "bad minute"),
        ("0 0 25 * * *", "bad hour"),
        ("0 0 0 30 2 *", "bad day-of-month"),
        ("0 0 0 * * MONDAY", "bad day-of-week"),
    ],
)
def test_a_schedule_that_cannot_be_says_why(text: str, problem: str) -> None:
    assert problem in (schedule_problem(text) or "")


@pytest.mark.parametrize("text", [NIGHTLY, "0 0 9-17/2 ? * MON-FRI", "*/20 * * * * *", "0 0 0 L * *"])
def test_schedules_that_can_be(text: str) -> None:
    assert schedule_problem(text) is None


@given(
    st.datetimes(datetime(2026, 3, 20), datetime(2026, 11, 5)),
    st.sampled_from([NIGHTLY, "0 30 2 * * *", "0 */30 2,3 * * *", "0 15 */3 * * *", "0 0 0 * * *"]),
)
def test_walking_back_and_forth_meets_the_same_times(start: datetime, text: str) -> None:
    schedule = parse_schedule(text, BERLIN)
    moment = start.replace(tzinfo=UTC)
    forward = []
    for _ in range(6):
        due = schedule.after(moment)
        assert due is not None
        assert due > moment
        forward.append(due)
        moment = due
    assert list(islice(schedule.until(forward[-1]), 6)) == forward[::-1]
