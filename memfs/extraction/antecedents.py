"""What "it", "that" and "I will" speak of: the words just before, in the turn or the one before it.

Only words that may be kept themselves are taken: no question, no quotation, no request for the moment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memfs.extraction.foreign import BLANK
from memfs.extraction.guards import OTHERS, find_blocks
from memfs.extraction.heard import Candidate
from memfs.extraction.phrasebook import REQUEST, Phrasebook
from memfs.extraction.sentences import Sentence, split_turn
from memfs.extraction.wording import content_words, tidy
from memfs.model import Turn

CONTENT = {
    "notes": "content",
    "preferences": "content",
    "actions": "task",
    "decisions": "decision",
}  # the field that holds the words
JOINTS = {True: ". ", False: "。"}
Books = tuple[Phrasebook, ...]


def is_thin(text: str, books: Books, kind: str = "") -> bool:
    """Words like "that" only: what is meant was said before."""
    if any(book.has("settles", text) for book in books):
        return True
    words = "".join(content_words(text, books))
    wide = sum(char > "\u2e7f" for char in words)
    if kind == "decisions" and any(char.isdigit() for char in text):
        return False
    return wide < 2 and len(words) - wide < (2 if any(char.isdigit() for char in words) else 3)


def says_it(text: str, books: Books) -> bool:
    """Whether ``text`` does something to "it" or "them" and does not say to what."""
    return any(book.has("bare_object", text) for book in books)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A candidate in its place. ``before`` is the last sentence of each peer's turn before, with its position."""

    turns: Sequence[Turn]
    books: Books
    before: Mapping[str | None, tuple[int, str]]
    position: int
    turn: Turn
    sentence: Sentence
    candidate: Candidate

    def just_said(self) -> str | None:
        """ "Chicago. That's what we use": the few words before, which a sentence speaks of."""
        refers = any(book.has("refers_back", self.sentence.masked) for book in self.books)
        if self.candidate.start or not refers:
            return None
        before = re.split(r"(?<=[.!?。！？\n])\s*", self._head().rstrip(".!。！ "))[-1].strip()
        short = 2 < len(before) < 60 and len(before.split()) < 9
        return tidy(before, self.books) if short and self._may_be_kept(before) else None

    def with_antecedent(self, text: str) -> str:
        """ "Otis's runs out in August. I have to renew that": with the sentence before, when there is one."""
        if self.candidate.start or not says_it(text, self.books):
            return text
        before = re.split(r"(?<=[.!?。！？])\s+|\n", self._head())[-1].strip()
        if not 2 < len(before.split()) < 30 or not self._may_be_kept(before):
            return text
        return self._joined(before, text)

    def fuller(self, text: str) -> tuple[tuple[int, ...], str] | None:
        """What a thin find refers to: the rest of its sentence, the sentence or the turn before."""
        candidate, books = self.candidate, self.books
        if candidate.type not in CONTENT:
            return None
        after = tidy(self.sentence.text[candidate.end :], books)
        if candidate.cue.remember and not is_thin(after, books):
            return None  # "remember, the report is due": what is to be remembered comes after
        head = tidy(self.sentence.text[: candidate.start], books)
        if not is_thin(head, books):
            if candidate.cue.remember:  # "..., remember that": the words before are all of it
                return (), head
            return (), f"{head}{', ' if books[0].spaced else '，'}{text}"
        refers = any(book.has("anaphora", self.sentence.masked) for book in books)
        wishes = refers and candidate.type == "preferences"
        if candidate.remember or candidate.type == "decisions" or wishes:
            if head := self._head():
                last = head.splitlines()[-1]
                return ((), tidy(last, books)) if self._may_be_kept(last) else None
            earlier = self.before.get(self.turn.peer)
            if earlier is not None and self._may_be_kept(earlier[1]):
                return (earlier[0],), self._joined(earlier[1], text)
        return self._answers(text)

    def _head(self) -> str:
        """The turn's words before the sentence."""
        return self.turn.text[: max(0, self.turn.text.find(self.sentence.text))].strip()

    def _joined(self, before: str, text: str) -> str:
        return f"{tidy(before, self.books)}{JOINTS[self.books[0].spaced]}{text}"

    def _may_be_kept(self, text: str) -> bool:
        """Whether nothing in ``text`` is asked, quoted, imagined or meant for the moment.

        What others want may stand before a choice: "a friend wants me to join a gym. No".
        """
        bare = any(book.has("settles", text) for book in self.books)
        if bare or text.rstrip().endswith(("?", "？", ":", "：")):
            return False
        for sentence in split_turn(text, self.books):
            blocked = find_blocks(sentence, self.books)
            reasons = {reason for each in blocked.reasons for reason in each.values()}
            if self.candidate.type == "decisions":
                reasons -= OTHERS
            if BLANK in sentence.masked or reasons & MOMENTARY or any(None in r for r in blocked.reasons):
                return False
        return True

    def _answers(self, text: str) -> tuple[tuple[int, ...], str] | None:
        """ "Who does the labels?" - "I will": the task is in the question."""
        near = range(max(0, self.position - 2), self.position)
        asked = [n for n in near if self.turns[n].role != "assistant"]
        if self.candidate.type != "actions" or not asked:
            return None
        question = self.turns[asked[-1]].text.strip()
        if len(question) > 120 or not any(book.has("who_does", question) for book in self.books):
            return None
        return (asked[-1],), f"{question} {text}"


MOMENTARY = frozenset({REQUEST, "one-off", "an edit"})
