"""The rules on small conversations that were invented apart from the phrasebooks."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memfs.extraction.request import Request
from memfs.extraction.rules import RulesExtractor
from memfs.model import Operation, Turn

DIALOGUES = tomllib.loads((Path(__file__).parent / "dialogues.toml").read_text("utf-8"))["dialogue"]
EMPTY = [each for each in DIALOGUES if each.get("empty")]


def extract(dialogue: dict[str, Any]) -> tuple[Operation, ...]:
    turns = []
    for line in dialogue["turns"]:
        speaker, _, text = line.partition(": ")
        peer = None if speaker in {"me", "ai"} else speaker
        turns.append(Turn("assistant" if speaker == "ai" else "user", text, peer=peer))
    now = datetime.fromisoformat(dialogue.get("now", "2026-06-10T09:00:00+02:00"))
    return RulesExtractor().extract(Request(tuple(turns), now)).operations


def words(op: Operation) -> str:
    return " ".join(str(value) for value in op.fields.values()).lower()


def fits(op: Operation, wanted: dict[str, Any], *, typed: bool) -> bool:
    said = words(op)
    right = all(word.lower() in said for word in wanted["has"]) and op.peer == wanted.get("peer")
    return right and (not typed or (op.type in wanted["type"] and wanted.get("date", "") in said))


@pytest.mark.parametrize("dialogue", EMPTY, ids=lambda each: each["id"])
def test_small_talk_questions_games_and_quotations_leave_nothing(dialogue: dict[str, Any]) -> None:
    assert extract(dialogue) == ()


def test_what_must_never_be_kept_is_in_no_entry() -> None:
    for dialogue in DIALOGUES:
        for word in dialogue.get("never", ()):
            assert not any(word.lower() in words(op) for op in extract(dialogue)), dialogue["id"]


def test_most_is_found_and_nearly_all_that_is_found_is_right() -> None:
    wanted = found = entries = right = 0
    for dialogue in DIALOGUES:
        keep = dialogue.get("keep", [])
        ops = extract(dialogue)
        wanted += len(keep)
        found += sum(any(fits(op, each, typed=True) for op in ops) for each in keep)
        entries += len(ops)
        right += sum(any(fits(op, each, typed=False) for each in keep) for op in ops)
    assert found / wanted >= 0.9
    assert right / entries >= 0.9
