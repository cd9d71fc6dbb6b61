"""`memfs up` by a shifted clock.

python -m tests.e2e.shifted_up VAULT SECONDS
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

from memfs.interfaces.cli.feeding import stopped_by_signals
from memfs.interfaces.http.logs import EventLog
from memfs.interfaces.http.running import run_up
from memfs.services.opening import open_vault


def main(top: str, seconds: str) -> None:
    """Serve the vault until a signal comes."""
    vault = open_vault(top, clock=lambda: datetime.now(UTC) + timedelta(seconds=float(seconds)))

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    log = EventLog(write, vault.now, as_json=False)
    run_up(vault, log=log, port=0, stop=stopped_by_signals())


if __name__ == "__main__":
    main(*sys.argv[1:])
