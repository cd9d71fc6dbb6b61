"""Symbolic links in an identity's folder: nothing is written through one, by any writer, and no work is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import InvalidDocument, MemfsError, UnsafePath
from memfs.services.changing import forget, remember
from memfs.services.checking import check
from memfs.services.editing import edit
from memfs.services.ingest import ingest
from memfs.services.opening import Vault, open_vault
from memfs.services.relaying.adding import add_baton
from memfs.services.status import status
from tests.services.lexical import hashes
from tests.services.talks import Script, inbox, put_talk, says, talk
from tests.services.vaults import IDENTITY, document, far_clock, git, merge, new_vault, proposal

OTHER = "writer"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "v", IDENTITY, OTHER)


Target = Callable[[Vault], Path]
TARGETS: dict[str, Target] = {
    "another identity": lambda vault: document(vault, "notes.md", OTHER),
    "outside": lambda vault: vault.top.parent / "outside.md",
    "the same identity": lambda vault: document(vault, "kept/notes.md"),
    "nothing": lambda vault: document(vault, "gone.md"),
}


@pytest.fixture(params=list(TARGETS))
def linked(vault: Vault, request: pytest.FixtureRequest) -> Path:
    """Where ``notes.md``, committed as a link, leads to."""
    target = TARGETS[request.param](vault)
    if request.param != "nothing":
        target.parent.mkdir(exist_ok=True)
        target.write_text("# Notes\n\n- Lunch is at noon ^m-aaaaaaaaaaaaa\n", encoding="utf-8")
    document(vault, "notes.md").symlink_to(target)
    git(vault.top, "add", "memories")
    git(vault.top, "commit", "-q", "-m", "link")
    return target


def state(target: Path) -> str | None:
    return target.read_text(encoding="utf-8") if target.exists() else None


def untouched(vault: Vault, target: Path, was: str | None) -> bool:
    return (
        state(target) == was
        and document(vault, "notes.md").is_symlink()
        and not git(vault.top, "status", "--short", "memories")
        and git(vault.top, "ls-tree", "HEAD", "memories/coding-assistant/notes.md")[:6] == "120000"
    )


def test_remember_writes_through_no_link(vault: Vault, linked: Path) -> None:
    was = state(linked)
    with pytest.raises(MemfsError, match=r"symbolic link \(to .*\), and memfs writes through none"):
        remember(vault, "The cache holds 24 hours", identity=IDENTITY)
    assert untouched(vault, linked, was)


def test_a_merge_goes_round_a_link_and_keeps_what_waits_for_it(vault: Vault, linked: Path) -> None:
    was = state(linked)
    said = (says("notes", content="The cache holds 24 hours"), says("actions", task="Call the bank"))
    put_talk(inbox(vault), talk("s1", *said))
    report = ingest(vault, extractor=Script())
    assert any("symbolic link" in reason for reason in (*report.waiting, *report.sessions[0].waiting))
    assert untouched(vault, linked, was)
    assert "Call the bank" in document(vault, "actions.md").read_text()
    document(vault, "notes.md").unlink()
    git(vault.top, "commit", "-q", "-a", "-m", "no link any more")
    ingest(vault, extractor=Script())
    assert "The cache holds 24 hours" in document(vault, "notes.md").read_text()


def test_an_edit_and_a_forget_write_through_no_link(vault: Vault) -> None:
    outside = vault.top / "tea.md"
    outside.write_text("- Tea is at four ^m-aaaaaaaaaaaaa\n", encoding="utf-8")
    document(vault, "tea.md").symlink_to(outside)
    before = hashes(vault.top)
    with pytest.raises(InvalidDocument, match="symbolic link"):
        edit(vault, "m-aaaaaaaaaaaaa", "Tea is at five")
    with pytest.raises(InvalidDocument, match="symbolic link"):
        forget(vault, "m-aaaaaaaaaaaaa")
    assert hashes(vault.top) == before


def test_an_entry_that_a_link_shows_too_is_written_where_it_lies(vault: Vault) -> None:
    entry = remember(vault, "Tea is at four", identity=IDENTITY)
    document(vault, "a-link.md").symlink_to("notes.md")
    edit(vault, entry.id, "Tea is at five")
    assert "Tea is at five" in document(vault, "notes.md").read_text()
    assert forget(vault, entry.id).path == "memories/coding-assistant/notes.md"


def test_a_folder_that_is_a_link_is_named(vault: Vault) -> None:
    remember(vault, "Redis keeps sessions", identity=OTHER)
    document(vault, "entities").symlink_to(vault.layout.identity_dir(OTHER))
    merged = merge(vault, proposal("entities", 6, category="tools", name="Redis", content="A store"))
    assert any("memories/coding-assistant/entities is a symbolic link" in reason for reason in merged.waiting)
    assert not (vault.layout.identity_dir(OTHER) / "tools").exists()


def test_check_and_status_name_the_link(vault: Vault, linked: Path) -> None:
    if linked.exists() and vault.top in linked.parents:
        assert any("symbolic link" in finding.message for finding in check(vault).findings)
        assert any("symbolic link" in warning for warning in status(vault).warnings)


def test_a_vault_below_a_linked_folder_is_written_as_any_other(tmp_path: Path) -> None:
    new_vault(tmp_path / "real" / "v", IDENTITY)
    (tmp_path / "way").symlink_to(tmp_path / "real")
    vault = open_vault(tmp_path / "way" / "v", environ={}, clock=far_clock())
    assert remember(vault, "The cache holds 24 hours").commit


def test_a_board_leads_to_no_other_identity(vault: Vault) -> None:
    vault.layout.relay_board(IDENTITY).symlink_to(vault.layout.relay_board(OTHER))
    with pytest.raises(UnsafePath, match=f"leads to {OTHER}"):
        add_baton(vault, "Take Redis", identity=IDENTITY, channel="c")
    assert not vault.layout.relay_board(OTHER).exists()
