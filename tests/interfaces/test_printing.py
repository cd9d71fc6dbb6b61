"""What stands in a memory is shown on a terminal, never obeyed."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.interfaces.cli.printing import one_line, render_json, visible, width
from memfs.interfaces.cli.tables import table_lines

ANY_TEXT = st.text(st.characters(codec=None))


@given(ANY_TEXT)
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = visible(text)
    steering = {"Cc", "Cs"}
    assert not [char for char in shown if unicodedata.category(char) in steering and char not in "\n\t"]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("user\u202egnp.exe", r"user\u202egnp.exe"),
        ("caf\udce9", r"caf\xe9"),
        ("a\r\nb\rc", "a\nb\\x0dc"),
        ("👩‍💻 缓存\t✓", "👩‍💻 缓存\t✓"),
    ],
)
def test_escapes_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.dictionaries(ANY_TEXT, ANY_TEXT))
def test_json_says_what_it_was_given_without_raw_controls(value: dict[str, str]) -> None:
    text = render_json(value)
    assert json.loads(text) == value
    assert not set(text) & {chr(code) for code in (*range(10), *range(11, 32), *range(127, 160))}


def test_columns_line_up_with_wide_characters() -> None:
    lines = list(table_lines(("身份", "n"), [("缓存", "1"), ("cache", "2")]))
    assert [line.rstrip()[-1] for line in lines] == ["n", "1", "2"]
    assert len({width(line) for line in lines}) == 1
