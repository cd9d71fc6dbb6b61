"""The Python library: the use cases under the names they have on the command line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import memfs
from memfs.interfaces.cli.catalogue import COMMANDS
from memfs.interfaces.library import Memory
from tests.interfaces.conftest import SAMPLES

METHODS = {
    name for name, member in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")
}


def test_every_command_is_a_method() -> None:
    processes = {"init", "watch", "up", "mcp", "hook", "token", "service", "completion"}
    groups = {"relay": {"relay_add", "relay_show"}}
    assert set(COMMANDS) - METHODS == processes | set(groups)
    assert set().union(*groups.values()) <= METHODS


def test_every_method_says_what_it_does_and_what_it_gives() -> None:
    for name in METHODS:
        method = getattr(Memory, name)
        assert method.__doc__, name
        assert "return" in inspect.get_annotations(method), name


def test_names_of_the_package() -> None:
    assert memfs.Memory is Memory
    assert set(memfs.__all__) == {"Memory", "MemfsError", "__version__", "open"}
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        memfs.nosuch  # noqa: B018


def test_open_finds_the_vault_as_the_commands_do(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memfs.open(vault / "memories").vault.top == vault
    monkeypatch.setenv("MEMFS_VAULT", str(vault))
    assert memfs.open().vault.top == vault
    with pytest.raises(memfs.MemfsError, match="no vault here"):
        memfs.open(tmp_path)


def test_a_session_of_work(vault: Path) -> None:
    memory = memfs.open(str(vault))
    kept = memory.remember("The meter stands in the hall", identity="home-aide")
    assert kept.id in {view.id for view in memory.list(identity="home-aide")}
    assert "meter" in memory.show(kept.id)
    assert memory.search("meter hall").hits[0].view.id == kept.id
    assert memory.log(limit=1)[0].commit == kept.commit
    assert "meter" in memory.diff()
    assert memory.why(kept.id).entry.origin == "remembered"
    assert "meter" in memory.context("where is the meter", identity="home-aide").text
    moved = memory.move(kept.id, "coding-assistant")
    assert memory.forget(moved.id).action == "forget"
    assert memory.undo(memory.log(limit=1)[0].commit).commit
    told: list[str] = []
    report = memory.ingest(
        [SAMPLES / "claude-code" / "sample.basic.jsonl"], identity="home-aide", announce=told.append
    )
    assert len(report.sessions) == len(told) == 1
    assert memory.ingest().sessions == ()
    assert memory.retry().merged == ()
    assert memory.status().busy is None
    assert memory.check().sound
    assert memory.reindex().indexed
    assert "notes" in memory.types().types


def test_settings_count_when_the_vault_is_opened_anew(vault: Path) -> None:
    memory = memfs.open(vault)
    memory.set_config("extract.when", "daily")
    assert memory.config().extract.when == "live"
    assert memfs.open(vault).config().extract.when == "daily"


def test_looking_at_a_transcript(vault: Path) -> None:
    memory = memfs.open(vault)
    sample = SAMPLES / "claude-code" / "sample.basic.jsonl"
    assert memory.transcript(sample)["format"] == "claude-code"
    assert memory.extract(sample).proposals
    assert memory.estimate(sample).calls == 0


def test_days_are_dates_or_strings_and_a_hit_has_what_json_has(vault: Path) -> None:
    memory = memfs.open(vault)
    kept = memory.remember("The meter stands in the hall", identity="home-aide")
    day = memory.vault.now().date()
    for since in (day, day.isoformat(), f"{day}T00:00:00"):
        hit = memory.search("meter hall", since=since).hits[0]
        assert (hit.id, hit.text) == (kept.id, "The meter stands in the hall")
        assert (hit.path, hit.line) == (hit.view.path, hit.view.line)
        assert memory.log(since=since, limit=1)[0].commit == kept.commit
    assert memory.log(until="2020-01-01") == ()
    for use in (lambda: memory.search("meter", since="soon"), lambda: memory.log(since="2026-13-01")):
        with pytest.raises(memfs.MemfsError, match="not a date"):
            use()
