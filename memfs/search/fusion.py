"""How well a passage answers a question: its words and its meaning brought together in one score. Pure.

Scores lie between 0 and 1 and mean the same for every question: the share of the question's weight that a
passage covers (words), and how near its meaning is (vectors). So a low score on top says "perhaps nothing
fits". The weights were chosen on one half of LoCoMo and the development set of memory entries (docs/retrieval.md).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from memfs.search.chunking import Chunk

_SATURATION = 0.5
_HEAD = 0.5  # what a word in the headings counts beside one in the text
_LENGTH_OWN, _LENGTH_HEAD = (
    (0.4, 24.0),
    (0.3, 12.0),
)  # how strongly length is held against it, and the usual length
_LENGTH_WIDE = 0.4
_WIDE = (0.5, 0.25, 0.25)  # what the words of an entry, and of it with nearer and all neighbours count
_AROUND = 0.6  # what the neighbours' meaning counts; the rest is its own
_WORDS, _MEANING = 0.85, 0.6  # how sure each can be alone
_REPLACED = 0.45  # what is left of a superseded entry's score
_OF_PEER = 0.95  # own memory first, when nothing else decides
_TIMELY, _UNTIMELY = 0.4, 0.5  # what the right and the wrong date do, when the question names one
_OLD, _AGE = 0.02, 730  # what age takes away at most, and the days after which it does


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term asked for: how much it counts, how rare it is (``idf``), and what it may be a misspelling of."""

    text: str
    weight: float
    idf: float
    variants: tuple[tuple[str, float], ...] = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """The term and what it may stand for."""
        return (self.text, *(text for text, _ in self.variants))


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as a candidate, with the key of its vector and its terms by field."""

    chunk: Chunk
    key: str
    text: tuple[str, ...]
    head: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    far: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with its score, 0 to 1, and the ``parts`` it is made of: each signal by name, in order."""

    passage: Passage
    score: float
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: terms, the block ids that it may name, and the days it speaks of (both included).

    ``today`` is the day of asking, as 20261130. ``likeness`` says how near texts are to the question in meaning, 0 to
    1, by the keys of their vectors. ``of_journal``: the question is about a journal, or days in it.
    """

    terms: tuple[QueryTerm, ...]
    blocks: tuple[str, ...] = ()
    days: tuple[tuple[int, int], ...] = ()
    likeness: Mapping[str, float] = field(default_factory=dict)
    today: int | None = None
    of_journal: bool = False


def idf(documents: int, holding: int) -> float:
    """Return how rare a term is: BM25's inverse document frequency."""
    return math.log(1 + (max(documents, holding) - holding + 0.5) / (holding + 0.5))


def score_passage(question: Question, passage: Passage) -> Ranked:
    """Score a passage; "words" and "meaning" are shares of 1, the other parts are factors."""
    view = passage.chunk.view
    if view.id in question.blocks:
        return Ranked(passage, 1.0, (("id", 1.0),))
    words, meaning = lexical_score(question.terms, passage), _meaning(question, passage)
    doubt = (1 - _WORDS * words) * (1 - _MEANING * (meaning or 0.0))
    parts = [("words", words)] + ([("meaning", meaning)] if meaning is not None else [])
    if question.days:
        timely = any(first <= day <= last for day in passage.chunk.days for first, last in question.days)
        before, doubt = doubt, doubt * (1 - _TIMELY) if timely else 1 - (1 - doubt) * _UNTIMELY
        parts.append(("date", (1 - doubt) / (1 - before) if before < 1 else 1.0))
    factors = [
        ("age", 1.0 if question.days else _freshness(passage.chunk, question.today)),
        ("superseded", _REPLACED if view.status == "superseded" else 1.0),
        ("peer", _OF_PEER if view.peer is not None else 1.0),
    ]
    parts += [(name, factor) for name, factor in factors if factor != 1.0]
    return Ranked(passage, (1 - doubt) * math.prod(factor for _, factor in factors), tuple(parts))


def _freshness(chunk: Chunk, today: int | None) -> float:
    """A little less for what was said long ago; an action's date is when it is due, and says nothing here."""
    if today is None or not chunk.days or chunk.view.type == "actions":
        return 1.0
    days = (today // 10_000 - chunk.days[0] // 10_000) * 365 + (
        today // 100 % 100 - chunk.days[0] // 100 % 100
    ) * 30
    return 1.0 - _OLD * min(1.0, max(0, days) / _AGE)


def _meaning(question: Question, passage: Passage) -> float | None:
    """How near a passage is in meaning, with what stands around it; None without vectors."""
    own = question.likeness.get(passage.key)
    around = [question.likeness[key] for key in passage.chunk.around if key in question.likeness]
    if not around:
        return own
    return (1 - _AROUND) * (own or 0.0) + _AROUND * sum(around) / len(around)


def lexical_score(terms: Sequence[QueryTerm], passage: Passage) -> float:
    """Return the share of the question's weight that the passage's words cover, 0 to 1.

    In a sequence the words around it count too: an answer seldom repeats the question.
    """
    total = sum(term.weight * term.idf for term in terms)
    if not total:
        return 0.0
    wanted = {text for term in terms for text in term.forms}
    own, headed = _count(passage.text, wanted), _count(passage.head, wanted)
    in_head = _HEAD * _scale(_LENGTH_HEAD, len(passage.head))
    length, scale = len(passage.text), _scale(_LENGTH_OWN, len(passage.text))
    shares = [_share(terms, own, scale, headed, in_head)]
    for words, usual in ((passage.near, 120.0), (passage.far, 216.0)) if passage.near else ():
        for text, count in _count(words, wanted).items():
            own[text] = own.get(text, 0) + count
        length += len(words)
        shares.append(_share(terms, own, _scale((_LENGTH_WIDE, usual), length), headed, in_head))
    weights = _WIDE[: len(shares)]
    gained = sum(weight * share for weight, share in zip(weights, shares, strict=True)) / sum(weights)
    return min(1.0, gained / total)


def _count(words: Sequence[str], wanted: Collection[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        if word in wanted:
            counts[word] = counts.get(word, 0) + 1
    return counts


def _scale(length: tuple[float, float], found: int) -> float:
    b, usual = length
    return 1 / (1 - b + b * found / usual)


def _share(
    terms: Sequence[QueryTerm],
    own: Mapping[str, int],
    scale: float,
    headed: Mapping[str, int],
    in_head: float,
) -> float:
    if not own and not headed:
        return 0.0
    gained = 0.0
    for term in terms:
        best = 0.0
        for text, likeness in ((term.text, 1.0), *term.variants):
            if frequency := own.get(text, 0) * scale + headed.get(text, 0) * in_head:
                best = max(best, likeness * (1 + _SATURATION) * frequency / (_SATURATION + frequency))
        gained += term.weight * term.idf * min(best, 1.2)
    return gained
