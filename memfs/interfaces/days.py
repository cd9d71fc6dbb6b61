"""Days and moments as people and programs write them, read in one place."""

from __future__ import annotations

from datetime import date, datetime

from memfs.errors import InvalidRequest


def read_day(value: date | str | None) -> date | None:
    """A day, or a moment, as ISO 8601 writes it; what is one already stays as it is.

    Raises:
        InvalidRequest: it is none.
    """
    if value is None or isinstance(value, date):
        return value
    try:
        if len(value) <= len("2026-11-30"):
            return date.fromisoformat(value)
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidRequest(f"not a date: {value!r} (write it like 2026-11-30)") from None


def day_of(value: date | str | None) -> date | None:
    """The same, a moment as its day.

    Raises:
        InvalidRequest: it is none.
    """
    found = read_day(value)
    return found.date() if isinstance(found, datetime) else found
