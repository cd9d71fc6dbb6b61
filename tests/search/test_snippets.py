"""Snippets and the places they mark."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.search.analysis import query_terms
from memfs.search.snippets import make_snippet


def marked(text: str, query: str) -> list[str]:
    snippet = make_snippet(text, query_terms(query))
    return [snippet.text[start:end] for start, end in snippet.highlights]


def test_marks_words_in_their_forms() -> None:
    assert marked("Redis Streams in place of RabbitMQ", "stream rabbitmq") == ["Streams", "RabbitMQ"]
    assert marked("主干网络改用 ConvNeXt", "主干网络") == ["主干网络"]
    assert marked("done 🎉 today", "🎉") == ["🎉"]


def test_a_long_text_is_cut_around_what_was_asked() -> None:
    text = "lead in. " * 60 + "the needle is here " + "and more. " * 60
    snippet = make_snippet(text, query_terms("needle"))
    assert len(snippet.text) < 260
    assert [snippet.text[start:end] for start, end in snippet.highlights] == ["needle"]
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")


@given(st.text(max_size=400), st.text(max_size=30))
def test_marks_lie_in_the_snippet_and_apart(text: str, query: str) -> None:
    snippet = make_snippet(text, query_terms(query), width=60)
    assert "\n" not in snippet.text
    place = 0
    for start, end in snippet.highlights:
        assert place <= start < end <= len(snippet.text)
        place = end
