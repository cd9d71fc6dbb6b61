"""Terms that a misspelled one may stand for. Pure."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 4
_LONG = 8  # from this length on two slips are forgiven
_MOST = 4
_UNFINISHED = 0.7


def likely_terms(term: str, known: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Return the ``known`` terms that are one slip away (two for long terms), with their likeness below 1."""
    if not may_be_misspelled(term):
        return ()
    allowed = 1 if len(term) < _LONG else 2
    length, letters = len(term), frozenset(term)
    # A slip changes the length by one and the letters by two at most: most words need no closer look.
    close = (word for word in known if abs(len(word) - length) <= allowed and word != term)
    alike = (word for word in close if len(letters.symmetric_difference(word)) <= 2 * allowed)
    distances = ((edit_distance(term, word, allowed), word) for word in alike)
    near = sorted((distance, word) for distance, word in distances if distance <= allowed)
    return tuple((word, 0.8 if distance == 1 else 0.65) for distance, word in near[:_MOST])


def completions(term: str, known: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Return the ``known`` terms that begin with ``term``, the shortest first: the last word may be unfinished."""
    longer = sorted(
        (word for word in known if word.startswith(term) and word != term), key=lambda w: (len(w), w)
    )
    return tuple((word, _UNFINISHED) for word in longer[:_MOST])


def beginnings(term: str) -> tuple[str, ...]:
    """Return how the right spelling of ``term`` may begin: its first letters, in order or swapped, or one missing."""
    return tuple(dict.fromkeys((term[:2], term[1] + term[0], term[0] + term[2], term[1:3])))


def may_be_misspelled(term: str) -> bool:
    """Say whether guessing is worth it: plain words, long enough."""
    return len(term) >= _SHORTEST and term.isascii() and term.isalpha()


def edit_distance(one: str, other: str, limit: int) -> int:
    """Count letters to add, drop, change or swap with their neighbour; at most ``limit`` + 1."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
