"""Subjects in plain words."""

from __future__ import annotations

from datetime import date

import pytest

from memfs.history.subjects import action_subject, count_phrase, merge_subject


def test_the_subject_of_the_specification() -> None:
    told = merge_subject("coding-assistant", {"decisions": 2, "actions": 1}, date(2026, 3, 14))
    assert told == "coding-assistant: 2 decisions, 1 action from 2026-03-14 session"


def test_chinese() -> None:
    told = merge_subject("coding-assistant", {"decisions": 2, "actions": 1}, date(2026, 3, 14), "zh")
    assert told == "coding-assistant：2 条决策、1 条待办，来自 2026-03-14 的会话"
    assert merge_subject("c", {}, None, "zh") == "c：无新内容"


def test_zeros_unknown_types_and_nothing() -> None:
    assert (
        count_phrase({"notes": 0, "recipes": 2, "recipe": 1, "entities": 3})
        == "2 recipes, 1 recipe, 3 entities"
    )
    assert merge_subject("c", {}) == "c: nothing new"


@pytest.mark.parametrize(
    ("kind", "english", "chinese"),
    [
        ("undo", "c: undo abc", "c：撤销 abc"),
        ("forget", "c: forget abc", "c：忘记 abc"),
        ("hand", "c: edited by hand: abc", "c：手工编辑：abc"),
        ("dance", "c: dance abc", "c：dance abc"),
    ],
)
def test_other_kinds(kind: str, english: str, chinese: str) -> None:
    assert action_subject(kind, "abc", identity="c") == english
    assert action_subject(kind, "abc", identity="c", language="zh") == chinese
