"""What nothing is ever extracted from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model import Session, ToolCall, Turn
from memfs.transcripts.cues import OWN_CALL_MARK
from memfs.transcripts.privacy import keep_turns, off_the_record, without_private


def ask(text: str) -> Turn:
    return Turn("user", text)


def answer(text: str, *calls: ToolCall) -> Turn:
    return Turn("assistant", text, tool_calls=calls)


def kept(*turns: Turn) -> list[str]:
    return [turn.text for turn in keep_turns(turns)[0]]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <private>b\nb\n\nb</private>\nc", "a \nc"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>never closed\n\nmore", "a"),
        ("never opened</private> c", "c"),
        ("a <PRIVATE reason='x'>b</Private > c", "a  c"),
        ("<private>all</private>", ""),
        ("no tag, <privateer> stays", "no tag, <privateer> stays"),
    ],
)
def test_private_spans_are_taken_out(text: str, rest: str) -> None:
    assert without_private(text)[0] == rest


@given(st.lists(st.sampled_from(["<private>", "</private>", "word ", "secret ", "\n"]), max_size=12))
def test_nothing_inside_private_tags_is_ever_left(parts: list[str]) -> None:
    text = "".join(parts)
    rest, _ = without_private(text)
    assert "private" not in rest.lower()
    assert without_private(rest) == (rest, 0)
    depth = 0
    for number, part in enumerate(parts):
        depth += {"<private>": 1, "</private>": -1}.get(part, 0) if depth or part == "<private>" else 0
        if depth and part not in ("<private>", "</private>"):
            marked = [*parts[:number], "SECRET", *parts[number + 1 :]]
            assert "SECRET" not in without_private("".join(marked))[0]


def test_private_is_taken_out_of_tools_too() -> None:
    call = ToolCall("t1", "Bash", {"command": "echo <private>x</private>"}, "<private>x</private>done")
    turns, withheld = keep_turns([answer("ok", call)])
    assert turns[0].tool_calls[0].arguments == {"command": "echo"}
    assert turns[0].tool_calls[0].result == "done"
    assert withheld.counts["private"] == 2


@pytest.mark.parametrize(
    "text",
    [
        "off the record: my salary is 10",
        "This is off-the-record, ok?",
        "please don't remember this: I snore",
        "Don’t remember this",
        "do not store this in your long-term memory",
        "don't save this to memory",
        "I don't want you to remember this",
        "keep this between us",
        "密码是海马，别记",
        "这段别记",
        "别记住我的地址",
        "不要记住这个",
        "以下内容不用记",
        "不用记，随便说说",
        "オフレコで頼む",
    ],
)
def test_turn_off_the_record_goes_with_its_answers(text: str) -> None:
    turns = [ask("before"), answer("a"), ask(text), answer("echo"), answer("more echo"), ask("after")]
    assert kept(*turns) == ["before", "a", "after"]
    assert keep_turns(turns)[1].counts["off_the_record"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "I don't remember this function at all",
        "we really don't remember it",
        "Why don't you remember this?",
        "don't forget this",
        "remember this",
        "don't save this file to disk",
        "the official record says so",
        "特别记得要备份",
        "别记仇",
        "这个函数不用记录日志",
        "不用记者来",
        "我不记得这个",
        "请帮我记一下，别忘了",
        "区别记一下",
        "记住这个",
    ],
)
def test_other_uses_of_the_words_are_kept(text: str) -> None:
    assert off_the_record(text) is None
    assert kept(ask(text)) == [text]


@pytest.mark.parametrize(
    "text", ["forget what I just said", "刚才说的别记", "忘了吧", "当我没说", "don't remember that"]
)
def test_mark_that_means_the_turn_before_withholds_it_too(text: str) -> None:
    assert kept(
        ask("one"), answer("1"), ask("I earn 10"), answer("2"), ask(text), answer("3"), ask("on")
    ) == [
        "one",
        "1",
        "on",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "This whole conversation is off the record.",
        "keep this chat off the record",
        "don't remember this conversation",
        "这次对话不要记",
        "本次会话请不要记录",
        "不要记住这次对话",
    ],
)
def test_session_off_the_record_keeps_nothing_before_or_after(text: str) -> None:
    turns = [ask("before"), answer("a"), ask(text), answer("b"), ask("after")]
    left, withheld = keep_turns(turns)
    assert left == ()
    assert withheld.session_off
    assert withheld.total == 5


def test_session_off_the_record_holds_for_later_parts_until_it_is_back_on() -> None:
    turns = [ask("still secret"), answer("a"), ask("we are back on the record"), answer("b"), ask("public")]
    left, withheld = keep_turns(turns, session_off=True)
    assert [turn.text for turn in left] == ["we are back on the record", "b", "public"]
    assert not withheld.session_off


def test_marks_of_the_assistant_count_for_nothing() -> None:
    assert kept(ask("hi"), answer("off the record, I am a machine")) == [
        "hi",
        "off the record, I am a machine",
    ]


def test_participants_can_put_their_words_off_the_record() -> None:
    bo = Turn("participant", "off the record: we sell", speaker="Bo", peer="Bo")
    assert kept(ask("hi"), bo, Turn("participant", "ok", speaker="Ana", peer="Ana")) == ["hi", "ok"]


@pytest.mark.parametrize(
    "block",
    [
        "<user_memory-a8f3>likes tea</user_memory-a8f3>",
        "<user_memory>\nlikes tea\n</user_memory>",
        "<relevant-memories>likes tea</relevant-memories>",
        "<claude-mem-context>likes tea</claude-mem-context>",
        "<supermemory-context>likes tea</supermemory-context>",
        "<memory>likes tea</memory>",
    ],
)
def test_injected_memory_is_never_evidence_again(block: str) -> None:
    turns, withheld = keep_turns([ask(f"{block}\nWhat now?"), ask(block)])
    assert [turn.text for turn in turns] == ["What now?"]
    assert withheld.counts["memory_block"] == 2


def test_memory_that_comes_back_through_memfs_tools_is_left_out() -> None:
    own = ToolCall("t1", "mcp__memfs__search", {"query": "tea"}, "likes tea")
    other = ToolCall("t2", "Bash", {"command": "memfs_test"}, "ok")
    turns, withheld = keep_turns([answer("looked", own, other)])
    assert turns[0].tool_calls == (other,)
    assert withheld.counts["memory_tool"] == 1


def test_the_extractors_own_calls_are_never_read() -> None:
    assert kept(ask(f"Extract. [{OWN_CALL_MARK}]"), answer("{}")) == []


def test_subagents_are_never_evidence() -> None:
    turns = (Turn("user", "count", sidechain=True), Turn("assistant", "7", sidechain=True))
    assert keep_turns(turns)[0] == ()
    assert keep_turns([ask("x")], Session(subagent=True))[0] == ()


def test_untouched_turns_are_the_same_objects() -> None:
    turns = (ask("hi"), answer("yes", ToolCall("t", "Bash", {"a": [1]}, "ok")))
    left, withheld = keep_turns(turns)
    assert left == turns
    assert withheld.total == 0
