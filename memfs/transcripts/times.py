"""Timestamps: one spelling for all formats, and their place in time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Seconds since 1970 stay below this for three thousand years; anything larger is in milliseconds.
_MILLISECONDS_FROM = 1e11
_LOOSE = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[ T,]*"
    r"(?:(上午|下午|凌晨|晚上|中午|早上|AM|PM)\s*)?(\d{1,2})[:：](\d{2})(?:[:：](\d{2}))?\s*(AM|PM|am|pm)?\Z"
)
_AFTERNOON = frozenset({"下午", "晚上", "PM", "pm"})
_MORNING = frozenset({"上午", "凌晨", "早上", "AM", "am"})


def stamp(value: Any) -> str | None:
    """A timestamp as turns carry it, or None if it is none.

    Instants (offset, ``Z``, unix seconds or milliseconds) become ``2026-03-01T09:00:00.200Z``; local times
    without a zone stay without one: ``2026-03-01T09:00:00``.
    """
    if isinstance(value, str):
        if len(value) == 24 and value[23] == "Z" and value[10] == "T" and value[19] == ".":
            return value  # what most clients write, and already what we want
        return _stamp_text(value.strip())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _stamp_number(value)
    return None


def _stamp_text(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return loose_stamp(text)
    if moment.tzinfo is not None:
        return _instant(moment)
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")


def _stamp_number(value: float) -> str | None:
    try:
        seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
        return _instant(_EPOCH + timedelta(seconds=seconds))
    except (OverflowError, ValueError):
        return None


def _instant(moment: datetime) -> str | None:
    try:
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    except OverflowError:
        return None


def loose_stamp(text: str) -> str | None:
    """A local date and time as people write it: ``2026/3/4 9:15``, ``2026年3月4日 下午9:15``."""
    found = _LOOSE.match(text.strip())
    if found is None:
        return None
    year, month, day, half, hour, minute, second, late = found.groups()
    hours = clock_hour(int(hour), half or late)
    try:
        moment = datetime(int(year), int(month), int(day), hours, int(minute), int(second or 0))
    except ValueError:
        return None
    return moment.isoformat(timespec="seconds")


def clock_hour(hour: int, half: str | None) -> int:
    """The hour of day (0..23) of a twelve-hour clock; ``half`` is 上午, 下午, AM, PM ... or None."""
    if half in _AFTERNOON and hour < 12:
        return hour + 12
    if half in _MORNING and hour == 12:
        return 0
    return hour


def turn_time(timestamp: str | None, zone: tzinfo) -> datetime | None:
    """When a turn was said, as an aware moment; times without a zone are taken to be in ``zone``.

    None for no time, and for one at the ends of the calendar, which no clock ever showed.
    """
    if timestamp is None:
        return None
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if not 1 < moment.year < 9999:  # moving it to another zone would leave the calendar
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
