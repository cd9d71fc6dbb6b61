"""The daily job from end to end, by the command line: what it promises, on a vault as a person has it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.services.talks import put_talk, talk
from tests.services.vaults import git, new_vault

Memfs = Callable[..., subprocess.CompletedProcess[str]]
CODER, WRITER = "coding-assistant", "writer"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A vault of two identities that archives files of a workspace."""
    top = new_vault(tmp_path / "vault", CODER, WRITER).top
    roots = json.dumps([str(tmp_path / "workspace"), str(tmp_path / "backup"), str(tmp_path / "elsewhere")])
    settings = (
        f'timezone = "UTC"\nfile_archive_path = "{tmp_path / "backup"}"\n[embeddings]\nengine = "none"\n'
        f"[archive]\nroots = {roots}\ndelete_originals = true\n"
    )
    (top / "memfs.local.toml").write_text(settings, encoding="utf-8")
    return top


@pytest.fixture
def memfs(top: Path) -> Memfs:
    """Run a command in the vault, as a process."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "memfs", *arguments]
        done = subprocess.run(command, cwd=top, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode in (0, 10), done.stderr
        return done

    return run


def answer(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def put_session(top: Path, workspace: Path) -> None:
    """A cowork session of today, with a file in its metadata."""
    workspace.mkdir()
    report = workspace / "report.txt"
    report.write_text("what was measured", encoding="utf-8")
    os.utime(report, (1_700_000_000, 1_700_000_000))
    now = datetime.now(UTC)
    row = {
        "id": "m-1",
        "session_id": "c-1",
        "role": "user",
        "content": "We decided to use Redis Streams for the queue.",
        "timestamp": now.isoformat(),
        "agentRoleKey": CODER,
        "modelId": "claude-3-7-sonnet",
        "channel": "desktop",
        "metadata": {"file_path": str(report)},
    }
    path = top / "inbox" / CODER / "cowork.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")


def age(top: Path) -> None:
    """Nobody saved these a moment ago."""
    for path in [*top.glob("inbox/**/*"), *top.glob("memories/**/*.md")]:
        os.utime(path, (path.stat().st_mtime - 600,) * 2)


def test_the_daily_job(top: Path, memfs: Memfs, tmp_path: Path) -> None:
    put_session(top, tmp_path / "workspace")
    put_talk(top / "inbox" / WRITER, talk("w-1", "Please always write in British English."))
    memfs("relay", "add", "We decided to call the product Tidewater.", "--identity", WRITER,
          "--channel", "feishu", "--role", "user")  # fmt: skip
    age(top)

    done = memfs("daily", "--json")
    assert answer(done) == {
        "success": True,
        "extracted_count": 2,
        "archived_files": 1,
        "archived_size": 17,
        "errors": [],
    }
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    copy = tmp_path / "backup" / f"{CODER}_claude-3-7-sonnet" / day / "report.txt"
    assert copy.read_text(encoding="utf-8") == "what was measured"
    assert not (tmp_path / "workspace" / "report.txt").exists(), "deleted once its copy was read back"

    coder, writer = (memfs("list", "--identity", name).stdout for name in (CODER, WRITER))
    assert "Redis Streams" in coder
    assert "Redis Streams" not in writer
    assert "British English" in writer
    assert "Tidewater" in writer
    assert "Tidewater" not in memfs("relay", "show", "--identity", WRITER).stdout
    for line in (
        r"extraction 0%", rf"extraction 10% {CODER}", rf"extraction 10% {WRITER}", r"extraction 50%",
        r"archiving 0%", rf"archiving 10% {CODER}", r"archiving 100%",
        r"\[DailyMemoryExtraction\] read: turns 1, sessions 1, batons 0 \(\d+ B\)",
        r"\[FileArchiver\] ",
        r"\[DailyMemoryExtraction\] extraction: identities 2; archiving: files 1 \(17 B in all\)",
    ):  # fmt: skip
        assert re.search(line, done.stderr), line

    status = answer(memfs("status", "--json"))["daily"]
    assert status["status"] == "idle"
    assert status["last_run_at"][:10] == day
    assert status["next_run_at"] > status["last_run_at"]
    assert "Daily run: idle; last" in memfs("status").stdout
    assert git(top, "status", "--porcelain", "--", "memories") == ""


def test_started_again_by_hand_it_has_nothing_to_do(top: Path, memfs: Memfs, tmp_path: Path) -> None:
    put_session(top, tmp_path / "workspace")
    age(top)
    memfs("daily")
    commits = git(top, "rev-list", "--count", "HEAD")
    assert answer(memfs("daily", "--json"))["extracted_count"] == 0
    assert git(top, "rev-list", "--count", "HEAD") == commits


def test_a_failure_is_told_and_the_rest_is_done(top: Path, memfs: Memfs, tmp_path: Path) -> None:
    put_session(top, tmp_path / "workspace")
    (top / "inbox" / WRITER).mkdir(parents=True, exist_ok=True)
    (top / "inbox" / WRITER / "odd.bin").write_bytes(bytes(range(256)))
    age(top)
    done = memfs("daily", "--json")
    assert done.returncode == 10
    told = answer(done)
    assert (told["success"], told["extracted_count"], told["archived_files"]) == (False, 1, 1)
    assert "odd.bin" in told["errors"][0]
    assert "odd.bin" in (top / ".git" / "memfs" / "logs" / "daily.log").read_text(encoding="utf-8")
    shown = memfs("status").stdout
    assert "the last one had errors" in shown
    assert "odd.bin" in shown


def test_another_archive_for_one_run(top: Path, memfs: Memfs, tmp_path: Path) -> None:
    put_session(top, tmp_path / "workspace")
    age(top)
    assert (
        answer(memfs("daily", "--json", "--backup-path", str(tmp_path / "elsewhere")))["archived_files"] == 1
    )
    assert list((tmp_path / "elsewhere").rglob("report.txt")) != []
    assert not (tmp_path / "backup").exists()


def test_with_daily_the_watcher_leaves_everything_to_the_daily_run(
    top: Path, memfs: Memfs, tmp_path: Path
) -> None:
    from memfs.daemon import watch
    from memfs.services.opening import open_vault

    memfs("config", "extract.when", "daily")
    put_session(top, tmp_path / "workspace")
    age(top)
    told: list[str] = []
    watch(open_vault(top, environ={}), announce=told.append, once=True)
    assert any("left to the daily run" in line for line in told)
    assert "Redis Streams" not in memfs("list", "--identity", CODER).stdout
    memfs("daily")
    assert "Redis Streams" in memfs("list", "--identity", CODER).stdout
