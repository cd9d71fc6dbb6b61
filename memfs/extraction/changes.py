"""A sentence that changes what holds: what it gives up or replaces goes, and what it says instead is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from memfs.extraction.corrections import (
    NEAR,
    NUMBER,
    in_place_of,
    recounted,
    take_back,
    take_back_last,
    take_back_named,
)
from memfs.extraction.dates import DateMention
from memfs.extraction.guards import find_blocks
from memfs.extraction.operations import Find
from memfs.extraction.patterns import named_groups
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.sentences import Sentence
from memfs.extraction.wording import absolute, shingles, tidy


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with who said it in which turn, on which day, and the days it names."""

    sentence: Sentence
    position: int
    peer: str | None
    today: date
    dates: tuple[DateMention, ...]
    books: tuple[Phrasebook, ...]

    def has(self, name: str) -> bool:
        """Whether it holds a phrase listed under ``name``."""
        return any(book.has(name, self.sentence.masked) for book in self.books)

    def around(self, name: str) -> str:
        """The clauses that hold such a phrase; in Chinese and Japanese also the one before."""
        return " ".join(_around(book, name, self.sentence) for book in self.books).strip()


def apply_change(finds: list[Find], said: Said, *, told: bool) -> None:
    """Earlier finds that a sentence gives up ("scrap the podcast") or replaces ("it's Feast now") go.

    ``told``: whether something was found in it, so that what holds instead is known.
    """
    if said.sentence.masked.rstrip().endswith(("?", "？")):
        return
    position, peer, books = said.position, said.peer, said.books
    if not told and _recount(finds, said):
        return
    dropped = said.around("dropped")
    gone = take_back_named(finds, dropped, position, peer, books) if dropped else []
    replaced = said.has("replaced")
    if not replaced and not said.has("given_up"):
        return
    off = said.around("given_up")
    gone += take_back(
        finds,
        said.sentence.masked,
        position,
        peer,
        books,
        names=replaced,
        given_up=off,
        asked=said.has("edits"),
        agrees=lambda old: _agrees(said, old),
    )
    if gone and replaced and not told:
        _put_instead(finds, gone[-1], said)
    elif not gone and said.has("reversal"):
        take_back_last(finds, position, peer)


def _recount(finds: list[Find], said: Said) -> bool:
    """ "It's 16 flats" after "the block, 14 flats": the last find that counts these has the new number.

    Returns whether there was one.
    """
    for book in said.books:
        for match in book.words["recount"].finditer(said.sentence.masked) if "recount" in book.words else ():
            number, unit = (named_groups(match)[name] for name in ("number", "unit"))
            counted = re.compile(rf"(?<![\w.,-])\d+(?= {re.escape(unit)}\b)", re.IGNORECASE)
            for place in range(len(finds) - 1, -1, -1):
                old = finds[place]
                if old.peer != said.peer or not 0 < said.position - old.turns[-1] <= NEAR:
                    continue
                if (was := counted.search(old.text)) is not None and was[0] != number:
                    finds[place] = recounted(old, counted, number, said.position)
                    return True
    return False


def _agrees(said: Said, old: Find) -> bool:
    """Whether what is said to hold now is what stands: "we use Kafka for it now", where Kafka was decided on."""
    if said.has("denies") or said.has("given_up"):
        return False
    stands, numbers = shingles(old.text, said.books), set(NUMBER.findall(old.text))
    for text in _said_to_hold(said):
        words = shingles(text, said.books)
        if words and words <= stands and set(NUMBER.findall(text)) <= numbers:
            return True
    return False


def _said_to_hold(said: Said) -> Iterator[str]:
    """The words that say what holds now, and the clauses in which they stand."""
    masked = said.sentence.masked
    for book in said.books:
        for match in book.words["replaced"].finditer(masked) if "replaced" in book.words else ():
            yield match[0]
            yield next(masked[a:b] for a, b in said.sentence.clauses if match.start() < b)


def _put_instead(finds: list[Find], old: Find, said: Said) -> None:
    """What replaces ``old``, in the words of the sentence that says so, unless a guard holds these back."""
    blocked = find_blocks(said.sentence, said.books)
    if any(blocked.reason(number, old.type) for number in range(len(said.sentence.clauses))):
        return
    text = tidy(absolute(said.sentence.text, 0, said.dates), said.books)
    day = said.dates[-1].day if said.dates else None
    finds.append(in_place_of(old, text, said.position, day, said.today, said.books))


def _around(book: Phrasebook, name: str, sentence: Sentence) -> str:
    """The clauses that hold a phrase listed under ``name``; in Chinese and Japanese also the one before."""
    number = next(
        (n for n, (a, b) in enumerate(sentence.clauses) if book.has(name, sentence.masked[a:b])), None
    )
    if number is None:
        return ""
    first = number if book.spaced else max(0, number - 1)
    return sentence.masked[sentence.clauses[first][0] : sentence.clauses[number][1]]
