"""Files that grow: whatever the stages, the turns are those of the whole file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model import Turn
from memfs.transcripts.reader import ReadLimits
from tests.transcripts.conftest import assistant, jsonl, opened, read, said, tool_result, tool_use, user

SAMPLES = Path(__file__).parent / "samples"
GROWING = [
    "claude-code/sample.basic",
    "claude-code/sample.nasty",
    "codex/sample.legacy",
    "openai-messages/sample.stream",
]


@st.composite
def sessions(draw: st.DrawFn) -> bytes:
    """Claude Code sessions: answers of several rows, calls whose results come late, broken lines."""
    rows: list[Any] = []
    for number in range(draw(st.integers(1, 5))):
        rows.append(user(f"u{number}", draw(st.sampled_from(["hi", "茶 🌿", "more\nlines"]))))
        results: list[Any] = []
        for part in range(draw(st.integers(0, 3))):
            call = f"t{number}.{part}"
            block = draw(st.sampled_from([f"text {part}", tool_use(call, command="ls")]))
            rows.append(assistant(f"a{number}.{part}", f"m{number}", block))
            if isinstance(block, dict):
                results.append(user(f"r{call}", [tool_result(call, "done")]))
        rows += draw(st.permutations(results))
        if draw(st.booleans()):
            rows.append(draw(st.sampled_from([b"{broken\n", b"\n", b"\0\0\0\n", b'{"type":"progress"}\n'])))
    return jsonl(*rows)


def cuts_of(data: bytes) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, len(data)), max_size=4).map(lambda cuts: [*sorted(cuts), len(data)])


def key(turn: Turn) -> str:
    return turn.id or f"@{turn.start}"


def without_line(turn: Turn) -> Turn:
    return replace(turn, line=None)


def settled_turns(data: bytes, cuts: Sequence[int]) -> list[Turn]:
    """What a reader gets that goes on from where turns are settled, and takes no turn that may still grow."""
    start, found = 0, []
    for stage, cut in enumerate(cuts, start=1):
        reader = opened(data[:cut], start=start)
        turns = list(reader)
        found += [turn for turn in turns if stage == len(cuts) or turn.start < reader.settled]
        start = reader.settled
    return found


@given(st.data())
def test_reading_on_from_settled_offsets_gives_exactly_the_whole(data: st.DataObject) -> None:
    session = data.draw(sessions())
    whole = [without_line(turn) for turn in opened(session)]
    staged = [without_line(turn) for turn in settled_turns(session, data.draw(cuts_of(session)))]
    assert staged == whole


@given(st.data())
def test_reading_on_from_consumed_offsets_makes_no_false_turn(data: st.DataObject) -> None:
    session = data.draw(sessions())
    whole = {key(turn): turn for turn in opened(session)}
    start = 0
    parts: dict[str, list[Turn]] = {}
    for cut in data.draw(cuts_of(session)):
        reader = opened(session[:cut], start=start)
        for turn in reader:
            parts.setdefault(key(turn), []).append(turn)
        start = reader.consumed
    assert list(parts) == list(whole)
    for id, turn in whole.items():
        assert "\n".join(part.text for part in parts[id] if part.text) == turn.text
        calls = [call for part in parts[id] for call in part.tool_calls]
        assert [call.id for call in calls] == [call.id for call in turn.tool_calls]


@pytest.mark.parametrize("sample", GROWING)
def test_sample_cut_after_every_line_gives_the_whole(sample: str) -> None:
    data = (SAMPLES / f"{sample}.jsonl").read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    whole = [without_line(turn) for turn in opened(data)]
    for end in ends:
        assert [without_line(turn) for turn in settled_turns(data, [end, len(data)])] == whole


@pytest.mark.parametrize("sample", GROWING)
def test_sample_cut_at_every_byte_of_its_end_never_consumes_an_unread_byte(sample: str) -> None:
    data = (SAMPLES / f"{sample}.jsonl").read_bytes()
    for cut in range(max(0, len(data) - 600), len(data) + 1):
        reader, _ = read(data[:cut])
        assert reader.consumed == data[:cut].rfind(b"\n") + 1


def test_result_that_comes_after_the_cursor_makes_no_turn() -> None:
    first = jsonl(user("u1", "list"), assistant("a1", "m1", "Sure.", tool_use("t1")))
    reader, turns = read(first)
    assert [call.result for call in turns[1].tool_calls] == [None]
    assert reader.settled == turns[1].start
    later = first + jsonl(user("r1", [tool_result("t1", "a b")]), user("u2", "thanks"))
    assert said(read(later, start=reader.consumed)[1]) == [("user", "thanks")]
    again = read(later, start=reader.settled)[1]
    assert [call.result for turn in again for call in turn.tool_calls] == ["a b"]


def test_file_that_shrank_is_read_from_its_beginning() -> None:
    reader, turns = read(jsonl(user("h1", "replaced")), start=100_000)
    assert (said(turns), reader.restarted) == ([("user", "replaced")], True)


def test_call_without_a_result_holds_back_only_so_much() -> None:
    rows = [assistant("a0", "m0", tool_use("never"))]
    for number in range(1000):
        rows += [user(f"u{number}", "q"), assistant(f"a{number}", f"m.{number}", "a")]
    reader = opened(jsonl(*rows))
    assert next(iter(reader)).id == "m0"


def test_large_tool_results_are_cut_in_the_middle_when_asked() -> None:
    rows = [
        assistant("a1", "m1", tool_use("t1", text="x" * 500)),
        user("r1", [tool_result("t1", "y" * 5000)]),
    ]
    turn = next(iter(opened(jsonl(*rows), limits=ReadLimits(tool_text=100))))
    result = turn.tool_calls[0].result or ""
    assert result.startswith("y" * 50 + "\n[... 4900 characters left out ...]\n")
    assert len(turn.tool_calls[0].arguments["text"]) < 200
    assert len(next(iter(opened(jsonl(*rows)))).tool_calls[0].result or "") == 5000


def test_line_longer_than_the_limit_is_skipped_and_reported() -> None:
    data = jsonl(user("u1", "x" * 5000), user("u2", "short"))
    reader = opened(data, limits=ReadLimits(line=1000))
    assert said(list(reader)) == [("user", "short")]
    assert [line.reason for line in reader.skipped] == ["the line is too long"]


def test_session_is_known_before_the_first_turn_and_when_reading_on() -> None:
    data = jsonl(user("u1", "one"), user("u2", "two"))
    reader = opened(data, start=len(jsonl(user("u1", "one"))))
    assert reader.session.id is not None
    assert reader.session.cwd == "/proj"
    assert said(list(reader)) == [("user", "two")]


@pytest.mark.parametrize("row", [user("u1", "hi"), {"sessionId": "g", "projectHash": "h", "kind": "main"}])
def test_file_whose_first_line_is_being_written_waits(row: dict[str, Any]) -> None:
    line = jsonl(row)
    for cut in range(1, len(line) - 2):
        reader, turns = read(line[:cut])
        assert (turns, reader.consumed, reader.pending_tail, reader.problems) == ([], 0, True, ())
