"""Nominating pairs of entries for a review: by their words, and by what search finds near them in meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memfs.errors import SearchIndexError
from memfs.memory.plain import plain_text, reader_text
from memfs.memory.standing import Pair, Standing, alike, make_pair
from memfs.services.finding.indexing import open_index, refresh_index
from memfs.services.reviewing.records import Seen, entry_mark

if TYPE_CHECKING:
    from memfs.model import EntryView
    from memfs.search.embeddings import Embedder
    from memfs.search.index import SearchIndex
    from memfs.services.opening import Vault

LEAST_COSINE = 0.62
_LEAST_SCORE = 0.45
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Nominated:
    """Pairs, the likest first. ``degraded``: why meaning could not be looked at."""

    pairs: tuple[Pair, ...]
    degraded: str | None = None


def nominate(vault: Vault, identity: str, standing: Sequence[Standing], seen: Seen) -> Nominated:
    """The pairs of one type that may say the same or contradict each other.

    Meaning is only looked at for entries that no earlier review has ``seen``; words for all, since they cost nothing.
    """
    by_words = {_both(pair): pair for pair in alike(standing)}
    sizes = Counter(each.group for each in standing)
    fresh = [each for each in standing if sizes[each.group] > 1 and entry_mark(each) not in seen.entries]
    index = open_index(vault)
    if index.embedder is None or not (fresh or by_words):
        return Nominated(_likest(by_words.values()))
    try:
        refresh_index(vault, index)
        near = _near_in_meaning(vault, index, identity, standing, fresh)
        pairs = {**{_both(pair): pair for pair in near}, **by_words}
        measured = _with_cosines(index.embedder, list(pairs.values()))
    except SearchIndexError as error:
        return Nominated(_likest(by_words.values()), error.message)
    kept = (each for each in measured if _both(each) in by_words or (each.cosine or 0) >= LEAST_COSINE)
    return Nominated(_likest(kept))


def _near_in_meaning(
    vault: Vault, index: SearchIndex, identity: str, standing: Sequence[Standing], fresh: Sequence[Standing]
) -> list[Pair]:
    from memfs.search.lexicon import Filters

    pairs: list[Pair] = []
    for each in fresh:
        filters = Filters((identity,), each.peer or "", each.type)
        result = index.search(plain_text(each.text), filters, _NEAREST, today=vault.now().date())
        for hit in result.hits:
            other = _standing_of(hit.view, standing)
            if other is not None and hit.score >= _LEAST_SCORE and _comparable(each, other):
                pairs.append(make_pair(each, other))
    return pairs


def _standing_of(view: EntryView, standing: Sequence[Standing]) -> Standing | None:
    """The entry that search found, by its id or else by what it says; lines may have moved."""
    same = (each for each in standing if (each.peer, each.type) == (view.peer, view.type))
    if view.id is not None:
        return next((each for each in same if each.id == view.id), None)
    return next((each for each in same if view.text.endswith(reader_text(each.text))), None)


def _comparable(one: Standing, other: Standing) -> bool:
    return one.handle != other.handle and one.group == other.group


def _with_cosines(embedder: Embedder, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with the cosine of their two vectors, where the engine knows the language of both."""
    texts = list(dict.fromkeys(plain_text(each.text) for pair in pairs for each in (pair.first, pair.second)))
    served = [text for text in texts if embedder.serves(text)]
    if not served:
        return list(pairs)
    vectors = dict(zip(served, embedder.embed(served), strict=True))

    def cosine(pair: Pair) -> float | None:
        one, other = (vectors.get(plain_text(each.text)) for each in (pair.first, pair.second))
        return None if one is None or other is None else float(one @ other)

    return [replace(pair, cosine=cosine(pair)) for pair in pairs]


def _likest(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(
        sorted(
            pairs,
            key=lambda pair: (-max(pair.likeness, pair.cosine or 0.0), pair.first.handle, pair.second.handle),
        )
    )


def _both(pair: Pair) -> tuple[str, str]:
    return pair.first.handle, pair.second.handle
