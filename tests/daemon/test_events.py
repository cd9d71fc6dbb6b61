"""The edge to watchdog: what is watched, what counts as a hint, and what happens when events are lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from memfs.daemon.events import Events, plan_watches
from memfs.daemon.hints import HintBox
from tests.daemon.watching import DEADLINE, IDENTITY, start_vault


def test_folders_without_own_ones_are_watched_whole(tmp_path: Path) -> None:
    for name in (
        ".git/objects",
        "memories/a/.ledger",
        "memories/a/events/2026",
        "Notes/deep",
        "archive/x",
        ".obsidian",
    ):
        (tmp_path / name).mkdir(parents=True)
    top = str(tmp_path)
    own = [f"{top}/.git", f"{top}/.memfs", f"{top}/archive", f"{top}/memories/a/.ledger"]
    assert plan_watches([top, f"{top}/Notes/deep", f"{top}/missing"], own) == {
        top: False,
        f"{top}/Notes": True,
        f"{top}/memories": False,
        f"{top}/memories/a": False,
        f"{top}/memories/a/events": True,
        f"{top}/missing": True,
    }


def test_a_folder_that_is_not_there_yet_is_left_out(tmp_path: Path) -> None:
    box = HintBox()
    events = Events(box)
    try:
        folder = tmp_path / "later"
        events.arm({str(folder): True})
        folder.mkdir()
        events.arm({str(folder): True})
        (folder / "Note.md").write_text("x")
        assert str(folder / "Note.md") in box.take(DEADLINE).files
        events.arm({})
        assert events.is_alive()
    finally:
        events.close()
    assert not events.is_alive()


def test_a_burst_of_new_folders_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    box = HintBox()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        events = Events(box)
        try:
            events.arm({str(tmp_path): True})
            for number in range(300):
                (tmp_path / f"{number}" / "deep").mkdir(parents=True)
                (tmp_path / f"{number}" / "deep" / "Note.md").write_text("x")
            (tmp_path / "marker").write_text("x")
            while str(tmp_path / "marker") not in (hints := box.take(DEADLINE)).files:
                assert hints.files or hints.folders
        finally:
            events.close()
    assert capfd.readouterr() == ("", "")


def test_too_many_hints_are_one_to_look_at_everything() -> None:
    box = HintBox()
    for number in range(10_002):
        box.add(f"/{number}", is_folder=False)
    hints = box.take(0)
    assert hints.everything
    assert len(hints.files) <= 1
    assert box.take(0) == type(hints)()


def test_a_wake_ends_every_wait() -> None:
    box = HintBox()
    threading.Timer(0, box.wake).start()
    box.take(DEADLINE)
    box.take(DEADLINE)


LISTENER = """
import sys, threading
from pathlib import Path
from memfs.daemon.watcher import Watcher
from memfs.services.opening import open_vault
vault = open_vault(Path(sys.argv[1]), environ={})
files = set()
with Watcher(vault) as watcher:
    for changes in watcher.changes(threading.Event(), lambda: None):
        files.update(file.rel for file in changes.transcripts)
        print(int(changes.complete), len(files), flush=True)
"""


def test_events_lost_in_an_overflow_are_made_up_for_at_once(tmp_path: Path) -> None:
    """A listener that stands still while more happens than the kernel keeps; the next whole look is a day away."""
    vault = start_vault(tmp_path / "vault", "[watch]\nrescan_seconds = 86400\n")
    kept = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    count = kept // 2 + 500  # each file gives three events
    listener = subprocess.Popen(
        [sys.executable, "-c", LISTENER, str(vault.top)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert listener.stdout is not None
    assert listener.stderr is not None
    timer = threading.Timer(DEADLINE, listener.kill)
    timer.start()
    try:
        assert listener.stdout.readline() == "1 0\n"
        os.kill(listener.pid, signal.SIGSTOP)
        folder = vault.layout.inbox_dir(IDENTITY)
        for number in range(count):
            (folder / f"{number}.txt").touch()
            os.truncate(folder / f"{number}.txt", 0)
        os.kill(listener.pid, signal.SIGCONT)
        assert any(line == f"1 {count}\n" for line in listener.stdout), (
            "no look at everything, or files missed"
        )
    finally:
        timer.cancel()
        listener.kill()
        _, errors = listener.communicate()
    assert errors == ""
