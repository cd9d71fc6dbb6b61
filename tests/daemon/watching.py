"""Real watchers on real folders, for the daemon's tests. Everything waits for something, with a deadline."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memfs.daemon.changes import ChangeSet
from memfs.daemon.loop import watch
from memfs.daemon.watcher import Watcher
from memfs.services.opening import Vault, open_vault
from memfs.services.starting import init

IDENTITY = "coding-assistant"
DEADLINE = 60.0
AT_ONCE = "[extract]\ndelay_seconds = 0\nmin_interval_seconds = 0\n[embeddings]\nengine = 'none'\n"


def start_vault(
    folder: Path, settings: str = AT_ONCE, *, clock: Callable[[], datetime] | None = None
) -> Vault:
    """A new vault of one identity, with ``settings`` as its settings of this machine."""
    init(folder, identities=(IDENTITY,))
    (folder / "memfs.local.toml").write_text(settings, encoding="utf-8")
    for path in folder.rglob("*.*"):  # all settled: made a minute ago
        if ".git" not in path.parts:
            os.utime(path, (time.time() - 60, time.time() - 60))
    return open_vault(folder, environ={}, clock=clock or real_clock)


def real_clock() -> datetime:
    return datetime.now(UTC)


def source_settings(path: Path, **more: Any) -> str:
    """One ``[[sources]]`` block."""
    values = {"path": str(path), "identity": IDENTITY, **more}
    return "[[sources]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


class Feed:
    """The change sets of a watcher, one after the other, until something holds of them."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.stop = threading.Event()
        self.seen: list[ChangeSet] = []
        self._until = 0.0
        self._changes = watcher.changes(self.stop, lambda: max(0.0, self._until - time.monotonic()))

    def until(self, holds: Callable[[Feed], object], what: str = "") -> None:
        """Take change sets until ``holds``; fails at the deadline."""
        self._until = time.monotonic() + DEADLINE
        while not holds(self):
            assert time.monotonic() < self._until, f"never came: {what or holds}; seen: {self.seen}"
            self.seen.append(next(self._changes))

    def forget(self) -> None:
        """Begin anew with what was seen."""
        self.seen.clear()

    @property
    def documents(self) -> list[str]:
        return [name for changes in self.seen for name in changes.documents]

    @property
    def transcripts(self) -> list[str]:
        """The transcripts that were new or grew, by their path beneath their source."""
        return [file.rel for changes in self.seen for file in changes.transcripts]

    @property
    def gone(self) -> list[str]:
        return [path for changes in self.seen for path in changes.gone]

    @property
    def notices(self) -> list[str]:
        return [said.word for changes in self.seen for said in changes.notices]


@contextmanager
def feed(vault: Vault) -> Iterator[Feed]:
    """A watcher at work that has had its first look."""
    with Watcher(vault) as watcher:
        running = Feed(watcher)
        running.until(lambda f: any(changes.complete for changes in f.seen), "the first look")
        yield running
        running.stop.set()


def eventually(holds: Callable[[], object], what: str) -> None:
    """Wait until something holds that nobody announces; fails at the deadline."""
    deadline, pause = time.monotonic() + DEADLINE, threading.Event()
    while not holds():
        assert time.monotonic() < deadline, f"never came: {what}"
        pause.wait(0.02)


class Lines:
    """What a loop said; waits for lines."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._more = threading.Condition()

    def __call__(self, line: str) -> None:
        with self._more:
            self.all.append(line)
            self._more.notify_all()

    def wait_for(self, *parts: str, after: int = 0) -> int:
        """Wait for a line with all ``parts`` behind the first ``after`` ones; gives how many lines it took."""
        with self._more:
            found = self._more.wait_for(lambda: self._find(parts, after) is not None, DEADLINE)
            assert found, f"no line with {parts} in {self.all[after:]}"
            return (self._find(parts, after) or 0) + 1

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds, which is asked again with every line."""
        with self._more:
            assert self._more.wait_for(holds, DEADLINE), f"never came true: {self.all}"

    def count(self, part: str) -> int:
        with self._more:
            return sum(part in line for line in self.all)

    def _find(self, parts: tuple[str, ...], after: int) -> int | None:
        lines = enumerate(self.all)
        return next((n for n, line in lines if n >= after and all(part in line for part in parts)), None)


@contextmanager
def running_loop(vault: Vault) -> Iterator[Lines]:
    """The daemon's loop in a thread; it has begun to watch, and is stopped and joined at the end."""
    lines, stop = Lines(), threading.Event()
    thread = threading.Thread(target=watch, args=(vault,), kwargs={"announce": lines, "stop": stop})
    thread.start()
    try:
        lines.wait_for("watching")
        yield lines
    finally:
        stop.set()
        thread.join(DEADLINE)
        assert not thread.is_alive(), "the loop did not stop"


def talk(*texts: str, session: str = "s1", first: int = 1, day: int = 1) -> str:
    """Lines of a Claude Code transcript: turns of the user, numbered from ``first``."""
    rows = [
        {
            "type": "user",
            "uuid": f"{session}-u{number}",
            "sessionId": session,
            "cwd": "/home/robin/atlas",
            "timestamp": f"2026-03-{day:02}T09:{number:02}:00.000Z",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(texts, first)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def inbox(vault: Vault, name: str = "chat.jsonl") -> Path:
    """The place of a transcript in the identity's inbox."""
    folder = vault.layout.inbox_dir(IDENTITY)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def append(path: Path, text: str) -> None:
    """Let a transcript grow."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
