"""Misspelled words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.search.spelling import edit_distance, likely_terms

WORDS = st.text("abcd", max_size=8)


def test_one_slip_or_two_in_long_words() -> None:
    known = ["budget", "budge", "gadget", "syncthing", "settlement"]
    assert [word for word, _ in likely_terms("budjet", known)] == ["budget"]
    assert [word for word, _ in likely_terms("sycnthing", known)] == ["syncthing"]
    assert likely_terms("settelmant", known) == (("settlement", 0.65),)


def test_short_words_identifiers_and_other_scripts_are_not_guessed() -> None:
    assert likely_terms("abc", ["abd"]) == ()
    assert likely_terms("foo_bar", ["foo_baz"]) == ()
    assert likely_terms("E5107", ["E5108"]) == ()
    assert likely_terms("年负年负", ["年付年付"]) == ()


@given(WORDS, WORDS)
def test_distance_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert edit_distance(one, other, 2) == edit_distance(other, one, 2) <= 3
    assert (edit_distance(one, other, 2) == 0) == (one == other)


def test_a_swap_is_one_slip() -> None:
    assert edit_distance("abcd", "abdc", 2) == 1
    assert edit_distance("abcd", "acd", 2) == 1
    assert edit_distance("abcd", "xyzz", 2) == 3
