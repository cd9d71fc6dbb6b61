"""Dry runs: the parse and the operations of every sample, in a vault and outside of any; nothing is written."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.errors import TranscriptError, UnknownFormat
from memfs.services.dryrun import estimate, extract, read_transcript
from memfs.services.opening import Vault
from memfs.services.vaultless import open_without_vault
from tests.services.lexical import hashes, lexical_vault
from tests.services.vaults import git

SAMPLES = Path(__file__).resolve().parent.parent / "transcripts/samples"
NO_TRANSCRIPT = ("message_feedback.json", "user.json", "sample.not-chat.json", "agent-ag7.meta.json")
UNREADABLE = ("sample.binary.txt", "sample.latin1.txt")
FILES = sorted(
    path
    for path in SAMPLES.rglob("*")
    if path.is_file() and "expected" not in path.name and path.suffix != ".md"
) + sorted((SAMPLES / "markdown-chat").glob("*.md"))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v")


def name(path: Path) -> str:
    return path.relative_to(SAMPLES).as_posix()


def test_there_are_samples() -> None:
    assert len(FILES) > 30


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_sample_is_read_or_refused_by_name(path: Path) -> None:
    outside = open_without_vault(environ={})
    if path.name in NO_TRANSCRIPT:
        for look in (lambda: read_transcript(path), lambda: extract(outside, path)):
            with pytest.raises(UnknownFormat) as caught:
                look()
            assert str(path) in str(caught.value)
    elif path.name in UNREADABLE:
        with pytest.raises(TranscriptError) as refused:
            extract(outside, path)
        assert str(path) in str(refused.value)
    else:
        json.dumps(read_transcript(path))
        done = extract(outside, path)
        told = estimate(outside, path)
        assert (told.turns, told.calls, told.tokens.input, told.price) == (done.turns, 0, 0, 0.0)
        assert all(text for _, text in done.proposals)


def test_nothing_is_written_and_no_cursor_moves(vault: Vault) -> None:
    before = hashes(vault.top, apart=(".git",)), git(vault.top, "for-each-ref")
    for path in (path for path in FILES if path.name.startswith("sample.basic")):
        extract(vault, path)
        estimate(vault, path)
    assert (hashes(vault.top, apart=(".git",)), git(vault.top, "for-each-ref")) == before


def chat(folder: Path, *said: str, time: str | None = None) -> Path:
    """A neutral transcript in which the user says these things."""
    path = folder / "chat.jsonl"
    rows = [{"role": "user", "text": text} | ({"timestamp": time} if time else {}) for text in said]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_it_proposes_what_ingest_would_merge(vault: Vault, tmp_path: Path) -> None:
    from memfs.services.entries import list_entries
    from memfs.services.ingest import ingest

    path = chat(
        tmp_path, "I work as a backend engineer.", "Let's use Redis for the queue because it is simple."
    )
    proposed = sorted(text for _, text in extract(vault, path).proposals)
    assert proposed
    ingest(vault, [path])
    assert [view.type for view in list_entries(vault)]
    assert len(list_entries(vault)) == len(proposed)


def test_the_moment_that_relative_dates_count_from(tmp_path: Path) -> None:
    outside = open_without_vault(environ={"TZ": "UTC"})
    path = chat(tmp_path, "Remind me to renew the certificate tomorrow.")
    then = datetime(2026, 3, 14, 10, tzinfo=UTC)
    texts = [text for _, text in extract(outside, path, now=then).proposals]
    assert any("2026-03-15" in text for text in texts), texts


def test_a_secret_is_not_shown(vault: Vault, tmp_path: Path) -> None:
    path = chat(tmp_path, "Remember that the api key is sk-abcdefghijklmnopqrstuvwxyz012345.")
    done = extract(vault, path)
    assert "sk-abcdef" not in repr([(p.operation, text) for p, text in done.proposals])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for look in (read_transcript, lambda path: extract(open_without_vault(environ={}), path)):
        with pytest.raises(TranscriptError) as caught:
            look(tmp_path / "no.jsonl")
        assert "no.jsonl" in str(caught.value)


def test_with_extraction_turned_off_there_is_nothing_to_propose(tmp_path: Path) -> None:
    outside = open_without_vault(environ={"MEMFS_EXTRACT_MODEL": ""})
    assert extract(outside, chat(tmp_path, "I work as a backend engineer.")).proposals == ()
