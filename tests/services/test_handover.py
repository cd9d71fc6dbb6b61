"""What an agent that starts reads first: the board, or durable memory and its bootstrap; the latest messages."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from memfs.services.changing import forget, remember
from memfs.services.context import context
from memfs.services.opening import Vault
from memfs.services.purging import purge
from memfs.services.relay import add_baton, read_relay, settle_relay
from memfs.services.relaying.raw_messages import latest_messages
from tests.services.filing import message, put_session
from tests.services.lexical import lexical_vault, reopened
from tests.services.talks import Script, inbox, put_talk, talk
from tests.services.vaults import IDENTITY, Clock, git, merge, note

SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCD"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v")


def sections(vault: Vault, text: str = "", **more: int) -> dict[str, list[str]]:
    """The lines under each heading of the context."""
    told = context(vault, text, identity=IDENTITY, **more).text
    parts = re.split(r"^## (.+)$", told, flags=re.MULTILINE)
    return {
        head: [line[2:] for line in body.splitlines() if line.startswith("- ")]
        for head, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_the_board_comes_first_newest_first_and_overdue_is_said(vault: Vault) -> None:
    assert isinstance(vault.clock, Clock)
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    add_baton(vault, "Which queue?", identity=IDENTITY, channel="feishu", role="user")
    vault.clock.advance(90_000)
    add_baton(vault, "Redis Streams", identity=IDENTITY, channel="feishu")
    told = sections(vault)
    assert next(iter(told)) == "Relay board"
    assert "Recent memory" not in told
    first, second = told["Relay board"]
    assert first.startswith("feishu#001 assistant: Redis Streams (memories/coding-assistant/relay.md, ")
    assert second.startswith("feishu#001 user: Which queue? (overdue)")


def test_decisions_begin_an_empty_board_and_are_told_under_their_own_heading(vault: Vault) -> None:
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    remember(vault, "We take Redis Streams", identity=IDENTITY, type="decisions")
    told = sections(vault)
    assert not any("Redis" in item for item in told["Recent memory"])
    assert {baton.text for baton in read_relay(vault, IDENTITY).batons} >= {"Deploys need a reviewer"}
    assert any("Redis Streams" in baton.text for baton in read_relay(vault, IDENTITY).batons)


def test_durable_memory_where_the_board_is_empty_seeds_bootstrap_once_a_day(vault: Vault) -> None:
    assert isinstance(vault.clock, Clock)
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    first = sections(vault)
    assert "Relay board" not in first
    assert first["Recent memory"][0].startswith("Deploys need a reviewer")
    [seeded] = read_relay(vault, IDENTITY).batons
    assert (seeded.bootstrap, seeded.text) == (True, "Deploys need a reviewer")
    second = sections(vault)
    assert second["Relay board"][0].startswith("Deploys need a reviewer")
    assert "Recent memory" not in second  # the same is not said twice
    before = vault.layout.relay_board(IDENTITY).read_bytes()
    sections(vault)
    assert vault.layout.relay_board(IDENTITY).read_bytes() == before
    vault.clock.advance(86_400)
    sections(vault)
    assert len(read_relay(vault, IDENTITY).batons) == 1  # yesterday's is gone, today's is there
    add_baton(vault, "Something new", identity=IDENTITY, channel="desktop")
    assert len(sections(vault)["Relay board"]) == 2


def test_some_of_today_of_yesterday_and_of_before(vault: Vault) -> None:
    merge(vault, *[note(f"Said on day {day} of March", day) for day in range(1, 6)])
    for number in range(4):
        remember(vault, f"Said today, number {number}", identity=IDENTITY)
    told = sections(vault)["Recent memory"]
    assert [line[:10] for line in told] == ["Said today", "Said today", "Said on da", "Said on da"]
    assert "day 5 of March" in told[2]


def test_what_is_forgotten_does_not_come_back_by_the_board(vault: Vault) -> None:
    kept = remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    sections(vault)
    forget(vault, kept.id)
    assert read_relay(vault, IDENTITY).batons == ()
    assert "reviewer" not in context(vault, identity=IDENTITY).text


def test_a_purge_takes_it_off_the_boards_too(vault: Vault) -> None:
    kept = remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    sections(vault)
    add_baton(vault, "As told: Deploys need a reviewer", identity=IDENTITY, channel="feishu")
    add_baton(vault, "Something else", identity=IDENTITY, channel="feishu")
    purge(vault, kept.id)
    for path in vault.layout.identity_dir(IDENTITY).rglob("relay.*"):
        assert "reviewer" not in path.read_text()
    assert [baton.text for baton in read_relay(vault, IDENTITY).batons] == ["Something else"]


def test_a_message_that_retrieves_a_note_gets_it_as_related(vault: Vault) -> None:
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    told = sections(vault, "who reviews deploys?")
    assert "Recent memory" not in told
    assert told["Related memory"][0].startswith("Deploys need a reviewer")


def test_a_board_that_cannot_be_read_is_told_and_the_rest_comes(vault: Vault) -> None:
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    vault.layout.relay_board(IDENTITY).write_bytes(b"\x80\xff")
    told = sections(vault)
    assert "cannot be read" in told["Relay board"][0]
    assert told["Recent memory"][0].startswith("Deploys need a reviewer")
    assert vault.layout.relay_board(IDENTITY).read_bytes() == b"\x80\xff"


def test_a_board_that_cannot_be_written_is_no_obstacle(vault: Vault) -> None:
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    (vault.layout.identity_dir(IDENTITY) / "relay.jsonl").mkdir()
    assert "reviewer" in context(vault, identity=IDENTITY).text


def test_context_stays_local(vault: Vault) -> None:
    remember(vault, "Deploys need a reviewer", identity=IDENTITY)
    sections(vault)
    assert git(vault.top, "status", "--porcelain") == ""


# The latest messages


def test_the_latest_three_messages_of_the_newest_transcripts(vault: Vault) -> None:
    old = put_talk(inbox(vault), talk("a", "first", "second", day=0))
    put_talk(inbox(vault), talk("b", "third", day=1))
    os.utime(old, (1_700_000_000, 1_700_000_000))
    told = [line.split(" (")[0] for line in sections(vault)["Latest messages"]]
    assert told == ["assistant: Noted.", "user: third"]  # what was said twice is told once
    assert [(said.role, said.text) for said in latest_messages(vault, IDENTITY)] == [
        ("assistant", "Noted."),
        ("user", "third"),
        ("assistant", "Noted."),
    ]


def test_messages_are_redacted_and_private_parts_left_out(vault: Vault) -> None:
    put_session(
        vault,
        message(1, f"use {SECRET} please"),
        message(2, "here <private>my salary is 5</private> it is"),
        message(3, "off the record: I will quit"),
    )
    texts = [said.text for said in latest_messages(vault, IDENTITY)]
    assert len(texts) == 2
    assert "salary" not in str(texts)
    assert SECRET not in str(texts)
    assert "[redacted" in texts[1]


def test_messages_of_a_session_off_the_record_are_not_shown(vault: Vault) -> None:
    from memfs.services.ingest import ingest

    path = put_session(
        vault, message(1, "This whole conversation is off the record"), message(2, "I will quit")
    )
    assert latest_messages(vault, IDENTITY) == ()
    ingest(vault, extractor=Script())
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(message(3, "and move to Lisbon")) + "\n")
    assert latest_messages(reopened(vault), IDENTITY) == ()


def test_a_long_transcript_is_read_from_its_end(vault: Vault) -> None:
    filler = [message(number, "filler " * 400) for number in range(400)]
    put_session(vault, *filler, message(9000, "the very last"))
    assert latest_messages(vault, IDENTITY)[0].text == "the very last"
    assert len(latest_messages(vault, IDENTITY)[1].text) == 480


def test_only_the_identitys_own_messages(vault: Vault) -> None:
    put_session(vault, {**message(1, "of the writer"), "agentRoleKey": "writer"}, identity="writer")
    assert latest_messages(vault, IDENTITY) == ()
    assert latest_messages(vault, "writer")[0].text == "of the writer"


def test_transcripts_that_cannot_be_read_are_no_obstacle(vault: Vault) -> None:
    folder = inbox(vault)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.jsonl").write_bytes(b"\x00\x01\x02" * 50)
    (folder / "list.md").write_text("shopping\n")
    put_talk(folder, talk("a", "readable"))
    assert latest_messages(vault, IDENTITY)[1].text == "readable"


def test_a_board_settled_by_a_merge_gives_way_to_memory(vault: Vault) -> None:
    made = add_baton(vault, "Take Redis Streams", identity=IDENTITY, channel="feishu")
    merge(vault, note("Redis Streams carries the events", 3))
    settle_relay(vault, IDENTITY, read=[made.id], wrote=True)
    assert "Redis Streams carries the events" in str(sections(vault)["Recent memory"])
