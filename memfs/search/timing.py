"""What a question's words for times were taken to mean, to be said with the answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from memfs.search.when import Days, read_when

_FIGURES = re.compile(r"(?<![\w-])20\d\d-\d\d(?:-\d\d)?(?![\w-])")


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a question, and the days they were taken for (both included)."""

    words: str
    since: date
    until: date


def understood(query: str, today: date) -> tuple[Span, ...]:
    """Return the times that ``query`` names, in its order; a bare month is two spans, the last and the next."""
    rest = read_when(query, today).rest
    found = [(start, words) for start, words in _blanked(query, rest)]
    found += [(match.start(), match[0]) for match in _FIGURES.finditer(rest)]
    spans = [
        Span(" ".join(words.split()), *(_day(number) for number in days))
        for _, words in sorted(found)
        for days in _ranges(words, today)
    ]
    return tuple(dict.fromkeys(spans))


def _blanked(query: str, rest: str) -> Iterator[tuple[int, str]]:
    """The stretches of ``query`` that are blanks in ``rest``, which is as long."""
    start: int | None = None
    for place, (char, left) in enumerate(zip(query, rest, strict=True)):
        if char != left:
            start = place if start is None else start
        elif start is not None and not char.isspace():
            yield start, query[start:place].rstrip()
            start = None
    if start is not None:
        yield start, query[start:].rstrip()


def _ranges(words: str, today: date) -> tuple[Days, ...]:
    return read_when(words, today).ranges


def _day(number: int) -> date:
    return date(number // 10_000, number // 100 % 100, number % 100)
