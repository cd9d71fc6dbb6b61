"""The sample vault is a vault as memfs leaves one: its ids, ledgers and cursors belong together."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memfs.config.reading import load_config
from memfs.config.settings import Config
from memfs.markdown.document import parse_document
from memfs.memory.ids import written_hash
from memfs.memory.ledger import parse_ledger
from memfs.memory.registry import build_registry
from memfs.memory.views import is_suggestion, suggestion_text, view_entries
from memfs.services.resources import read_builtin_templates
from memfs.transcripts.opening import open_transcript
from tests.conftest import PROJECT
from tests.sample.build import build_sample, built_files

SAMPLE = PROJECT / "sample_vault"
MEMORIES = SAMPLE / "memories"
IDENTITIES = ["coding-assistant", "home-aide"]
DOCUMENTS = sorted(path for path in MEMORIES.rglob("*.md"))


def rel(path: Path) -> str:
    return path.relative_to(SAMPLE).as_posix()


def notes() -> list[Path]:
    return [path for path in DOCUMENTS if not any(part.startswith(".") for part in path.parts)]


def test_it_holds_no_repository_and_nothing_derived() -> None:
    unwanted = {".git", ".memfs", ".obsidian", ".gitignore", ".DS_Store"}
    assert [rel(path) for path in SAMPLE.rglob("*") if path.name in unwanted] == []
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 200_000


def test_it_is_what_memfs_makes_of_its_older_conversations(tmp_path: Path) -> None:
    report = build_sample(SAMPLE, tmp_path / "built")
    assert (report.problems, report.waiting) == ((), ())
    assert built_files(tmp_path / "built") == built_files(SAMPLE), (
        "run `make sample` and look at what changed"
    )


def test_its_settings_are_valid_and_only_its_own() -> None:
    config = load_config(SAMPLE, {})
    assert config != Config()
    assert set(tomllib.loads((SAMPLE / "memfs.toml").read_text(encoding="utf-8"))) == {
        "language",
        "timezone",
        "extract",
        "sources",
    }


def test_it_has_two_identities_a_peer_of_each_and_every_common_type() -> None:
    assert sorted(path.name for path in MEMORIES.iterdir() if path.is_dir()) == IDENTITIES
    assert {path.parent.name for path in MEMORIES.glob("*/peers/*")} == {"peers"}
    views = [view for path in notes() for view in view_entries(rel(path), path.read_text("utf-8"), root="")]
    assert {view.identity for view in views} == set(IDENTITIES)
    assert {view.peer for view in views} >= {None, "jonas", "林晓"}
    registry = build_registry(read_builtin_templates("types"), {})
    written = {parse_document(path.read_text("utf-8")).frontmatter.values["type"] for path in notes()}
    common = {"profile", "preferences", "projects", "decisions", "actions", "notes", "entities", "events"}
    assert written >= common | {"identity", "cases", "experiences"}
    assert written <= {*registry.types, "journal"}


def test_every_id_is_in_its_documents_ledger_and_the_ledger_holds_nothing_else() -> None:
    for path in notes():
        identity = path.relative_to(MEMORIES).parts[0]
        ledger = MEMORIES / identity / ".ledger" / path.relative_to(MEMORIES / identity)
        records, problems = parse_ledger(ledger.read_text("utf-8") if ledger.exists() else "")
        assert problems == ()
        blocks = [block for block in parse_document(path.read_text("utf-8")).blocks if block.block_id]
        written = {
            block.block_id: written_hash(suggestion_text(block) if is_suggestion(block) else block.text)
            for block in blocks
            if block.block_id.startswith("m-")
        }
        assert {record.id: record.hash for record in records} == written, rel(path)


@pytest.mark.parametrize("identity", IDENTITIES)
def test_hand_written_and_extracted_entries_stand_side_by_side(identity: str) -> None:
    own = MEMORIES / identity
    views = [
        view
        for path in notes()
        if own in path.parents
        for view in view_entries(rel(path), path.read_text("utf-8"), root="")
    ]
    assert [view for view in views if view.id and view.id.startswith("m-")]
    assert [view for view in views if view.id is None]
    assert list((own / ".cursors").rglob("*"))


def test_its_inbox_holds_four_formats_and_one_chinese_conversation() -> None:
    formats = {}
    for path in sorted((SAMPLE / "inbox").rglob("*.*")):
        reader = open_transcript(io.BytesIO(path.read_bytes()), name=path.name, me=("Mara", "玛拉"))
        assert list(reader)
        assert reader.skipped == ()
        formats[path.name] = reader.format
    assert len(set(formats.values())) == 4
    assert "周末计划.txt" in formats


def readme_excerpt(beginning: str) -> str:
    """The code block of the README that begins so, without its fences."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    start = text.index(beginning)
    return text[start : text.index("\n```", start + 3)].removeprefix("```markdown\n")


def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        ["sh", PROJECT / "docs" / "demo.sh", SAMPLE, tmp_path / "demo-vault"],
        env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    decisions = done.stdout.rpartition("# Decisions")[2]
    assert "SQLite, one file per harbour office" in decisions  # the hand edit stands
    assert "> [!question]" in decisions
    assert "DuckDB" in decisions
    assert "~~**Database of the tide cache**: We decided to use PostgreSQL" in decisions
    assert "undone:" in decisions
    assert readme_excerpt("```markdown\n# Decisions") in done.stdout, "README shows what the demo gives"
    history = [line.partition(" ")[2] for line in readme_excerpt("$ git log --oneline -3\n").splitlines()[1:]]
    given = [line.partition(" ")[2] for line in done.stdout.rpartition("log --oneline")[2].splitlines()]
    start = given.index(history[0])
    assert given[start : start + 3] == history
    after = (tmp_path / "demo-vault/memories/coding-assistant/decisions.md").read_text(encoding="utf-8")
    assert "one file per harbour office" in after
    assert "DuckDB" not in after
