"""One search: candidates by words and by meaning, brought together and ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any

from memfs.model import EntryView
from memfs.search import lexicon
from memfs.search.analysis import query_terms
from memfs.search.chunking import day_number
from memfs.search.fusion import Passage, QueryTerm, Question, Ranked, idf
from memfs.search.labels import asks_of_journal
from memfs.search.lexicon import Filters
from memfs.search.meanings import Meanings
from memfs.search.ranking import rank_passages
from memfs.search.snippets import Snippet, make_snippet
from memfs.search.spelling import beginnings, completions, likely_terms, may_be_misspelled
from memfs.search.storage import Storage
from memfs.search.vectors import Similarities
from memfs.search.when import read_when

_BY_WORDS = 100  # candidates of each kind
_BY_MEANING = 50
_BY_DATE = 50
_KEYS_AT_ONCE = 100
_FLOOR = 0.2  # hits below it are left out where
_SURE = 0.4  # one is at least as good as this


@dataclass(frozen=True, slots=True)
class Hit:
    """What was found. ``score`` lies between 0 and 1 and means the same for every query.

    ``parts`` are the signals it was made of, by name (see `fusion.Ranked`).
    """

    view: EntryView
    score: float
    snippet: Snippet
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def id(self) -> str | None:
        """The block id of the entry; None for prose."""
        return self.view.id

    @property
    def text(self) -> str:
        """What it says."""
        return self.view.text

    @property
    def path(self) -> str:
        """The document it stands in, from the top of the vault."""
        return self.view.path

    @property
    def line(self) -> int:
        """Its line there, from 1."""
        return self.view.line


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, the best first. ``degraded`` says why this search was less than it could be; else empty."""

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()


def search_storage(
    storage: Storage,
    meanings: Meanings,
    query: str,
    filters: Filters,
    limit: int,
    today: date,
) -> SearchResult:
    """Search an index; see `index.SearchIndex.search`."""
    if not storage.fits():
        return SearchResult((), ("nothing is indexed yet",))
    searcher = storage.searcher()
    allowed = lexicon.filter_query(filters)
    when = read_when(query, today)
    terms = _question_terms(searcher, when.rest, filters)
    of_journal = bool(when.ranges) or filters.type == "journal" or asks_of_journal(query)
    question = Question(
        terms,
        _blocks(query),
        when.ranges,
        today=day_number(today.isoformat()),
        of_journal=of_journal,
    )
    passages = _by_block(searcher, question, allowed)
    degraded: tuple[str, ...] = ()
    for first, last in question.days:
        passages |= _fetch(searcher, lexicon.both(lexicon.mentioning(first, last), allowed), _BY_DATE)
    if question.terms:
        passages |= _by_words(searcher, question, allowed)
        near, degraded = meanings.compare(query, filters.identities)
        if near is not None:
            found = _by_meaning(searcher, near, allowed, meanings.least)
            passages |= {key: passage for key, passage in found.items() if key not in passages}
            question = replace(question, likeness=_likeness(passages, meanings, near))
    ranked = _worthwhile(rank_passages(question, list(passages.values()), limit))
    return SearchResult(tuple(_hit(found, question) for found in ranked), degraded)


def _worthwhile(ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Leave out what is hardly an answer where there is a good one."""
    sure = any(found.score >= _SURE for found in ranked)
    return [found for found in ranked if not sure or found.score >= _FLOOR]


def _question_terms(searcher: Any, query: str, filters: Filters) -> tuple[QueryTerm, ...]:
    """Return the terms of a query with their rarity among what the asker may see, and likely spellings."""
    scope = lexicon.filter_query(Filters(identities=filters.identities))
    total = lexicon.count(searcher, scope) if scope is not None else searcher.num_docs
    out = []
    terms = query_terms(query)
    last = next(reversed(terms), "") if query[-1:].isalnum() else ""
    for text, weight in terms.items():
        holding = lexicon.count(searcher, lexicon.both(lexicon.containing([text]), scope))
        variants = _variants(searcher, text, unfinished=text == last) if not holding else ()
        out.append(QueryTerm(text, weight, idf(total, holding), variants))
    return tuple(out)


def _variants(searcher: Any, text: str, *, unfinished: bool) -> tuple[tuple[str, float], ...]:
    """Return the terms that one which nothing holds may stand for: right spellings, or the whole of a last word."""
    if not may_be_misspelled(text):
        return ()
    known = (term for start in beginnings(text) for term in lexicon.known_terms(searcher, start))
    found = dict(likely_terms(text, dict.fromkeys(known)))
    if unfinished:
        found = dict(completions(text, lexicon.known_terms(searcher, text))) | found
    return tuple(found.items())


def _blocks(query: str) -> tuple[str, ...]:
    """Return the block ids that a query of one word may be, with and without memfs's own prefix."""
    word = query.strip().removeprefix("^")
    return (word, f"m-{word}") if word and not any(char.isspace() for char in word) else ()


def _by_block(searcher: Any, question: Question, allowed: Any) -> dict[str, Passage]:
    if not question.blocks:
        return {}
    return _fetch(searcher, lexicon.both(lexicon.any_of("block", question.blocks), allowed), _BY_MEANING)


def _by_words(searcher: Any, question: Question, allowed: Any) -> dict[str, Passage]:
    texts = [text for term in question.terms for text in term.forms]
    return _fetch(searcher, lexicon.both(lexicon.containing(texts), allowed), _BY_WORDS)


def _by_meaning(searcher: Any, near: Similarities, allowed: Any, least: float) -> dict[str, Passage]:
    keys = near.nearest(least)
    found: dict[str, Passage] = {}
    while len(found) < _BY_MEANING and (some := list(islice(keys, _KEYS_AT_ONCE))):
        found |= _fetch(searcher, lexicon.both(lexicon.any_of("key", some), allowed), 2 * _KEYS_AT_ONCE)
    return found


def _likeness(passages: Mapping[str, Passage], meanings: Meanings, near: Similarities) -> dict[str, float]:
    """How near the passages and what stands around them are to the question, by the keys of their vectors."""
    keys = {key for passage in passages.values() for key in (passage.key, *passage.chunk.around)}
    return {key: meanings.likeness(cosine) for key, cosine in near.of(sorted(keys)).items()}


def _fetch(searcher: Any, query: Any, limit: int) -> dict[str, Passage]:
    return {passage.chunk.id: passage for passage in lexicon.fetch(searcher, query, limit)}


def _hit(ranked: Ranked, question: Question) -> Hit:
    view = ranked.passage.chunk.view
    terms = {text for term in question.terms for text in term.forms}
    parts = tuple((name, round(value, 4)) for name, value in ranked.parts)
    return Hit(view, round(ranked.score, 4), make_snippet(view.text, terms), parts)
