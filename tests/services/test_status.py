"""Status: what waits and why, told without changing anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.services.changing import remember
from memfs.services.ingest import ingest
from memfs.services.opening import Vault
from memfs.services.status import status
from memfs.vault.local import LocalState
from memfs.vault.records import add_tokens
from tests.services.lexical import hashes, lexical_vault, reopened
from tests.services.talks import Script, inbox, jsonl, put_talk, rows, says, talk
from tests.services.vaults import IDENTITY, document, git

NOTE = says("notes", content="Deploys need a reviewer")
_DAY = 86400


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v")


def with_source(vault: Vault, folder: Path, more: str = "") -> Vault:
    """The vault with a folder of sessions outside of it, as another process opens it."""
    settings = vault.layout.local_config
    settings.write_text(
        f'{settings.read_text()}\n[[sources]]\npath = "{folder}"\nidentity = "{IDENTITY}"\n{more}'
    )
    return reopened(vault)


def age(path: Path, days: float, vault: Vault) -> None:
    moment = vault.clock().timestamp() - days * _DAY
    os.utime(path, (moment, moment))


def test_a_new_vault(vault: Vault) -> None:
    told = status(vault)
    assert (told.top, told.branch, told.busy, told.unfinished) == (str(vault.top), "main", None, False)
    assert told.commit == git(vault.top, "rev-parse", "HEAD").strip()
    assert (told.extractor, told.when) == ("rules", "live")
    assert [each.identity for each in told.identities] == [IDENTITY]
    assert (told.quarantine, told.locks, told.warnings) == ((), (), ())


def test_it_changes_nothing(vault: Vault) -> None:
    put_talk(inbox(vault), talk("a", NOTE))
    before = hashes(vault.top), git(vault.top, "for-each-ref")
    status(vault)
    assert (hashes(vault.top), git(vault.top, "for-each-ref")) == before


def test_transcripts_are_counted_until_they_are_merged(vault: Vault) -> None:
    path = put_talk(inbox(vault), talk("a", NOTE))
    put_talk(inbox(vault), talk("b", "hello"))
    (inbox(vault) / "list.md").write_text("shopping\n")
    (inbox(vault) / "x.bin").write_bytes(bytes(range(256)))
    before = status(vault).sources
    assert [(each.name, each.unmerged) for each in before] == [("inbox", 3)]
    ingest(vault, extractor=Script())
    assert [each.unmerged for each in status(vault).sources] == [0]
    assert status(vault).identities[0].last_run is not None
    path.write_text(path.read_text() + jsonl(rows(talk("a", NOTE, "more"), 1)))
    assert [each.unmerged for each in status(vault).sources] == [1]


def test_after_the_notes_of_what_was_seen_are_gone(vault: Vault) -> None:
    put_talk(inbox(vault), talk("a", NOTE))
    ingest(vault, extractor=Script())
    (vault.layout.derived / "seen.sqlite").unlink()
    assert [each.unmerged for each in status(reopened(vault)).sources] == [0]


def test_a_source_that_is_not_there_is_a_warning(vault: Vault, tmp_path: Path) -> None:
    told = status(with_source(vault, tmp_path / "gone"))
    assert any(str(tmp_path / "gone") in warning for warning in told.warnings)


def test_a_source_with_much_history_waits_for_a_choice(vault: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    for number in range(21):
        put_talk(folder, talk(f"s{number}", NOTE, day=number))
    fresh = with_source(vault, folder)
    [source, _] = status(fresh).sources
    assert (source.transcripts, source.unmerged, source.choice_needed) == (21, 21, True)
    ingest(fresh, choice="none", extractor=Script())
    assert not status(fresh).sources[0].choice_needed


@pytest.mark.parametrize(("days", "warned"), [(5, False), (22, False), (24, True), (40, False)])
def test_tr_22_unmerged_sessions_near_their_clients_deadline(
    vault: Vault, tmp_path: Path, days: float, warned: bool
) -> None:
    path = put_talk(tmp_path / "projects/x", talk("a", NOTE))
    fresh = with_source(vault, tmp_path / "projects")
    age(path, days, fresh)
    assert any(f"{path}: not merged yet" in warning for warning in status(fresh).warnings) == warned
    ingest(fresh, choice="all", extractor=Script())
    assert status(fresh).warnings == ()


def test_transcripts_past_their_deadline_are_counted_once(vault: Vault, tmp_path: Path) -> None:
    fresh = with_source(vault, tmp_path / "projects")
    for name in ("a", "b"):
        age(put_talk(tmp_path / "projects/x", talk(name, NOTE)), 40, fresh)
    [warning] = status(fresh).warnings
    assert warning.endswith("older than the 30 days after which claude-code deletes them: 2")


def test_what_the_person_chose_not_to_read_is_not_warned_of(vault: Vault, tmp_path: Path) -> None:
    fresh = with_source(vault, tmp_path / "projects")
    age(put_talk(tmp_path / "projects/x", talk("a", NOTE)), 24, fresh)
    ingest(fresh, choice="none", extractor=Script())
    told = status(fresh)
    assert (told.sources[0].unmerged, told.warnings) == (0, ())


def test_the_inbox_has_no_deadline(vault: Vault) -> None:
    age(put_talk(inbox(vault), talk("a", NOTE)), 40, vault)
    assert status(vault).warnings == ()


def test_what_keeps_memfs_from_committing_is_told(vault: Vault) -> None:
    git(vault.top, "switch", "-q", "-c", "draft")
    told = status(vault)
    assert told.branch == "draft"
    assert "draft is checked out" in (told.busy or "")
    git(vault.top, "checkout", "-q", "--detach")
    assert "detached" in (status(vault).busy or "")


def test_gi_01_a_left_lock_is_told(vault: Vault) -> None:
    (vault.layout.git_dir / "index.lock").write_bytes(b"")
    assert [lock.split(" ")[0].rpartition("/")[2] for lock in status(vault).locks] == ["index.lock"]


def test_damage_is_told_and_stops_nothing(vault: Vault) -> None:
    state = LocalState(vault.layout)
    add_tokens(state, IDENTITY, vault.now().date().isoformat(), 7)
    assert status(vault).identities[0].tokens_today == 7
    (vault.layout.local / "state/tokens.json").write_bytes(b"{")
    assert status(vault).identities[0].tokens_today == 0
    add_tokens(state, IDENTITY, "2026-03-01", 1)
    (vault.layout.local / "intent.json").write_bytes(b"{")
    (vault.layout.templates / "types").mkdir(parents=True)
    (vault.layout.templates / "types/recipes.md").write_text("---\nfields: 3\n---\n")
    told = status(reopened(vault))
    assert told.unfinished
    for part in ("tokens was damaged", "intent log cannot be read", "recipes"):
        assert any(part in warning for warning in told.warnings), told.warnings


def test_what_was_remembered_is_no_run(vault: Vault) -> None:
    remember(vault, "x y z")
    assert status(vault).identities[0].last_run is None


def test_documents_that_memfs_cannot_write_into_are_named(vault: Vault) -> None:
    document(vault, "notes.md").write_text("---\ntype: notes\ntitle: a : b\n---\n# Notes\n")
    document(vault, "other.md").write_bytes(b"one\ncaf\xe9\n")
    document(vault, "third.md").write_text("# T\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n")
    (vault.top / "mine.md").write_text("---\ntitle: a : b\n---\n")
    told = [warning.partition(": ")[0] for warning in status(vault).warnings]
    folder = f"memfs does not write into memories/{IDENTITY}"
    assert told == [f"{folder}/notes.md:3", f"{folder}/other.md:2", f"{folder}/third.md:3"]


def test_why_a_transcript_was_not_merged_is_told_until_it_is(vault: Vault) -> None:
    path = put_talk(inbox(vault), talk("a", NOTE))
    other = put_talk(inbox(vault), talk("b", "hello"))
    notes = document(vault, "notes.md")
    notes.write_bytes(b"caf\xe9\n")
    ingest(vault, extractor=Script())
    told = status(vault)
    assert [each.unmerged for each in told.sources] == [1]
    [reason] = told.reasons
    assert reason.startswith(f"{path}: {IDENTITY}/notes.md: ")
    assert "not UTF-8" in reason
    other.write_text(other.read_text() + jsonl(rows(talk("b", "hello", "more"), 1)))
    ingest(vault, [other], extractor=Script())
    assert status(vault).reasons == (reason,)
    notes.unlink()
    ingest(vault, extractor=Script())
    assert status(vault).reasons == ()


def test_reasons_go_with_their_file(vault: Vault) -> None:
    path = put_talk(inbox(vault), talk("a", "fail"))
    ingest(vault, extractor=Script())
    assert [reason.startswith(f"{path}: ") for reason in status(vault).reasons] == [True]
    path.unlink()
    assert status(vault).reasons == ()


def test_an_inbox_file_that_cannot_be_read_is_named_once(vault: Vault) -> None:
    (inbox(vault) / "x.bin").write_bytes(bytes(range(256)))
    for _ in range(2):
        told = status(vault)
        assert [str(inbox(vault) / "x.bin") in warning for warning in told.warnings] == [True]
        assert told.reasons == ()
        ingest(vault, extractor=Script())


def test_a_place_that_a_source_covers_is_listed_once(vault: Vault) -> None:
    put_talk(inbox(vault), talk("a", NOTE))
    told = status(with_source(vault, inbox(vault)))
    assert [(each.root, each.transcripts) for each in told.sources] == [(str(inbox(vault)), 1)]
