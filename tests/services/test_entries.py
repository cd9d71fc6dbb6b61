"""What is listed: entries of every kind, whoever wrote them, wherever a person moved them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import EntryNotFound
from memfs.services.audit import why
from memfs.services.changing import remember
from memfs.services.entries import find_entry, find_view, list_entries
from memfs.services.opening import Vault
from memfs.services.recall import search
from memfs.services.showing import show
from tests.services.lexical import edit, lexical_vault, texts, the_entry
from tests.services.vaults import IDENTITY, document, git, merge, note, proposal


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", IDENTITY, "writer")


def test_a_new_vault_has_no_entries(vault: Vault) -> None:
    assert list_entries(vault) == ()


def test_bullets_of_a_person_are_listed_without_ids(vault: Vault) -> None:
    document(vault, "notes.md").write_text(
        "# Notes\n\nProse.\n\n- one\n  - nested\n* [x] two\n1. three ^mine\n"
    )
    views = list_entries(vault)
    assert [(view.id, view.text, view.origin) for view in views] == [
        (None, "one", "hand"),
        (None, "nested", "hand"),
        (None, "two", "hand"),
        ("mine", "three", "hand"),
    ]
    assert {(view.source, view.commit) for view in views} == {(None, None)}
    assert [view.line for view in views] == [5, 6, 7, 8]


def test_filters(vault: Vault) -> None:
    merge(
        vault,
        note("Deploys need a reviewer", 1),
        proposal("decisions", 2, topic="Queue", decision="Use Redis"),
    )
    remember(vault, "Likes tea", identity="writer", peer="bob")
    assert texts(vault, identity="writer") == ["Likes tea"]
    assert texts(vault, type="decisions") == ["Queue: Use Redis. (2026-03-02)"]
    assert texts(vault, peer="bob") == ["Likes tea"]
    assert texts(vault, identity="nobody") == []
    assert len(texts(vault)) == 3


def test_origin_follows_the_hand_that_wrote_it(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    remember(vault, "Staging is reset on Monday", identity=IDENTITY)
    assert the_entry(vault, "Deploys").origin == "extracted"
    assert the_entry(vault, "Staging").origin == "remembered"
    edit(document(vault, "notes.md"), "a reviewer", "two reviewers")
    edit(document(vault, "notes.md"), "on Monday", "on Mondays")
    assert [view.origin for view in list_entries(vault)] == ["hand", "hand"]
    edit(document(vault, "notes.md"), "two reviewers", "a reviewer")
    assert the_entry(vault, "Deploys").origin == "extracted"


def test_a_ticked_box_is_no_other_text(vault: Vault) -> None:
    merge(vault, proposal("actions", 5, task="Write the runbook", priority="high"))
    edit(document(vault, "actions.md"), "- [ ]", "- [x]")
    entry = the_entry(vault, "runbook")
    assert (entry.status, entry.origin, entry.priority) == ("done", "extracted", "high")


def test_a_moved_entry_keeps_id_origin_and_source(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    before = the_entry(vault, "Deploys")
    new = document(vault, "team/rules.md")
    new.parent.mkdir()
    document(vault, "notes.md").rename(new)
    entry = the_entry(vault, "Deploys")
    assert (entry.id, entry.origin, entry.source) == (before.id, "extracted", "claude-code/s1")
    assert entry.path == "memories/coding-assistant/team/rules.md"
    git(vault.top, "add", "-A")
    git(vault.top, "commit", "-qm", "Move")
    merge(vault, note("Staging is reset on Monday", 2))
    assert the_entry(vault, "Deploys").origin == "extracted"
    assert find_entry(vault, entry.id or "").document == "team/rules.md"
    edit(new, "a reviewer", "two reviewers")
    assert the_entry(vault, "Deploys").origin == "hand"


def test_a_copied_line_is_the_persons(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    entry = the_entry(vault, "Deploys").id or ""
    document(vault, "copy.md").write_text(f"# Copy\n\n- Deploys need a reviewer ^{entry}\n")
    origins = {view.path.rpartition("/")[2]: view.origin for view in list_entries(vault)}
    assert origins == {"notes.md": "extracted", "copy.md": "hand"}
    assert find_entry(vault, entry).document == "notes.md"


def test_suggestions_and_superseded_ones_are_listed_as_such(vault: Vault) -> None:
    path = document(vault, "decisions.md")
    merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis"))
    merge(vault, proposal("decisions", 10, topic="Queue", decision="Use Kafka"))
    edit(path, "Use Kafka", "Use Kafka 4")
    merge(vault, proposal("decisions", 12, topic="Queue", decision="Use NATS"))
    listed = {
        view.text.partition(". ")[0]: (view.status, view.origin, view.date) for view in list_entries(vault)
    }
    assert listed == {
        "Queue: Use Kafka 4": (None, "hand", "2026-03-10"),
        "Queue: Use NATS": ("suggestion", "extracted", "2026-03-12"),
        "Queue: Use Redis": ("superseded", "extracted", "2026-03-02"),
    }


def test_what_is_no_memory_is_not_listed(vault: Vault) -> None:
    for name in ("relay.md", "journal/2026-03-01.md"):
        path = document(vault, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("# X\n\n- line ^x\n")
    (vault.top / "Mine.md").write_text("- line\n")
    vault.layout.templates.mkdir()
    (vault.layout.templates / "x.md").write_text("- line\n")
    document(vault, "notes (conflicted copy).md").write_text("- line\n")
    assert list_entries(vault) == ()


def test_documents_that_cannot_be_read_well_stop_nothing(vault: Vault) -> None:
    document(vault, "latin.md").write_bytes(b"# L\n\n- caf\xe9\n")
    document(vault, "broken.md").write_text("---\na: b: c\n---\n\n- below a broken header\n")
    document(vault, "notes.md").write_text("- fine\n")
    assert [view.text for view in list_entries(vault)][1:] == ["caf\ufffd", "fine"]


def test_entries_are_found_by_their_id(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    entry = the_entry(vault, "Deploys")
    for name in (entry.id, f"^{entry.id}", f" ^{entry.id} "):
        assert find_view(vault, name or "") == entry
    for name in ("m-aaaaaaaaaaaaa", "", "^", "Deploys", "m-"):
        with pytest.raises(EntryNotFound):
            find_entry(vault, name)


def test_sv_03_one_id_everywhere(vault: Vault) -> None:
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    document(vault, "rules.md").write_text("# Rules\n\n- Deploys on Friday are frozen ^freeze\n")
    for view in list_entries(vault):
        entry = view.id or ""
        hits = [hit.view for hit in search(vault, "deploys").hits if hit.view.id == entry]
        assert [(hit.text, hit.path, hit.line, hit.origin) for hit in hits] == [
            (view.text, view.path, view.line, view.origin)
        ]
        assert why(vault, entry).entry.id == entry
        assert f"^{entry}" in show(vault, entry)


def test_md_25_a_doubled_document_lists_both_and_knows_whose_is_whose(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    path = document(vault, "notes.md")
    path.write_text(path.read_text() * 2)
    assert texts(vault) == ["Deploys need a reviewer"] * 2
    assert [view.origin for view in list_entries(vault)] == ["extracted", "hand"]
    assert list_entries(vault)[0].line == 11
