"""What decisions are filed under: a phrase that reads as a title, never scraps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.phrasebook import phrasebook
from memfs.extraction.topics import decision_topic


def topic(text: str, *languages: str) -> str:
    return decision_topic(text, [phrasebook(each) for each in languages or ("en",)], general="General")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we decided to release only on Tuesdays", "Release only on Tuesdays"),
        ("We decided to order vegetables from the Hisingen farm box", "Hisingen farm box"),
        ("we stay with the python exporter on the two VMs", "Python exporter"),
        ("we're dropping the take-home task from engineering interviews", "Take-home task"),
        ("skipping it, october release stays", "October release"),
        ("it's 3 after all", "It's 3 after all"),
        ("we picked Postgres", "Database"),
    ],
)
def test_a_decision_is_filed_under_its_main_phrase_or_its_first_words(text: str, expected: str) -> None:
    assert topic(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("那就改成云溪湿地吧，四十分钟", "云溪湿地"),
        ("就这么干，编号客户端生成", "编号客户端生成"),
        ("老板说中文版砍掉，国内那个渠道不投了", "中文版"),
        ("那venue就Riverside Hall", "Riverside Hall"),
        ("引擎还是Godot，别劝我换Unity", "引擎还是Godot"),
        ("他们家以后一概不考虑", "他们家以后一概不考虑"),
    ],
)
def test_chinese_is_cut_at_its_little_words_but_not_into_scraps(text: str, expected: str) -> None:
    assert topic(text, "zh", "en") == expected


@given(st.text(max_size=200), st.sampled_from([("en",), ("zh",), ("zh", "en"), ("ja",), ("de",)]))
def test_a_topic_is_short_and_never_empty(text: str, languages: tuple[str, ...]) -> None:
    made = topic(text, *languages)
    assert 0 < len(made) <= 61
    assert made == made.strip()
