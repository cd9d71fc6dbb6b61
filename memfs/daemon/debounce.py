"""When a transcript is due: after a pause in its growth, and not too soon after its identity's last run.

Pure. Times are seconds since the epoch, handed in. A timer only defers; nothing that was noticed is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAX_INTERVAL_SECONDS = 86400.0


@dataclass(frozen=True, slots=True)
class Timing:
    """``delay`` seconds of quiet after the last growth, ``interval`` seconds between runs of one identity."""

    delay: float
    interval: float


@dataclass(slots=True)
class _Waiting:
    identity: str
    grew: float


class Debounce:
    """The transcripts that wait, by name. ``timing`` may be changed at any time and counts from then on."""

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self._waiting: dict[str, _Waiting] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, name: str) -> bool:
        return name in self._waiting

    def grew(self, name: str, identity: str, at: float) -> None:
        """Note that the transcript ``name`` grew at ``at``; the latest growth counts."""
        known = self._waiting.get(name)
        if known is None or known.identity != identity:
            self._waiting[name] = _Waiting(identity, at)
        else:
            known.grew = max(known.grew, at)

    def forget(self, name: str) -> None:
        """The transcript is gone."""
        self._waiting.pop(name, None)

    def take_due(self, now: float, last_runs: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
        """Take what is due out, as (name, identity), the longest quiet first.

        ``last_runs`` says when each identity's extraction last ran.
        """
        ready = {name: self._due_at(item, now, last_runs) for name, item in self._waiting.items()}
        due = sorted(
            (name for name, at in ready.items() if at <= now),
            key=lambda name: (self._waiting[name].grew, name),
        )
        return tuple((name, self._waiting.pop(name).identity) for name in due)

    def next_due(self, now: float, last_runs: Mapping[str, float]) -> float | None:
        """When the next one is due; None when none waits."""
        return min((self._due_at(item, now, last_runs) for item in self._waiting.values()), default=None)

    def due_at(self, name: str, now: float, last_runs: Mapping[str, float]) -> float | None:
        """When ``name`` is due; None when it does not wait."""
        item = self._waiting.get(name)
        return None if item is None else self._due_at(item, now, last_runs)

    def _due_at(self, item: _Waiting, now: float, last_runs: Mapping[str, float]) -> float:
        # A time yet to come was told by a clock that was wrong: growth counts from now, a run not at all.
        item.grew = min(item.grew, now)
        quiet = item.grew + self.timing.delay
        last = last_runs.get(item.identity)
        if last is None or last > now:
            return quiet
        return max(quiet, last + min(self.timing.interval, MAX_INTERVAL_SECONDS))
