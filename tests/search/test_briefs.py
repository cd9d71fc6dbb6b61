"""A text in brief."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.search.briefs import brief


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("One sentence only", "One sentence only"),
        ("Use Redis. It is run by operations.", "Use Redis …"),
        ("Ask Dr. Who first, e.g. on Monday. Then go.", "Ask Dr. Who first, e.g. on Monday …"),
        ("用 Redis。运维在用它。", "用 Redis …"),
        ("See utils.py for more", "See utils.py for more"),
        ("first line\nsecond line", "first line …"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, short: str) -> None:
    assert brief(text) == short


def test_a_long_sentence_is_cut_between_words() -> None:
    short = brief("several words " * 100)
    assert short.endswith("words …") or short.endswith("several …")
    assert len(short) < 170
    assert len(brief("字" * 500)) < 60


@given(st.text(max_size=400))
def test_brief_is_never_longer_and_one_line(text: str) -> None:
    short = brief(text)
    assert "\n" not in short
    assert len(short) <= max(len(" ".join(text.split())) + 2, 0)
