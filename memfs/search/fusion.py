"""From candidates to a ranked list: scores from words and vectors, what replaces what, duplicates. Pure.

Scores lie between 0 and 1 and mean the same for every question: the share of the question's weight that a
passage covers (words), and how near its meaning is (vectors). So a low score on top says "perhaps nothing
fits".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memfs.search.chunking import Chunk

_SATURATION = 0.5
_HEAD = 0.5  # what a word in the headings counts beside one in the text
_LENGTH_OWN, _LENGTH_HEAD = (
    (0.4, 24.0),
    (0.3, 12.0),
)  # how strongly length is held against it, and the usual length
_LENGTH_WIDE = 0.4
_WIDE = (0.5, 0.25, 0.25)  # what the words of an entry, and of it with nearer and all neighbours count
_AROUND = 0.6  # what the neighbours' meaning counts beside its own
_WORDS, _MEANING = 0.85, 0.6  # how sure each can be alone
_FLOOR = 0.1
_REPLACED = 0.45  # what is left of a superseded entry's score
_OF_PEER = 0.95  # own memory first, when nothing else decides
_TIMELY, _UNTIMELY = 0.4, 0.5  # what the right and the wrong date do, when the question names one


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term asked for: how much it counts, how rare it is (``idf``), and what it may be a misspelling of."""

    text: str
    weight: float
    idf: float
    variants: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as a candidate, with its terms by field.

    ``likeness`` is how near it is to the question in meaning, 0 to 1, ``around`` how near its neighbours are on
    average; None without vectors.
    """

    chunk: Chunk
    key: str
    text: tuple[str, ...]
    head: tuple[str, ...]
    near: tuple[str, ...] = ()
    far: tuple[str, ...] = ()
    likeness: float | None = None
    around: float | None = None

    @property
    def meaning(self) -> float | None:
        """How near it is in meaning, with what stands around it; None without vectors."""
        if self.likeness is None and self.around is None:
            return None
        own = self.likeness or 0.0
        return own if self.around is None else (1 - _AROUND) * own + _AROUND * self.around


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with its score, 0 to 1, and the ``parts`` it is made of: each signal by name, in order."""

    passage: Passage
    score: float
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: terms, the block ids that it may name, and the days it speaks of (both included)."""

    terms: tuple[QueryTerm, ...]
    blocks: tuple[str, ...] = ()
    days: tuple[tuple[int, int], ...] = ()


def idf(documents: int, holding: int) -> float:
    """Return how rare a term is: BM25's inverse document frequency."""
    return math.log(1 + (max(documents, holding) - holding + 0.5) / (holding + 0.5))


def rank_passages(question: Question, passages: Sequence[Passage], limit: int) -> list[Ranked]:
    """Score, order and thin out ``passages``; at most ``limit``, the best first."""
    scored = sorted((_ranked(question, passage) for passage in passages), key=_order)
    kept = [hit for hit in _successors_first(scored) if hit.score >= _FLOOR]
    return _collapse(kept, limit)


def lexical_score(terms: Sequence[QueryTerm], passage: Passage) -> float:
    """Return the share of the question's weight that the passage's words cover, 0 to 1.

    In a sequence the words around it count too: an answer seldom repeats the question.
    """
    total = sum(term.weight * term.idf for term in terms)
    if not total:
        return 0.0
    wanted = {text for term in terms for text in (term.text, *(variant for variant, _ in term.variants))}
    fields = (passage.text, passage.head, passage.near, passage.far)
    own, head, near, far = (Counter(found for found in words if found in wanted) for words in fields)
    length = len(passage.text)
    scales = [_scale(_LENGTH_OWN, length), _scale(_LENGTH_HEAD, len(passage.head))]
    shares = [
        _share(terms, {text: own[text] * scales[0] + _HEAD * head[text] * scales[1] for text in wanted})
    ]
    if passage.near:
        headed = {text: _HEAD * head[text] * scales[1] for text in wanted}
        wide = Counter(own)
        for more, words in ((near, passage.near), (far, passage.far)):
            wide += more
            length += len(words)
            scale = _scale((_LENGTH_WIDE, 24.0 * (5 if more is near else 9)), length)
            shares.append(_share(terms, {text: wide[text] * scale + headed[text] for text in wanted}))
    weights = _WIDE[: len(shares)]
    return min(1.0, sum(w * s for w, s in zip(weights, shares, strict=True)) / (sum(weights) * total))


def _scale(length: tuple[float, float], found: int) -> float:
    b, usual = length
    return 1 / (1 - b + b * found / usual)


def _share(terms: Sequence[QueryTerm], counts: Mapping[str, float]) -> float:
    return sum(term.weight * term.idf * _found(term, counts) for term in terms)


def _found(term: QueryTerm, counts: Mapping[str, float]) -> float:
    best = 0.0
    for text, likeness in ((term.text, 1.0), *term.variants):
        frequency = counts[text]
        best = max(best, likeness * (1 + _SATURATION) * frequency / (_SATURATION + frequency))
    return min(best, 1.2)


def _ranked(question: Question, passage: Passage) -> Ranked:
    """A passage with its score; "words" and "meaning" are shares of 1, the other parts are factors."""
    view = passage.chunk.view
    if view.id in question.blocks:
        return Ranked(passage, 1.0, (("id", 1.0),))
    words, meaning = lexical_score(question.terms, passage), passage.meaning
    doubt = (1 - _WORDS * words) * (1 - _MEANING * (meaning or 0.0))
    parts = [("words", words)] + ([("meaning", meaning)] if meaning is not None else [])
    if question.days:
        timely = any(first <= day <= last for day in passage.chunk.days for first, last in question.days)
        before, doubt = doubt, doubt * (1 - _TIMELY) if timely else 1 - (1 - doubt) * _UNTIMELY
        parts.append(("date", (1 - doubt) / (1 - before) if before < 1 else 1.0))
    score = 1 - doubt
    if view.status == "superseded":
        score *= _REPLACED
        parts.append(("superseded", _REPLACED))
    if view.peer is not None:
        score *= _OF_PEER
        parts.append(("peer", _OF_PEER))
    return Ranked(passage, score, tuple(parts))


def _order(hit: Ranked) -> tuple[float, bool, int, str, int]:
    """Order by score; equal scores: own before peers, later before earlier, then by place."""
    view = hit.passage.chunk.view
    return (
        -round(hit.score, 6),
        view.peer is not None,
        -max(hit.passage.chunk.days, default=0),
        view.path,
        view.line,
    )


def _successors_first(hits: Sequence[Ranked]) -> list[Ranked]:
    """Put what replaced an entry above it: same topic in the same memory, not superseded itself."""
    out = list(hits)
    for old in hits:
        if old.passage.chunk.view.status != "superseded":
            continue
        place = out.index(old)
        for new in out[place + 1 :]:
            if _replaces(new.passage.chunk, old.passage.chunk):
                out.remove(new)
                out.insert(place, replace(new, score=old.score))
                break
    return out


def _replaces(new: Chunk, old: Chunk) -> bool:
    if new.view.status == "superseded" or (new.view.identity, new.view.peer, new.view.type) != (
        old.view.identity,
        old.view.peer,
        old.view.type,
    ):
        return False
    if new.view.id and old.view.id and old.view.id.startswith(f"{new.view.id}-"):
        return True
    return bool(new.topic) and new.topic == old.topic


def _collapse(hits: Sequence[Ranked], limit: int) -> list[Ranked]:
    """Leave out what says the same as a better hit."""
    out: list[Ranked] = []
    for hit in hits:
        if not any(_same(hit.passage, other.passage) for other in out):
            out.append(hit)
            if len(out) >= limit:
                break
    return out


def _same(one: Passage, other: Passage) -> bool:
    """Say whether two passages are near-duplicates: nearly the same words, and exactly the same numbers."""
    a, b = set(one.text), set(other.text)
    if not a or not b or one.chunk.view.status != other.chunk.view.status:
        return a == b
    shared = len(a & b)
    if shared < 0.85 * len(a | b):
        return False
    return _numbers(a) == _numbers(b)


def _numbers(terms: set[str]) -> set[str]:
    return {term for term in terms if re.search(r"\d", term)}
