"""A session of more than 100,000 tokens: no call above the ceiling, all of it read once, none of it sent again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from memfs.services.dryrun import estimate
from memfs.services.ingesting.models import token_counter
from memfs.vault.local import LocalState
from memfs.vault.records import tokens_used
from tests.extraction.model.conftest import Room
from tests.extraction.model.vaults import Desk
from tests.services.vaults import IDENTITY, new_vault

CEILING = 4000
TURNS = 1600
_SAID = (
    "Turn {n}: the ledger of branch {n} moves to the new cluster on day {n} of the plan; before that, the team checks "
    "the balances of all accounts, writes down what differs, and asks branch {n} to confirm each of the differences. "
    "账本 {n} 号分行在迁移之前必须核对所有余额，并记录每一处差异。"
)


@pytest.fixture
def desk(tmp_path: Path, room: Room) -> Desk:
    template = new_vault(tmp_path / "template").top
    shutil.copytree(template, tmp_path / "vault", symlinks=True)
    settings = f"max_tokens_per_call = {CEILING}\nmax_tokens_per_identity_per_day = 0\n"
    desk = Desk.set_up(tmp_path / "vault", room, settings)
    room.script({"content": "{}", "usage": [3000, 2]})
    return desk


def test_a_session_of_100_000_tokens(desk: Desk) -> None:
    count = token_counter()
    said = [_SAID.format(n=n) for n in range(TURNS)]
    assert count("\n".join(said)) > 100_000
    end = desk.say(first=said, second=())[0]
    guess = estimate(desk.vault, desk.path)
    report = desk.ingest()
    assert (report.waiting, report.problems) == ((), ())
    assert desk.offset() == end
    calls = desk.room.calls()
    sizes = [sum(count(message["content"]) for message in call["messages"]) for call in calls]
    assert max(sizes) <= CEILING
    assert len(calls) == guess.calls
    shown = re.findall(r"user: Turn (\d+):", "\n".join(without_context(text) for text in desk.sent()))
    assert [int(number) for number in shown] == list(range(TURNS)), (
        "each turn is evidence in exactly one call"
    )
    assert tokens_used(LocalState(desk.vault.layout), IDENTITY, today(desk)) == 3002 * len(calls)
    desk.ingest()
    assert len(desk.sent()) == len(calls), "a second ingest sends none of it again"


def test_only_what_was_added_to_a_long_session_is_sent(desk: Desk) -> None:
    said = [_SAID.format(n=n) for n in range(200)]
    desk.say(first=said, second=())
    desk.ingest()
    before = len(desk.sent())
    end = desk.say(first=said, second=("One more thing about branch 77.",))[1]
    desk.ingest()
    (new,) = desk.sent()[before:]
    assert "One more thing" in new
    assert "Turn 150" not in new
    assert desk.offset() == end


def without_context(sent: str) -> str:
    """What is evidence in a call: not the turns from before."""
    return "\n".join(line for line in sent.splitlines() if not line.startswith("[before]"))


def today(desk: Desk) -> str:
    return desk.vault.now().date().isoformat()


def test_turns_longer_than_a_call_are_read_in_parts_below_the_ceiling(desk: Desk) -> None:
    desk.say(first=["This is a long story about the ledger. " * 300 for _ in range(6)], second=())
    assert desk.ingest().waiting == ()
    count = token_counter()
    sizes = [sum(count(message["content"]) for message in call["messages"]) for call in desk.room.calls()]
    assert len(sizes) >= 6
    assert max(sizes) <= CEILING
    desk.ingest()
    assert len(desk.sent()) == len(sizes)
