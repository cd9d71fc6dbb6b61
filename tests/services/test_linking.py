"""Links and backlinks of documents and entries in a real vault; broken ones and orphans; apart by identity."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import DocumentNotFound, EntryNotFound
from memfs.markdown.outline import Outline
from memfs.services.changing import remember
from memfs.services.checking import check
from memfs.services.finding import outlines
from memfs.services.finding.linking import links
from memfs.services.opening import Vault
from tests.services.lexical import lexical_vault, the_entry
from tests.services.vaults import IDENTITY, merge, note


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", IDENTITY, "writer")


def put(vault: Vault, path: str, text: str) -> None:
    (vault.top / path).parent.mkdir(parents=True, exist_ok=True)
    (vault.top / path).write_text(text, encoding="utf-8")


def broken(vault: Vault) -> list[tuple[str, int, str, str]]:
    return [(one.path, one.line, one.target, one.state) for one in links(vault).out]


def test_links_and_backlinks_of_a_document(vault: Vault) -> None:
    put(vault, "Plan.md", "# Plan\n\nSee [[Index]] and [web](https://example.org).\n")
    put(vault, "Index.md", "# Index\n\n- [[Plan#Plan|the plan]]\n- [plan](Plan.md) ![[Plan]]\n")
    found = links(vault, "Plan")
    assert (found.document, found.entry) == ("Plan.md", None)
    assert [(one.line, one.target, one.state, one.to) for one in found.out] == [
        (3, "Index", "ok", "Index.md"),
        (3, "https://example.org", "external", None),
    ]
    assert [(one.path, one.line, one.to, one.embed) for one in found.back] == [
        ("Index.md", 3, "Plan.md#Plan", False),
        ("Index.md", 4, "Plan.md", False),
        ("Index.md", 4, "Plan.md", True),
    ]
    with pytest.raises(DocumentNotFound):
        links(vault, "Nowhere.md")


def test_a_document_is_found_by_its_alias_as_wikilinks_find_it(vault: Vault) -> None:
    put(vault, "Tomatoes.md", "---\naliases: [toms]\n---\n# Tomatoes\n\nSee [[Index]].\n")
    put(vault, "Index.md", "# Index\n\n[[toms]]\n")
    found = links(vault, "Toms")
    assert found.document == "Tomatoes.md"
    assert [one.to for one in found.out] == ["Index.md"]
    assert [(one.path, one.line) for one in found.back] == [("Index.md", 3)]
    with pytest.raises(DocumentNotFound):
        links(vault, "tom")


def test_links_and_backlinks_of_an_entry(vault: Vault) -> None:
    merge(vault, note("Deploys on Friday need a second reviewer"))
    entry = the_entry(vault, "reviewer")
    put(vault, "Plan.md", f"As in [[{entry.path.removesuffix('.md')}#^{entry.id}]].\n")
    put(vault, "Other.md", f"See [[{entry.path}]].\n")
    found = links(vault, entry.id or "")
    assert (found.document, found.entry, found.out) == (entry.path, entry.id, ())
    assert [(one.path, one.line) for one in found.back] == [("Plan.md", 1)]
    with pytest.raises(EntryNotFound):
        links(vault, "m-nothere")


def test_broken_links_are_found_by_line_and_a_new_vault_has_none(vault: Vault) -> None:
    assert broken(vault) == []
    assert [one for one in check(vault).findings if "link" in one.message] == []
    put(
        vault,
        "Plan.md",
        "---\nup: '[[Gone]]'\n---\n# Plan\n\n[[#Plan]] [[#Step]] [[Plan#^x]] ![[pic.png]]\n\n`[[no]]`\n",
    )
    expected = [
        ("Plan.md", 2, "Gone", "no_document"),
        ("Plan.md", 6, "#Step", "no_heading"),
        ("Plan.md", 6, "Plan#^x", "no_block"),
        ("Plan.md", 6, "pic.png", "no_document"),
    ]
    assert broken(vault) == expected
    checked = check(vault)
    told = [(one.level, one.path, one.line) for one in checked.findings if "the link to" in one.message]
    assert told == [("warning", path, line) for path, line, _, _ in expected]
    assert checked.sound
    put(vault, "assets/pic.png", "png")
    put(vault, "Gone.md", "back\n")
    assert broken(vault) == expected[1:3]


def test_orphans_are_notes_without_any_link(vault: Vault) -> None:
    put(vault, "Alone.md", "words\n")
    put(vault, "Web.md", "[x](https://example.org)\n")
    assert links(vault).orphans == ()
    put(vault, "Plan.md", "[[Index]]\n")
    put(vault, "Index.md", "words\n")
    assert links(vault).orphans == ("Alone.md", "Web.md")
    [told] = [one for one in check(vault).findings if one.level == "note"]
    assert told.message.endswith("(2): Alone.md, Web.md")


def test_an_identity_sees_no_links_of_others(vault: Vault) -> None:
    remember(vault, "Letters are kept", identity="writer")
    notes = vault.layout.document("writer", "notes.md")
    notes.write_text(notes.read_text() + "- by hand: [[Index]]\n")
    put(vault, "Index.md", "[[memories/writer/notes]]\n")
    assert {one.path for one in links(vault, "Index").back} == {"memories/writer/notes.md"}
    assert links(vault, "Index", identity=IDENTITY).back == ()
    [out] = links(vault, "Index", identity=IDENTITY).out
    assert (out.state, out.to) == ("no_document", None)
    for hidden in ("memories/writer/notes.md", the_entry(vault, "Letters").id or ""):
        with pytest.raises((DocumentNotFound, EntryNotFound)):
            links(vault, hidden, identity=IDENTITY)


def test_documents_are_read_once_and_again_when_they_change(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlines, "_UNSETTLED_NS", 0)
    put(vault, "Plan.md", "[[Index]]\n")
    put(vault, "Index.md", "words\n")
    assert broken(vault) == []
    read: list[str] = []
    kept = outlines._read

    def listening(path: Path) -> Outline:
        read.append(path.name)
        return kept(path)

    monkeypatch.setattr(outlines, "_read", listening)
    assert broken(vault) == []
    assert read == []
    put(vault, "Plan.md", "[[Index]] [[More]]\n")
    (vault.top / "Index.md").unlink()
    assert [target for _, _, target, _ in broken(vault)] == ["Index", "More"]
    assert read == ["Plan.md"]


def test_damaged_notes_of_outlines_are_made_anew(vault: Vault) -> None:
    put(vault, "Plan.md", "[[Index]]\n")
    expected = broken(vault)
    (vault.layout.derived / "links" / "outlines.sqlite").write_bytes(b"damage" * 100)
    assert broken(vault) == expected != []
    assert broken(vault) == expected
