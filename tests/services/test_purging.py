"""Forget for good: no commit, copy or cache holds the text afterwards, and everything else still works."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memfs.errors import EntryNotFound, HistoryError
from memfs.services.audit import log, why
from memfs.services.changing import accept, forget, remember
from memfs.services.checking import check
from memfs.services.ingest import ingest
from memfs.services.merging.reverts import absorb_reverts
from memfs.services.opening import Vault
from memfs.services.purging import purge, wordings
from memfs.services.recall import search
from memfs.services.showing import show
from memfs.services.undo import undo
from tests.services.lexical import edit, fsck, hashes, lexical_vault, reopened, texts, the_entry
from tests.services.vaults import IDENTITY, document, git, merge, note, proposal

SECRET = "The launch is called Bluebird"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = lexical_vault(tmp_path / "v", IDENTITY, "writer")
    merge(vault, note("Deploys need a reviewer", 1))
    return vault


def head(vault: Vault) -> str:
    return git(vault.top, "rev-parse", "HEAD").strip()


def objects_with(folder: Path, word: str) -> list[str]:
    """Every object of the repository, reachable or not, that holds a word."""
    listed = subprocess.run(
        ["git", "-C", str(folder), "cat-file", "--batch-all-objects", "--batch-check"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = []
    for line in listed.splitlines():
        oid, kind, _ = line.split()
        if kind != "tree":
            data = subprocess.run(
                ["git", "-C", str(folder), "cat-file", kind, oid], capture_output=True, check=True
            )
            found += [oid] if word.encode() in data.stdout else []
    return found


def files_with(folder: Path, word: str) -> list[str]:
    """Every file, those of git and memfs included, that holds a word as it is (or inside a zstd frame)."""
    import zstandard

    found = []
    for path in folder.rglob("*"):
        if path.is_file() and "objects" not in path.parts:
            data = path.read_bytes()
            if path.suffix == ".zst":
                data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
            found += [str(path)] if word.encode() in data else []
    return found


def test_every_wording_leaves_every_commit_branch_and_tag(vault: Vault) -> None:
    first = head(vault)
    remember(vault, SECRET, identity=IDENTITY)
    entry = the_entry(vault, "Bluebird").id or ""
    git(vault.top, "branch", "side")
    git(vault.top, "tag", "-a", "v1", "-m", f"Release, {SECRET}")
    edit(document(vault, "notes.md"), SECRET, "The launch is called Bluebird II")
    git(vault.top, "commit", "-qam", f"Say: {SECRET}")
    notes = document(vault, "notes.md")
    notes.rename(document(vault, "rules.md"))
    git(vault.top, "add", "-A")
    git(vault.top, "commit", "-qm", "Rename")
    edit(document(vault, "rules.md"), "The launch is called Bluebird II", "Bluebird it is, no more")
    (vault.top / "Mine.md").write_text("staged\n")
    git(vault.top, "add", "Mine.md")
    before = hashes(vault.top)
    told = purge(vault, f"^{entry}")
    assert told.left == ()
    assert told.objects > 10
    assert {"refs/heads/main", "refs/heads/side", "refs/tags/v1"} <= set(told.moved)
    assert objects_with(vault.top, "Bluebird") == []
    assert files_with(vault.top, "Bluebird") == []
    assert git(vault.top, "merge-base", first, "HEAD").strip() == first
    assert fsck(vault.top) == ""
    assert git(vault.top, "status", "--short").split("\n")[0] == "A  Mine.md"
    after = hashes(vault.top)
    assert {path for path in before if before[path] != after.get(path)} <= {
        path for path in before if path.startswith("memories/coding-assistant/")
    }
    assert texts(vault) == ["Deploys need a reviewer"]
    assert "[purged]" in git(vault.top, "show", "side:memories/coding-assistant/notes.md")


def test_log_why_show_undo_and_merges_work_after_the_rewrite(vault: Vault) -> None:
    remember(vault, SECRET, identity=IDENTITY)
    later = merge(vault, proposal("decisions", 5, topic="Queue", decision="Use Redis")).commit or ""
    purge(vault, the_entry(vault, "Bluebird").id or "")
    fresh = reopened(vault)
    assert [entry.kind for entry in log(fresh)] == ["forget", "merge", "remember", "merge", "init"]
    redis = the_entry(fresh, "Redis")
    reasons = why(fresh, redis.id or "").reasons
    assert [reason.provenance.messages for reason in reasons] == [("s1-5",)]
    now = reasons[0].provenance.commit
    assert now != later
    assert "Use Redis" in show(fresh, redis.id or "", at=now)
    done = undo(fresh, now)
    assert [outcome.action for outcome in done.outcomes] == ["removed"]
    assert texts(fresh) == ["Deploys need a reviewer"]
    merge(fresh, note("Staging is reset on Monday", 9))
    assert absorb_reverts(fresh) == ()
    assert ingest(fresh).sessions == ()
    assert [hit.view.text for hit in search(fresh, "staging").hits] == ["Staging is reset on Monday"]
    assert check(fresh).sound
    assert fsck(fresh.top) == ""


def test_suggestions_and_superseded_wordings_go_too(vault: Vault) -> None:
    for day, queue in ((2, "Bluebird Redis"), (5, "Bluebird NATS")):
        merge(vault, proposal("decisions", day, topic="Queue", decision=f"Use {queue}"))
    edit(document(vault, "decisions.md"), "Use Bluebird NATS", "Use Bluebird NATS 2")
    merge(vault, proposal("decisions", 8, topic="Queue", decision="Use Bluebird Kafka"))
    entry = the_entry(vault, "NATS 2").id or ""
    accept(vault, entry)
    merge(vault, proposal("decisions", 9, topic="Cache", decision="Use memcached"))
    purge(vault, entry)
    assert objects_with(vault.top, "Bluebird") == []
    assert files_with(vault.top, "Bluebird") == []
    assert texts(vault, type="decisions") == ["Cache: Use memcached. (2026-03-09)"]


def test_only_a_superseded_decision(vault: Vault) -> None:
    for day, queue in ((2, "Bluebird"), (5, "NATS")):
        merge(vault, proposal("decisions", day, topic="Queue", decision=f"Use {queue}"))
    purge(vault, the_entry(vault, "Bluebird").id or "")
    assert objects_with(vault.top, "Bluebird") == []
    assert texts(vault, type="decisions") == ["Queue: Use NATS. (2026-03-05)"]


def test_a_line_of_a_person_with_continuation_and_other_endings(vault: Vault) -> None:
    path = document(vault, "notes.md")
    path.write_bytes(b"# Notes\r\n\r\n- Bluebird one\r\n  Bluebird two ^mine\r\n- other ^mine2\r\n")
    git(vault.top, "commit", "-qam", "Write")
    assert wordings(vault, "mine") == ("Bluebird one", "Bluebird two")
    purge(vault, "mine")
    assert objects_with(vault.top, "Bluebird") == []
    assert path.read_bytes() == b"# Notes\r\n\r\n- other ^mine2\r\n"


def test_kept_copies_lose_the_proving_turns_and_originals_are_named(vault: Vault) -> None:
    path = vault.layout.inbox_dir(IDENTITY) / "talk.jsonl"
    rows = [
        {"memfs": 1, "session": "talk"},
        {
            "id": "u1",
            "role": "user",
            "text": "I work as a Bluebird engineer.",
            "timestamp": "2026-03-01T09:00:00Z",
        },
        {"id": "a1", "role": "assistant", "text": "Noted.", "timestamp": "2026-03-01T09:00:05Z"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest(vault)
    entry = the_entry(vault, "Bluebird").id or ""
    told = purge(vault, entry)
    assert told.transcripts == (str(path),)
    assert len(told.copies) == 1
    path.unlink()
    assert files_with(vault.top, "Bluebird") == []
    assert objects_with(vault.top, "Bluebird") == []


def test_where_another_file_holds_the_text_history_stays_and_it_can_be_tried_again(vault: Vault) -> None:
    remember(vault, SECRET, identity=IDENTITY)
    entry = the_entry(vault, "Bluebird").id or ""
    mine = vault.top / "Mine.md"
    mine.write_text(f"Also here: {SECRET}\n")
    git(vault.top, "add", "Mine.md")
    git(vault.top, "commit", "-qm", "Mine")
    before = head(vault)
    with pytest.raises(HistoryError, match="stands in this file too") as caught:
        purge(vault, entry)
    assert caught.value.path == "Mine.md"
    assert git(vault.top, "rev-parse", "HEAD~1").strip() == before
    assert "Bluebird" not in str(texts(vault))
    mine.write_text("Not here\n")
    git(vault.top, "commit", "-qam", "Clean")
    purge(vault, entry)
    assert objects_with(vault.top, "Bluebird") == []


def test_one_that_was_forgotten_before_is_purged(vault: Vault) -> None:
    entry = remember(vault, SECRET, identity=IDENTITY).id
    forget(vault, entry)
    assert objects_with(vault.top, "Bluebird")
    purge(vault, entry)
    assert objects_with(vault.top, "Bluebird") == []
    with pytest.raises(EntryNotFound):
        purge(vault, entry)


@pytest.mark.parametrize("name", ["m-aaaaaaaaaaaaa", "", ".*", "m-", "a b"])
def test_an_unknown_entry_changes_nothing(vault: Vault, name: str) -> None:
    before = head(vault), hashes(vault.top)
    with pytest.raises(EntryNotFound):
        purge(vault, name)
    assert (head(vault), hashes(vault.top)) == before


def test_work_in_the_stash_is_not_lost(vault: Vault) -> None:
    entry = remember(vault, SECRET, identity=IDENTITY).id
    edit(document(vault, "notes.md"), "a reviewer", "two reviewers")
    git(vault.top, "stash")
    with pytest.raises(HistoryError, match="stash"):
        purge(vault, entry)
    assert the_entry(vault, "Bluebird").id == entry
    git(vault.top, "stash", "pop")
    assert "two reviewers" in document(vault, "notes.md").read_text()


def test_a_shallow_clone_is_refused(vault: Vault, tmp_path: Path) -> None:
    from memfs.services.opening import open_vault

    entry = remember(vault, SECRET, identity=IDENTITY).id
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{vault.top}", "clone")
    clone = open_vault(tmp_path / "clone", environ={})
    with pytest.raises(HistoryError, match="shallow"):
        purge(clone, entry)
    assert the_entry(clone, "Bluebird").id == entry
