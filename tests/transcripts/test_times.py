"""Timestamps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from memfs.transcripts.times import stamp, turn_time

BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-01T09:00:00.200Z", "2026-03-01T09:00:00.200Z"),
        ("2026-03-01T09:00:00Z", "2026-03-01T09:00:00.000Z"),
        ("2026-03-01T09:00:00.123456Z", "2026-03-01T09:00:00.123Z"),
        ("2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00.000Z"),
        ("2026-03-01T09:00:00", "2026-03-01T09:00:00"),
        ("2026-03-01 09:00", "2026-03-01T09:00:00"),
        ("2026/3/1 9:00", "2026-03-01T09:00:00"),
        ("2026年3月1日 下午9:05", "2026-03-01T21:05:00"),
        ("2026-03-01 12:05 AM", "2026-03-01T00:05:00"),
        (1777629600, "2026-05-01T10:00:00.000Z"),
        (1777629603.5, "2026-05-01T10:00:03.500Z"),
        (1777629600000, "2026-05-01T10:00:00.000Z"),
        ("yesterday", None),
        ("2026-13-45 09:00", None),
        (None, None),
        (True, None),
        (float("nan"), None),
        (1e300, None),
        ([], None),
    ],
)
def test_stamp(value: Any, expected: str | None) -> None:
    assert stamp(value) == expected


def test_local_times_are_taken_in_the_given_zone() -> None:
    assert turn_time("2026-03-01T09:00:00", BERLIN) == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert turn_time("2026-03-01T09:00:00.000Z", BERLIN) == datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("value", [None, "", "soon", "2026-99-99T00:00:00.000Z"])
def test_no_time_is_none(value: str | None) -> None:
    assert turn_time(value, UTC) is None
