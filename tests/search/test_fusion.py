"""Ranking: scores, what replaces what, duplicates."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memfs.model import EntryView
from memfs.search.analysis import query_terms, terms_of
from memfs.search.chunking import Chunk
from memfs.search.fusion import Passage, QueryTerm, Question, idf, lexical_score, rank_passages


def passage(
    text: str,
    *,
    line: int = 1,
    likeness: float | None = None,
    block: str | None = None,
    peer: str | None = None,
    status: str | None = None,
    topic: str = "",
    day: int | None = None,
) -> Passage:
    view = EntryView(block, "a", peer, "decisions", None, text, status, None, "memories/a/decisions.md", line)
    chunk = Chunk(f"d#{line}", view, text, topic=topic, days=(day,) if day else ())
    return Passage(chunk, text, tuple(terms_of(text).split()), (), likeness=likeness)


def ask(query: str, **known: int) -> Question:
    terms = (
        QueryTerm(text, weight, idf(100, known.get(text, 1))) for text, weight in query_terms(query).items()
    )
    return Question(tuple(terms), (query.strip(),))


def order(question: Question, *passages: Passage) -> list[str]:
    return [hit.passage.chunk.view.text for hit in rank_passages(question, passages, 10)]


def test_a_passage_that_covers_more_of_the_question_stands_higher() -> None:
    question = ask("redis stream retention")
    assert order(question, passage("redis only"), passage("redis stream retention is long", line=2)) == [
        "redis stream retention is long",
        "redis only",
    ]


def test_rare_words_weigh_more() -> None:
    terms = ask("common rare", common=90).terms
    assert lexical_score(terms, passage("rare")) > lexical_score(terms, passage("common"))


def test_meaning_alone_is_enough_and_no_meaning_is_nothing() -> None:
    question = ask("who is her line manager")
    assert order(question, passage("reports to Will", likeness=0.7)) == ["reports to Will"]
    assert order(question, passage("likes tea", likeness=0.0)) == []


def test_a_superseded_entry_never_stands_above_its_successor() -> None:
    old = passage("queue: rabbitmq with quorum", topic="queue", status="superseded")
    new = passage("queue: redis", line=2, topic="queue")
    assert order(ask("rabbitmq quorum queue"), old, new)[0] == "queue: redis"
    by_id = replace(
        new, chunk=replace(new.chunk, topic="", view=replace(new.chunk.view, id="m-x", text="stream"))
    )
    gone = replace(old, chunk=replace(old.chunk, topic="", view=replace(old.chunk.view, id="m-x-ab12")))
    assert order(ask("rabbitmq quorum queue"), gone, by_id)[0] == "stream"


def test_own_memory_stands_before_a_peers_and_later_before_earlier() -> None:
    question = ask("weekly summary")
    peers, own = passage("weekly summary is due", peer="kim"), passage("weekly summary is late", line=2)
    assert order(question, peers, own)[0] == "weekly summary is late"
    early = passage("weekly summary one", day=20250101)
    late = passage("weekly summary two", line=9, day=20260101)
    assert order(question, early, late)[0] == "weekly summary two"


def test_near_duplicates_are_shown_once_but_not_other_numbers() -> None:
    question = ask("staging port")
    twice = passage("The staging port is open"), passage("the **staging** port is open.", line=2)
    assert len(order(question, *twice)) == 1
    numbers = passage("staging port is 5433"), passage("staging port is 5432", line=2)
    assert len(order(question, *numbers)) == 2


def test_the_exact_id_comes_first() -> None:
    question = ask("m-abc")
    found = order(question, passage("m-abc is named m-abc m-abc"), passage("other", line=2, block="m-abc"))
    assert found[0] == "other"


def test_named_days_lift_and_lower() -> None:
    question = replace(ask("decisions queue"), days=((20260301, 20260331),))
    march, may = passage("queue one", day=20260311), passage("queue two", line=2, day=20260511)
    assert order(question, may, march)[0] == "queue one"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a b", "b c d", "c", "a 1", "x"]), st.none() | st.floats(0, 1), st.booleans()
        ),
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_candidates_does_not_matter(
    items: list[tuple[str, float | None, bool]], random: object
) -> None:
    passages = [
        passage(text, line=n, likeness=likeness, topic="t", status="superseded" if old else None)
        for n, (text, likeness, old) in enumerate(items, 1)
    ]
    question = ask("bb cc dd")
    shuffled = list(passages)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = rank_passages(question, passages, 10), rank_passages(question, shuffled, 10)
    assert [(hit.passage, hit.score) for hit in first] == [(hit.passage, hit.score) for hit in second]
    assert all(0 <= hit.score <= 1 for hit in first)
