"""The index follows the files, and says how far it is where that takes long."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.services.finding import indexing
from memfs.services.finding.indexing import follow_index, open_index, refresh_index, reindex
from memfs.services.opening import Vault
from tests.services.lexical import lexical_vault, reopened


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = lexical_vault(tmp_path / "vault")
    for number in range(80):
        (vault.top / f"Note {number}.md").write_text(f"# Note {number}\n\nSome text about {number}.\n")
    return reopened(vault)


def test_a_long_pass_tells_how_many_documents_are_done(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    refresh_index(vault, open_index(vault), told.append)
    assert told == [], "a short one tells nothing"
    monkeypatch.setattr(indexing, "_WORTH_SAYING", 0.0)
    count = len(reindex(vault, told.append).indexed)
    assert told == [f"{done}/{count}" for done in range(count)]


def test_a_pass_in_parts_tells_it_between_them(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_WORTH_SAYING", 0.0)
    told: list[str] = []
    reports = list(follow_index(vault, open_index(vault), announce=told.append))
    done = [len(report.indexed) for report in reports]
    assert told == [f"{sum(done[: number + 1])}/{sum(done)}" for number in range(len(done) - 1)]
    assert told
