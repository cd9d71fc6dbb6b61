from __future__ import annotations

import os
import signal

from memfs.processes import Process, process_start
from tests.vault import conftest
from tests.vault.conftest import Child, read_line

child = conftest.child


def test_this_process_runs() -> None:
    start = process_start(os.getpid())
    assert start
    assert Process(os.getpid(), start).is_running()
    assert not Process(os.getpid(), start + "0").is_running()


def test_a_child_runs_until_it_is_killed_and_a_zombie_does_not(child: Child) -> None:
    other = child("import sys; print('up', flush=True); sys.stdin.readline()")
    assert read_line(other) == "up"
    process = Process(other.pid, process_start(other.pid) or "")
    assert process.is_running()
    other.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)  # dead, not yet collected
    assert not process.is_running()
    other.wait()
    assert not process.is_running()


def test_no_such_process() -> None:
    for pid in (0, -1, 2**22 + 1):
        assert process_start(pid) is None
