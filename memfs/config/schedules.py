"""When something is due: a cron expression of six fields, seconds first, in a time zone.

The only module that knows the cron library. It walks the field values; what a clock change does to them is decided
here. A schedule that names its hours is kept by the wall clock: a time that the change leaves out is due at the
change, one that it repeats is due once. A schedule of every hour (``*`` there) goes on in real time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

# The wall clock was never put back by more than this.
_LONGEST_REPEAT = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A cron expression in the zone that it is read in. Moments are aware; those given are in UTC."""

    expression: str
    zone: tzinfo

    def after(self, moment: datetime) -> datetime | None:
        """The first time that is due after ``moment``; None when there is none for 50 years."""
        now = moment.astimezone(UTC)
        return next((due for due in self._walk(now, reverse=False) if due > now), None)

    def until(self, moment: datetime) -> Iterator[datetime]:
        """The times that were due up to ``moment``, itself included, the latest first."""
        now, last = moment.astimezone(UTC), None
        for due in self._walk(now, reverse=True):
            if due <= now and due != last:
                yield due
                last = due

    def _walk(self, now: datetime, *, reverse: bool) -> Iterator[datetime]:
        from cronsim import CronSim

        local = now.astimezone(self.zone)
        begin = local + timedelta(seconds=1) if reverse and not local.microsecond else local
        if self._is_hourly():
            begin = begin.astimezone(UTC).astimezone(self.zone)
            yield from (due.astimezone(UTC) for due in CronSim(self.expression, begin, reverse=reverse))
            return
        wall = begin.replace(tzinfo=None) + (_LONGEST_REPEAT if reverse else timedelta())
        yield from (self._moment(due) for due in CronSim(self.expression, wall, reverse=reverse))

    def _is_hourly(self) -> bool:
        return self.expression.split()[2].startswith("*")

    def _moment(self, wall: datetime) -> datetime:
        """When the clock on the wall shows this for the first time; one that it leaves out: the change."""
        while (moment := wall.replace(tzinfo=self.zone).astimezone(UTC)).astimezone(self.zone).replace(
            tzinfo=None
        ) != wall:
            wall = wall.replace(second=0) + timedelta(minutes=1)
        return moment


def parse_schedule(text: str, zone: tzinfo) -> Schedule:
    """Read a cron expression. Raises ValueError, which says what is wrong with it."""
    from cronsim import CronSim, CronSimError

    fields = text.replace("?", "*").split()
    if len(fields) != 6:
        raise ValueError("six fields, seconds first")
    expression = " ".join(fields)
    try:
        CronSim(expression, datetime(2000, 1, 1))
    except CronSimError as error:
        raise ValueError(str(error)) from error
    return Schedule(expression, zone)


def schedule_problem(text: str) -> str | None:
    """What is wrong with a cron expression; None when nothing is."""
    try:
        parse_schedule(text, UTC)
    except ValueError as error:
        return str(error).lower()
    return None
