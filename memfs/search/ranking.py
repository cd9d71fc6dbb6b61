"""From scored passages to the list that is shown: what replaces what, what is linked, duplicates, sources. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from memfs.search.chunking import Chunk
from memfs.search.fusion import Passage, Question, Ranked, score_passage

_FLOOR = 0.1  # what scores less is no better than noise
_LINKED = 0.1  # how much doubt a link from or to a good hit takes away
_GOOD, _LINKERS = 0.5, 3  # what a good hit is, and how many are looked at
_WORKING = 0.8  # of its score a journal line is ordered by: what was kept of it stands before it
_FLOODING = {"journal", "note", "turn"}  # kinds of which one document can hold a whole conversation
_LEAST_OF_SOURCE = 5


def rank_passages(question: Question, passages: Sequence[Passage], limit: int) -> list[Ranked]:
    """Score, order and thin out ``passages``; at most ``limit``, the best first."""
    scored = sorted((score_passage(question, passage) for passage in passages), key=_order)
    scored = _successors_first(_linked_higher(scored))
    if not question.of_journal:
        scored = _kept_before_working(scored)
    return _collapse([hit for hit in scored if hit.score >= _FLOOR], limit)


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


def _linked_higher(hits: Sequence[Ranked]) -> Sequence[Ranked]:
    """Lift what one of the best hits links to, and what links to it."""
    best = [hit for hit in hits[:_LINKERS] if hit.score >= _GOOD]
    named = {link for hit in best for link in hit.passage.chunk.links}
    stems = {_stem(hit.passage.chunk) for hit in best}
    if not named and not any(stems.intersection(hit.passage.chunk.links) for hit in hits):
        return hits
    lifted = []
    for hit in hits:
        chunk = hit.passage.chunk
        if hit not in best and (_stem(chunk) in named or stems.intersection(chunk.links)):
            score = min(1 - (1 - hit.score) * (1 - _LINKED), best[0].score)
            hit = replace(
                hit, score=score, parts=(*hit.parts, ("link", score / hit.score if hit.score else 1.0))
            )
        lifted.append(hit)
    return sorted(lifted, key=_order)


def _kept_before_working(hits: Sequence[Ranked]) -> list[Ranked]:
    """Put journal lines after entries of about the same score; none then has a higher score than those before it."""
    out: list[Ranked] = []
    for hit in sorted(hits, key=lambda hit: -round(hit.score * (_WORKING if _is_working(hit) else 1.0), 6)):
        if out and hit.score > (most := out[-1].score):
            hit = replace(hit, score=most, parts=(*hit.parts, ("journal", most / hit.score)))
        out.append(hit)
    return out


def _is_working(hit: Ranked) -> bool:
    return hit.passage.chunk.view.type == "journal"


def _stem(chunk: Chunk) -> str:
    return chunk.view.path.rpartition("/")[2].removesuffix(".md").lower()


def _collapse(hits: Sequence[Ranked], limit: int) -> list[Ranked]:
    """Leave out what says the same as a better hit; no long document takes more than half of the places.

    What had no place for that comes after the others.
    """
    out: list[Ranked] = []
    waiting: list[Ranked] = []
    taken: Counter[str] = Counter()
    most = max(_LEAST_OF_SOURCE, (limit + 1) // 2)
    for hit in hits:
        if len(out) >= limit:
            break
        if any(_same(hit.passage, other.passage) for other in (*out, *waiting)):
            continue
        view = hit.passage.chunk.view
        if view.type in _FLOODING and taken[view.path] >= most:
            waiting.append(hit)
            continue
        taken[view.path] += 1
        out.append(hit)
    return [*out, *waiting][:limit]


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
