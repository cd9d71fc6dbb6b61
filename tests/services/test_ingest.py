"""Ingest, from files on disk to memory: growing and copied transcripts, guards, privacy, cursors, failures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.errors import InvalidRequest
from memfs.extraction.request import Request
from memfs.model import Extraction, Turn
from memfs.services.ingest import ingest
from memfs.services.ingesting.kept import kept_copy
from memfs.services.ingesting.progress import commit_old_moves
from memfs.services.ingesting.reading import open_reader
from memfs.services.ingesting.reports import IngestReport, describe
from memfs.services.ingesting.sessions import SessionKey
from memfs.services.opening import Vault, open_vault
from memfs.vault.local import LocalState
from memfs.vault.records import pending_cursors
from tests.services.talks import Script, Talk, inbox, jsonl, put_talk, rows, says, talk
from tests.services.vaults import (
    IDENTITY,
    Clock,
    committed,
    copy_vault,
    document,
    git,
    merge_commits,
    new_vault,
)

SAMPLES = Path(__file__).parents[1] / "transcripts" / "samples"
CLAUDE = SAMPLES / "claude-code"
SECRET = "sk-ant-api03-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3v" + "AA"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingest") / "vault"
    new_vault(folder)
    return folder


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return copy_vault(template, tmp_path / "vault")


@dataclass(frozen=True)
class Reading(Script):
    """`Script`, which keeps what it was given to read."""

    turns: list[Turn] = field(default_factory=list)

    def extract(self, request: Request) -> Extraction:
        self.turns.extend(request.turns)
        return super().extract(request)

    @property
    def ids(self) -> list[str]:
        return [turn.id or "" for turn in self.turns]


def run(vault: Vault, *paths: Path, choice: str | None = None) -> tuple[IngestReport, Reading]:
    reading = Reading()
    return ingest(vault, paths, choice=choice, extractor=reading), reading


def fact(text: str) -> str:
    return says("notes", content=text)


def notes(vault: Vault) -> str:
    path = document(vault, "notes.md")
    return path.read_text(encoding="utf-8") if path.exists() else ""


def with_sources(vault: Vault, *sources: dict[str, object]) -> Vault:
    """The vault, opened anew with these ``[[sources]]``."""
    blocks = (
        "[[sources]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in source.items())
        for source in sources
    )
    with (vault.top / "memfs.local.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(blocks))
    return open_vault(vault.top, environ={}, clock=vault.clock)


def everywhere(vault: Vault) -> bytes:
    """All bytes that the vault holds: files, the search index, every object of git, kept copies unpacked."""
    found = bytearray()
    for path in vault.top.rglob("*"):
        if (
            path.is_file()
            and ".git/objects" not in path.as_posix()
            and not path.is_relative_to(vault.layout.inbox)
        ):
            found += path.read_bytes()
            if path.suffix == ".zst":
                with open_reader(path) as reader:
                    found += repr(list(reader)).encode()
    every = ["git", "-C", str(vault.top), "cat-file", "--batch-all-objects", "--batch"]
    return bytes(found) + subprocess.run(every, capture_output=True, check=True).stdout


# Growing, replaced, copied


def test_a_growing_transcript_is_read_on_from_where_it_was(vault: Vault) -> None:
    path = inbox(vault) / "session.jsonl"
    path.parent.mkdir(exist_ok=True)
    stages = json.loads((CLAUDE / "sample.growing.expected.json").read_text(encoding="utf-8"))["stages"]
    for stage in stages:
        shutil.copy(CLAUDE / stage["input"], path)
        report, reading = run(vault)
        assert [turn.text for turn in reading.turns] == [turn["text"] for turn in stage["new_turns"]]
        assert sum(session.turns for session in report.sessions) == len(stage["new_turns"])
        assert run(vault)[0].sessions == ()


def test_a_line_without_its_end_waits(vault: Vault) -> None:
    whole = jsonl(rows(talk("s-growing", fact("The north bed is clay"), fact("The south bed is sand"))))
    path = inbox(vault) / "s.jsonl"
    path.parent.mkdir(exist_ok=True)
    read: list[str] = []
    for end in (*range(1, len(whole), 97), len(whole)):
        path.write_text(whole[:end], encoding="utf-8")
        os.utime(path, ns=(end, end))
        read += run(vault)[1].ids
    assert read == [record["uuid"] for record in map(json.loads, whole.splitlines())]
    assert notes(vault).count("The north bed is clay") == notes(vault).count("The south bed is sand") == 1


def test_a_replaced_transcript_is_read_again_and_nothing_doubles(vault: Vault) -> None:
    first = talk("s-replaced", fact("The well is nine metres deep"), fact("The pump needs a new seal"))
    put_talk(inbox(vault), first)
    run(vault)
    lines = jsonl(rows(first)).splitlines(keepends=True)
    path = inbox(vault) / "s-replaced.jsonl"
    path.write_text("".join(lines[:2]), encoding="utf-8")  # shrunk
    assert run(vault)[1].ids == []
    changed = [
        *lines[1:2],
        *lines[:1],
        *jsonl(rows(talk("s-replaced", "", fact("The gate is oak")), 1)).splitlines(True),
    ]
    path.write_text("".join(changed), encoding="utf-8")
    report, _ = run(vault)
    assert not report.problems
    assert [notes(vault).count(text) for text in ("nine metres", "new seal")] == [1, 1]


def test_copies_and_forks_bring_only_what_is_new(vault: Vault) -> None:
    first = talk("s-original", fact("The roof was redone in 2019"), fact("The boiler is from 2021"))
    put_talk(inbox(vault), first)
    run(vault)
    put_talk(inbox(vault), first, "a copy")
    fork = [{**record, "sessionId": "s-fork"} for record in rows(first)]
    more = rows(Talk("s-fork", first.began, (*first.said, fact("The loft has no insulation"))), 2)
    (inbox(vault) / "fork.jsonl").write_text(jsonl([*fork, *more]), encoding="utf-8")
    report, reading = run(vault)
    assert reading.ids == [record["uuid"] for record in more]
    assert sum(session.added for session in report.sessions) == 1
    assert run(vault)[0].sessions == ()


@pytest.mark.parametrize(
    "name", ["codex/sample.legacy.jsonl", "codex/sample.paginated.jsonl", "claude-code/sample.basic.jsonl"]
)
def test_a_copy_of_a_real_session_is_read_once(vault: Vault, name: str) -> None:
    folder = inbox(vault)
    folder.mkdir(exist_ok=True)
    shutil.copy(SAMPLES / name, folder / "one.jsonl")
    first = run(vault)[1]
    assert first.turns
    shutil.copy(SAMPLES / name, folder / "another name.jsonl")
    assert run(vault)[1].turns == []


def test_a_compressed_session_goes_on_where_the_plain_one_was(vault: Vault) -> None:
    import zstandard

    packed = (SAMPLES / "codex/sample.compressed.jsonl.zst").read_bytes()
    plain = zstandard.ZstdDecompressor().stream_reader(packed).read()
    folder = inbox(vault)
    folder.mkdir(exist_ok=True)
    (folder / "rollout.jsonl").write_bytes(plain)
    assert run(vault)[1].turns
    (folder / "rollout.jsonl").unlink()
    (folder / "rollout.jsonl.zst").write_bytes(packed)
    assert run(vault)[1].turns == []


def test_a_link_in_two_sources_is_read_once(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "sessions"
    path = put_talk(outside, talk("s-linked", fact("The cellar floods in March")))
    inbox(vault).mkdir(exist_ok=True)
    (inbox(vault) / "linked.jsonl").symlink_to(path)
    vault = with_sources(vault, {"path": str(outside), "identity": IDENTITY})
    report, reading = run(vault)
    assert reading.ids == ["s-linked-prompt-0", "s-linked-reply-0"]
    assert len(report.sessions) == 1
    assert path.read_text(encoding="utf-8") == jsonl(
        rows(talk("s-linked", fact("The cellar floods in March")))
    )


def test_a_vanished_transcript_loses_no_memory(vault: Vault) -> None:
    path = put_talk(inbox(vault), talk("s-vanished", fact("The spare key is at Bo's")))
    run(vault)
    path.unlink()
    head = git(vault.top, "rev-parse", "HEAD")
    report, _ = run(vault)
    assert (report.sessions, report.problems) == ((), ())
    assert "The spare key is at Bo's" in notes(vault)
    assert git(vault.top, "rev-parse", "HEAD") == head


# The backfill guard


def many(folder: Path, count: int = 21) -> list[Path]:
    return [
        put_talk(folder, talk(f"s-old-{number:02}", fact(f"Fact {number} of old"))) for number in range(count)
    ]


def test_a_new_source_with_many_sessions_waits_for_a_choice(vault: Vault, tmp_path: Path) -> None:
    many(tmp_path / "sessions")
    vault = with_sources(vault, {"path": str(tmp_path / "sessions"), "identity": IDENTITY})
    report, reading = run(vault)
    assert reading.turns == []
    (reason,) = report.waiting
    assert "21 sessions" in reason
    assert "tokens" in reason
    assert "--backfill none|30d|all" in reason
    assert len(run(vault, choice="all")[0].sessions) == 21
    with pytest.raises(InvalidRequest, match="no such backfill choice"):
        run(vault, choice="some")


def test_twenty_sessions_need_no_choice(vault: Vault, tmp_path: Path) -> None:
    many(tmp_path / "sessions", 20)
    vault = with_sources(vault, {"path": str(tmp_path / "sessions"), "identity": IDENTITY})
    assert len(run(vault)[0].sessions) == 20


@pytest.mark.parametrize(("choice", "left"), [("none", 0), ("30d", 4)])
def test_a_choice_leaves_old_sessions_out_for_good(
    vault: Vault, tmp_path: Path, choice: str, left: int
) -> None:
    began = vault.now() - timedelta(days=1) + timedelta(hours=1)
    for number in range(21):  # copied into place just now: only what they hold tells how old they are
        said = replace(
            talk(f"s-{number:02}", fact(f"Fact {number}")), began=began - timedelta(days=10 * number)
        )
        put_talk(tmp_path / "sessions", said)
    vault = with_sources(vault, {"path": str(tmp_path / "sessions"), "identity": IDENTITY})
    assert len(run(vault, choice=choice)[0].sessions) == max(0, left - 1)
    soon = vault.now() + timedelta(seconds=5)
    later = put_talk(tmp_path / "sessions", replace(talk("s-new", fact("Fact of today")), began=soon))
    os.utime(later, (soon.timestamp(),) * 2)
    assert [session.session for session in run(vault)[0].sessions] == ["s-new"]


def test_a_conversation_that_went_on_is_not_old_and_one_without_times_is_as_old_as_its_file(
    vault: Vault, tmp_path: Path
) -> None:
    folder = tmp_path / "sessions"
    long = replace(talk("s-long", fact("Long ago"), fact("Today")), began=vault.now() - timedelta(days=90))
    records = [*rows(replace(long, said=long.said[:1])), *rows(replace(long, began=vault.now()), 1)]
    folder.mkdir()
    (folder / "long.jsonl").write_text(jsonl(records))
    for name, days in (("new", 1), ("old", 60)):
        (folder / f"{name}.md").write_text(f"{name}\n")
        moment = vault.clock().timestamp() - days * 86400
        os.utime(folder / f"{name}.md", (moment, moment))
    vault = with_sources(vault, {"path": str(folder), "identity": IDENTITY})
    assert [session.session for session in run(vault, choice="30d")[0].sessions] == ["s-long", "new.md"]


def test_a_path_named_by_hand_needs_no_choice(vault: Vault, tmp_path: Path) -> None:
    paths = many(tmp_path / "sessions")
    vault = with_sources(vault, {"path": str(tmp_path / "sessions"), "identity": IDENTITY})
    assert len(run(vault, paths[3])[0].sessions) == 1


# What is never extracted from


def test_turns_off_the_record_are_neither_read_nor_kept(vault: Vault) -> None:
    said = (
        fact("The alarm code is on the shelf"),
        f"Off the record: {fact('The safe is behind the mirror')}",
        fact("The car is blue"),
    )
    put_talk(inbox(vault), talk("s-turn", *said))
    report, reading = run(vault)
    assert all("mirror" not in turn.text for turn in reading.turns)
    assert b"mirror" not in everywhere(vault)
    assert report.sessions[0].withheld == 2
    assert notes(vault).count("^m-") == 2


def test_a_session_off_the_record_leaves_nothing(vault: Vault) -> None:
    said = (
        fact("The safe is behind the mirror"),
        "This conversation is off the record.",
        fact("The key is under the mat"),
    )
    put_talk(inbox(vault), talk("s-off", *said))
    report, reading = run(vault)
    assert reading.turns == []
    assert report.sessions[0].off_record
    assert b"mirror" not in everywhere(vault)
    grown = talk("s-off", *said, fact("The spare is at the neighbour's"))
    put_talk(inbox(vault), grown)
    assert run(vault)[1].turns == []
    assert notes(vault) == ""


def test_what_was_merged_of_a_session_is_taken_back_when_it_goes_off_the_record(vault: Vault) -> None:
    said = [
        fact("The safe is behind the mirror"),
        says("decisions", topic="Bank", decision="Use two banks", reason="safer"),
    ]
    put_talk(inbox(vault), talk("s-before", fact("The car is blue")))
    put_talk(inbox(vault), talk("s-later", *said, day=1))
    run(vault)
    put_talk(inbox(vault), talk("s-later", *said, fact("The will is with the notary"), day=1))
    run(vault)
    path = document(vault, "notes.md")
    path.write_text(notes(vault).replace("with the notary", "with notary Bo"), encoding="utf-8")
    copy = kept_copy(vault, IDENTITY, SessionKey("claude-code", "s-later"))
    assert copy.exists()
    put_talk(
        inbox(vault),
        talk(
            "s-later",
            *said,
            fact("The will is with the notary"),
            "This conversation is off the record.",
            day=1,
        ),
    )
    report, _ = run(vault)
    (session,) = report.sessions
    assert session.off_record
    assert len(session.undone) == 1  # of the other merge nothing is left that is not the person's
    assert "1 taken back" in describe(session)
    assert "mirror" not in notes(vault)
    assert "The car is blue" in notes(vault)
    assert "with notary Bo" in notes(vault)  # the person's words by now
    decisions = document(vault, "decisions.md")
    assert not decisions.exists() or "two banks" not in decisions.read_text(encoding="utf-8")
    assert not copy.exists()
    shutil.rmtree(vault.layout.derived)
    assert run(vault)[1].turns == []
    assert "mirror" not in notes(vault)


def test_private_blocks_reach_nothing(vault: Vault) -> None:
    said = f"{fact('The garden has nine beds')}<private>The pin is quincunx-7741</private>"
    put_talk(inbox(vault), talk("s-private", said, "<private>quincunx again", fact("The shed is green")))
    _, reading = run(vault)
    assert all("quincunx" not in turn.text for turn in reading.turns)
    assert b"quincunx" not in everywhere(vault)
    assert "The shed is green" in notes(vault)


def test_secrets_reach_nothing(vault: Vault) -> None:
    put_talk(inbox(vault), talk("s-secret", fact(f"The service key is {SECRET}"), f"export API_KEY={SECRET}"))
    report, reading = run(vault)
    assert all(SECRET not in turn.text for turn in reading.turns)
    assert report.sessions[0].added == 1
    assert "The service key is" in notes(vault)
    from memfs.services.recall import search

    assert search(vault, "service key").hits
    assert SECRET.encode() not in everywhere(vault)


def test_a_token_in_names_reaches_neither_git_nor_copies(vault: Vault) -> None:
    said = talk(SECRET, fact("The bees swarm in May"), fact("The pears are late"))
    put_talk(inbox(vault), replace(said, cwd=f"/home/{SECRET}"))
    report, _ = run(vault)
    assert report.sessions[0].added == 2
    shutil.rmtree(vault.layout.derived)  # the notes there name files by their paths on this machine
    assert SECRET.encode() not in everywhere(vault)
    assert not any(SECRET in str(path) for path in vault.layout.archive.rglob("*"))
    assert SECRET not in git(vault.top, "ls-files") + git(vault.top, "log", "--format=%B")
    assert run(vault)[1].turns == []


# Kept copies, and notes that can be lost


def test_kept_copies_are_redacted_compressed_and_readable(vault: Vault) -> None:
    put_talk(inbox(vault), talk("s-kept", fact("The bees swarm in May"), f"my key is {SECRET}"))
    run(vault)
    copy = kept_copy(vault, IDENTITY, SessionKey("claude-code", "s-kept"))
    with open_reader(copy) as reader:
        turns = list(reader)
    assert [turn.id for turn in turns][::2] == ["s-kept-prompt-0", "s-kept-prompt-1"]
    assert turns[0].text == fact("The bees swarm in May")
    assert SECRET not in repr(turns)
    assert git(vault.top, "status", "--porcelain") == ""


def test_nothing_doubles_when_what_is_derived_is_lost(vault: Vault) -> None:
    talks = [talk(f"s-again-{number}", fact(f"Tree {number} is a pear"), day=number) for number in range(3)]
    paths = [put_talk(inbox(vault), each) for each in talks]
    run(vault)
    head = git(vault.top, "rev-parse", "HEAD")
    for gone in ((), paths[:1], paths[1:]):
        for path in gone:
            path.unlink()
        shutil.rmtree(vault.layout.derived)
        assert run(vault)[1].turns == []
        assert git(vault.top, "rev-parse", "HEAD") == head
    put_talk(inbox(vault), talks[0], "back under another name")
    fork = [{**record, "sessionId": "s-forked"} for record in rows(talks[1])]
    (inbox(vault) / "forked.jsonl").write_text(jsonl(fork), encoding="utf-8")
    assert run(vault)[1].turns == []


def test_no_copies_are_kept_where_the_settings_say_so(vault: Vault) -> None:
    with (vault.top / "memfs.local.toml").open("a", encoding="utf-8") as file:
        file.write("[transcripts]\nkeep = false\n")
    vault = open_vault(vault.top, environ={}, clock=vault.clock)
    put_talk(inbox(vault), talk("s-unkept", fact("The fence is chestnut")))
    run(vault)
    assert not (vault.layout.archive / "transcripts").exists()


# Cursors and failures


def pending(vault: Vault) -> list[str]:
    return [cursor.session for cursor, _ in pending_cursors(LocalState(vault.layout), IDENTITY)]


def cursor_files(vault: Vault) -> Sequence[str]:
    listed = git(vault.top, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return [name.rpartition("/")[2] for name in listed if "/.cursors/" in name]


def test_nothing_to_record_moves_the_cursor_with_the_next_merge(vault: Vault) -> None:
    put_talk(inbox(vault), talk("s-idle", "Good morning!"))
    report, reading = run(vault)
    assert len(reading.turns) == 2
    assert report.sessions[0].commit is None
    assert (pending(vault), list(cursor_files(vault))) == (["s-idle"], [])
    assert run(vault)[1].turns == []
    put_talk(inbox(vault), talk("s-busy", fact("The hedge is yew"), day=1))
    run(vault)
    assert (pending(vault), sorted(cursor_files(vault))) == ([], ["s-busy", "s-idle"])
    assert len(merge_commits(vault.top)) == 1


def test_nothing_to_record_moves_the_cursor_alone_after_an_hour(vault: Vault) -> None:
    clock = vault.clock
    assert isinstance(clock, Clock)
    put_talk(inbox(vault), talk("s-idle", "Good morning!"))
    run(vault)
    clock.advance(3500)
    assert commit_old_moves(vault, IDENTITY) is None
    clock.advance(200)
    assert commit_old_moves(vault, IDENTITY) is not None
    assert (pending(vault), list(cursor_files(vault))) == ([], ["s-idle"])
    assert commit_old_moves(vault, IDENTITY) is None
    assert run(vault)[1].turns == []


def test_losing_a_pending_move_costs_only_reading_again(vault: Vault) -> None:
    put_talk(inbox(vault), talk("s-idle", "Good morning!"))
    run(vault)
    shutil.rmtree(vault.layout.local / "state")
    shutil.rmtree(vault.layout.derived)
    assert len(run(vault)[1].turns) == 2


def test_a_failing_extractor_moves_no_cursor(vault: Vault) -> None:
    put_talk(inbox(vault), talk("s-fails", fact("The lawn is moss"), "fail"))
    put_talk(inbox(vault), talk("s-works", fact("The path is gravel"), day=1))
    report, _ = run(vault)
    told = " ".join((*report.problems, *report.waiting))
    assert "the model is away" in told
    assert "The path is gravel" in notes(vault)
    assert "s-fails" not in [*cursor_files(vault), *pending(vault)]
    put_talk(inbox(vault), talk("s-fails", fact("The lawn is moss"), "fine"))
    run(vault)
    assert notes(vault).count("The lawn is moss") == 1


# Whose memory it is, and how much of it


def test_in_a_group_chat_the_settings_say_who_is_me(vault: Vault, tmp_path: Path) -> None:
    lines = [
        {"memfs": 1, "session": "s-group", "started_at": "2026-03-14T09:00:00Z"},
        {
            "id": "group-message-1",
            "role": "participant",
            "speaker": "Ana",
            "text": fact("The market is on Tuesday"),
        },
        {"id": "group-message-2", "role": "participant", "speaker": "Bo", "text": fact("Goats need copper")},
    ]
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "group.jsonl").write_text(jsonl(lines), encoding="utf-8")
    vault = with_sources(vault, {"path": str(tmp_path / "chats"), "identity": IDENTITY, "me": ["Ana"]})
    _, reading = run(vault)
    assert [(turn.role, turn.speaker) for turn in reading.turns] == [("user", "Ana"), ("participant", "Bo")]
    assert "The market is on Tuesday" in notes(vault)
    assert "Goats" not in notes(vault)
    peers = {path.parent.name for path in vault.layout.identity_dir(IDENTITY).glob("peers/*/notes.md")}
    assert {peer.lower() for peer in peers} == {"bo"}


def test_the_identitys_file_narrows_what_is_written(vault: Vault) -> None:
    path = document(vault, "identity.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("type: identity\n", "type: identity\nmemory_types: [notes]\n", 1), encoding="utf-8"
    )
    put_talk(
        inbox(vault),
        talk("s-narrow", fact("The pond is deep"), says("preferences", topic="Tea", content="Green tea")),
    )
    report, _ = run(vault)
    assert "The pond is deep" in notes(vault)
    assert not document(vault, "preferences.md").exists()
    assert [dropped.type for dropped in report.sessions[0].dropped] == ["preferences"]
    assert "Green tea" not in committed(vault.top, vault.layout.document_rel(IDENTITY, "notes.md"))


def test_an_identity_without_memory_of_its_own_writes_nothing(vault: Vault) -> None:
    path = document(vault, "identity.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("type: identity\n", "type: identity\nmemory_self: false\n", 1), encoding="utf-8"
    )
    put_talk(inbox(vault), talk("s-none", fact("The pond is deep")))
    run(vault)
    assert notes(vault) == ""
