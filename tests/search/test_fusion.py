"""Ranking: scores, what replaces what, duplicates."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memfs.model import EntryView
from memfs.search.analysis import query_terms, terms_of
from memfs.search.chunking import Chunk
from memfs.search.fusion import Passage, QueryTerm, Question, idf, lexical_score, score_passage
from memfs.search.labels import asks_of_journal
from memfs.search.ranking import rank_passages


def passage(
    text: str,
    *,
    line: int = 1,
    block: str | None = None,
    peer: str | None = None,
    status: str | None = None,
    topic: str = "",
    day: int | None = None,
    type: str = "decisions",
    path: str = "memories/a/decisions.md",
    links: tuple[str, ...] = (),
    near: str = "",
    around: tuple[str, ...] = (),
) -> Passage:
    view = EntryView(block, "a", peer, type, None, text, status, None, path, line)
    days = (day,) if day else ()
    chunk = Chunk(f"{path}#{line}", view, text, topic=topic, links=links, around=around, days=days)
    return Passage(chunk, text, tuple(terms_of(text).split()), (), tuple(terms_of(near).split()))


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
    question = replace(ask("who is her line manager"), likeness={"reports to Will": 0.7, "likes tea": 0.0})
    assert order(question, passage("reports to Will")) == ["reports to Will"]
    assert order(question, passage("likes tea")) == []


def test_what_stands_around_an_entry_counts_for_it() -> None:
    question = replace(ask("why the kiln cracked"), likeness={"it was damp": 0.3, "the kiln cracked": 0.9})
    alone, answer = passage("it was damp"), passage("it was damp", line=2, around=("the kiln cracked",))
    assert score_passage(question, answer).score > score_passage(question, alone).score + 0.1
    told = passage("it was damp", line=3, near="so why has the kiln cracked")
    assert lexical_score(question.terms, told) > lexical_score(question.terms, alone)


def test_of_equals_the_later_said_stands_higher_and_a_due_date_is_no_age() -> None:
    question = replace(ask("queue"), today=20261130)
    old, new = passage("queue of kafka", day=20240101), passage("queue of redis", line=2, day=20261101)
    assert order(question, old, new) == ["queue of redis", "queue of kafka"]
    due = passage("queue task", day=20240101, type="actions")
    assert score_passage(question, due).score > score_passage(question, old).score


def test_what_a_good_hit_links_to_is_lifted() -> None:
    question = ask("walnut table glue", walnut=40, table=40)
    hit = passage("walnut table glue, see [[Oak]]", links=("oak",))
    linked = passage("the table", line=2, path="memories/a/entities/oak.md")
    other = passage("a table", line=3, path="memories/a/entities/ash.md")
    assert order(question, other, linked, hit) == ["walnut table glue, see [[Oak]]", "the table", "a table"]
    assert order(question, other, linked) == ["a table", "the table"]


def test_one_long_document_does_not_flood_the_top() -> None:
    question = ask("kiln glaze")
    talk = [passage(f"kiln glaze talk {n}", line=n, type="turn", path="s.jsonl") for n in range(1, 21)]
    fact = passage("the old kiln of the other workshop is in the yard", line=9, path="memories/a/notes.md")
    found = order(question, *talk, fact)
    assert found.index(fact.chunk.view.text) == 5
    assert len(found) == 10
    facts = [passage(f"kiln glaze fact {n}", line=n) for n in range(1, 21)]
    assert fact.chunk.view.text not in order(question, *facts, fact)  # a list of facts is no conversation


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
        passage(text, line=n, topic="t", status="superseded" if old else None)
        for n, (text, _, old) in enumerate(items, 1)
    ]
    known = {text: likeness for text, likeness, _ in items if likeness is not None}
    question = replace(ask("bb cc dd"), likeness=known)
    shuffled = list(passages)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = rank_passages(question, passages, 10), rank_passages(question, shuffled, 10)
    assert [(hit.passage, hit.score) for hit in first] == [(hit.passage, hit.score) for hit in second]
    assert all(0 <= hit.score <= 1 for hit in first)


def test_what_was_kept_stands_before_a_journal_line_of_about_the_same_score() -> None:
    words = "cache eviction redis stream retention cluster shard replica quorum latency"
    question, path = ask(words), "memories/a/journal/2026-03-01.md"
    line = passage(words, type="journal", path=path, line=3)
    far = passage("cache eviction", line=2)
    near = passage(f"{words.rpartition(' ')[0]} as Priya wanted", line=2)
    assert order(question, line, far) == [words, "cache eviction"]
    assert order(replace(question, of_journal=True), line, near)[0] == words
    hits = rank_passages(question, [line, near], 10)
    assert [hit.passage.chunk.view.type for hit in hits] == ["decisions", "journal"]
    assert hits[0].score == hits[1].score
    assert dict(hits[1].parts)["journal"] < 1


def test_a_question_that_names_the_journal_is_about_it() -> None:
    assert all(asks_of_journal(query) for query in ("what does the journal say", "看看日志", "my diary"))
    assert not asks_of_journal("which database did we choose")
