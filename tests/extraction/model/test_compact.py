"""The daily run in compact mode with a model on a real server: one short call, everything else as ever."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memfs.services.audit import why
from memfs.services.daily import DailyResult, run_daily
from memfs.services.daily_run.extraction import is_compact
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.opening import Vault, open_vault
from memfs.services.relay import add_baton, read_relay
from memfs.services.status import status
from tests.extraction.model.conftest import Room
from tests.services.talks import inbox, put_talk, talk
from tests.services.vaults import IDENTITY, far_clock, git, merge_commits, new_vault

KEY = "MEMFS_API_KEY"
LEDGER = "We go with PostgreSQL for the ledger."
VPN = "Remember that the staging VPN drops at noon."
SMALL = ("hello", "lol", "what is a mutex?", "thanks")
DECISION = {"topic": "Ledger database", "decision": "PostgreSQL for the ledger"}
NOTE = {"content": "The staging VPN drops at noon", "tags": ["vpn"]}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("compact") / "vault", IDENTITY, "writer").top


@pytest.fixture
def vault(template: Path, tmp_path: Path, room: Room, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv(KEY, "k")
    return make_vault(template, tmp_path / "vault", room)


def make_vault(template: Path, top: Path, room: Room, daily: str = "review = false") -> Vault:
    shutil.copytree(template, top, symlinks=True)
    settings = f'[extract]\nmodel = "openai:test"\nbase_url = "{room.base_url}"\ntimeout_seconds = 20\n'
    settings += f"[embeddings]\nengine = 'none'\n[daily]\n{daily}\n"
    (top / "memfs.local.toml").write_text(settings, encoding="utf-8")
    return open_vault(top, environ={}, clock=far_clock())


def run(vault: Vault) -> tuple[DailyResult, list[str]]:
    lines: list[str] = []
    return run_daily(vault, announce=lines.append, pause=lambda _: None), lines


def say(vault: Vault, session: str, *said: str, identity: str = IDENTITY, day: int = 0) -> Path:
    return put_talk(inbox(vault, identity), talk(session, *said, day=day))


def texts(vault: Vault, identity: str = IDENTITY) -> list[str]:
    found = list_entries(vault, identity=identity)
    return sorted(f"{each.type}: {each.text}" for each in found if each.type != "journal")


def sent(room: Room) -> list[str]:
    return [call["messages"][-1]["content"] for call in room.calls()]


def test_a_day_of_two_sessions_and_a_board_is_one_short_call(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER, *SMALL)
    say(vault, "s2", VPN, day=1)
    add_baton(vault, "Ana is our contact for Kafka", identity=IDENTITY, channel="feishu", role="user")
    room.answers(
        {
            "decisions": [{**DECISION, "turns": [1]}],
            "notes": [{**NOTE, "turns": [2]}, {"content": "Ana is the contact for Kafka", "turns": [3]}],
        }
    )
    result, lines = run(vault)
    assert (result.extracted_count, result.errors) == (1, ())
    (asked,) = sent(room)
    body = [line for line in asked.splitlines() if line[:1].isdigit() and not line.startswith("20")]
    assert body == [
        f"1 (tidewater) {LEDGER}",
        f"2 (tidewater) {VPN}",
        "3 Ana is our contact for Kafka",
    ]
    assert not any(word in asked for word in SMALL)
    assert texts(vault) == [
        "decisions: Ledger database: PostgreSQL for the ledger. (2026-03-01)",
        "notes: Ana is the contact for Kafka",
        "notes: The staging VPN drops at noon #vpn",
    ]
    assert read_relay(vault, IDENTITY).batons == ()
    assert any("tokens: 760)" in line for line in lines), lines


def test_every_session_keeps_its_commit_its_cursor_and_its_proof(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER, *SMALL)
    say(vault, "s2", VPN, day=1)
    room.answers({"decisions": [{**DECISION, "turns": [1]}], "notes": [{**NOTE, "turns": [2]}]})
    run(vault)
    messages = [
        git(vault.top, "log", "-1", "--format=%B", each) for each in reversed(merge_commits(vault.top))
    ]
    assert ["Memfs-Source: claude-code/s1" in each for each in messages] == [True, False]
    assert ["Memfs-Source: claude-code/s2" in each for each in messages] == [False, True]
    assert "Memfs-Tokens: 700 in, 60 out" in messages[0]
    assert "Memfs-Tokens: 0 in, 0 out" in messages[1], "what the call cost is told once"
    assert "4 of 5 of the users' were left out as not salient" in messages[0]
    (note,) = [each for each in list_entries(vault, identity=IDENTITY) if each.type == "notes"]
    assert "s2-prompt-0" in repr(why(vault, note.id or ""))
    assert [source.unmerged for source in status(vault).sources if source.identity == IDENTITY] == [0]
    run(vault)
    assert len(sent(room)) == 1, "nothing is asked for again"


def test_a_growing_session_is_read_on_from_where_it_was(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER)
    room.script(
        {"content": json.dumps({"decisions": [{**DECISION, "turns": [1]}]})},
        {"content": json.dumps({"notes": [{**NOTE, "turns": [1]}]})},
    )
    run(vault)
    say(vault, "s1", LEDGER, VPN)
    run(vault)
    lines = sent(room)[1].splitlines()
    assert f"1 {VPN}" in lines
    assert LEDGER not in sent(room)[1]
    assert len(texts(vault)) == 2


def test_an_answer_may_name_a_known_entry_instead_of_its_key(vault: Vault, room: Room) -> None:
    say(vault, "s1", "I have to renew the gateway certificate.")
    room.script(
        {"content": json.dumps({"actionItems": [{"task": "Renew the gateway certificate", "turns": [1]}]})},
        {"content": json.dumps({"actionItems": [{"id": "k1", "status": "done", "turns": [1]}]})},
    )
    run(vault)
    say(vault, "s2", "I decided to renew the gateway certificate at once, it is done now.", day=1)
    run(vault)
    assert "k1 actions: Renew the gateway certificate" in sent(room)[1]
    (task,) = [each for each in list_entries(vault, identity=IDENTITY) if each.type == "actions"]
    assert (task.text, task.status) == ("Renew the gateway certificate", "done")


def test_a_day_of_small_talk_costs_nothing_and_moves_the_cursor(vault: Vault, room: Room) -> None:
    say(vault, "s1", *SMALL)
    result, lines = run(vault)
    assert (result.extracted_count, result.errors) == (1, ())
    assert room.calls() == []
    assert any("tokens: 0)" in line for line in lines)
    assert run(vault)[0].extracted_count == 0


def test_a_model_that_is_away_leaves_all_for_the_next_run(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER)
    say(vault, "w1", LEDGER, identity="writer")
    baton = add_baton(vault, "Ana is our contact for Kafka", identity=IDENTITY, channel="feishu", role="user")
    room.script({"status": 401})
    result, _ = run(vault)
    assert result.extracted_count == 0
    assert [error.split(":")[0] for error in result.errors] == [IDENTITY, "writer"]
    assert len(room.calls()) == 8, "a try and three more for each"
    assert [each.id for each in read_relay(vault, IDENTITY).batons] == [baton.id]
    assert texts(vault) == []
    room.answers({"decisions": [{**DECISION, "turns": [1]}]})
    result, _ = run(vault)
    assert (result.extracted_count, result.errors) == (2, ())
    assert len(texts(vault)) == len(texts(vault, "writer")) == 1


def test_an_answer_that_cannot_be_read_has_the_day_read_in_full(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER, *SMALL)
    room.script(
        {"content": "I have stored your decision, thank you!"},
        {"content": json.dumps({"decisions": [{**DECISION, "turns": [1]}]})},
    )
    result, _ = run(vault)
    assert (result.extracted_count, result.errors) == (1, ())
    assert "what is a mutex?" in sent(room)[1]
    assert len(texts(vault)) == 1


def test_what_no_user_said_is_dropped_and_what_was_left_out_proves_nothing(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER, "what is a mutex?")
    room.answers(
        {
            "decisions": [
                {**DECISION, "turns": [1]},
                {"topic": "Language", "decision": "Rust", "turns": [1]},
            ],
            "notes": [{"content": "Likes mutexes", "turns": [2]}],
        }
    )
    run(vault)
    (commit,) = merge_commits(vault.top)
    assert "names turns that were not shown" in git(vault.top, "log", "-1", "--format=%B", commit)
    rust = [each.status for each in list_entries(vault, identity=IDENTITY) if "Rust" in each.text]
    assert rust == ["suggestion"], "nobody said it: it is offered"


def test_off_the_record_and_secrets_are_never_sent(vault: Vault, room: Room) -> None:
    say(
        vault,
        "s1",
        LEDGER,
        "<private>My salary is 90000, remember that.</private>",
        "Remember the password: hunter2-Zebra!9",
    )
    room.answers({"decisions": [{**DECISION, "turns": [1]}]})
    run(vault)
    everything = "\n".join(sent(room))
    assert "90000" not in everything
    assert "hunter2" not in everything


def test_a_session_put_off_the_record_later_is_taken_back(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER)
    say(vault, "s2", VPN, day=1)
    room.answers({"decisions": [{**DECISION, "turns": [1]}], "notes": [{**NOTE, "turns": [2]}]})
    run(vault)
    say(vault, "s1", LEDGER, "This whole conversation is off the record.")
    run(vault)
    assert [text for text in texts(vault) if "PostgreSQL" in text] == []
    assert [text for text in texts(vault) if "VPN" in text] != []


def test_turns_of_a_copied_session_are_read_once(vault: Vault, room: Room) -> None:
    path = say(vault, "s1", LEDGER)
    copy = path.with_name("copy.jsonl")
    copy.write_text(
        path.read_text(encoding="utf-8").replace('"sessionId": "s1"', '"sessionId": "s9"'), "utf-8"
    )
    room.answers({"decisions": [{**DECISION, "turns": [1]}]})
    result, _ = run(vault)
    assert result.errors == ()
    assert sent(room)[0].count(LEDGER) == 1
    assert len(texts(vault)) == 1


def test_full_mode_reads_all_of_it(template: Path, tmp_path: Path, room: Room, monkeypatch: Any) -> None:
    monkeypatch.setenv(KEY, "k")
    vault = make_vault(template, tmp_path / "full", room, "mode = 'full'\nreview = false")
    assert not is_compact(vault)
    say(vault, "s1", LEDGER, *SMALL)
    add_baton(vault, LEDGER, identity=IDENTITY, channel="feishu", role="user")
    room.answers({"decisions": [{**DECISION, "turns": [1]}]})
    result, _ = run(vault)
    assert (result.extracted_count, result.errors) == (1, ())
    assert any("what is a mutex?" in text for text in sent(room))
    assert any("[1] " in text and "We go with PostgreSQL" in text for text in sent(room)[1:])
    assert len(texts(vault)) == 1


def test_the_watcher_and_ingest_read_in_full_whatever_the_daily_mode(vault: Vault, room: Room) -> None:
    say(vault, "s1", LEDGER, *SMALL)
    room.answers({"decisions": [{**DECISION, "turns": [1]}]})
    ingest(vault)
    assert "what is a mutex?" in sent(room)[0]
