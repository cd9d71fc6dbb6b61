"""What users say of themselves: standing facts are kept, moods and whatever only looks like a fact are not."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path

import pytest

from memfs.extraction.request import Request
from memfs.extraction.rules import RulesExtractor
from memfs.model import Operation, Turn

NOW = datetime.fromisoformat("2026-06-10T09:00:00+02:00")
PROBES = tomllib.loads((Path(__file__).parent / "facts.toml").read_text("utf-8"))


def facts(*texts: str) -> list[Operation]:
    turns = tuple(Turn("user", text) for text in texts)
    operations = RulesExtractor().extract(Request(turns, NOW)).operations
    return [op for op in operations if op.type == "profile"]


def test_nearly_all_standing_facts_are_found() -> None:
    missed = [each["text"] for each in PROBES["facts"] if not _tells(facts(each["text"]), each["has"])]
    assert len(missed) <= len(PROBES["facts"]) // 10, missed


def _tells(found: list[Operation], word: str) -> bool:
    return any(word.lower() in str(value).lower() for op in found for value in op.fields.values())


@pytest.mark.parametrize("text", PROBES["moods"])
def test_what_only_looks_like_a_fact_is_not_kept(text: str) -> None:
    assert facts(text) == []


def test_two_facts_in_a_sentence_are_two_where_both_stand_alone() -> None:
    found = facts("I'm a nurse, and I live in Ghent")
    assert [list(op.fields) for op in found] == [["role"], ["location"]]
    assert len(facts("I'm a nurse and beekeeper")) == 1


def test_facts_of_one_kind_stand_side_by_side_but_a_new_home_replaces_the_old() -> None:
    found = facts("I'm allergic to peanuts", "I have a bad knee", "I live in Leeds", "I live in Porto now")
    assert [op.fields.get("health") for op in found][:2] == [
        ("I'm allergic to peanuts",),
        ("I have a bad knee",),
    ]
    assert [op.fields["location"] for op in found if "location" in op.fields] == ["in Porto now"]
