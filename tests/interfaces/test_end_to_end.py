"""The main job through the command line: from transcripts to memory that is searched, questioned, edited, undone."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Git
from tests.interfaces.conftest import SAMPLES, age, edit, run_memfs

CHAT = """\
## User (2026-11-28 10:20)

I prefer green tea over coffee.

We decided to use SQLite for the cache, because nobody looks after a server.

## Assistant (2026-11-28 10:21)

Noted.
"""
LATER = """\
## User (2026-11-29 10:20)

We decided to use PostgreSQL for the cache, because two machines share it.

## Assistant (2026-11-29 10:21)

Noted.
"""


def test_from_a_transcript_to_memory_and_back(tmp_path: Path, git: Git) -> None:
    vault = tmp_path / "vault"

    def memfs(name: str, *arguments: str | Path) -> object:
        done = run_memfs(name, "--vault", vault, *arguments, "--json")
        assert done.code == 0, done.err
        return done.json

    assert run_memfs("init", vault, "--identity", "helper").code == 0
    inbox = vault / "inbox" / "helper"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "chat.md").write_text(CHAT, encoding="utf-8")
    for sample in ("claude-code/sample.basic.jsonl", "codex/sample.paginated.jsonl"):
        name = Path(sample)
        (inbox / name.parent.name).with_suffix(".jsonl").write_bytes((SAMPLES / name).read_bytes())
    age(vault)

    report = memfs("ingest")
    assert {one["source"] for one in report["sessions"]} == {"claude-code", "codex", "inbox"}
    assert memfs("ingest")["sessions"] == []

    [decision] = memfs("list", "--type", "decisions")
    assert "SQLite" in decision["text"]
    assert memfs("search", "what did we decide about the cache")["hits"][0]["id"] == decision["id"]
    [reason] = memfs("why", decision["id"])["reasons"]
    assert "nobody looks after a server" in reason["turns"][0]["text"]
    assert git(vault, "status", "--porcelain") == ""

    document = vault / decision["path"]
    edit(document, "because nobody looks after a server", "because it is simple")
    (inbox / "later.md").write_text(LATER, encoding="utf-8")
    age(inbox)
    [session] = memfs("ingest")["sessions"]
    assert session["kept"] == 1
    text = document.read_text("utf-8")
    assert "because it is simple" in text
    assert "> [!question]" in text
    assert "PostgreSQL" in text
    assert [entry["kind"] for entry in memfs("log")][:2] == ["merge", "hand"]

    memfs("undo", session["commit"])
    text = document.read_text("utf-8")
    assert "because it is simple" in text
    assert "PostgreSQL" not in text
    assert memfs("ingest")["sessions"] == []
    assert memfs("check")["sound"] is True
    assert git(vault, "status", "--porcelain") == ""
