"""Whether a recorded process still lives. A pid alone is reused; pid and start time are not."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process for a record on disk; ``start`` is opaque and includes the boot."""

    pid: int
    start: str

    def is_running(self) -> bool:
        """Whether this very process (not a later one of the same number) runs on this host."""
        return process_start(self.pid) == self.start


def process_start(pid: int) -> str | None:
    """When process ``pid`` started, in a form to compare; None when it does not run (a zombie does not)."""
    if pid <= 0:
        return None
    return _start_by_ps(pid) if sys.platform == "darwin" else _start_by_proc(pid)


def _start_by_proc(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name is in parentheses and may hold spaces and parentheses itself.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else f"{boot}/{fields[19]}"


def _start_by_ps(pid: int) -> str | None:
    import subprocess

    command = ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=10, env={"LC_ALL": "C", "TZ": "UTC"}
    )
    state, _, started = answer.stdout.strip().partition(" ")
    return None if not started or state.startswith("Z") else " ".join(started.split())
