"""Terms: the same for a text and for a question about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.search.analysis import analyse, cjk_share, count_cjk, query_terms, terms_of


def terms(text: str) -> set[str]:
    return {term.text for term in analyse(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo_bar", {"foo_bar", "foo", "bar"}),
        ("utils.py", {"utils.py", "util", "py"}),
        ("C++ and C#", {"c++", "c#", "and"}),
        ("--dry-run", {"--dry-run", "dry", "run"}),
        ("ann.lee@example.org", {"ann.lee@example.org", "ann.lee", "example.org", "ann", "lee", "org"}),
        ("TooManyConnections", {"toomanyconnections", "mani", "connect", "too"}),
        ("deploy/limits.toml", {"deploy/limits.toml", "limits.toml", "deploy", "limit", "toml"}),
        ("1,840 events", {"1840", "event"}),
        ("on 2026-03-11", {"on", "2026-03-11", "2026-03", "2026"}),
        ("café CAFÉ", {"cafe"}),
        ("ＡＢＣ", {"abc"}),
        ("Priya’s", {"priya"}),
        ("", set()),
        ("!?… —", set()),
    ],
)
def test_terms(text: str, expected: set[str]) -> None:
    found = terms(text)
    assert expected <= found, found
    if not expected:
        assert not found


def test_se_09_cjk_runs_give_characters_and_pairs() -> None:
    assert terms("成语接龙") == {"成", "成语", "语", "语接", "接", "接龙", "龙"}
    assert {"レシ", "シー", "軽減"} <= terms("レシートの軽減")
    assert {"김민", "민서"} <= terms("김민서")


def test_se_10_words_split_where_the_script_changes() -> None:
    assert terms("用React写") == {"用", "react", "写"}


def test_se_13_paths_and_apostrophes_are_found_by_themselves() -> None:
    assert terms("Downloads/x") & set(query_terms("Downloads/x"))
    assert terms("don’t panic") >= set(query_terms("don't panic"))
    assert "dont" in terms("don't")


def test_se_14_an_identifier_is_a_term_of_its_own() -> None:
    found = list(analyse("see BENCH-100821"))
    whole = next(term for term in found if term.text == "bench-100821")
    assert whole.weight == max(term.weight for term in found)
    assert "100821" in {term.text for term in found}


def test_se_17_a_rate_is_not_a_plural() -> None:
    assert not terms("GB/s") & terms("GBs")


def test_se_29_emoji_and_accents() -> None:
    assert terms("done 🎉") >= {"🎉"}
    assert terms("cafe") == terms("café")


@pytest.mark.parametrize(
    "query", ["", "the of and", "what is it?", "什么", "怎么 的 吗", "wie ist das", "AND", "?!"]
)
def test_questions_without_content_have_no_terms(query: str) -> None:
    assert query_terms(query) == {}


def test_a_capital_makes_a_name_of_a_stop_word() -> None:
    assert "will" in query_terms("who is Will")
    assert "will" not in query_terms("Will it rain")
    assert "it" in query_terms("budget of IT")


def test_stop_words_break_no_chinese_word() -> None:
    assert "目的" in query_terms("项目的目的")
    assert "了解" in query_terms("了解情况")
    assert "主干" in query_terms("现在用哪个主干网络")


def test_parts_count_less_than_wholes_and_single_characters_less_than_pairs() -> None:
    weights = query_terms("foo_bar 成语")
    assert weights["foo"] < weights["foo_bar"]
    assert weights["成"] < weights["成语"]
    assert query_terms("龙") == {"龙": 1.0}


def test_cjk_share() -> None:
    assert cjk_share("hello") == 0.0
    assert cjk_share("你好") == 1.0
    assert 0.0 < cjk_share("用 React 写") < 1.0
    assert count_cjk("用 React 写") == 2


@given(st.text(max_size=200))
def test_terms_have_no_blanks_and_stand_in_the_text(text: str) -> None:
    for term in analyse(text):
        assert term.text
        assert not any(char.isspace() for char in term.text)
        assert 0 <= term.start < term.end <= len(text)
    assert set(terms_of(text).split(" ")) - {""} == terms(text)


@given(st.text(max_size=300))
def test_any_question_gives_few_weighted_terms(query: str) -> None:
    asked = query_terms(query)
    assert len(asked) <= 64
    assert all(0 < weight <= 1 for weight in asked.values())
