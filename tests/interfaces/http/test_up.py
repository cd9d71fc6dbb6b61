"""``memfs up`` as a process: it watches, serves, is the only one, and stops with nothing lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memfs.interfaces.http.running import STOP_SECONDS
from memfs.services.ingesting.reading import open_reader
from memfs.services.opening import open_vault
from memfs.services.serving import find_serving
from tests.interfaces.conftest import run_memfs
from tests.interfaces.mcp.conftest import Up, serving


@contextmanager
def following(up: Up) -> Iterator[Iterator[str]]:
    """The lines of the events of the daily run, as they come."""
    headers = {"Authorization": f"Bearer {up.token}"}
    request = urllib.request.Request(f"{up.url}/api/memory/extract-events", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        yield (line.decode().strip() for line in answer)


def after_first_run(up: Up) -> None:
    """Wait for the end of the run that was due when the server started."""
    up.wait(lambda event: event["area"] == "daily" and "in all" in event["event"])
    with following(up) as events:
        if next(events) != "event: waiting":
            assert "event: done" in events


DECISION = "We decided to use MessagePack for the export of the tide tables."


def ask(up: Up, path: str, body: Any = None, method: str | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {up.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{up.url}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
        return json.loads(text) if answer.headers["content-type"].startswith("application/json") else text


def test_it_watches_and_serves(vault: Path) -> None:
    settings = "[extract]\ndelay_seconds = 0\nmin_interval_seconds = 0\n"
    (vault / "memfs.local.toml").write_text(settings, encoding="utf-8")
    with serving(vault) as up:
        assert ask(up, "/health")["status"] == "ok"
        assert ask(up, "/ready")["status"] == "ready"
        turns = [{"id": "msg-00000001", "role": "user", "text": DECISION}]
        pushed = ask(up, "/api/sessions/s-9/turns", {"identity": "coding-assistant", "turns": turns})
        assert pushed == {"session": "s-9", "accepted": 1, "known": 0}
        up.wait(lambda event: "neutral/s-9: 1 added" in event["event"])
        hits = ask(up, "/api/search?query=MessagePack+export&identity=coding-assistant")["hits"]
        assert "MessagePack" in hits[0]["text"]
        page = ask(up, "/metrics")
        assert 'memfs_pushed_turns_total{result="accepted"} 1.0' in page
        assert "memfs_identities 2.0" in page
        assert up.stop() == 0


def test_its_log_is_an_object_on_a_line_and_tells_no_content(vault: Path) -> None:
    with serving(vault) as up:
        ask(up, "/api/search?query=a-very-private-question")
        up.wait(lambda event: event["area"] == "http")
        up.stop()
        for event in up.events:
            assert {"time", "level", "area", "event"} <= set(event)
        (asked,) = [event for event in up.events if event["area"] == "http"]
        assert (asked["method"], asked["route"], asked["status"]) == ("GET", "/api/search", 200)
        assert "private" not in json.dumps(up.events)
        assert up.token not in json.dumps(up.events)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_in_time_and_takes_back_its_record(vault: Path, number: signal.Signals) -> None:
    layout = open_vault(vault).layout
    with serving(vault) as up:
        found = find_serving(layout)
        assert found is not None
        assert (found.pid, found.url) == (up.process.pid, up.url)
        up.wait(lambda event: "watching" in event["event"])
        told = time.monotonic()
        up.process.send_signal(number)
        assert up.process.wait(30) == 0
        assert time.monotonic() - told < STOP_SECONDS + 2  # and the interpreter's own end
        assert find_serving(layout) is None
        assert up.events[-1]["event"] == "ended"


def test_a_second_one_is_refused_and_says_where_the_first_is(vault: Path) -> None:
    with serving(vault) as up:
        for command in ("up", "watch"):
            done = subprocess.run(
                [sys.executable, "-m", "memfs", command, "--vault", str(vault)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 5
            assert f"memfs up is running at {up.url}" in done.stderr
        assert ask(up, "/health")["status"] == "ok"


def test_a_port_that_is_taken_is_told(vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert run_memfs("init", other, "--identity", "x").code == 0
    with serving(vault) as up:
        done = run_memfs("up", "--vault", other, "--port", up.url.rpartition(":")[2])
        assert done.code == 2
        assert "is taken by another program" in done.err
        assert "http.port" in done.err


def test_a_kill_loses_no_acknowledged_turn(vault: Path) -> None:
    with serving(vault) as up:
        for number in range(20):
            turns = [{"id": f"msg-{number:08}", "role": "user", "text": f"Number {number}"}]
            ask(up, "/api/sessions/s-k/turns", {"identity": "home-aide", "turns": turns})
        up.process.kill()
        up.process.wait()
    assert find_serving(open_vault(vault).layout) is None
    with open_reader(vault / "inbox" / "home-aide" / "s-k.jsonl") as reader:
        assert [turn.text for turn in reader] == [f"Number {number}" for number in range(20)]
    with serving(vault) as up:  # the next one starts as if nothing had been
        assert ask(up, "/api/sessions/s-k/turns", {"identity": "home-aide", "turns": turns})["known"] == 1


def test_settings_that_change_count_at_once(vault: Path) -> None:
    with serving(vault) as up:
        assert ask(up, "/api/store/file_archive_path", {"value": "/tmp/elsewhere"}, "PUT") == {
            "success": True
        }
        settings = {one["key"]: one for one in ask(up, "/api/config")["settings"]}
        assert settings["file_archive_path"]["value"] == "/tmp/elsewhere"
        assert settings["file_archive_path"]["origin"] == "memfs.local.toml"
        (vault / "memfs.toml").write_text("nonsense = [")
        assert ask(up, "/api/identities")["identities"]  # the settings before count on


def test_the_daily_run_can_be_followed(vault: Path) -> None:
    """The run started here tells its progress to whoever listens, then what came of it."""
    inbox = vault / "inbox" / "home-aide" / "today.jsonl"
    inbox.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"memfs": 1, "session": "today"}]
    rows += [
        {"id": f"m-{n:07}", "role": "user", "text": f"We decided to paint fence {n} green."}
        for n in range(40)
    ]
    with serving(vault, env={"MEMFS_EXTRACT_DELAY_SECONDS": "3600"}) as up:
        after_first_run(up)
        inbox.write_text("".join(json.dumps(row) + "\n" for row in rows))
        with following(up) as events:
            assert next(events) == "event: waiting"
            result = ask(up, "/api/memory/daily-extract", {}, "POST")
            told = [line for line in events if line.startswith("event: ")]
        assert set(told[:-1]) == {"event: progress"}
        assert told[-1] == "event: done"
        status = ask(up, "/api/memory/extract-status")
        assert set(status) == {"success", "lastRunAt", "nextRunAt", "status"}
        assert status["nextRunAt"]
        assert set(result) == {"success", "extractedCount", "archivedFiles", "errors"}
        assert result["success"]
        assert result["extractedCount"] >= 1
        assert ask(up, "/api/memory/extract-status")["lastRunAt"]


def test_who_waits_for_a_run_is_let_go_when_it_stops(vault: Path) -> None:
    with serving(vault) as up:
        after_first_run(up)
        with following(up) as events:
            assert next(events) == "event: waiting"
            with following(up) as left:  # a client that leaves disturbs nobody
                assert next(left) == "event: waiting"
            began = time.monotonic()
            assert up.stop() == 0
            assert time.monotonic() - began < STOP_SECONDS + 2
            assert [line for line in events if line.startswith("event:")] == []  # and the stream has its end
