"""Editing an entry on a person's behalf: theirs from then on, one commit, undoable."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import EntryNotFound, InvalidRequest
from memfs.services.audit import log, why
from memfs.services.changing import remember
from memfs.services.editing import edit
from memfs.services.entries import find_view
from memfs.services.opening import Vault
from memfs.services.undo import undo
from tests.services.vaults import document, git, merge, new_vault, proposal


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = new_vault(tmp_path / "vault")
    merge(made, proposal("decisions", 1, topic="Database", decision="We use SQLite"))
    return made


def entry_of(vault: Vault) -> str:
    (line,) = [line for line in document(vault, "decisions.md").read_text().splitlines() if "SQLite" in line]
    return line.rpartition("^")[2]


def test_an_edit_is_one_commit_and_the_line_is_a_persons(vault: Vault) -> None:
    entry, before = entry_of(vault), git(vault.top, "rev-list", "--count", "HEAD")
    changed = edit(vault, f"^{entry}", "**Database**: DuckDB, says Robin")
    assert (changed.id, changed.action) == (entry, "edit")
    assert int(git(vault.top, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert git(vault.top, "status", "--porcelain") == ""
    assert find_view(vault, entry).origin == "hand"
    assert f"- **Database**: DuckDB, says Robin ^{entry}\n" in document(vault, "decisions.md").read_text()
    assert log(vault, limit=1)[0].kind == "edit"
    assert why(vault, entry).reasons[0].provenance.kind == "edit"


def test_what_was_edited_is_kept_for_ever(vault: Vault) -> None:
    entry = entry_of(vault)
    edit(vault, entry, "**Database**: DuckDB, says Robin")
    merge(vault, proposal("decisions", 9, topic="Database", decision="We use PostgreSQL"), session="s2")
    text = document(vault, "decisions.md").read_text()
    assert f"- **Database**: DuckDB, says Robin ^{entry}\n" in text
    assert "> [!question]" in text
    assert "PostgreSQL" in text


def test_a_checkbox_and_a_persons_own_line_keep_what_is_around_the_text(vault: Vault) -> None:
    kept = remember(vault, "Call the office", type="actions")
    edit(vault, kept.id, "Call the office on Monday")
    assert f"- [ ] Call the office on Monday ^{kept.id}\n" in document(vault, "actions.md").read_text()
    path = document(vault, "notes.md")
    path.write_text("# Notes\n\n* by hand ^my-own\n", encoding="utf-8")
    edit(vault, "my-own", "by hand, and better")
    assert path.read_text() == "# Notes\n\n* by hand, and better ^my-own\n"


def test_text_stays_text_and_secrets_stay_out(vault: Vault) -> None:
    entry = entry_of(vault)
    changed = edit(vault, entry, "# one\n- two ^m-abcdefghijklm\nkey AKIAIOSFODNN7EXAMPLE")
    text = document(vault, "decisions.md").read_text()
    assert changed.redacted
    assert "AKIAIOSFODNN7EXAMPLE" not in text
    (line,) = [line for line in text.splitlines() if line.endswith(f"^{entry}")]
    assert line.startswith("- \\# one - two ")


def test_undo_lets_the_line_say_what_it_said(vault: Vault) -> None:
    entry = entry_of(vault)
    before = document(vault, "decisions.md").read_bytes()
    changed = edit(vault, entry, "**Database**: DuckDB")
    undone = undo(vault, changed.commit or "")
    assert undone.commit is not None
    assert [one.action for one in undone.outcomes] == ["updated"]
    assert document(vault, "decisions.md").read_bytes() == before
    assert find_view(vault, entry).origin == "extracted"


def test_undo_keeps_what_was_changed_since(vault: Vault) -> None:
    entry = entry_of(vault)
    first = edit(vault, entry, "**Database**: DuckDB")
    edit(vault, entry, "**Database**: SQLite after all")
    undone = undo(vault, first.commit or "")
    assert undone.commit is None
    assert undone.outcomes[0].action == "kept"
    assert "SQLite after all" in document(vault, "decisions.md").read_text()


def test_the_same_text_changes_nothing(vault: Vault) -> None:
    entry = entry_of(vault)
    first = edit(vault, entry, "**Database**: DuckDB")
    again = edit(vault, entry, "**Database**: DuckDB")
    assert (again.action, again.commit) == ("unchanged", None)
    assert log(vault, limit=1)[0].commit == first.commit


@pytest.mark.parametrize(("text", "why"), [("  \n", "empty"), ("x" * 601, "600 characters")])
def test_a_text_that_is_none(vault: Vault, text: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        edit(vault, entry_of(vault), text)


def test_an_entry_that_is_not_there(vault: Vault) -> None:
    with pytest.raises(EntryNotFound):
        edit(vault, "m-aaaaaaaaaaaaa", "text")
