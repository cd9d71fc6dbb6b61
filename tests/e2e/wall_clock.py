"""A process that follows a vault's schedule by a clock in a file, and kills itself at a line of the log.

    python -m tests.e2e.wall_clock VAULT CLOCK UNTIL [WORD COUNT]

CLOCK holds the time (ISO); whoever waits moves it on. At each slot a new session is said before the run begins. At the
COUNT-th line that holds WORD the process ends by SIGKILL, as it stands.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from datetime import datetime, timedelta
from pathlib import Path

from memfs.daemon.schedule import follow_schedule
from memfs.services.opening import open_vault
from tests.services.talks import inbox, put_talk, talk


class FileClock:
    """A clock that outlives its process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self) -> datetime:
        return datetime.fromisoformat(self._path.read_text(encoding="utf-8"))

    def advance(self, seconds: float) -> datetime:
        now = self() + timedelta(seconds=seconds)
        self._path.write_text(now.isoformat(), encoding="utf-8")
        return now


class Waiting(threading.Event):
    """Waiting moves the clock; a new session comes with each slot that is waited for."""

    def __init__(self, clock: FileClock, folder: Path, until: datetime) -> None:
        super().__init__()
        self._clock, self._folder, self._until = clock, folder, until

    def wait(self, timeout: float | None = None) -> bool:
        now = self._clock.advance(timeout or 0)
        if now >= self._until:
            self.set()
        elif now.second % 20 == 0:
            name = f"talk-{now:%H%M%S}"
            put_talk(self._folder, talk(name, f"We decided to use tool{now:%H%M%S} for task{now:%H%M%S}."))
        return self.is_set()


def main(top: str, clock: str, until: str, word: str = "", count: str = "0") -> None:
    """Follow the schedule."""
    time = FileClock(Path(clock))
    vault = open_vault(top, clock=time)
    seen = 0

    def announce(line: str) -> None:
        nonlocal seen
        if word and word in line:
            seen += 1
            if seen == int(count):
                os.kill(os.getpid(), signal.SIGKILL)

    stop = Waiting(time, inbox(vault, "analyst"), datetime.fromisoformat(until))
    follow_schedule(vault, stop, announce=announce)


if __name__ == "__main__":
    main(*sys.argv[1:])
