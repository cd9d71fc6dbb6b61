from __future__ import annotations

import os
import signal
import threading

import pytest

from memfs.errors import VaultError, VaultLocked
from memfs.vault.layout import Layout, open_layout
from memfs.vault.lock import hold_file, hold_vault
from tests.vault.conftest import Child, read_line

HOLD = """
import sys
from memfs.vault.layout import open_layout
from memfs.vault.lock import hold_vault
with hold_vault(open_layout(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
print("free", flush=True)
sys.stdin.readline()
"""


def test_another_process_is_kept_out_and_named(layout: Layout, child: Child) -> None:
    other = child(HOLD, layout.top)
    assert read_line(other) == "held"
    with pytest.raises(VaultLocked, match=f"process {other.pid} on "), hold_vault(layout, timeout=0):
        pass
    assert other.stdin is not None
    other.stdin.write("\n")
    other.stdin.flush()
    assert read_line(other) == "free"
    with hold_vault(layout, timeout=0):
        pass


def test_waiting_ends_when_the_holder_lets_go(layout: Layout, child: Child) -> None:
    other = child(HOLD, layout.top)
    assert read_line(other) == "held"
    assert other.stdin is not None
    other.stdin.write("\n")
    other.stdin.flush()
    with hold_vault(layout, timeout=30):
        pass


def test_the_kernel_frees_the_lock_of_a_killed_process(layout: Layout, child: Child) -> None:
    other = child(HOLD, layout.top)
    assert read_line(other) == "held"
    other.send_signal(signal.SIGKILL)
    other.wait()
    with hold_vault(layout, timeout=0):
        pass


def test_threads_exclude_each_other(layout: Layout) -> None:
    counter = layout.top / "counter"
    counter.write_text("0")
    barrier = threading.Barrier(4)

    def count() -> None:
        barrier.wait()
        for _ in range(25):
            with hold_vault(layout, timeout=30):
                counter.write_text(str(int(counter.read_text()) + 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.read_text() == "100"


def test_processes_exclude_each_other(layout: Layout, child: Child) -> None:
    code = """
import sys
from pathlib import Path
from memfs.vault.layout import open_layout
from memfs.vault.lock import hold_vault
layout, counter = open_layout(sys.argv[1]), Path(sys.argv[1]) / "counter"
print("ready", flush=True)
sys.stdin.readline()
for _ in range(25):
    with hold_vault(layout, timeout=60):
        counter.write_text(str(int(counter.read_text()) + 1))
"""
    counter = layout.top / "counter"
    counter.write_text("0")
    others = [child(code, layout.top) for _ in range(3)]
    assert [read_line(other) for other in others] == ["ready"] * 3
    for other in others:
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
    assert [other.wait() for other in others] == [0, 0, 0]
    assert counter.read_text() == "75"


def test_taking_it_twice_in_one_thread_is_a_mistake_in_the_program(layout: Layout) -> None:
    with hold_vault(layout), pytest.raises(RuntimeError), hold_vault(layout):
        pass
    with hold_vault(layout, timeout=0):
        pass


def test_an_error_inside_lets_go(layout: Layout) -> None:
    with pytest.raises(KeyError), hold_vault(layout):
        raise KeyError
    with hold_vault(layout, timeout=0):
        pass


def test_two_vaults_do_not_wait_for_each_other(layout: Layout, tmp_path, git) -> None:  # type: ignore[no-untyped-def]
    git(tmp_path, "init", "-q", "other")
    with hold_vault(layout), hold_vault(open_layout(tmp_path / "other"), timeout=0):
        pass


def test_t20_the_lock_is_the_owner_s_alone_and_no_link(layout: Layout) -> None:
    with hold_vault(layout):
        modes = [path.stat().st_mode & 0o777 for path in (layout.local, layout.local / "vault.lock")]
    assert modes == [0o700, 0o600]
    canary = layout.top / "canary"
    canary.write_text("canary")
    os.symlink(canary, layout.local / "x.lock")
    with pytest.raises(VaultError), hold_file(layout.local / "x.lock"):
        pass
    assert canary.read_text() == "canary"


def test_a_holder_that_left_no_name_is_still_a_holder(layout: Layout) -> None:
    import fcntl

    with hold_vault(layout):
        pass
    with (layout.local / "vault.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(VaultLocked, match="another process"), hold_vault(layout, timeout=0):
            pass
