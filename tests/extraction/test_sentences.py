from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.foreign import BLANK, mask_foreign_lines, mask_quotes
from memfs.extraction.phrasebook import LANGUAGES, phrasebook
from memfs.extraction.sentences import split_turn

EN = (phrasebook("en"),)


@given(st.text(max_size=300), st.sampled_from(LANGUAGES))
def test_masks_keep_every_position(text: str, language: str) -> None:
    masked = mask_quotes(mask_foreign_lines(text, (phrasebook(language),)))
    assert len(masked) == len(text)
    assert all(new in (old, BLANK) for old, new in zip(text, masked, strict=True))


@given(st.text(max_size=300), st.sampled_from(LANGUAGES))
def test_clauses_lie_in_order_in_their_sentence(text: str, language: str) -> None:
    for sentence in split_turn(text, (phrasebook(language),)):
        assert sentence.text in text
        assert all(0 <= start < end <= len(sentence.text) for start, end in sentence.clauses)
        assert list(sentence.clauses) == sorted(sentence.clauses)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("ok back. we went with Postgres after all", ["ok back.", "we went with Postgres after all"]),
        ("v1.2.3 is out, e.g. in main.py at 5.30", ["v1.2.3 is out, e.g. in main.py at 5.30"]),
        ("好的。以后都用中文！可以吗", ["好的。", "以后都用中文！", "可以吗"]),
        ("- one thing\n- another thing", ["one thing", "another thing"]),
    ],
)
def test_sentences_of_chat(text: str, sentences: list[str]) -> None:
    assert [each.text for each in split_turn(text, EN)] == sentences


@pytest.mark.parametrize(
    "text",
    [
        'it says\n\nTraceback (most recent call last):\n  File "a.py", line 8',
        "summarize this page\n\n--- page text ---\nI prefer rye.\n--- end ---",
        "pull out 2 quotes from this interview\n\nGUEST: I prefer rye.",
        "Proofread this:\n\nDear team,\nI prefer rye.",
        "what does this say?\n> I prefer rye.",
        "```\nI prefer rye.\n```",
    ],
)
def test_pasted_text_is_not_the_users(text: str) -> None:
    assert not any("rye" in each.masked or "line 8" in each.masked for each in split_turn(text, EN))


def test_a_list_of_ones_own_stays() -> None:
    sentences = split_turn("my ground rules:\n- always run the tests\n- never push on Fridays", EN)
    assert [each.text for each in sentences][1:] == ["always run the tests", "never push on Fridays"]


def test_a_short_quoted_name_is_only_named() -> None:
    assert mask_quotes("'Dear customer' is banned") == "'Dear customer' is banned"
    assert BLANK in mask_quotes("he wrote 'we decided to use Rust today'")


@pytest.mark.parametrize(
    "text",
    [
        "我们 Go 代码里 error 一律 fmt.Errorf 加 %w，不许裸 return。",
        "函数都放 utils.py，版本是 v1.2.3，倍率 3.5。",
        "打开 example.com 看，例如 e.g. Foo 这样写。",
    ],
)
def test_a_dot_inside_a_name_ends_no_sentence(text: str) -> None:
    assert [each.text for each in split_turn(text, (phrasebook("zh"),))] == [text]


def test_a_sentence_may_begin_without_a_space() -> None:
    assert len(split_turn("I like tea.Remember this.", EN)) == 2
