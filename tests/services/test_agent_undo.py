"""Undo of what an agent did to files: whole or not at all, told apart from every other undo, and no entry twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import InvalidRequest
from memfs.services.agent_files import AgentFiles
from memfs.services.audit import log
from memfs.services.changing import remember
from memfs.services.checking import check
from memfs.services.entries import list_entries
from memfs.services.merging.reverts import absorb_reverts
from memfs.services.opening import Vault
from memfs.services.undo import undo
from tests.services.vaults import IDENTITY, document, git, merge, new_vault, note, proposal

REDIS = proposal("decisions", 2, topic="Queue", decision="Use Redis", reason="operations run it")
KAFKA = proposal("decisions", 10, "s2", topic="Queue", decision="Use Kafka", reason="it can replay")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "v", IDENTITY)


@pytest.fixture
def files(vault: Vault) -> AgentFiles:
    return AgentFiles(vault, IDENTITY)


def last(vault: Vault) -> str:
    return log(vault)[0].commit


def kinds(vault: Vault) -> list[str]:
    return [entry.kind for entry in log(vault)]


def texts(vault: Vault) -> list[str]:
    return sorted(entry.text for entry in list_entries(vault))


def snapshot(vault: Vault) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in vault.layout.memories.rglob("*.md")}


def test_the_undo_of_an_agents_change_has_a_kind_of_its_own(vault: Vault, files: AgentFiles) -> None:
    files.create("/memories/plan.md", "- one\n")
    undo(vault, last(vault))
    assert kinds(vault)[:2] == ["agent-undo", "agent"]
    undo(vault, last(vault))
    assert document(vault, "plan.md").read_text() == "- one\n"
    assert kinds(vault)[0] == "agent-undo"


def test_an_undo_of_older_histories_is_read_as_before(vault: Vault, files: AgentFiles) -> None:
    files.create("/memories/plan.md", "- one\n")
    undo(vault, last(vault))
    message = git(vault.top, "log", "-1", "--format=%B").replace("Memfs-Kind: agent-undo", "Memfs-Kind: undo")
    git(vault.top, "commit", "--amend", "-q", "-m", message)
    assert kinds(vault)[0] == "undo"
    undo(vault, last(vault))
    assert document(vault, "plan.md").read_text() == "- one\n"


def test_an_undo_without_entries_that_is_no_agents_leaves_records_alone(vault: Vault) -> None:
    merged = merge(vault, REDIS)
    git(vault.top, "revert", "--no-edit", str(merged.commit))
    assert absorb_reverts(vault)
    marks = vault.layout.forgotten_file(IDENTITY).read_bytes()
    assert kinds(vault)[0] == "undo"
    undo(vault, last(vault))
    assert vault.layout.forgotten_file(IDENTITY).read_bytes() == marks


def test_a_rename_is_undone_whole_with_what_was_updated_since(vault: Vault, files: AgentFiles) -> None:
    merge(vault, REDIS)
    files.rename("/memories/decisions.md", "/memories/choices.md")
    renamed = last(vault)
    merge(vault, KAFKA, session="s2")
    now = document(vault, "choices.md").read_text()
    assert "Use Kafka" in now
    assert undo(vault, renamed).commit
    assert document(vault, "decisions.md").read_text() == now
    assert not document(vault, "choices.md").exists()
    assert texts(vault) == sorted(set(texts(vault)))
    assert not merge(vault, KAFKA, session="s2").count("added", "updated", "suggested")
    assert check(vault).sound


def test_a_rename_whose_old_name_was_begun_anew_is_refused_whole(vault: Vault, files: AgentFiles) -> None:
    remember(vault, "The cache holds 24 hours", identity=IDENTITY)
    files.rename("/memories/notes.md", "/memories/old-notes.md")
    renamed = last(vault)
    merge(vault, note("The office closes at five"))
    before = snapshot(vault)
    assert {"notes.md", "old-notes.md"} <= {Path(path).name for path in before}
    with pytest.raises(
        InvalidRequest, match=r"notes\.md was begun anew since it was renamed to .*old-notes\.md"
    ):
        undo(vault, renamed)
    assert snapshot(vault) == before


def test_a_renamed_file_that_was_moved_on_does_not_come_back_beside_itself(
    vault: Vault, files: AgentFiles
) -> None:
    remember(vault, "The cache holds 24 hours", identity=IDENTITY)
    files.rename("/memories/notes.md", "/memories/a.md")
    renamed = last(vault)
    files.rename("/memories/a.md", "/memories/b.md")
    before = snapshot(vault)
    with pytest.raises(InvalidRequest, match="no longer where the rename put it"):
        undo(vault, renamed)
    assert snapshot(vault) == before


def test_a_rename_of_a_folder_is_undone_file_by_file_once(vault: Vault, files: AgentFiles) -> None:
    for name in ("a", "b"):
        files.create(f"/memories/plans/{name}.md", "- same\n")
    files.rename("/memories/plans", "/memories/ideas")
    renamed = last(vault)
    files.insert("/memories/ideas/b.md", 1, "- more")
    assert undo(vault, renamed).commit
    assert document(vault, "plans/a.md").read_text() == "- same\n"
    assert document(vault, "plans/b.md").read_text() == "- same\n- more\n"
    assert not list(vault.layout.identity_dir(IDENTITY).glob("ideas/*"))
    assert undo(vault, renamed).commit is None


def test_a_deleted_file_does_not_come_back_beside_its_entries(vault: Vault, files: AgentFiles) -> None:
    remembered = remember(vault, "The cache holds 24 hours", identity=IDENTITY)
    text = document(vault, "notes.md").read_text()
    files.delete("/memories/notes.md")
    deleted = last(vault)
    document(vault, "kept.md").write_text(text)  # a person saves a copy under another name
    before = snapshot(vault)
    with pytest.raises(InvalidRequest, match=rf"{remembered.id} would come back into .*stands in .*kept\.md"):
        undo(vault, deleted)
    assert snapshot(vault) == before


def test_the_undo_says_what_became_of_each_file(vault: Vault, files: AgentFiles) -> None:
    def undone() -> list[tuple[str, str, str | None]]:
        return [
            (each.action, Path(each.document).name, each.reason) for each in undo(vault, last(vault)).outcomes
        ]

    files.create("/memories/plan.md", "- one\n")
    assert undone() == [("removed", "plan.md", None)]
    assert undone() == [("added", "plan.md", "brought back")]
    files.insert("/memories/plan.md", 1, "- two")
    assert undone() == [("updated", "plan.md", None)]
    files.delete("/memories/plan.md")
    assert undone() == [("added", "plan.md", "brought back")]
