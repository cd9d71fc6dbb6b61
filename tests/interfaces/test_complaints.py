"""What the program says when something is wrong: plain words, the same for people and programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memfs.services import ingest as ingesting
from memfs.vault.lock import hold_file
from tests.interfaces.conftest import Memfs, Ran, age, run_memfs


def error(out: str) -> dict[str, object]:
    [line] = out.splitlines()
    told = json.loads(line)["error"]
    assert set(told) == {"message", "path", "line", "hint", "code"}
    return dict(told)


def test_with_json_an_error_is_an_object_on_stdout_and_a_line_on_stderr(memfs: Memfs, vault: Path) -> None:
    done = memfs("why", "m-nothere", "--json")
    assert error(done.out)["code"] == done.code == 6
    assert "no entry has the id 'm-nothere'" in str(error(done.out)["message"])
    assert done.err.startswith("error: no entry has the id 'm-nothere'\n")
    assert memfs("why", "m-nothere").out == ""
    (vault / "memfs.toml").write_text("\nlanguag = 'en'\n", encoding="utf-8")
    broken = error(memfs("list", "--json").out)
    assert (broken["path"], broken["line"], broken["code"]) == (str(vault / "memfs.toml"), 2, 3)


def test_with_json_a_usage_error_is_an_object_too(memfs: Memfs) -> None:
    done = memfs("search", "x", "--limit", "many", "--json")
    assert error(done.out)["code"] == done.code == 2
    assert error(run_memfs("nosuch", "--json").out)["hint"] == "memfs --help"


def test_dates_are_told_how_they_are_written(memfs: Memfs) -> None:
    done = memfs("search", "x", "--since", "yesterday")
    assert done.code == 2
    assert "not a date: 'yesterday' (write it like 2026-11-30)" in done.err


def test_before_the_first_commit_only_the_day_is_told(memfs: Memfs) -> None:
    assert (
        "nothing was committed yet on 1999-01-01\n" in memfs("show", "decisions.md", "--at", "1999-01-01").err
    )


def test_a_setting_that_does_not_fit_blames_no_line(memfs: Memfs, vault: Path) -> None:
    before = (vault / "memfs.toml").read_bytes()
    done = memfs("config", "extract.delay_seconds", "soon")
    assert done.code == 3
    assert "memfs.toml" not in done.err.splitlines()[0]
    assert "delay_seconds" in done.err
    assert (vault / "memfs.toml").read_bytes() == before


def test_what_was_looked_for_is_said(memfs: Memfs) -> None:
    assert "no entry has the id 'decisions.md'" in memfs("forget", "decisions.md").err
    shown = memfs("show", "decision")
    assert shown.code == 6
    assert "no document is called decision.md, and no entry has the id decision" in shown.err


def test_remember_says_that_a_secret_was_replaced(memfs: Memfs) -> None:
    done = memfs("remember", "the key is AKIAIOSFODNN7EXAMPLE", "--identity", "home-aide")
    assert "looks like a secret and was replaced" in done.err
    plain = memfs("remember", "the key is under the mat ", "--identity", "home-aide", "--field", "tags=key")
    assert (plain.code, plain.err) == (0, "")


def test_ctrl_c_says_that_what_was_merged_stays(memfs: Memfs, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ingesting, "ingest", interrupt)
    done = memfs("ingest")
    assert (done.code, done.out, done.err) == (130, "", "interrupted; what was merged stays\n")


def test_lines_that_could_not_be_read_are_named_as_lines(memfs: Memfs, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    row = '{"role": "user", "text": "I prefer tea over coffee."}\n'
    file.write_text(f"{row}{row}not json\n{row}", encoding="utf-8")
    assert "could not be read: line 3\n" in memfs("transcript", file).out


def test_a_second_watch_says_that_another_is_running(memfs: Memfs, vault: Path) -> None:
    with hold_file(vault / ".git/memfs/watch.lock", 0):
        ran = _in_thread(lambda: memfs("watch"))
    assert ran.code == 5
    assert ran.err.startswith("error: ")
    assert "another memfs watch is running on this vault (process " in ran.err


def test_dropped_ones_come_with_the_reason(memfs: Memfs, vault: Path) -> None:
    chat = vault / "inbox/home-aide/bread.md"
    chat.write_text("User: I prefer rye bread over wheat bread.\n\nAssistant: Noted.\n", encoding="utf-8")
    age(chat.parent)
    assert "dropped" not in memfs("ingest").err
    [entry] = [e["id"] for e in memfs("list", "--json").json if "rye bread" in e["text"]]
    assert memfs("forget", entry).code == 0
    again = chat.with_name("again.md")
    again.write_text(f"User: Hello there.\n\n{chat.read_text('utf-8')}", encoding="utf-8")
    age(chat.parent)
    done = memfs("ingest")
    assert "1 dropped" in done.err
    assert "dropped preferences: this text was deleted, rejected or undone\n" in done.err


def test_what_waits_is_not_counted_as_dropped(memfs: Memfs, vault: Path) -> None:
    document = vault / "memories/home-aide/preferences.md"
    text = document.read_text("utf-8") if document.exists() else "# Preferences\n"
    document.write_text(f"{text}\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", encoding="utf-8")
    chat = vault / "inbox/home-aide/bread.md"
    chat.write_text("User: I prefer rye bread over wheat bread.\n\nAssistant: Noted.\n", encoding="utf-8")
    age(vault / "memories/home-aide")
    age(chat.parent)
    done = memfs("ingest", "--json")
    assert done.code == 10
    assert "preferences.md" in done.json["waiting"][0]
    assert [session["dropped"] for session in done.json["sessions"]] == [[]]
    assert "dropped" not in done.err


def _in_thread(run: Callable[[], Ran]) -> Ran:
    """Locks are told apart by thread: the other watch must be another one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()
