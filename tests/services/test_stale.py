"""Stale saves: an editor that had the text from before a merge open, and saves it over the merge (spec 5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.services.opening import Vault
from tests.services.vaults import (
    IDENTITY,
    committed,
    copy_vault,
    document,
    git,
    merge,
    new_vault,
    note,
    proposal,
)

FIRST, SECOND, THIRD = "The well is nine metres deep", "The pump needs a new seal", "The gate is oak"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stale") / "vault"
    merge(new_vault(folder), note(FIRST), proposal("projects", 1, project="Tidewater", stage="alpha"))
    return folder


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return copy_vault(template, tmp_path / "vault")


def save(path: Path, text: str) -> None:
    """Save as editors do: to a file beside, renamed."""
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def opened(vault: Vault, name: str = "notes.md") -> tuple[Path, str]:
    path = document(vault, name)
    return path, path.read_text(encoding="utf-8")


def test_a_stale_save_is_merged_with_the_text_from_before_the_merge(vault: Vault) -> None:
    path, text = opened(vault)
    merge(vault, note(SECOND, 2), session="s2")
    save(path, text + "- A line by hand\n")
    assert merge(vault, note(THIRD, 3), session="s3").count("added") == 1
    now = path.read_text(encoding="utf-8")
    assert [now.count(line) for line in (FIRST, SECOND, THIRD, "A line by hand")] == [1, 1, 1, 1]
    assert committed(vault.top, vault.layout.document_rel(IDENTITY, "notes.md")) == now
    assert git(vault.top, "status", "--porcelain") == ""


def test_it_is_mended_once(vault: Vault) -> None:
    path, text = opened(vault)
    merge(vault, note(SECOND, 2), session="s2")
    save(path, text + "- A line by hand\n")
    merge(vault, note(THIRD, 3), session="s3")
    kept = [
        line
        for line in path.read_text(encoding="utf-8").splitlines()
        if SECOND not in line and THIRD not in line
    ]
    save(path, "\n".join(kept) + "\n- Another line by hand\n")
    merge(vault, note("The fence is chestnut", 4), session="s4")
    now = path.read_text(encoding="utf-8")
    assert SECOND not in now
    assert THIRD not in now
    assert [now.count(line) for line in ("- A line by hand", "Another line", "chestnut")] == [1, 1, 1]


def test_exactly_the_earlier_text_is_a_deletion(vault: Vault) -> None:
    path, text = opened(vault)
    merge(vault, note(SECOND, 2), session="s2")
    save(path, text)
    merge(vault, note(THIRD, 3), session="s3")
    assert merge(vault, note(SECOND, 2), session="s2").count("forgotten") == 1
    assert SECOND not in path.read_text(encoding="utf-8")


def test_exactly_the_earlier_text_is_an_edit_of_what_was_updated(vault: Vault) -> None:
    path, text = opened(vault, "projects/tidewater.md")
    merge(vault, proposal("projects", 2, "s2", project="Tidewater", stage="beta"), session="s2")
    save(path, text)
    merge(vault, proposal("projects", 3, "s3", project="Tidewater", known_issues=("leaks",)), session="s3")
    now = path.read_text(encoding="utf-8")
    assert "stage: alpha" in now
    assert "leaks" in now
    offered = merge(vault, proposal("projects", 4, "s4", project="Tidewater", stage="gamma"), session="s4")
    assert offered.count("suggested") == 1


def test_an_edit_of_what_was_just_merged_is_no_stale_save(vault: Vault) -> None:
    merge(vault, note(SECOND, 2), session="s2")
    path, text = opened(vault)
    save(path, text.replace(SECOND, "The pump has a new seal").replace(FIRST, "The well is dry"))
    merge(vault, note(THIRD, 3), session="s3")
    now = path.read_text(encoding="utf-8")
    assert [now.count(line) for line in (FIRST, SECOND, THIRD, "has a new seal", "well is dry")] == [
        0,
        0,
        1,
        1,
        1,
    ]


def test_a_stale_save_that_rewords_what_the_merge_updated_loses_nothing_else(vault: Vault) -> None:
    path, text = opened(vault, "projects/tidewater.md")
    second = proposal("projects", 2, "s2", project="Tidewater", stage="beta", known_issues=("leaks",))
    merge(vault, second, session="s2")
    save(path, text.replace("alpha", "on hold"))
    merge(vault, proposal("projects", 3, "s3", project="Tidewater", known_issues=("is slow",)), session="s3")
    now = path.read_text(encoding="utf-8")
    assert [now.count(line) for line in ("on hold", "leaks", "is slow", "stage: beta")] == [1, 1, 1, 0]
