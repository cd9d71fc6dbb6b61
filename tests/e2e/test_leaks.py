"""A thousand secrets in transcripts: afterwards none is in any file, git object, copy, index, log or prompt."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.opening import Vault, open_vault
from memfs.services.recall import search
from tests.extraction.model.conftest import Room, server
from tests.extraction.model.vaults import Desk
from tests.extraction.secret_corpus import Sample, secrets
from tests.services.vaults import IDENTITY, far_clock, git, new_vault

__all__ = ["server"]
_GRAM = 12
_SESSION = 120  # turns
PLAIN = "Remember that I always want metric units."


def transcripts(folder: Path, told: Sequence[Sample]) -> None:
    """Sessions whose users, agents and tools tell these secrets, each with a sentence worth keeping beside it."""
    folder.mkdir()
    for first in range(0, len(told), _SESSION):
        rows: list[dict[str, Any]] = [{"memfs": 1, "session": f"s{first}", "identity": IDENTITY}]
        for at, sample in enumerate(told[first : first + _SESSION], first):
            rows.append(_turn(at, sample))
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"s{first}.jsonl").write_text(text, encoding="utf-8")


def _turn(at: int, sample: Sample) -> dict[str, Any]:
    turn: dict[str, Any] = {"id": f"m{at}", "timestamp": f"2026-03-{1 + at % 28:02}T09:{at % 60:02}:00Z"}
    if at % 5 == 3:
        call = {
            "id": f"c{at}",
            "name": "sh",
            "arguments": {"command": sample.text},
            "result": sample.text,
            "is_error": True,
        }
        return {**turn, "role": "assistant", "text": f"That failed: {sample.text}", "tool_calls": [call]}
    if at % 5 == 4:
        return {
            **turn,
            "role": "user",
            "text": "See the file.",
            "attachments": [{"path": "a.txt", "text": sample.text}],
        }
    plain = PLAIN if at % _SESSION == 0 else "Here it comes."
    return {**turn, "role": "user", "text": f"{plain}\n\n{sample.text}"}


def everything(vault: Vault) -> Iterator[tuple[str, str]]:
    """All bytes there are, by name: files as they are and unpacked, and every git object."""
    for path in sorted(vault.top.rglob("*")):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            yield str(path), data.decode("utf-8", "replace")
            if path.suffix == ".zst":
                stream = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)
                yield f"{path} (unpacked)", stream.read().decode("utf-8", "replace")
    command = ["git", "-C", str(vault.top), "cat-file", "--batch-all-objects", "--batch", "--buffer"]
    objects = subprocess.run(command, capture_output=True, check=True).stdout
    yield "git objects", objects.decode("utf-8", "replace")


def leaks(texts: Iterator[tuple[str, str]], told: Sequence[Sample]) -> list[tuple[str, str]]:
    """Where one of the secrets, or twelve characters of it in a row, is told."""
    grams: dict[str, Sample] = {}
    short: list[Sample] = []
    for sample in told:
        secret = sample.secret or ""
        if len(secret) < _GRAM:
            short.append(sample)
        for at in range(len(secret) - _GRAM + 1):
            grams[secret[at : at + _GRAM]] = sample
    found: list[tuple[str, str]] = []
    for name, text in texts:
        for sample in short:  # digits of a PIN stand everywhere: what counts is the sentence
            needle = sample.text if len(sample.secret or "") < 8 else sample.secret or ""
            if needle in text:
                found.append((name, sample.text))
        for at in range(len(text) - _GRAM + 1):
            if (hit := grams.get(text[at : at + _GRAM])) is not None:
                found.append((name, hit.text))
    return found


@pytest.fixture(scope="module")
def told() -> list[Sample]:
    return list(secrets())


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "vault")


def test_none_is_left_by_the_rules(vault: Vault, told: list[Sample], tmp_path: Path) -> None:
    transcripts(tmp_path / "talks", told)
    (vault.top / "memfs.local.toml").write_text('[embeddings]\nengine = "none"\n', encoding="utf-8")
    vault = open_vault(vault.top, environ={}, clock=far_clock())
    report = ingest(vault, [tmp_path / "talks"], identity=IDENTITY)
    assert (report.problems, report.waiting) == ((), ())
    assert sum(session.turns for session in report.sessions) == len(told)
    search(vault, "kiln")
    assert any("metric units" in entry.text for entry in list_entries(vault))
    assert leaks(everything(vault), told) == []


@pytest.mark.parametrize(
    "share", [pytest.param(6, id="every sixth"), pytest.param(1, id="all", marks=pytest.mark.slow)]
)
def test_none_is_left_by_a_model_that_repeats_everything(
    vault: Vault, told: list[Sample], tmp_path: Path, server: str, share: int
) -> None:
    told = told[::share]
    transcripts(tmp_path / "talks", told)
    room = Room(f"{server}/leaks")
    room.script({"obey": True})
    settings = 'max_tokens_per_identity_per_day = 0\n[embeddings]\nengine = "none"\n'
    desk = Desk.set_up(vault.top, room, settings)
    report = ingest(desk.vault, [tmp_path / "talks"], identity=IDENTITY, extractor=desk.extractor())
    assert (report.problems, report.waiting) == ((), ())
    search(desk.vault, "kiln")
    assert len(list_entries(desk.vault)) > len(told) // 2
    prompts = ((f"call {at}", json.dumps(call, ensure_ascii=False)) for at, call in enumerate(room.calls()))
    assert leaks(prompts, told) == []
    assert leaks(everything(desk.vault), told) == []
    assert "[redacted: " in git(desk.vault.top, "log", "-p")


def test_the_search_finds_what_is_there(tmp_path: Path, told: list[Sample]) -> None:
    """The proof above is worth something: the same search finds each secret in the transcripts themselves."""
    transcripts(tmp_path / "talks", told)
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in (tmp_path / "talks").iterdir()]
    found = {text for _, text in leaks(iter(texts), told)}
    assert len(found) >= 0.95 * len(told)
