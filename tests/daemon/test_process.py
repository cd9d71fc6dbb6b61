"""The watcher as a process of its own: growing transcripts, SIGTERM, restart, kill; nothing twice, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memfs.services.opening import Vault
from tests.conftest import Git
from tests.daemon.watching import AT_ONCE, DEADLINE, IDENTITY, Lines, append, inbox, start_vault, talk

WATCH = """
import signal, sys, threading
from pathlib import Path
from memfs.daemon.loop import watch
from memfs.services.opening import open_vault
stop = threading.Event()
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: stop.set())
watch(open_vault(Path(sys.argv[1]), environ={}), announce=lambda line: print(line, flush=True), stop=stop)
"""
FACTS = (
    "Please remember that the staging database listens on port 5433.",
    "Please remember that the release branch is called atlas-next.",
    "Please remember that the harbour office closes at noon.",
)
KEYS = ("listens on port 5433", "branch is called atlas-next", "office closes at noon")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return start_vault(tmp_path / "vault", AT_ONCE + "[watch]\nrescan_seconds = 1\n")


class Daemon:
    """A running watcher and what it said."""

    def __init__(self, vault: Vault) -> None:
        command = [sys.executable, "-c", WATCH, str(vault.top)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.lines = Lines()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines(line.rstrip("\n"))

    def end(self, number: signal.Signals) -> int:
        """Send a signal; gives the exit code. It has five seconds, as promised."""
        self.process.send_signal(number)
        code = self.process.wait(5)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == ""
        return code

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(DEADLINE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@contextmanager
def daemon(vault: Vault) -> Iterator[Daemon]:
    running = Daemon(vault)
    try:
        running.lines.wait_for("watching")
        yield running
    finally:
        running.close()


def merges(vault: Vault, git: Git) -> int:
    return len(git(vault.top, "log", "--format=%H", "--grep=^Memfs-Kind: merge$").split())


def notes(vault: Vault) -> str:
    return vault.layout.document(IDENTITY, "notes.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_growing_transcript_over_a_restart(vault: Vault, git: Git, end: signal.Signals) -> None:
    chat = inbox(vault)
    whole = [talk(fact, first=number) for number, fact in enumerate(FACTS, 1)]
    with daemon(vault) as first:
        append(chat, whole[0] + whole[1][:40])  # the second line is not whole yet
        at = first.lines.wait_for("1 turn ", "1 added")
        append(chat, whole[1][40:])
        first.lines.wait_for("1 turn ", "1 added", after=at)
        assert merges(vault, git) == 2
        assert first.end(end) == 0
        assert first.lines.all[-1] == "stopped"
    append(chat, whole[2])
    with daemon(vault) as second:
        at = second.lines.wait_for("1 turn ", "1 added")
        (vault.top / "Marker.md").write_text("# Marker\n")
        second.lines.wait_for("index updated", after=at)
        assert second.lines.count("1 turn ") == 1, "what was merged before the restart is not read again"
        assert second.end(end) == 0
    assert merges(vault, git) == 3
    assert [notes(vault).count(key) for key in KEYS] == [1, 1, 1]
    git(vault.top, "fsck", "--strict")
    assert git(vault.top, "status", "--porcelain") == "?? Marker.md\n"


def test_killed_at_any_time_the_next_one_goes_on(vault: Vault, git: Git) -> None:
    """A dead worker's lease is taken over at once, half a merge is finished or was never there."""
    for number, fact in enumerate(FACTS):
        append(inbox(vault, f"{number}.jsonl"), talk(fact, session=f"s{number}"))
        with daemon(vault) as running:
            running.lines.wait_for("noticed")
            running.process.kill()
    with daemon(vault) as last:
        last.lines.wait_until(lambda: merges(vault, git) == len(FACTS))
        assert last.end(signal.SIGTERM) == 0
    assert merges(vault, git) == 3
    assert [notes(vault).count(key) for key in KEYS] == [1, 1, 1]
    git(vault.top, "fsck", "--strict")
