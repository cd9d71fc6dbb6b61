"""A day on the wall: a slot every 20 seconds by a shifted clock, the process killed in between and started again."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.services.daily_run.runs import daily_status
from memfs.services.daily_run.slots import due_slots
from memfs.services.entries import list_entries
from memfs.services.opening import open_vault
from tests.e2e.wall_clock import FileClock
from tests.services.vaults import git, merge_commits, new_vault

PROJECT = Path(__file__).resolve().parents[2]
SLOTS = 10
# Where in a run it is killed: after so many seconds of being dead it is started again.
KILLS = (
    ("identity: analyst", 2, 0),  # the second run of this process has begun and merged nothing
    ("memory updated", 1, 25),  # merged, and the slot is not marked; one slot passes by meanwhile
    ("starting the daily run", 2, 0),  # nothing done yet
    ("[DailyMemoryExtraction] extraction:", 1, 45),  # all is done; two slots pass by
)


def start(top: Path, clock: Path, until: datetime, *kill: str) -> int:
    """A process that follows the schedule; how it ended."""
    command = [sys.executable, "-m", "tests.e2e.wall_clock", str(top), str(clock), until.isoformat(), *kill]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def test_each_of_ten_slots_is_done_once_and_none_is_skipped(tmp_path: Path) -> None:
    top = new_vault(tmp_path / "vault", "analyst").top
    settings = "timezone = 'UTC'\n[embeddings]\nengine = 'none'\n[daily]\nreview = false\nschedule = '*/20 * * * * *'\n"
    (top / "memfs.local.toml").write_text(settings, encoding="utf-8")
    begin = (datetime.now(UTC) + timedelta(days=1)).replace(hour=9, minute=0, second=0, microsecond=0)
    until = begin + timedelta(seconds=20 * (SLOTS - 1) + 5)
    clock = tmp_path / "clock"
    clock.write_text(begin.isoformat(), encoding="utf-8")
    time = FileClock(clock)
    for word, count, dead in KILLS:
        assert start(top, clock, until, word, str(count)) == -signal.SIGKILL
        time.advance(dead)
    assert start(top, clock, until) == 0

    vault = open_vault(top, environ={}, clock=time)
    log = (vault.layout.local / "logs" / "daily.log").read_text(encoding="utf-8")
    expected = [f"{begin + timedelta(seconds=20 * n):%Y-%m-%d %H:%M:%S}" for n in range(SLOTS)]
    begun = re.findall(r"starting the daily run of (\S+ \S+)", log)
    assert sorted(set(begun)) == expected, "none is skipped"
    runs = re.split(r"(?=\S+ \[DailyMemoryExtraction\] starting the daily run of )", log)[1:]
    ended = Counter(run.split(" of ")[1][:19] for run in runs if "[DailyMemoryExtraction] done (" in run)
    assert ended == dict.fromkeys(expected, 1), "each is done once"
    assert begun == sorted(begun), "in their order"
    assert len(begun) - len(ended) == 3, "those that a kill cut short began again"

    ended_at = begin + timedelta(seconds=20 * SLOTS)
    assert [slot.due for slot in due_slots(vault)] == [ended_at], "the one that is due as the process ends"
    assert daily_status(vault).state == "idle"
    said = {path.stem[-6:] for path in (vault.layout.inbox / "analyst").glob("*.jsonl")}
    texts = [each.text for each in list_entries(vault) if each.type == "decisions"]
    assert len(said) >= SLOTS - 4
    assert sorted(said) == sorted(found for text in texts for found in set(re.findall(r"tool(\d{6})", text)))
    assert len(merge_commits(top)) == len(said), "each session was merged once"
    assert git(top, "status", "--porcelain", "--", "memories") == ""
