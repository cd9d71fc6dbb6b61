"""Secrets that are in the vault already: found by line, replaced where asked, and never brought back by undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import InvalidRequest
from memfs.services.entries import list_entries
from memfs.services.opening import Vault
from memfs.services.redacting import BY_HAND, redact, scan_secrets
from memfs.services.undo import undo
from tests.services.lexical import fsck, hashes, lexical_vault
from tests.services.vaults import IDENTITY, document, git, merge, note

KEY = "ghp_" + "4aZ9" * 9
CARD = "4242 4242 4242 4242"
OWN = note(f"The deploy bot logs in with {KEY}", 1)  # as a version without redaction would have written it
DAY = note("Deploys on Friday need a second reviewer", 2)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", IDENTITY)


def write(vault: Vault, path: str, text: str, *, commit: bool = True) -> Path:
    file = vault.top / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if commit:
        git(vault.top, "add", path)
        git(vault.top, "commit", "-q", "-m", "by hand")
    return file


def notes(vault: Vault) -> str:
    return document(vault, "notes.md").read_text(encoding="utf-8")


def test_secrets_are_found_by_path_line_and_kind_and_never_shown(vault: Vault) -> None:
    merge(vault, OWN, DAY)
    write(vault, "diary.md", f"# Diary\n\nlunch\ncard {CARD}\n")
    scanned = scan_secrets(vault)
    told = [(each.path, each.kind, each.by_hand) for each in scanned.found]
    assert told == [
        ("diary.md", "card number", True),
        (f"memories/{IDENTITY}/notes.md", "api key", False),
    ]
    assert scanned.found[0].line == 4
    assert KEY in notes(vault).splitlines()[scanned.found[1].line - 1]
    assert KEY not in repr(scanned)
    assert CARD not in repr(scanned)


def test_scanning_changes_nothing(vault: Vault) -> None:
    merge(vault, OWN)
    before = hashes(vault.top)
    scan_secrets(vault, history=True)
    assert hashes(vault.top) == before


def test_memfss_own_entries_are_mended_in_one_commit_and_stay_its_own(vault: Vault) -> None:
    merge(vault, OWN, DAY)
    done = redact(vault)
    assert [each.replaced for each in done.found] == [True]
    assert "logs in with [redacted: api key] ^m-" in notes(vault)
    assert "Memfs-Kind: redact" in git(vault.top, "log", "-1", "--format=%B")
    assert git(vault.top, "status", "--porcelain") == ""
    (entry,) = (each for each in list_entries(vault) if "deploy bot" in each.text)
    assert (entry.origin, entry.source) == ("extracted", "claude-code/s1")
    assert scan_secrets(vault).found == ()
    fsck(vault.top)


def test_the_same_evidence_does_not_bring_it_back(vault: Vault) -> None:
    merge(vault, OWN)
    redact(vault)
    before = notes(vault)
    merge(vault, note("The deploy bot logs in with [redacted: api key]", 1))
    assert notes(vault) == before


def test_a_persons_lines_are_left_and_told_of(vault: Vault) -> None:
    diary = write(vault, "diary.md", f"card {CARD}\n")
    merge(vault, OWN)
    document(vault, "notes.md").write_text(notes(vault) + f"\nmine: {CARD}\n", encoding="utf-8")
    git(vault.top, "commit", "-q", "-am", "by hand")
    done = redact(vault)
    assert [each.reason for each in done.left] == [BY_HAND, BY_HAND]
    assert CARD in diary.read_text(encoding="utf-8")
    assert CARD in notes(vault)
    assert KEY not in notes(vault)


def test_with_the_persons_word_their_lines_go_too(vault: Vault) -> None:
    text = "---\ntitle: x\n---\r\nkeep  this\t\ncard " + CARD + "\r\n- [ ] password: hunter2-Zorro\n"
    diary = write(vault, "notes/diary.md", text)
    done = redact(vault, hand=True)
    assert done.left == ()
    clean = text.replace(CARD, "[redacted: card number]").replace("hunter2-Zorro", "[redacted: password]")
    assert diary.read_bytes().decode() == clean
    assert git(vault.top, "status", "--porcelain") == ""


def test_a_secret_that_was_never_committed_is_not_committed_on_the_way_out(vault: Vault) -> None:
    merge(vault, DAY)
    text = notes(vault) + f"\nmy card is {CARD}\n"
    document(vault, "notes.md").write_text(text, encoding="utf-8")
    redact(vault, hand=True)
    assert "my card is [redacted: card number]" in notes(vault)
    assert CARD not in git(vault.top, "log", "--all", "-p")
    fsck(vault.top)


def test_a_file_with_such_a_line_waits_where_the_person_gave_no_word(vault: Vault) -> None:
    merge(vault, OWN)
    document(vault, "notes.md").write_text(notes(vault) + f"\nmy card is {CARD}\n", encoding="utf-8")
    done = redact(vault)
    assert done.commit is None
    assert {each.reason for each in done.left} == {
        "a line of yours in this file holds a secret and is not committed yet"
    }
    assert CARD not in git(vault.top, "log", "--all", "-p")


def test_undo_never_brings_a_secret_back(vault: Vault) -> None:
    merge(vault, OWN)
    done = redact(vault)
    with pytest.raises(InvalidRequest, match=r"bring a secret \(api key\) back into .*notes.md:\d+"):
        undo(vault, done.commit or "")
    assert KEY not in notes(vault)


def test_undo_of_an_earlier_merge_keeps_the_placeholder(vault: Vault) -> None:
    merged = merge(vault, OWN, DAY)
    redact(vault)
    undo(vault, merged.commit or "")
    assert KEY not in notes(vault)
    assert "[redacted: api key]" in notes(vault)  # changed since, so it stays; forget takes it out
    assert "Friday" not in notes(vault)


def test_history_is_searched_when_asked_and_names_the_commit(vault: Vault) -> None:
    merge(vault, OWN)
    head = git(vault.top, "rev-parse", "HEAD").strip()
    redact(vault)
    assert scan_secrets(vault).found == ()
    (found,) = scan_secrets(vault, history=True).found
    assert (found.commit, found.kind) == (head, "api key")


def test_a_private_key_of_many_lines_goes_as_one(vault: Vault) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "A1b2C3d4" * 8 + "\n-----END RSA PRIVATE KEY-----"
    file = write(vault, "keys.md", f"# Keys\n\n{key}\n\nend, card {CARD}\n")
    done = redact(vault, hand=True)
    assert [(each.line, each.kind) for each in done.found] == [(3, "private key"), (7, "card number")]
    assert file.read_text(encoding="utf-8") == (
        "# Keys\n\n[redacted: private key]\n\nend, card [redacted: card number]\n"
    )


def test_nothing_found_is_no_commit(vault: Vault) -> None:
    merge(vault, DAY)
    done = redact(vault, hand=True)
    assert (done.found, done.commit) == ((), None)
    assert done.files > 0
