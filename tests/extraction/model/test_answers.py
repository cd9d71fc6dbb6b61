"""Answers as models really write them: what is read, what is empty, and what is no answer at all."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.errors import InvalidAnswer
from memfs.extraction.model.answers import MAX_CHARACTERS, Conflict, read_answer

GOOD = {"notes": [{"content": "x", "turns": [1]}]}
TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"~~~JSON\n{TEXT}\n~~~",
        f"  \n```json\n\n{TEXT}\n\n```  \n",
    ],
)
def test_lj_01_a_fence_around_the_answer_is_taken_off(text: str) -> None:
    assert read_answer(text) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "```json\n```",
        "```\n\n```",
        "``````",
        "```json\n",
        "```",
        f"```json\n{TEXT[:-3]}",
        f"```json\n{TEXT[:-1]}\n```",
    ],
)
def test_lj_02_an_empty_or_half_open_fence_is_no_answer(text: str) -> None:
    with pytest.raises(InvalidAnswer):
        read_answer(text)


@pytest.mark.parametrize("inner", ["```", "use ```sh\nmake\n``` first", "a ``` b ``` c", "~~~"])
def test_lj_03_fences_inside_of_a_value_are_safe(inner: str) -> None:
    answer = {"notes": [{"content": inner}]}
    assert read_answer(json.dumps(answer)) == answer
    assert read_answer(f"```json\n{json.dumps(answer)}\n```") == answer


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"notes":[{"content":"draft"}]}</think>' + TEXT,
        "<think>a</think><thinking>b {}</thinking>\n" + TEXT,
        "<THINKING>hm</Thinking>\n```json\n" + TEXT + "\n```",
        "hm, no start tag </think> " + TEXT,
    ],
)
def test_lj_07_what_follows_the_last_thought_wins(text: str) -> None:
    assert read_answer(text) == GOOD


def test_lj_07_a_draft_in_a_thought_that_does_not_end_is_no_answer() -> None:
    with pytest.raises(InvalidAnswer):
        read_answer('<think>{"notes":[{"content":"draft"}]}')


@pytest.mark.parametrize("word", ["<think>", "</think>", "<think>a</think>", "</thinking> b"])
def test_lj_08_a_valid_answer_keeps_the_word_think(word: str) -> None:
    answer = {"notes": [{"content": f"the tag {word} is removed"}]}
    assert read_answer(json.dumps(answer)) == answer
    assert read_answer(f'<think>{{"a": 1}}</think>\n{TEXT}') == GOOD


def test_lj_13_raw_newlines_in_a_text_are_let_through() -> None:
    assert read_answer('{"notes": [{"content": "a\nb\tc"}]}') == {"notes": [{"content": "a\nb\tc"}]}


@pytest.mark.parametrize(
    "text",
    [
        '{"notes": [{"content": "x", "turns": [1,],},],}',
        '```json\n{"notes": [{"content": "x", "turns": [1]}, ]\n,}\n```',
    ],
)
def test_lj_14_trailing_commas_are_mended(text: str) -> None:
    assert read_answer(text) == GOOD


def test_lj_14_commas_in_texts_are_not_mended_away() -> None:
    assert read_answer('{"a": "x,]", "b": [1,],}') == {"a": "x,]", "b": [1]}


@pytest.mark.parametrize(
    "text",
    [
        "No observations",
        "No observations.",
        "There is nothing worth remembering in this conversation.",
        "No new memories to extract.",
        "None of these messages contain information worth recording.",
        "没有需要记录的内容。",
        "无可记忆的信息",
        "<think>hm</think>Nothing to record.",
        "{}",
        "[]",
        "```json\n{}\n```",
    ],
)
def test_lj_19_nothing_said_in_words_is_an_empty_answer(text: str) -> None:
    assert read_answer(text) in ({}, [])


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "Sure! I will remember this.",
        "null",
        "42",
        '"notes"',
        "The user likes Python.",
        "No problem! " + "x" * 400 + " nothing to record",
        'No notes, see {"notes": [',
    ],
)
def test_prose_that_does_not_say_there_is_nothing_is_no_answer(text: str) -> None:
    with pytest.raises(InvalidAnswer):
        read_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Here you are:\n{TEXT}\nAnything else?",
        f"Here you are:\n\n```json\n{TEXT}\n```\n\nI left out {{small talk}}.",
        f"I read {{turns}} and [notes]. {TEXT}",
        json.dumps(TEXT),
        "\ufeff" + TEXT,
    ],
)
def test_prose_around_the_answer_is_left_out(text: str) -> None:
    assert read_answer(text) == GOOD


@pytest.mark.parametrize("end", range(1, len(TEXT)))
def test_a_beginning_of_an_answer_is_never_an_answer(end: int) -> None:
    for text in (TEXT[:end], f"Here: {TEXT[:end]}", f"```json\n{TEXT[:end]}\n```"):
        with pytest.raises(InvalidAnswer):
            read_answer(text)


def test_a_key_given_twice_loses_nothing() -> None:
    assert read_answer('{"notes": [1], "notes": [2]}') == {"notes": [1, 2]}
    assert read_answer('{"a": 1, "a": 1}') == {"a": 1}
    assert isinstance(read_answer('{"a": 1, "a": 2}')["a"], Conflict)


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 50_000, '{"a":' * 50_000, "x" * (MAX_CHARACTERS + 1)])
def test_huge_and_deep_answers_are_refused(text: str) -> None:
    with pytest.raises(InvalidAnswer):
        read_answer(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(), JSON, max_size=4),
    st.sampled_from(["{}", "```json\n{}\n```", "<think>a</think>{}"]),
)
def test_any_object_is_read_back(answer: dict[str, Any], frame: str) -> None:
    assert read_answer(frame.replace("{}", json.dumps(answer, ensure_ascii=False))) == answer


@given(st.text(alphabet=st.characters() | st.sampled_from('{}[]",:`<>/think\n'), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InvalidAnswer):
        assert isinstance(read_answer(text), dict | list)
