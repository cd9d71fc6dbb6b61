"""The schedule kept: the daily run starts when a slot is due, and catches up on those that were missed.

One thread runs `follow_schedule`. It looks at the clock again at least once a minute, so that a machine that slept, or
whose clock was set, is not late for long; settings are read anew each time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.daemon.wording import notice, say
from memfs.errors import MemfsError
from memfs.services.daily import DailyResult, Progress, run_daily
from memfs.services.daily_run.slots import Slot, SlotBook, due_slots, next_slot
from memfs.services.opening import Vault, open_vault
from memfs.services.relay import relay_presses

if TYPE_CHECKING:
    from threading import Event

LOOK_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0  # between tries of what failed


@dataclass(frozen=True, slots=True)
class Watchers:
    """Who is told: lines of the log, progress, and the result of each run."""

    announce: Callable[[str], None] = lambda _: None
    progress: Callable[[Progress], None] = lambda _: None
    ended: Callable[[DailyResult], None] = lambda _: None


def follow_schedule(
    vault: Vault,
    stop: Event,
    *,
    announce: Callable[[str], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
    ended: Callable[[DailyResult], None] | None = None,
) -> None:
    """Start the daily run whenever it is due, until ``stop`` is set; what is under way ends after its session.

    ``announce`` is told the lines of the log, ``progress`` how far a run is, ``ended`` what came of it. Time is the
    vault's clock.
    """
    given = {"announce": announce, "progress": progress, "ended": ended}
    keeper = Keeper(vault, stop, Watchers(**{name: told for name, told in given.items() if told}))  # type: ignore[arg-type]
    while not stop.is_set():
        stop.wait(keeper.look())


class Keeper:
    """Keeps one vault's schedule, one look at a time."""

    def __init__(self, vault: Vault, stop: Event, told: Watchers) -> None:
        self._vault, self._stop, self._told = vault, stop, told
        self._failures = 0

    def look(self) -> float:
        """Do what is due now. Gives the seconds until the next look, by the vault's clock."""
        self._reload()
        try:
            self._failures = 0 if self._run_due() else self._failures + 1
        except Exception as error:  # noqa: BLE001  # the schedule goes on, whatever goes wrong in a run
            self._failures += 1
            reason = str(error) if isinstance(error, MemfsError) else f"{type(error).__name__}: {error}"
            self._told.announce(say(self._vault.language, notice("failed", reason=reason)))
        if self._failures:
            return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self._failures - 1)))
        due = next_slot(self._vault)
        left = LOOK_SECONDS if due is None else (due - self._vault.clock()).total_seconds()
        return min(LOOK_SECONDS, max(0.0, left))

    def _run_due(self) -> bool:
        """Run the slots that are due, the oldest first; whether all are done.

        Every run takes up all that waits, so after one that failed only the latest is left to try.
        """
        due = due_slots(self._vault)
        for slot in due:
            if self._stop.is_set() or self._run(slot):
                continue
            return slot is not due[-1] and self._run(due[-1])
        return due != () or self._run_pressing()

    def _run(self, slot: Slot) -> bool:
        self._start(slot, None)
        return SlotBook(self._vault, slot).closed

    def _run_pressing(self) -> bool:
        """A run brought forward, for each identity whose board holds much that nothing has read."""
        pressing = [name for name in self._vault.identities() if relay_presses(self._vault, name)]
        return all([not self._start(None, name).errors for name in pressing])

    def _start(self, slot: Slot | None, identity: str | None) -> DailyResult:
        result = run_daily(
            self._vault,
            identity=identity,
            announce=self._told.announce,
            progress=self._told.progress,
            slot=slot,
            stop=self._stop.is_set,
            pause=self._stop.wait,
        )
        self._told.ended(result)
        return result

    def _reload(self) -> None:
        """Read the settings again; wrong ones leave those before."""
        try:
            self._vault = open_vault(self._vault.top, environ=os.environ, clock=self._vault.clock)
        except MemfsError as error:
            self._told.announce(say(self._vault.language, notice("settings_wrong", reason=str(error))))
