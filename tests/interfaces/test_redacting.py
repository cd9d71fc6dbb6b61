"""memfs redact: what it tells, its exit codes, and that no secret is ever in what it says; undo by source."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.interfaces.library import open_memory
from tests.conftest import Git
from tests.interfaces.conftest import Memfs

CARD = "4242 4242 4242 4242"
DIARY = f"# Diary\n\nmy card is {CARD}\n"


@pytest.fixture
def diary(vault: Path, git: Git) -> Path:
    path = vault / "diary.md"
    path.write_text(DIARY, encoding="utf-8")
    git(vault, "add", "diary.md")
    git(vault, "commit", "-q", "-m", "Keep a diary")
    return path


def test_a_clean_vault_has_nothing_to_tell(memfs: Memfs) -> None:
    done = memfs("redact", "--scan")
    assert done.code == 0
    assert done.out.startswith("No secrets found; files read: ")


def test_scan_tells_path_line_and_kind_and_the_next_step(memfs: Memfs, diary: Path) -> None:
    done = memfs("redact", "--scan")
    assert done.code == 10
    assert done.out == "diary.md:3  card number  (in a line of yours)\n"
    assert "memfs redact --hand" in done.err
    assert CARD not in done.out + done.err
    assert diary.read_text(encoding="utf-8") == DIARY


def test_a_persons_line_needs_their_word(memfs: Memfs, diary: Path) -> None:
    assert memfs("redact").code == 10
    assert diary.read_text(encoding="utf-8") == DIARY
    done = memfs("redact", "--hand")
    assert done.code == 0
    assert diary.read_text(encoding="utf-8") == "# Diary\n\nmy card is [redacted: card number]\n"
    assert "Replaced: 1" in done.out
    assert "forget ENTRY --purge" in done.err


def test_history_is_told_by_commit(memfs: Memfs, diary: Path, vault: Path, git: Git) -> None:
    head = git(vault, "rev-parse", "--short=8", "HEAD").strip()
    memfs("redact", "--hand")
    assert memfs("redact", "--scan").code == 0
    done = memfs("redact", "--scan", "--history")
    assert done.code == 10
    assert done.out == f"{head}:diary.md:3  card number\n"
    assert diary.exists()


def test_json_and_python_tell_the_same(memfs: Memfs, diary: Path, vault: Path) -> None:
    told = memfs("redact", "--scan", "--json").json
    assert told["found"] == [
        {
            "path": diary.name,
            "line": 3,
            "kind": "card number",
            "by_hand": True,
            "commit": None,
            "replaced": False,
            "reason": None,
        }
    ]
    (found,) = open_memory(vault).redact(scan=True).found
    assert (found.path, found.line, found.kind) == ("diary.md", 3, "card number")


@pytest.mark.parametrize("wrong", [["--history"], ["--scan", "--hand"]])
def test_flags_that_make_no_sense_are_refused(memfs: Memfs, wrong: list[str]) -> None:
    assert memfs("redact", *wrong).code == 2


def test_undo_takes_back_a_source_or_a_commit_and_not_both(memfs: Memfs) -> None:
    entries = memfs("list", "--json").json
    source = next(entry["source"] for entry in entries if entry["source"])
    done = memfs("undo", "--source", source)
    assert done.code == 0
    assert f"undone: {source}" in done.out
    assert not any(entry["source"] == source for entry in memfs("list", "--json").json)
    assert memfs("undo", "--source", "nowhere/none").code == 6
    assert memfs("undo").code == 2
    assert memfs("undo", "HEAD", "--source", source).code == 2


def test_trust_is_told(memfs: Memfs) -> None:
    entry = next(entry for entry in memfs("list", "--json").json if entry["origin"] == "extracted")
    assert entry["trust"] == "user"
    assert "trust: user" in memfs("why", entry["id"]).out
