"""Slots: the times at which the daily run is due. Each is done once, whoever asks and however often.

A slot is done for an identity when its extraction succeeded in it, or nothing was pending; it is closed when that
holds for all, and the files were archived. What is due is looked up by the slots that were not closed yet, so a
machine that was off catches up at the next start.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from memfs.config.schedules import Schedule, parse_schedule
from memfs.vault.local import LocalState
from memfs.vault.records import close_slot, closed_slot, mark_slot, slot_done

if TYPE_CHECKING:
    from memfs.services.opening import Vault

# After a long absence only so many slots are gone through: each run takes up all that waits anyway.
MOST_CAUGHT_UP = 31
_ARCHIVED = "/archived"  # no identity's name: they have no slash


@dataclass(frozen=True, slots=True)
class Slot:
    """One time at which the daily run is due. ``day`` is its day in the person's zone."""

    due: datetime
    day: date

    @property
    def name(self) -> str:
        """What it is called on record: its time in UTC, so that names sort by time."""
        return self.due.astimezone(UTC).isoformat(timespec="seconds")


def schedule_of(vault: Vault) -> Schedule:
    """The vault's schedule, in its time zone."""
    return parse_schedule(vault.config.daily.schedule, vault.zone)


def due_slots(vault: Vault) -> tuple[Slot, ...]:
    """The slots that are due and not closed, the oldest first; on a new vault only the latest."""
    last = _last_closed(vault)
    most = 1 if last is None else MOST_CAUGHT_UP
    found = takewhile(lambda due: last is None or due > last, schedule_of(vault).until(vault.clock()))
    slots = [Slot(due, due.astimezone(vault.zone).date()) for due, _ in zip(found, range(most), strict=False)]
    return tuple(reversed(slots))


def next_slot(vault: Vault) -> datetime | None:
    """When the next slot is due."""
    return schedule_of(vault).after(vault.clock())


class SlotBook:
    """What is done of one slot, on record."""

    def __init__(self, vault: Vault, slot: Slot) -> None:
        self.slot = slot
        self._vault = vault
        self._state = LocalState(vault.layout)

    @property
    def closed(self) -> bool:
        """Whether nothing of it is left to do."""
        last = _last_closed(self._vault)
        return last is not None and last >= self.slot.due

    def is_done(self, identity: str) -> bool:
        """Whether it is done for an identity."""
        return identity in slot_done(self._state, self.slot.name)

    def done(self, identity: str) -> None:
        """Its extraction succeeded."""
        mark_slot(self._state, self.slot.name, identity)

    @property
    def archived(self) -> bool:
        """Whether its archiving was gone through."""
        return _ARCHIVED in slot_done(self._state, self.slot.name)

    def note_archived(self) -> None:
        """Its archiving was gone through."""
        mark_slot(self._state, self.slot.name, _ARCHIVED)

    def close(self) -> None:
        """Nothing of it is left to do."""
        close_slot(self._state, self.slot.name)


def _last_closed(vault: Vault) -> datetime | None:
    """The slot that was closed last; a time yet to come was told by a clock that was wrong, and does not count."""
    name = closed_slot(LocalState(vault.layout))
    last = datetime.fromisoformat(name) if name else None
    return None if last is not None and last > vault.clock() else last
