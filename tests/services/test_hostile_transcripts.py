"""One hostile transcript stops no other: it is named, and the good ones are merged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memfs.services.changing import forget
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.opening import Vault
from tests.services.vaults import IDENTITY, document, far_clock, git, new_vault, open_vault

GOOD = "Remember that I always want metric units."


def rows(*turns: dict[str, Any], **header: Any) -> str:
    """A neutral transcript."""
    return "".join(json.dumps(row) + "\n" for row in ({"memfs": 1, **header}, *turns))


def said(text: str, id: str, timestamp: str = "2026-03-14T09:00:00Z", **more: Any) -> dict[str, Any]:
    return {"id": id, "role": "user", "text": text, "timestamp": timestamp, **more}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "vault")


def put(vault: Vault, name: str, text: str) -> None:
    (vault.layout.inbox_dir(IDENTITY) / name).write_text(text, encoding="utf-8")


HOSTILE = {
    "a peer with a very long name": rows(
        said("I always use tabs.", "hostile-1", peer="x" * 500), session="hostile"
    ),
    "the first year there is": rows(
        said("I always use tabs.", "hostile-1", "0001-01-01T00:00:00Z"), session="hostile"
    ),
    "the last year there is": rows(
        said("I always use tabs.", "hostile-1", "9999-12-31T23:59:59Z"), session="hostile"
    ),
    "a policy with an unknown key": rows(
        said("I always use tabs.", "hostile-1"), session="hostile", memory_policy={"everything": True}
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Shanghai"])
def test_a_hostile_transcript_stops_no_other(vault: Vault, kind: str, zone: str) -> None:
    settings = vault.layout.config
    settings.write_text(f'timezone = "{zone}"\n' + settings.read_text(encoding="utf-8"), encoding="utf-8")
    vault = open_vault(vault.top, environ={}, clock=far_clock())
    put(vault, "a-hostile.jsonl", HOSTILE[kind])
    put(vault, "b-good.jsonl", rows(said(GOOD, "good-message-1"), session="good"))
    report = ingest(vault)
    assert any("metric units" in entry.text for entry in list_entries(vault))
    assert all("hostile" in problem for problem in report.problems)


def test_what_was_forgotten_does_not_return_from_another_copy(vault: Vault) -> None:
    put(vault, "one.jsonl", rows(said(GOOD, "good-message-1"), session="one"))
    ingest(vault)
    (entry,) = (entry for entry in list_entries(vault) if "metric units" in entry.text)
    forget(vault, entry.id or "")
    put(vault, "two.jsonl", rows(said(GOOD, "other-message-1"), session="two"))
    ingest(vault)
    assert not any("metric units" in entry.text for entry in list_entries(vault))


def test_said_again_later_it_returns(vault: Vault) -> None:
    put(vault, "one.jsonl", rows(said(GOOD, "good-message-1"), session="one"))
    ingest(vault)
    (entry,) = (entry for entry in list_entries(vault) if "metric units" in entry.text)
    forget(vault, entry.id or "")
    later = vault.now().replace(year=vault.now().year + 1).isoformat()
    put(vault, "two.jsonl", rows(said(GOOD, "other-message-1", later), session="two"))
    ingest(vault)
    assert any("metric units" in entry.text for entry in list_entries(vault))


@pytest.mark.parametrize("around", ["```\n{}\n```", "%%\n{}\n%%", "> {}"])
def test_an_entry_put_where_it_is_none_is_not_written_again(vault: Vault, around: str) -> None:
    put(vault, "one.jsonl", rows(said(GOOD, "good-message-1"), session="one"))
    ingest(vault)
    (entry,) = (entry for entry in list_entries(vault) if "metric units" in entry.text)
    path = vault.top / entry.path
    text = path.read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if "metric units" in line)
    path.write_text(text.replace(line, around.format(line)), encoding="utf-8")
    put(vault, "two.jsonl", rows(said(GOOD, "other-message-1"), session="two"))
    ingest(vault)
    assert path.read_text(encoding="utf-8").count(f"^{entry.id}") == 1


def test_a_submodule_in_the_memory_makes_its_documents_wait(vault: Vault) -> None:
    inner = document(vault, "notes.md").parent / "projects"
    inner.mkdir()
    git(inner, "init", "-q")
    put(vault, "one.jsonl", rows(said("The project Tidewater is in beta now.", "message-1"), session="one"))
    put(vault, "two.jsonl", rows(said(GOOD, "good-message-1"), session="two"))
    ingest(vault)
    assert not list(inner.glob("*.md"))
    assert any("metric units" in entry.text for entry in list_entries(vault))
    assert "projects" not in git(vault.top, "diff", "--cached", "--name-only")
