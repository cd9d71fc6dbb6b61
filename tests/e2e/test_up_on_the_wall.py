"""A day on the wall with `memfs up` itself: a slot every 20 seconds by a shifted clock, killed and started in between.

It takes as long as ten slots do, so it belongs to the long suites; `test_day_on_the_wall` has the same by a clock that
waits for nobody.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memfs.services.opening import open_vault
from tests.services.talks import inbox, put_talk, talk
from tests.services.vaults import git, merge_commits, new_vault

PROJECT = Path(__file__).resolve().parents[2]
SLOTS = 10
BEGUN = re.compile(r"starting the daily run of (\S+ \S+)")
DONE = "[DailyMemoryExtraction] done ("
SETTINGS = """timezone = 'UTC'
[embeddings]
engine = 'none'
[extract]
when = 'daily'
[daily]
review = false
schedule = '*/20 * * * * *'
"""


@contextmanager
def up(top: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.e2e.shifted_up", str(top), str(90 * 86400)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        yield process


def follow(process: subprocess.Popen[str], word: str, count: int, top: Path) -> None:
    """Read the log up to the ``count``-th line with ``word``; each run that ends is answered with a new session."""
    assert process.stdout is not None
    folder, seen = inbox(open_vault(top), "analyst"), 0
    for line in process.stdout:
        if DONE in line:
            number = len(list(folder.glob("*.jsonl")))
            put_talk(folder, talk(f"talk-{number}", f"We decided to use tool{number} for task{number}."))
        seen += word in line
        if seen == count:
            return
    raise AssertionError("it ended")


@pytest.mark.slow
def test_memfs_up_does_each_of_ten_slots_once(tmp_path: Path) -> None:
    top = new_vault(tmp_path / "vault", "analyst").top
    (top / "memfs.local.toml").write_text(SETTINGS, encoding="utf-8")
    for word, count in ((DONE, 3), ("starting the daily run of", 2), (DONE, 2)):
        with up(top) as process:
            follow(process, word, count, top)
            process.kill()
    with up(top) as process:
        follow(process, DONE, SLOTS, top)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0

    log = (open_vault(top).layout.local / "logs" / "daily.log").read_text(encoding="utf-8")
    runs = re.split(r"(?m)^(?=\S+ \[DailyMemoryExtraction\] starting the daily run of )", log)[1:]
    begun = [datetime.fromisoformat(BEGUN.findall(run)[0]) for run in runs]
    slots = sorted(set(begun))
    assert len(slots) >= SLOTS
    assert slots == [slots[0] + timedelta(seconds=20 * number) for number in range(len(slots))], (
        "none is skipped"
    )
    ended = Counter(at for run, at in zip(runs, begun, strict=True) if DONE in run)
    assert set(ended.values()) == {1}, "each is done once"
    assert set(slots) - set(ended) <= {slots[-1]}, "all are done; the last may have been under way at the end"
    assert len(merge_commits(top)) >= SLOTS - 2
    assert git(top, "status", "--porcelain", "--", "memories") == ""
