"""Which of a day's sentences a model has to read: scored offline, by the phrases of the language. Pure.

Generous where the rules are strict: what is left out here nobody reads, and what is kept for nothing costs a few
tokens. A sentence counts by what it says (cues of anything worth keeping, days, names, first person, corrections)
less what tells that it will not matter (questions, requests for the moment, small talk).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memfs.extraction.acknowledgement import echoes, took_note
from memfs.extraction.candidates import DATE_NEEDS
from memfs.extraction.foreign import BLANK
from memfs.extraction.languages import choose_languages
from memfs.extraction.model.words import is_assent
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.sentences import Sentence, split_turn
from memfs.extraction.wording import content_words
from memfs.model import Turn

KEPT_FROM = 1.0
LONGEST_PROPOSAL = 160  # characters of what a mere yes agrees to

_CUES = {3.0: 3.0, 2.0: 2.5, 1.0: 1.0}  # strength of a cue -> what it counts
_CHANGES = ("correction", "reversal", "replaced", "given_up", "dropped", "scratch")
_QUESTION = ("？", "?")
_NAMED = re.compile(r"(?<=[\w,;] )[A-Z][\w-]|[A-Za-z][A-Z]|(?<=[\u3400-\u9fff])[A-Za-z]\w")
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Salient:
    """A turn that is worth reading, by its position; ``text`` is what of it is, and ``score`` its best sentence's."""

    position: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class _Scored:
    text: str
    score: float


def find_salient(turns: Sequence[Turn], *, digests: bool = False) -> tuple[Salient, ...]:
    """The turns that are worth reading, each cut to its sentences that are, in order.

    Users' turns prove; of the assistant only what a user's mere yes agrees to is kept, and what it learned of
    pitfalls; with ``digests``, where an agent tells in its own words what was said, it is scored as a user is.
    """
    books = choose_languages(turns)
    found: dict[int, Salient] = {}
    for position, turn in enumerate(turns):
        if turn.role == "assistant":
            kept = [
                each
                for each in _scored(turn.text, books)
                if _has(books, "pitfall", each.text) or (digests and each.score >= KEPT_FROM)
            ]
        elif turn.role in ("user", "participant"):
            kept = _of_user(turns, position, books, found)
        else:
            kept = []
        if kept:
            text = " ".join(each.text for each in kept)
            found[position] = Salient(position, text, max(each.score for each in kept))
    return tuple(found[position] for position in sorted(found))


def fit_salient(salient: Sequence[Salient], characters: int) -> tuple[Salient, ...]:
    """Those with the best scores that have ``characters`` in all, in order; of equals the later."""
    chosen: list[Salient] = []
    for each in sorted(salient, key=lambda each: (-each.score, -each.position)):
        if len(each.text) <= characters:
            chosen.append(each)
            characters -= len(each.text)
    return tuple(sorted(chosen, key=lambda each: each.position))


def _of_user(
    turns: Sequence[Turn], position: int, books: Sequence[Phrasebook], found: dict[int, Salient]
) -> list[_Scored]:
    """What of a user's turn is worth reading; a yes to a proposal brings the proposal with it."""
    text = turns[position].text
    before = turns[position - 1] if position else None
    if before is not None and before.role == "assistant" and _agrees(text, before.text, books):
        said = _last_sentences(before.text)
        found.setdefault(position - 1, Salient(position - 1, said, 2.0))
        return [_Scored(" ".join(text.split()), 2.0)]
    noticed = [
        _Scored(each.text, each.score + _noticed(turns, position, each.text, books))
        for each in _scored(text, books)
    ]
    return [each for each in noticed if each.score >= KEPT_FROM]


def _noticed(turns: Sequence[Turn], position: int, sentence: str, books: Sequence[Phrasebook]) -> float:
    """What it counts that the assistant took note of a sentence: it was told something, not asked."""
    noted, promised = took_note(turns, position, sentence, books)
    return noted * 0.75 + promised * 1.0 + echoes(turns, position, sentence, books) * 1.0


def _scored(text: str, books: Sequence[Phrasebook]) -> Iterator[_Scored]:
    for sentence in split_turn(text, books):
        shown = "".join(
            char for char, mask in zip(sentence.text, sentence.masked, strict=True) if mask != BLANK
        )
        yield _Scored(" ".join(shown.split()), _score(sentence, books))


def _score(sentence: Sentence, books: Sequence[Phrasebook]) -> float:
    said = sentence.masked
    words = content_words(said, books)
    size = sum(len(word) // 2 if word[0] > "\u2e7f" else 1 for word in words)
    dated = any(rule.pattern.search(said) for book in books for rule in book.dates)
    score = _cue_score(sentence, books, dated=dated)
    score += sum(2.0 for name in _CHANGES if _has(books, name, said))
    score += 1.0 * dated + 0.5 * _has(books, "first_person", said) + 1.0 * sentence.listed
    score += 0.5 * bool(_NAMED.search(said)) + 0.25 * bool(_NUMBER.search(said)) + min(size, 8) / 16
    if said.rstrip().endswith(_QUESTION) or _has(books, "question_start", said):
        score -= 3.0
    if any(book.asks(said) for book in books):
        score -= 1.0
    return score - 1.0 if size < 2 else score


def _cue_score(sentence: Sentence, books: Sequence[Phrasebook], *, dated: bool) -> float:
    """What the strongest cue in a sentence counts. Cues that need an answer's echo count by `_noticed`."""
    best = 0.0
    for book in books:
        for cue in book.cues:
            known = cue.needs in (None, "name") or (dated and cue.needs in DATE_NEEDS)
            if known and _CUES[cue.strength] > best and cue.pattern.search(sentence.masked):
                best = _CUES[cue.strength]
    return best


def _has(books: Sequence[Phrasebook], name: str, text: str) -> bool:
    return any(book.has(name, text) for book in books)


def _agrees(text: str, before: str, books: Sequence[Phrasebook]) -> bool:
    """Whether a turn is a yes to what the assistant proposed or asked."""
    yes = is_assent(text) or (len(text) < 60 and _has(books, "accept", text))
    return yes and (_has(books, "proposal", before) or before.rstrip().endswith(_QUESTION))


def _last_sentences(text: str) -> str:
    """The end of a text, where a proposal stands, from the beginning of a sentence where that fits."""
    whole = " ".join(text.split())
    if len(whole) <= LONGEST_PROPOSAL:
        return whole
    tail = whole[-LONGEST_PROPOSAL:]
    cut = re.search(r"[.!?。！？]\s*", tail[:-20])
    return tail[cut.end() :] if cut else tail
