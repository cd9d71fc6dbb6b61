"""Remember, forget, move, accept and reject: by command, and as a person does it in the file."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.errors import EntryNotFound, InvalidRequest, UnsafePath
from memfs.model import FieldValue
from memfs.services.audit import why
from memfs.services.changing import accept, forget, move, reject, remember
from memfs.services.ingesting.extracting import Proposal
from memfs.services.merging.merges import Merged
from memfs.services.opening import Vault
from memfs.services.retrying import retry
from memfs.services.undo import undo
from tests.services.lexical import edit, fsck, lexical_vault, texts, the_entry
from tests.services.vaults import document, git, merge, note, proposal


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", "coding-assistant", "writer")


def head(vault: Vault) -> str:
    return git(vault.top, "rev-parse", "HEAD").strip()


def actions(merged: Merged) -> list[str]:
    return [outcome.action for outcome in merged.outcomes]


def proofs(vault: Vault, entry: str) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(r.provenance.source, r.provenance.messages) for r in why(vault, entry).reasons]


@pytest.mark.parametrize(
    ("type", "text", "fields", "listed"),
    [
        ("notes", "Staging is reset on Monday", {}, "Staging is reset on Monday"),
        ("preferences", "Short answers", {"topic": "Style"}, "Style: Short answers"),
        ("preferences", "Short answers", {}, "General: Short answers"),
        (
            "actions",
            "Renew the certificate",
            {"due": "2026-12-04", "priority": "high"},
            "Renew the certificate, high, due 2026-12-04",
        ),
        ("decisions", "Queue: use Redis", {"date": "2026-03-01"}, "Queue: use Redis. (2026-03-01)"),
        (
            "decisions",
            "use http://x.org",
            {"topic": "Proxy", "date": "2026-03-01"},
            "Proxy: use http://x.org. (2026-03-01)",
        ),
        ("profile", "role: engineer", {}, "role: engineer"),
        ("profile", "She is an engineer", {"role": "engineer"}, "role: engineer"),
        ("projects", "A tide model", {"project": "Tidewater"}, "Tidewater: description: A tide model"),
        ("entities", "A designer", {"category": "people", "name": "Bob"}, "Bob: A designer"),
        ("events", "We launched", {"name": "Launch", "date": "2026-03-01"}, "Launch: summary: We launched"),
    ],
)
def test_what_is_remembered_is_listed(
    vault: Vault, type: str, text: str, fields: dict[str, FieldValue], listed: str
) -> None:
    done = remember(vault, text, identity="writer", type=type, fields=fields)
    assert done.action == "added"
    assert done.commit == head(vault)
    entry = the_entry(vault, listed)
    assert (entry.text, entry.type, entry.identity) == (listed, type, "writer")
    assert (entry.id, entry.path, entry.origin, entry.source) == (
        done.id,
        done.path,
        "remembered",
        "remembered",
    )
    assert git(vault.top, "log", "-1", "--format=%s").startswith("writer: remember 1 ")
    assert git(vault.top, "status", "--short") == ""


def test_about_a_peer(vault: Vault) -> None:
    done = remember(vault, "Likes tea", identity="writer", peer="bob")
    assert done.path == "memories/writer/peers/bob/notes.md"
    assert the_entry(vault, "Likes tea").peer == "bob"


def test_about_a_peer_by_name(vault: Vault) -> None:
    done = remember(vault, "Likes tea", identity="writer", peer="Lin Xiao 林晓")
    assert done.path == "memories/writer/peers/lin-xiao-林晓/notes.md"
    assert the_entry(vault, "Likes tea").peer == "lin-xiao-林晓"
    assert "Lin Xiao 林晓" in (vault.top / done.path).read_text(encoding="utf-8").split("---")[1]


def test_a_field_that_does_not_fit_writes_nothing(vault: Vault) -> None:
    before = head(vault)
    for type, fields in (("notes", {"colour": "red"}), ("actions", {"due": "foo"})):
        with pytest.raises(InvalidRequest, match=r"colour|due"):
            remember(vault, "x", identity="writer", type=type, fields=fields)
    assert head(vault) == before


@pytest.mark.parametrize(
    ("text", "type", "fields", "said"),
    [
        ("  \n", "notes", {}, "empty"),
        ("x", "note", {}, "no memory type 'note'"),
        ("engineer", "profile", {}, "kept by field"),
        ("x", "projects", {}, "projects"),
    ],
)
def test_what_cannot_be_remembered_is_said(
    vault: Vault, text: str, type: str, fields: dict[str, FieldValue], said: str
) -> None:
    before = head(vault)
    with pytest.raises(InvalidRequest, match=said):
        remember(vault, text, identity="writer", type=type, fields=fields)
    assert head(vault) == before


def test_which_identity_must_be_said_where_there_are_several(vault: Vault) -> None:
    with pytest.raises(InvalidRequest, match="several identities") as caught:
        remember(vault, "x")
    assert "coding-assistant, writer" in (caught.value.hint or "")
    with pytest.raises(UnsafePath):
        remember(vault, "x", identity="../writer")


def test_secrets_reach_neither_disk_nor_git(vault: Vault) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwxyz012345"
    remember(vault, f"The api key is {secret}", identity="writer")
    remember(vault, "x", identity="writer", type="preferences", fields={"content": f"password = {secret}"})
    remember(vault, "x", identity="writer", fields={"content": "y", "tags": (f"key={secret}",)})
    assert "redacted" in the_entry(vault, "The api key").text
    assert secret not in git(vault.top, "log", "-p", "--all")
    assert not any(secret in path.read_text() for path in vault.top.rglob("*.md"))


def test_what_an_agent_asks_for_is_marked_and_rewrites_nothing_of_the_users(vault: Vault) -> None:
    remember(vault, "Queue: use Redis", identity="writer", type="decisions")
    later = replace(vault, clock=lambda: vault.clock() + timedelta(minutes=1))
    remember(later, "Queue: use Kafka", identity="writer", type="decisions", trust="agent")
    assert the_entry(vault, "Redis").trust == "user"
    offered = the_entry(vault, "Kafka", status="suggestion")
    assert (offered.status, offered.trust) == ("suggestion", "agent")
    remember(vault, "The build needs make 4", identity="writer", trust="agent")
    assert the_entry(vault, "make 4").trust == "agent"


def test_structure_in_a_text_makes_one_line(vault: Vault) -> None:
    remember(vault, "one\n## two\n- three ^m-aaaaaaaaaaaaa\n<!-- four", identity="writer")
    entry = the_entry(vault, "three")
    assert texts(vault, identity="writer") == [entry.text]
    assert len(document(vault, "notes.md", "writer").read_text().strip().splitlines()) == 11


def test_the_same_text_again_is_one_entry(vault: Vault) -> None:
    first = remember(vault, "Staging is reset on Monday", identity="writer")
    again = remember(vault, "staging is reset on monday!", identity="writer")
    assert (again.id, again.action) == (first.id, "unchanged")
    assert len(texts(vault, identity="writer")) == 1


def test_said_outright_it_overrides_what_was_forgotten(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    entry = the_entry(vault, "Deploys").id or ""
    forget(vault, f"^{entry}")
    assert texts(vault) == []
    assert actions(merge(vault, note("Deploys need a reviewer", 1))) == ["forgotten"]
    done = remember(vault, "Deploys need a reviewer", identity="coding-assistant")
    assert (done.id, done.action) == (entry, "added")
    assert texts(vault) == ["Deploys need a reviewer"]


def test_forget_takes_every_trace_of_the_line_and_nothing_else(vault: Vault) -> None:
    path = document(vault, "notes.md")
    merge(vault, note("Deploys need a reviewer", 1))
    path.write_bytes(
        path.read_bytes().replace(b"- Deploys", b"- mine\r\n- Deploys") + b"\r\ntail  \r\nno newline"
    )
    before = path.read_bytes()
    done = forget(vault, the_entry(vault, "Deploys").id or "")
    lines = before.splitlines(keepends=True)
    assert path.read_bytes() == b"".join(line for line in lines if b"Deploys" not in line)
    assert done.commit == head(vault)
    assert git(vault.top, "log", "-2", "--format=%an").split("\n")[0] == "memfs"
    with pytest.raises(EntryNotFound):
        forget(vault, done.id)


def test_forget_a_line_that_a_person_wrote(vault: Vault) -> None:
    path = document(vault, "notes.md")
    path.write_text("# Notes\n\n- one ^mine\n- two\n")
    forget(vault, "^mine")
    assert path.read_text() == "# Notes\n\n- two\n"
    assert git(vault.top, "log", "--format=%an", "-2").split()[0] == "memfs"


def test_forget_finds_an_entry_that_was_moved_to_another_document(vault: Vault) -> None:
    merge(vault, note("Deploys need a reviewer", 1))
    old, new = document(vault, "notes.md"), document(vault, "kept/rules.md")
    new.parent.mkdir()
    old.rename(new)
    entry = the_entry(vault, "Deploys")
    assert entry.path == "memories/coding-assistant/kept/rules.md"
    forget(vault, entry.id or "")
    assert "Deploys" not in new.read_text()
    assert not old.exists()
    assert actions(merge(vault, note("Deploys need a reviewer", 1))) == ["forgotten"]


def test_an_id_outside_of_memories_is_the_persons(vault: Vault) -> None:
    (vault.top / "Mine.md").write_text("- a ^m-aaaaaaaaaaaaa\n")
    with pytest.raises(EntryNotFound, match=r"Mine\.md"):
        forget(vault, "m-aaaaaaaaaaaaa")
    assert (vault.top / "Mine.md").read_text() == "- a ^m-aaaaaaaaaaaaa\n"


def test_move_keeps_text_section_origin_and_proof(vault: Vault) -> None:
    merge(vault, proposal("preferences", 3, topic="Code style", content="Prefers early returns"))
    entry = the_entry(vault, "early returns")
    done = move(vault, entry.id or "", "writer")
    moved = the_entry(vault, "early returns")
    assert (moved.identity, moved.id, moved.text, moved.origin) == (
        "writer",
        done.id,
        entry.text,
        "extracted",
    )
    assert done.path == moved.path
    assert proofs(vault, done.id) == [("claude-code/s1", ("s1-3",))]
    assert actions(
        merge(vault, proposal("preferences", 3, topic="Code style", content="Prefers early returns"))
    ) == ["forgotten"]
    with pytest.raises(InvalidRequest, match="already"):
        move(vault, done.id, "writer")


def test_what_a_person_edited_stays_theirs_when_it_is_moved(vault: Vault) -> None:
    merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis"))
    edit(document(vault, "decisions.md"), "Use Redis", "Use Redis, for now")
    done = move(vault, the_entry(vault, "Redis").id or "", "writer")
    assert the_entry(vault, "Redis").origin == "hand"
    by_hand = document(vault, "notes.md")
    by_hand.write_text("# Notes\n\n- A line of mine ^mine\n")
    new = move(vault, "mine", "writer")
    assert (the_entry(vault, "of mine").origin, the_entry(vault, "of mine").id) == ("hand", new.id)
    assert done.commit != new.commit


def offered(vault: Vault) -> Path:
    """A decision that the person edited, with another text offered under it."""
    path = document(vault, "decisions.md")
    merge(vault, proposal("decisions", 2, topic="Queue", decision="Use Redis"))
    edit(path, "Use Redis", "Use Redis 7")
    merged = merge(vault, nats(12), session="s2")
    assert actions(merged) == ["suggested"]
    return path


def nats(day: int) -> Proposal:
    return proposal("decisions", day, "s2", topic="Queue", decision="Use NATS", date="2026-03-12")


def test_a_suggestion_is_listed_with_its_own_proof(vault: Vault) -> None:
    offered(vault)
    entry, suggestion = the_entry(vault, "Redis 7"), the_entry(vault, "NATS", status="suggestion")
    assert (entry.origin, suggestion.origin, suggestion.id) == ("hand", "extracted", f"{entry.id}-q")
    assert proofs(vault, suggestion.id or "") == [("claude-code/s2", ("s2-12",))]
    assert proofs(vault, entry.id or "") == [("claude-code/s1", ("s1-2",))]


@pytest.mark.parametrize("name", ["{}", "^{}", "{}-q", "^{}-q"])
def test_accept_by_any_name_of_it(vault: Vault, name: str) -> None:
    path = offered(vault)
    entry = the_entry(vault, "Redis 7").id or ""
    done = accept(vault, name.format(entry))
    assert (done.id, done.commit) == (entry, head(vault))
    assert "[!question]" not in path.read_text()
    accepted = the_entry(vault, "NATS")
    assert (accepted.id, accepted.origin, accepted.status) == (entry, "extracted", None)
    assert proofs(vault, entry)[0] == ("claude-code/s2", ("s2-12",))
    assert actions(merge(vault, nats(12))) == ["unchanged"]
    with pytest.raises(EntryNotFound, match="nothing is offered"):
        accept(vault, entry)


def test_reject_takes_it_away_for_good(vault: Vault) -> None:
    path = offered(vault)
    entry = the_entry(vault, "Redis 7").id or ""
    reject(vault, entry)
    assert "[!question]" not in path.read_text()
    assert actions(merge(vault, nats(20))) == ["forgotten"]
    assert the_entry(vault, "Redis 7").id == entry
    with pytest.raises(EntryNotFound, match="nothing is offered"):
        reject(vault, entry)


def test_a_person_who_deletes_the_callout_rejects_it(vault: Vault) -> None:
    path = offered(vault)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "[!question]" not in line))
    assert actions(merge(vault, nats(20))) == ["forgotten"]
    assert "NATS" not in path.read_text()


def test_a_person_who_copies_its_text_accepts_it(vault: Vault) -> None:
    path = offered(vault)
    lines = path.read_text().splitlines(keepends=True)
    kept = "".join(line for line in lines if "[!question]" not in line)
    path.write_text(kept.replace("Use Redis 7. (2026-03-02)", "Use NATS. (2026-03-12)"))
    by_hand = path.read_bytes()
    assert actions(merge(vault, nats(20))) in (["kept"], ["unchanged"])
    assert path.read_bytes() == by_hand
    assert not vault.layout.forgotten_file("coding-assistant").exists()
    other = proposal("decisions", 25, "s3", topic="Queue", decision="Use Pulsar")
    assert actions(merge(vault, other)) == ["suggested"]


def test_each_change_leaves_a_sound_repository_and_nothing_to_commit(vault: Vault) -> None:
    offered(vault)
    accept(vault, the_entry(vault, "Redis 7").id or "")
    move(vault, the_entry(vault, "NATS").id or "", "writer")
    forget(vault, the_entry(vault, "NATS").id or "")
    assert git(vault.top, "status", "--short") == ""
    assert fsck(vault.top) == ""
    assert retry(vault).merged == ()


@pytest.mark.parametrize(
    "text",
    [
        "Lunch is served at noon in the hall for 12 euros",
        "Lunch is served at noon in the hall unless it rains",
        "Lunch is served at noon in the hall, bring a badge",
    ],
)
def test_what_says_more_than_a_persons_line_is_kept_beside_it(vault: Vault, text: str) -> None:
    line = "- Lunch is served at noon in the hall\n"
    path = vault.top / "memories/coding-assistant/notes.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# Notes\n\n## Notes\n\n{line}", encoding="utf-8")
    done = remember(vault, text, identity="coding-assistant")
    assert done.action == "added"
    assert line in path.read_text()
    assert f"- {text} ^{done.id}" in path.read_text()
    again = remember(vault, "Lunch is served at noon in the hall", identity="coding-assistant")
    assert again.commit is None


TEA = proposal("preferences", 1, topic="Tea", content="Green, no sugar")
STYLE = proposal("preferences", 2, topic="Style", content="Short answers")


def test_a_heading_that_memfs_wrote_goes_with_its_last_entry(vault: Vault) -> None:
    merge(vault, STYLE)
    before = document(vault, "preferences.md").read_text()
    merge(vault, TEA)
    both = document(vault, "preferences.md").read_text()
    forgotten = forget(vault, the_entry(vault, "Green").id or "")
    assert document(vault, "preferences.md").read_text() == before
    undo(vault, forgotten.commit or "")
    assert document(vault, "preferences.md").read_text() == both
    move(vault, the_entry(vault, "Green").id or "", "writer")
    assert document(vault, "preferences.md").read_text() == before
    assert "Tea" in document(vault, "preferences.md", "writer").read_text()


def test_a_heading_that_a_person_wrote_stays_empty(vault: Vault) -> None:
    merge(vault, STYLE)
    path = document(vault, "preferences.md")
    path.write_text(path.read_text() + "\n## Tea\n\n## Mine\n")
    merge(vault, TEA)
    assert (
        path.read_text().index("## Tea") < path.read_text().index("Green") < path.read_text().index("## Mine")
    )
    forget(vault, the_entry(vault, "Green").id or "")
    assert "## Tea\n" in path.read_text()
    assert "## Mine\n" in path.read_text()


def test_a_heading_over_a_persons_text_stays(vault: Vault) -> None:
    merge(vault, STYLE, TEA)
    path = document(vault, "preferences.md")
    edit(path, "## Tea\n", "## Tea\n\nNobody drinks coffee here.\n")
    forget(vault, the_entry(vault, "Green").id or "")
    assert "## Tea\n\nNobody drinks coffee here.\n" in path.read_text()
