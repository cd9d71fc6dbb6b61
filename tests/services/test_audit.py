"""Log, why, diff, show: what history tells of an entry, also when the transcript or half of history is gone."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memfs.errors import CommitNotFound, DocumentNotFound, EntryNotFound
from memfs.services.audit import Why, diff, log, why
from memfs.services.changing import remember
from memfs.services.ingest import ingest
from memfs.services.opening import Vault, open_vault
from memfs.services.showing import show, show_entry
from tests.services.lexical import edit, lexical_vault, the_entry
from tests.services.vaults import IDENTITY, document, far_clock, git, merge, note, proposal

SAID = "I prefer tabs over spaces in Go code."


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", IDENTITY, "writer")


def head(vault: Vault) -> str:
    return git(vault.top, "rev-parse", "HEAD").strip()


def talk(vault: Vault) -> Path:
    """A transcript in the inbox, ingested; ids as short as clients make them."""
    path = vault.layout.inbox_dir(IDENTITY) / "talk.jsonl"
    rows = [
        {"memfs": 1, "session": "talk"},
        {"id": "u1", "role": "user", "text": SAID, "timestamp": "2026-03-01T09:00:00Z"},
        {"id": "a1", "role": "assistant", "text": "Noted.", "timestamp": "2026-03-01T09:00:05Z"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest(vault)
    return path


def said(answer: Why) -> list[tuple[str | None, bool]]:
    return [
        (turn.turn.text if turn.turn else None, turn.kept)
        for reason in answer.reasons
        for turn in reason.turns
    ]


def test_why_shows_the_turn_from_the_transcript_then_from_its_kept_copy_then_says_it_is_gone(
    vault: Vault,
) -> None:
    path = talk(vault)
    entry = the_entry(vault, "tabs").id or ""
    answer = why(vault, f"^{entry}")
    assert said(answer) == [(SAID, False)]
    told = answer.reasons[0].provenance
    assert (told.commit, told.action, told.extractor, told.source) == (
        head(vault),
        "added",
        "rules",
        "neutral/talk",
    )
    assert answer.reasons[0].turns[0].path == str(path)
    path.unlink()
    assert said(why(vault, entry)) == [(SAID, True)]
    for copy in vault.layout.archive.rglob("*.zst"):
        copy.unlink()
    assert said(why(vault, entry)) == [(None, False)]


def test_why_of_what_a_person_wrote_says_who_and_when(vault: Vault) -> None:
    notes = document(vault, "notes.md")
    notes.write_text("# Notes\n\n- one ^mine\n")
    answer = why(vault, "mine")
    assert (answer.reasons, answer.author, answer.commit) == ((), None, None)
    git(vault.top, "add", ".")
    git(vault.top, "commit", "-qm", "Write one")
    written = head(vault)
    notes.write_text("# Notes\n\n- one ^mine\n- two ^other\n")
    git(vault.top, "commit", "-qam", "Write two", "--author", "Kim <kim@example.org>")
    assert (why(vault, "mine").author, why(vault, "mine").commit) == ("Robin Person", written)
    assert (why(vault, "other").author, why(vault, "other").commit) == ("Kim", head(vault))


def test_why_of_an_edited_entry_tells_both_hands(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    edit(document(vault, "notes.md"), "a reviewer", "two reviewers")
    git(vault.top, "commit", "-qam", "Two")
    answer = why(vault, the_entry(vault, "two reviewers").id or "")
    assert answer.entry.origin == "hand"
    assert (answer.author, answer.commit) == ("Robin Person", head(vault))
    assert [reason.provenance.messages for reason in answer.reasons] == [("s1-1",)]


def test_why_of_something_remembered(vault: Vault) -> None:
    done = remember(vault, "Staging is reset on Monday", identity=IDENTITY)
    answer = why(vault, done.id)
    assert [(r.provenance.kind, r.provenance.source) for r in answer.reasons] == [("remember", "remembered")]
    assert (answer.entry.origin, answer.author) == ("remembered", None)


def test_why_of_each_superseded_decision_tells_its_own_turn(vault: Vault) -> None:
    for day, queue in ((2, "Redis"), (12, "NATS"), (13, "Kafka")):
        merge(vault, proposal("decisions", day, topic="Queue", decision=f"Use {queue}"))
    for day, queue in ((2, "Redis"), (12, "NATS")):
        answer = why(vault, the_entry(vault, queue).id or "")
        assert answer.entry.status == "superseded"
        assert [reason.provenance.messages for reason in answer.reasons] == [(f"s1-{day}",)]
    now = why(vault, the_entry(vault, "Kafka").id or "")
    assert [reason.provenance.messages[0] for reason in now.reasons] == ["s1-13", "s1-12", "s1-2"]


def test_why_after_a_squash(vault: Vault) -> None:
    talk(vault)
    merge(vault, note("Deploys need a reviewer", 1))
    git(vault.top, "reset", "-q", "--soft", "HEAD~2")
    git(vault.top, "commit", "-qm", git(vault.top, "log", "--format=%B", "HEAD..ORIG_HEAD"))
    for part, message in (("reviewer", "s1-1"), ("tabs", "talk:u1")):
        answer = why(vault, the_entry(vault, part).id or "")
        assert [r.provenance.messages for r in answer.reasons] == [(message,)]
        assert answer.reasons[0].provenance.commit == head(vault)
    assert said(why(vault, the_entry(vault, "tabs").id or "")) == [(SAID, False)]


def test_why_in_a_shallow_clone_does_not_take_memfs_for_a_person(vault: Vault, tmp_path: Path) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis"))
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{vault.top}", "clone")
    clone = open_vault(tmp_path / "clone", environ={}, clock=far_clock())
    older, newer = the_entry(clone, "reviewer"), the_entry(clone, "Redis")
    assert (older.origin, newer.origin) == ("extracted", "extracted")
    assert why(clone, older.id or "") == Why(older, ())
    assert [r.provenance.messages for r in why(clone, newer.id or "").reasons] == [("s1-2",)]
    assert [entry.commit for entry in log(clone)] == [head(clone)]


def test_log_shows_memfs_and_hand_edits_and_filters(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    notes = document(vault, "notes.md")
    notes.write_text(notes.read_text() + "- mine\n")
    merge(vault, note("Staging is reset on Monday", 2))
    remember(vault, "x y z", identity="writer")
    (vault.top / "Other.md").write_text("other\n")
    git(vault.top, "add", "Other.md")
    git(vault.top, "commit", "-qm", "Other")
    assert [entry.kind for entry in log(vault)] == ["remember", "merge", "hand", "merge", "init"]
    assert [entry.kind for entry in log(vault, limit=2)] == ["remember", "merge"]
    assert next(entry.kind for entry in log(vault, everything=True)) == "other"
    assert [entry.kind for entry in log(vault, identity="writer")] == ["remember"]
    assert {entry.author for entry in log(vault) if entry.kind == "hand"} == {"Robin Person"}
    later = datetime.now().astimezone() + timedelta(days=1)
    assert log(vault, since=later) == ()
    assert len(log(vault, until=later)) == 5
    assert len(log(vault, limit=None)) == 5


def test_diff_of_the_last_commit_of_one_and_of_a_span(vault: Vault) -> None:
    first = merge(vault, note("Deploys need a reviewer", 1)).commit or ""
    merge(vault, note("Staging is reset on Monday", 2))
    (vault.top / "Other.md").write_text("other\n")
    git(vault.top, "add", "Other.md")
    git(vault.top, "commit", "-qm", "Other")
    assert "+- Staging is reset" in diff(vault)
    assert "+- Deploys" in diff(vault, first[:8])
    span = diff(vault, first, until="HEAD")
    assert "+- Staging" in span
    assert "+- Deploys" not in span
    assert "Other.md" not in span
    with pytest.raises(CommitNotFound):
        diff(vault, "deadbeef")


def test_show_an_entry_and_a_document_by_any_of_their_names(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    entry = the_entry(vault, "reviewer")
    line = f"- Deploys need a reviewer ^{entry.id}\n"
    assert show(vault, entry.id or "") == show(vault, f"^{entry.id}") == line
    text = document(vault, "notes.md").read_text()
    for name in ("notes", "notes.md", entry.path, entry.path.removesuffix(".md")):
        assert show(vault, name) == text
    shown = show_entry(vault, entry.id or "")
    assert shown is not None
    assert shown.text == "Deploys need a reviewer"
    assert show_entry(vault, "notes.md") is None
    (vault.top / "Mine.md").write_text("of nobody\n")
    assert show(vault, "Mine.md") == "of nobody\n"


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", ".git/config", "memories/../.git/config", "no/such.md", "link.md"],
)
def test_ar_05_no_document_outside_of_the_vault_is_shown(vault: Vault, name: str, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("outside\n")
    (vault.top / "link.md").symlink_to(tmp_path / "outside.md")
    for at in (None, "HEAD"):
        with pytest.raises((DocumentNotFound, EntryNotFound)):
            show(vault, name, at=at)


def test_show_as_it_was_at_a_commit_a_day_and_a_moment(vault: Vault) -> None:
    first = merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis")).commit or ""
    entry = the_entry(vault, "Redis").id or ""
    then = document(vault, "decisions.md").read_text()
    merge(vault, proposal("decisions", 12, topic="Queue", decision="Use NATS"))
    today = vault.now().date().isoformat()
    assert "Use Redis" in show(vault, entry, at=first[:9])
    assert "Use NATS" in show(vault, entry, at=today)
    assert "Use NATS" in show(vault, entry)
    assert show(vault, "decisions.md", at=first) == then
    assert show(vault, "decisions", at=f"{first}") == then
    assert "Use NATS" in show(vault, entry, at="main")
    with pytest.raises(CommitNotFound):
        show(vault, entry, at="2020-01-01")
    for nonsense in ("no-such-branch", "yesterday", "2026-13-45", "30.11.2026"):
        with pytest.raises(CommitNotFound, match=f"'{nonsense}' was not understood") as told:
            show(vault, entry, at=nonsense)
        assert "2026-11-30" in told.value.hint
    with pytest.raises(EntryNotFound):
        show(vault, entry, at=git(vault.top, "rev-list", "--max-parents=0", "HEAD").strip())


def test_show_a_renamed_document_under_both_of_its_names(vault: Vault) -> None:
    first = merge(vault, *(note(f"Rule {number} is kept", number) for number in range(1, 9))).commit or ""
    entry = the_entry(vault, "Rule 3").id or ""
    then = document(vault, "notes.md").read_text()
    document(vault, "notes.md").rename(document(vault, "rules.md"))
    git(vault.top, "add", "-A")
    git(vault.top, "commit", "-qm", "Rename")
    assert show(vault, "notes.md", at=first) == show(vault, "rules.md", at=first) == then
    assert show(vault, entry) == show(vault, entry, at=first)
    with pytest.raises(DocumentNotFound):
        show(vault, "notes.md")


def test_a_superseded_or_offered_id_is_not_taken_for_its_entry(vault: Vault) -> None:
    merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis"))
    entry = the_entry(vault, "Redis").id or ""
    edit(document(vault, "decisions.md"), "Use Redis", "Use Redis 7")
    offered = merge(vault, proposal("decisions", 12, topic="Queue", decision="Use NATS")).commit or ""
    assert "NATS" not in show(vault, entry, at=offered)
    assert show(vault, f"{entry}-q").lstrip().startswith("> [!question]")


def test_gi_20_names_of_any_script_are_shown(vault: Vault) -> None:
    remember(
        vault,
        "一种队列",
        identity=IDENTITY,
        type="entities",
        fields={"category": "工具", "name": "雷迪斯 café"},
    )
    entry = the_entry(vault, "一种队列")
    assert "一种队列" in show(vault, entry.id or "", at="HEAD")
    assert "一种队列" in show(vault, entry.path, at="HEAD")
    assert "一种队列" in diff(vault)
