"""`memfs transcript` and `memfs extract`: looking, in a vault or outside of any."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.conftest import SAMPLES, run_memfs

EXPECTED = sorted(SAMPLES.glob("*/*.expected.json"))
ABOUT_THE_FILES = {"notes", "input", "ignored_files"}
SINGLE = [path for path in EXPECTED if path.name.split(".")[1] not in ("not-chat", "growing", "encodings")]
CHAT = """\
## User (2026-11-28 10:20)

I prefer green tea over coffee. \x1b[31mMy API key is sk-abcdefghijklmnopqrstuvwx1234.

## Assistant (2026-11-28 10:21)

Noted.
"""


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chat in a folder that is no vault."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "chat.md"
    path.write_text(CHAT, encoding="utf-8")
    return path


def input_of(expected: Path) -> Path:
    named = json.loads(expected.read_text("utf-8")).get("input")
    stem = expected.name.removesuffix(".expected.json")
    candidates = [path for path in expected.parent.glob(f"{stem}.*") if path != expected]
    return expected.parent / named if named else min(candidates, key=lambda path: len(path.name))


def covers(actual: Any, expected: Any) -> bool:
    """Whether every key of ``expected`` is in ``actual`` with that value; lists match one to one."""
    if isinstance(expected, dict):
        wanted = expected.keys() - ABOUT_THE_FILES
        return wanted <= actual.keys() and all(covers(actual[key], expected[key]) for key in wanted)
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(covers, actual, expected))
    return bool(actual == expected)


@pytest.mark.parametrize("expected", SINGLE, ids=lambda path: f"{path.parent.name}-{path.name.split('.')[1]}")
def test_transcript_prints_what_the_samples_expect(expected: Path) -> None:
    done = run_memfs("transcript", input_of(expected), "--json")
    assert done.code == 0
    assert done.err == ""
    assert covers(done.json, json.loads(expected.read_text("utf-8")))


def test_encodings_are_read_or_refused() -> None:
    folder = SAMPLES / "plain-text"
    expected = json.loads((folder / "sample.encodings.expected.json").read_text("utf-8"))
    for name, outcome in expected["inputs"].items():
        done = run_memfs("transcript", folder / name, "--json")
        if "error" in outcome:
            assert done.code == 7
            assert name in done.err
        else:
            assert covers(done.json, outcome)


def test_what_is_no_conversation_is_refused_by_name(tmp_path: Path) -> None:
    done = run_memfs("transcript", SAMPLES / "claude-ai-export" / "sample.not-chat.json")
    assert done.code == 7
    assert done.out == ""
    assert "sample.not-chat.json: " in done.err
    assert run_memfs("transcript", tmp_path / "missing.jsonl").code == 7
    assert run_memfs("transcript", tmp_path).code == 7


def test_transcript_for_people_shows_turns_and_no_escapes(chat: Path) -> None:
    done = run_memfs("transcript", chat)
    assert done.out.startswith("markdown-chat, session")
    assert "user 2026-11-28T10:20" in done.out
    assert r"coffee. \x1b[31mMy API" in done.out


def test_extract_outside_of_any_vault_shows_operations_in_the_fixed_shape(chat: Path) -> None:
    done = run_memfs("extract", chat, "--json")
    assert done.code == 0
    assert done.err == ""
    assert set(done.json) == {"operations", "dropped", "tokens"}
    assert done.json["tokens"] == {"input": 0, "output": 0}
    [operation] = [one for one in done.json["operations"] if one["type"] == "preferences"]
    assert set(operation) == {"type", "fields", "text", "turns", "peer"}
    assert "green tea" in operation["text"]
    assert operation["turns"] == [0]
    assert operation["peer"] is None
    assert "sk-abcdefghijklmnopqrstuvwx1234" not in done.out
    assert list(chat.parent.iterdir()) == [chat]


def test_extract_counts_relative_dates_from_now(chat: Path) -> None:
    chat.write_text(
        "User: I need to renew the certificate by tomorrow.\n\nAssistant: Noted.\n", encoding="utf-8"
    )
    for now, due in (("2026-11-30T10:00", "2026-12-01"), ("2026-03-01", "2026-03-02")):
        operations = run_memfs("extract", chat, "--now", now, "--json").json["operations"]
        assert [one["fields"].get("due") for one in operations if one["type"] == "actions"] == [due]


def test_extract_for_people(chat: Path) -> None:
    lines = run_memfs("extract", chat).out.splitlines()
    assert any(line.startswith("preferences: ") and "green tea" in line for line in lines)
    assert lines[-1].startswith("Would be remembered: ")


def test_estimate_of_the_offline_extractor_is_nothing(chat: Path) -> None:
    done = run_memfs("extract", chat, "--estimate", "--json")
    assert done.json == {"turns": 2, "calls": 0, "tokens": {"input": 0, "output": 0}, "price": 0.0}
    assert run_memfs("extract", chat, "--estimate").out.startswith("Turns: 2, model calls: 0")


def test_looking_in_a_vault_leaves_no_trace(vault: Path, git: Any) -> None:
    before = git(vault, "status", "--porcelain"), git(vault, "rev-parse", "HEAD")
    sample = SAMPLES / "claude-code" / "sample.basic.jsonl"
    assert run_memfs("transcript", "--vault", vault, sample).code == 0
    assert run_memfs("extract", "--vault", vault, sample, "--identity", "home-aide").code == 0
    assert (git(vault, "status", "--porcelain"), git(vault, "rev-parse", "HEAD")) == before


def test_types_are_known_outside_of_any_vault(chat: Path) -> None:
    assert chat.exists()
    names = {one["name"] for one in run_memfs("types", "--json").json["types"]}
    assert names >= {"profile", "preferences", "projects", "decisions", "actions", "notes"}


def test_a_vault_that_was_asked_for_must_be_there(chat: Path, tmp_path: Path) -> None:
    done = run_memfs("--vault", tmp_path, "extract", chat)
    assert done.code == 4
    assert "no vault here or above" in done.err
    assert "  try: " in done.err


def test_files_of_a_folder_are_closed_as_they_are_read(tmp_path: Path) -> None:
    """A session with more subagents than a process may have files open."""
    for number in range(40):
        row = {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": f"s{number}",
            "message": {"content": "Hello"},
        }
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    code = (
        "import resource, sys; from memfs.interfaces.cli import main;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30)); main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "transcript", str(tmp_path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["transcripts"]) == 40


def test_a_folder_that_is_no_export_says_so_without_reading_all_of_it(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"{number:03d}.log").write_text("a line of a log\n", encoding="utf-8")
    (tmp_path / "000.json").write_text("{}", encoding="utf-8")
    done = run_memfs("transcript", tmp_path)
    assert done.code != 0
    assert "this folder is no transcript" in done.err
    assert str(tmp_path) in done.err
