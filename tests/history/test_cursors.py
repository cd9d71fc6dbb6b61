"""Cursor files: round trip, union merges, and which record counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.history.cursors import (
    WINDOW,
    choose_cursor,
    cursor_fits,
    cursor_note,
    parse_cursor,
    prefix_hashes,
    render_cursor,
    windows,
)
from memfs.model import Cursor

CURSOR = Cursor("claude-code", "9f1c", 120, "m-9", 130, "ab", "cd", "project/9f1c.jsonl")
texts = st.text(max_size=30)
cursors = st.builds(
    Cursor, texts, texts, st.integers(0, 2**60), st.none() | texts, st.integers(0, 2**60), texts, texts,
    st.none() | texts,
)  # fmt: skip


def test_the_file_is_one_line_a_record() -> None:
    assert render_cursor(CURSOR) == (
        '{"source": "claude-code", "session": "9f1c", "offset": 120, "message": "m-9", "size": 130, '
        '"head": "ab", "tail": "cd", "path": "project/9f1c.jsonl"}\n'
    )


@given(st.lists(cursors, max_size=4))
def test_round_trip(many: list[Cursor]) -> None:
    text = render_cursor(*many)
    assert text.count("\n") == len(set(many)) == len(text.splitlines())
    read, problems = parse_cursor(text)
    assert set(read) == set(many)
    assert problems == ()


@given(cursors, cursors)
def test_a_union_merge_keeps_both_and_the_furthest_counts(ours: Cursor, theirs: Cursor) -> None:
    both, _ = parse_cursor(render_cursor(ours) + render_cursor(theirs))
    chosen = choose_cursor(both, lambda _: True)
    assert chosen is not None
    assert chosen.offset == max(ours.offset, theirs.offset)
    assert chosen == choose_cursor(reversed(both), lambda _: True)


def test_one_that_does_not_fit_gives_way_to_a_nearer_one() -> None:
    further = replace(CURSOR, offset=500)
    assert choose_cursor([CURSOR, further], lambda cursor: cursor.offset < 500) == CURSOR
    assert choose_cursor([CURSOR], lambda _: False) is None


@pytest.mark.parametrize(
    "line",
    [
        "{", "[]", "null", "<<<<<<< ours", '{"source": "a"}', "[" * 5000,
        '{"source":"a","session":"b","offset":-1,"size":1,"head":"","tail":""}',
        '{"source":"a","session":"b","offset":true,"size":1,"head":"","tail":""}',
        '{"source":"a","session":"b","offset":1,"size":1,"head":"","tail":"","path":7}',
    ],
)  # fmt: skip
def test_unreadable_lines_are_skipped_and_reported(line: str) -> None:
    read, problems = parse_cursor(f"{line}\n{render_cursor(CURSOR)}\n")
    assert read == (CURSOR,)
    assert len(problems) == 1
    assert problems[0].startswith("line 1: ")


@given(st.binary(max_size=300), st.integers(0, 300), st.binary(min_size=1, max_size=5))
def test_it_fits_while_the_prefix_is_the_same(data: bytes, at: int, more: bytes) -> None:
    offset = min(at, len(data))

    def hashes(content: bytes) -> tuple[str, str]:
        return prefix_hashes(lambda start, end: content[start:end], offset)

    cursor = Cursor("s", "x", offset, None, len(data), *hashes(data))
    grown = data + more
    assert cursor_fits(cursor, len(grown), *hashes(grown))
    if offset:
        changed = bytes([data[0] ^ 1]) + data[1:]
        assert not cursor_fits(cursor, len(changed), *hashes(changed))
        assert not cursor_fits(cursor, offset - 1, *hashes(data[: offset - 1]))


def test_the_windows_are_the_first_and_last_64_kib() -> None:
    assert windows(10) == ((0, 10), (0, 10))
    assert windows(3 * WINDOW) == ((0, WINDOW), (2 * WINDOW, 3 * WINDOW))


def test_the_note_for_the_log() -> None:
    assert cursor_note(CURSOR) == "120 of 130 bytes, last message m-9"
    assert cursor_note(replace(CURSOR, message_id=None)) == "120 of 130 bytes"
