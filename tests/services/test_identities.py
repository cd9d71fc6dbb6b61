"""An identity that is named must be there: a typing mistake makes no second memory, whichever way it comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import InvalidRequest, UnsafePath
from memfs.interfaces.library import Memory
from memfs.services.ingest import ingest
from memfs.services.opening import Vault
from memfs.services.starting import init
from tests.services.lexical import lexical_vault
from tests.services.talks import Script, inbox, jsonl, put_talk, says, talk
from tests.services.vaults import git

TYPO = "coding-asistant"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", "coding-assistant", "writer")


def test_writing_to_one_that_is_not_there_names_the_nearest_first_and_makes_nothing(vault: Vault) -> None:
    memory = Memory(vault)
    entry = memory.remember("Deploys need a second reviewer", identity="writer").id
    head = git(vault.top, "rev-parse", "HEAD")
    talked = put_talk(vault.top.parent, talk("s1", says("notes", content="The cache holds 24 hours")))
    for attempt in (
        lambda: memory.remember("x", identity=TYPO),
        lambda: memory.move(entry, TYPO),
        lambda: memory.relay_add("The certificate was renewed today", identity=TYPO, channel="cli"),
        lambda: memory.push("s", (), identity=TYPO),
        lambda: memory.token_add(TYPO),
        lambda: memory.undo(source="claude-code", identity=TYPO),
        lambda: memory.ingest(identity=TYPO),
        lambda: memory.ingest([talked], identity=TYPO),
        lambda: memory.retry(identity=TYPO),
    ):
        with pytest.raises(InvalidRequest, match=f"no identity is called {TYPO}") as refused:
            attempt()
        assert refused.value.hint == (
            f"one of coding-assistant, writer; init with the identity {TYPO} makes a new one"
        )
    assert vault.identities() == ("coding-assistant", "writer")
    assert git(vault.top, "rev-parse", "HEAD") == head
    assert git(vault.top, "status", "--porcelain") == ""


def test_reading_of_one_that_is_not_there_is_refused_too(vault: Vault) -> None:
    memory = Memory(vault)
    for attempt in (
        lambda: memory.context(identity=TYPO),
        lambda: memory.log(identity=TYPO),
        lambda: memory.review(identity=TYPO),
        lambda: memory.relay_show(identity=TYPO),
        lambda: memory.list(identity=TYPO),
        lambda: memory.search("x", identity=TYPO),
    ):
        with pytest.raises(InvalidRequest, match=f"no identity is called {TYPO}"):
            attempt()


def test_a_name_that_can_be_none_is_unsafe_all_the_same(vault: Vault) -> None:
    with pytest.raises(UnsafePath):
        Memory(vault).remember("x", identity="../writer")


def test_where_there_is_none_the_first_may_be_begun(vault: Vault) -> None:
    for name in vault.identities():
        for file in vault.layout.identity_dir(name).rglob("*"):
            if file.is_file():
                file.unlink()
        for folder in sorted(vault.layout.identity_dir(name).rglob("*"), reverse=True):
            folder.rmdir()
        vault.layout.identity_dir(name).rmdir()
    assert vault.identities() == ()
    done = Memory(vault).remember("Deploys need a second reviewer", identity="first")
    assert vault.identities() == ("first",)
    assert done.path == "memories/first/notes.md"


def test_a_folder_of_the_inbox_and_a_transcript_that_says_it_begin_one(vault: Vault) -> None:
    put_talk(inbox(vault, "robin"), talk("s1", says("notes", content="The cache holds 24 hours")))
    told = {"memfs": 1, "session": "s2", "identity": "dana"}
    turn = {"id": "1", "role": "user", "text": says("notes", content="Lunch is at noon")}
    said = vault.top.parent / "s2.jsonl"
    said.write_text(jsonl([told, turn]), encoding="utf-8")
    ingest(vault, extractor=Script())
    ingest(vault, [said], extractor=Script())
    assert vault.identities() == ("coding-assistant", "dana", "robin", "writer")


def test_init_says_what_it_adds(vault: Vault) -> None:
    init(vault.top, identities=("home-aide",), clock=vault.clock)
    assert git(vault.top, "log", "-1", "--format=%s").strip() == "add identity home-aide"
    subjects = git(vault.top, "log", "--format=%s").splitlines()
    assert [one for one in subjects if one.startswith("start a memory vault")] == subjects[-1:]
