"""Retry: what a model could not be read on is tried again, and stays visible until it is merged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from memfs.errors import InvalidAnswer
from memfs.extraction.request import Request
from memfs.model import Extraction
from memfs.services.audit import why
from memfs.services.ingest import ingest
from memfs.services.opening import Vault
from memfs.services.retrying import retry
from memfs.services.status import status
from tests.services.lexical import lexical_vault, texts, the_entry
from tests.services.talks import Script, inbox, jsonl, put_talk, rows, says, talk
from tests.services.vaults import git

NOTE = says("notes", content="Deploys need a reviewer")
LATER = says("notes", content="Staging is reset on Monday")


@dataclass(frozen=True)
class Babbler:
    """An extractor whose answers cannot be read."""

    name: str = "babbler"

    def extract(self, request: Request) -> Extraction:
        raise InvalidAnswer("no JSON in it", answer=f"about {len(request.turns)} turns")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = lexical_vault(tmp_path / "v", "coding-assistant", "writer")
    put_talk(inbox(vault), talk("a", NOTE))
    for _ in range(3):
        ingest(vault, extractor=Babbler())
    return vault


def test_after_three_rounds_it_is_set_aside_and_the_session_goes_on(vault: Vault) -> None:
    [item] = status(vault).quarantine
    assert (item.identity, item.session, item.reason) == ("coding-assistant", "a", "no JSON in it")
    path = inbox(vault) / "a.jsonl"
    path.write_text(path.read_text() + jsonl(rows(talk("a", NOTE, LATER), 1)))
    ingest(vault, extractor=Script())
    assert texts(vault) == ["Staging is reset on Monday"]
    assert len(status(vault).quarantine) == 1


def test_retry_merges_it_with_its_proof(vault: Vault) -> None:
    done = retry(vault, extractor=Script())
    assert [item.session for item in done.merged] == ["a"]
    assert done.failed == ()
    assert status(vault).quarantine == ()
    entry = the_entry(vault, "Deploys")
    [reason] = why(vault, entry.id or "").reasons
    assert reason.provenance.extractor == "script"
    assert [said.turn is not None for said in reason.turns] == [True]
    assert git(vault.top, "status", "--short") == ""
    again = retry(vault, extractor=Script())
    assert (again.merged, again.failed, again.ingest.sessions) == ((), (), ())
    assert len(texts(vault)) == 1


def test_what_fails_again_stays_with_its_reason(vault: Vault) -> None:
    done = retry(vault, extractor=Babbler())
    assert done.merged == ()
    assert len(done.failed) == len(status(vault).quarantine) == 1
    assert texts(vault) == []


def test_only_the_identity_that_is_named(vault: Vault) -> None:
    assert retry(vault, identity="writer", extractor=Script()).merged == ()
    assert len(status(vault).quarantine) == 1
    assert len(retry(vault, identity="coding-assistant", extractor=Script()).merged) == 1


def test_a_transcript_that_is_gone_is_said(vault: Vault) -> None:
    (inbox(vault) / "a.jsonl").unlink()
    [(_, reason)] = retry(vault, extractor=Script()).failed
    assert "not there any more" in reason


def test_extraction_that_is_off_is_said(vault: Vault) -> None:
    vault.layout.local_config.write_text('[extract]\nmodel = ""\n[embeddings]\nengine = "none"\n')
    from tests.services.lexical import reopened

    [(_, reason)] = retry(reopened(vault)).failed
    assert "turned off" in reason


def test_a_session_put_off_the_record_later_is_not_extracted(vault: Vault) -> None:
    path = inbox(vault) / "a.jsonl"
    off = "Please keep this whole conversation off the record."
    path.write_text(path.read_text() + jsonl(rows(talk("a", NOTE, off), 1)))
    retry(vault, extractor=Script())
    assert texts(vault) == []


def test_everything_else_of_the_named_identity_alone_is_ingested(vault: Vault) -> None:
    put_talk(inbox(vault), talk("b", LATER))
    put_talk(inbox(vault, "writer"), talk("c", says("notes", content="Drafts are kept for a year")))
    done = retry(vault, identity="coding-assistant", extractor=Script())
    assert [each.session for each in done.ingest.sessions] == ["b"]
    assert [each.session for each in retry(vault, extractor=Script()).ingest.sessions] == ["c"]


def test_an_identity_named_for_all_sources_leaves_theirs_to_the_sources(vault: Vault) -> None:
    put_talk(inbox(vault, "writer"), talk("c", says("notes", content="Drafts are kept for a year")))
    done = ingest(vault, identity="coding-assistant", extractor=Script())
    assert {(each.session, each.identity) for each in done.sessions} == {("c", "writer")}
    put_talk(inbox(vault, "writer"), talk("d", LATER))
    named = ingest(
        vault,
        [inbox(vault, "writer") / "d.jsonl"],
        identity="coding-assistant",
        extractor=Script(),
    )
    assert {(each.session, each.identity) for each in named.sessions} == {("d", "coding-assistant")}
