"""`memfs hook` on recorded inputs of Claude Code and Codex: memory at the start, a merge at the end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from memfs.services.hook_notes import note_failure, told_failures
from memfs.services.ingesting.queued import queue_transcript, queued_transcripts
from memfs.services.opening import open_vault
from memfs.services.serving import only_watch
from tests.conftest import PROJECT
from tests.interfaces.conftest import Ran, run_memfs

RECORDED = Path(__file__).parent / "hooks"
TALK = PROJECT / "sample_vault" / "inbox" / "coding-assistant" / "2026-11-24-tide-cache.jsonl"
STARTS = sorted(path.name for path in RECORDED.glob("*-session-start.json"))
ENDS = sorted(path.name for path in RECORDED.glob("*.json") if path.name not in STARTS)


def hook_input(name: str, transcript: Path) -> str:
    told = json.loads((RECORDED / name).read_text(encoding="utf-8"))
    if told["transcript_path"] is not None:
        told["transcript_path"] = str(transcript)
    return json.dumps(told)


def event_of(name: str) -> str:
    return name.removesuffix(".json").removeprefix("claude-code-").removeprefix("codex-")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    assert run_memfs("init", folder, "--identity", "coding-assistant").code == 0
    return folder


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    folder.mkdir()
    return Path(shutil.copy(TALK, folder / "tide.jsonl"))


def run_hook(vault: Path, name: str, transcript: Path, *options: str) -> Ran:
    return run_memfs("hook", event_of(name), "--vault", vault, *options, stdin=hook_input(name, transcript))


@pytest.mark.parametrize("name", STARTS)
def test_a_session_begins_with_what_is_remembered(vault: Path, talk: Path, name: str) -> None:
    done = run_hook(vault, name, talk, "--identity", "coding-assistant")
    assert (done.code, done.err) == (0, "")
    told = done.json["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "use SQLite instead of PostgreSQL" in told["additionalContext"]


def test_a_session_with_nothing_to_remember_begins_with_nothing(empty: Path, talk: Path) -> None:
    done = run_hook(empty, STARTS[0], talk)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_budget_holds_for_what_a_session_begins_with(vault: Path, talk: Path) -> None:
    long = run_hook(vault, STARTS[0], talk, "--identity", "coding-assistant").json
    short = run_hook(vault, STARTS[0], talk, "--identity", "coding-assistant", "--budget", "120").json
    texts = [told["hookSpecificOutput"]["additionalContext"] for told in (short, long)]
    assert 0 < len(texts[0]) < len(texts[1])


@pytest.mark.parametrize("name", ENDS)
def test_a_session_that_ends_is_queued_and_merged_by_the_next_ingest(
    empty: Path, talk: Path, name: str
) -> None:
    vault = open_vault(empty)
    with only_watch(vault.layout, "watch"):  # where a watch runs, no process of its own is started
        done = run_hook(empty, name, talk)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert queued_transcripts(vault) == {talk.resolve(): None}
    assert talk.name in str(run_memfs("status", "--json", "--vault", empty).json["sources"])
    report = run_memfs("ingest", "--json", "--vault", empty)
    assert report.code == 0
    assert [one["identity"] for one in report.json["sessions"]] == ["coding-assistant"]
    assert queued_transcripts(vault) == {}
    assert "SQLite" in (empty / "memories/coding-assistant/decisions.md").read_text(encoding="utf-8")
    assert talk.read_bytes() == TALK.read_bytes()


def test_a_queued_transcript_that_grows_is_read_on(empty: Path, talk: Path) -> None:
    lines = talk.read_bytes().splitlines(keepends=True)
    talk.write_bytes(b"".join(lines[:2]))
    vault = open_vault(empty)
    with only_watch(vault.layout, "watch"):
        run_hook(empty, "claude-code-pre-compact.json", talk)
        run_memfs("ingest", "--vault", empty)
        talk.write_bytes(b"".join(lines))
        run_hook(empty, "claude-code-session-end.json", talk)
    (session,) = run_memfs("ingest", "--json", "--vault", empty).json["sessions"]
    assert session["added"]


def test_a_transcript_in_a_source_feeds_that_sources_identity(empty: Path, talk: Path) -> None:
    (empty / "memfs.local.toml").write_text(
        f'[[sources]]\npath = {json.dumps(str(talk.parent))}\nidentity = "harbour"\n', encoding="utf-8"
    )
    vault = open_vault(empty)
    with only_watch(vault.layout, "watch"):
        assert run_hook(empty, "claude-code-session-end.json", talk).err == ""
    assert queued_transcripts(vault) == {}  # the source has it already
    (session,) = run_memfs("ingest", "--json", "--vault", empty).json["sessions"]
    assert session["identity"] == "harbour"
    started = run_hook(empty, "claude-code-session-start.json", talk).json
    assert "SQLite" in started["hookSpecificOutput"]["additionalContext"]


def run_process(event: str, vault: Path, told: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memfs", "hook", event, "--vault", str(vault)],
        input=told,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


class _Commit(FileSystemEventHandler):
    def __init__(self) -> None:
        self.made = threading.Event()

    def on_moved(self, event: FileSystemEvent) -> None:  # from main.lock
        if str(event.dest_path).endswith("heads/main"):
            self.made.set()


def test_where_nothing_watches_a_process_of_its_own_merges(empty: Path, talk: Path) -> None:
    observer, commit = Observer(), _Commit()
    observer.schedule(commit, str(empty / ".git" / "refs" / "heads"), recursive=True)
    observer.start()
    try:
        told = hook_input("claude-code-session-end.json", talk)
        assert run_process("session-end", empty, told).returncode == 0
        assert commit.made.wait(120)
    finally:
        observer.stop()
        observer.join()
    assert "SQLite" in (empty / "memories/coding-assistant/decisions.md").read_text(encoding="utf-8")


def test_a_queued_transcript_that_vanished_is_told_once(empty: Path, talk: Path) -> None:
    vault = open_vault(empty)
    queue_transcript(vault, talk, "coding-assistant")
    talk.unlink()
    first = run_memfs("ingest", "--json", "--vault", empty).json
    assert [problem for problem in first["problems"] if talk.name in problem]
    assert run_memfs("ingest", "--json", "--vault", empty).json["problems"] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ("{", "no JSON"),
        ('{"transcript_path": "/no/such"}', "no transcript"),
    ],
)
@pytest.mark.parametrize("event", ["session-end", "pre-compact"])
def test_input_that_cannot_be_used_is_said_and_stands_in_nobodys_way(
    empty: Path, event: str, text: str, told: str
) -> None:
    done = run_memfs("hook", event, "--vault", empty, stdin=text)
    assert (done.code, done.out) == (0, "")
    assert told in done.err


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nowhere/session.jsonl", "the client keeps no transcript there"),
        (".", "the client keeps no transcript there"),
        ("~nobody-of-that-name/x.jsonl", "home directory"),
        (17, "transcript_path in the hook's input is no path: 17"),
        (["a"], "transcript_path in the hook's input is no path"),
    ],
)
def test_a_transcript_path_that_cannot_be_used_is_told_by_status_too(
    empty: Path, path: object, said: str
) -> None:
    for _ in range(2):
        done = run_memfs(
            "hook",
            "session-end",
            "--vault",
            empty,
            stdin=json.dumps({"session_id": "s", "transcript_path": path}),
        )
        assert (done.code, done.out) == (0, "")
        assert said in done.err
    [warning] = [
        each for each in run_memfs("status", "--vault", empty, "--json").json["warnings"] if "hook" in each
    ]
    assert warning.startswith("the hook session-end: ")
    assert said in warning
    assert ", 2 times)" in warning
    assert said in run_memfs("status", "--vault", empty).out


def test_failures_of_hooks_are_told_for_a_week_and_only_so_many(empty: Path) -> None:
    vault = open_vault(empty)
    for number in range(30):
        note_failure(vault, "session-end", f"failure {number:02}")
    told = list(told_failures(vault))
    assert len(told) == 20
    assert told[-1].startswith("the hook session-end: failure 29 (last at ")
    later = open_vault(empty, clock=lambda: datetime.now(UTC) + timedelta(days=8))
    assert list(told_failures(later)) == []


def _broken_settings(vault: Path) -> dict[str, str]:
    (vault / "memfs.toml").write_text("[[[", encoding="utf-8")
    return {}


def _no_vault(vault: Path) -> dict[str, str]:
    shutil.rmtree(vault)
    return {}


def _broken_package(vault: Path) -> dict[str, str]:
    """A module of memfs's that raises when it is loaded."""
    folder = vault.parent / "broken"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Broken:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'memfs.services.hooks':\n"
        "            raise RuntimeError('broken')\n"
        "sys.meta_path.insert(0, Broken())\n",
        encoding="utf-8",
    )
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize("breaks", [_broken_settings, _no_vault, _broken_package])
@pytest.mark.parametrize("event", ["session-start", "session-end", "pre-compact"])
def test_a_broken_memfs_ends_with_0(empty: Path, talk: Path, event: str, breaks: Any) -> None:
    told = hook_input(f"claude-code-{event}.json", talk)
    done = run_process(event, empty, told, **breaks(empty))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("memfs: ")
    assert "Traceback" not in done.stderr
