"""Why parts of a sentence are not kept: asked, imagined, meant for the moment, said by others, secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfs.extraction.foreign import BLANK
from memfs.extraction.phrasebook import REQUEST, Phrasebook
from memfs.extraction.secret_talk import tells_secret
from memfs.extraction.sentences import Sentence

ONE_OFF = "one-off"
TENTATIVE = "tentative"
OTHERS = frozenset({"what others want", "someone else's words"})
QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Blocked:
    """Reasons by clause number; None as a type blocks all types."""

    reasons: tuple[dict[str | None, str], ...]

    def reason(self, clause: int, kind: str) -> str | None:
        """Why nothing of this type is kept from the clause, or None."""
        found = self.reasons[clause]
        return found.get(None) or found.get(kind)


def find_blocks(sentence: Sentence, books: Sequence[Phrasebook]) -> Blocked:
    """What the guards say of each clause."""
    reasons: list[dict[str | None, str]] = [{} for _ in sentence.clauses]
    everywhere: dict[str | None, str] = {}
    if tells_secret(sentence.text):
        everywhere[None] = "secret"
    for book in books:
        _block_questions(book, sentence, reasons, everywhere)
        for guard in book.guards:
            match = guard.pattern.search(sentence.masked)
            if match is None:
                continue
            if guard.scope == "onward":
                for number, (_, end) in enumerate(sentence.clauses):
                    if match.start() < end:
                        reasons[number].update({kind: guard.name for kind in guard.types or (None,)})
                continue
            if guard.scope == "sentence":
                everywhere.update({kind: guard.name for kind in guard.types or (None,)})
                continue
            for number, (start, end) in enumerate(sentence.clauses):
                if guard.pattern.search(sentence.masked[start:end]):
                    aside = guard.name == ONE_OFF and len(sentence.masked[start:end].split()) < 5
                    if aside and book.spaced:  # "just this once, ..." holds for all of it
                        everywhere.update({kind: guard.name for kind in guard.types or (None,)})
                    reasons[number].update({kind: guard.name for kind in guard.types or (None,)})
    _block_onward(sentence, books, reasons)
    _block_dictation(sentence, reasons)
    _free_settled(sentence, books, reasons)
    return Blocked(tuple({**everywhere, **each} for each in reasons))


def _block_onward(
    sentence: Sentence, books: Sequence[Phrasebook], reasons: list[dict[str | None, str]]
) -> None:
    """ "This time a bit shorter, three lines at most": the form that follows is for this time too."""
    moment = False
    for number, (start, end) in enumerate(sentence.clauses):
        clause = sentence.masked[start:end]
        if reasons[number].get("preferences") == ONE_OFF:
            moment = True
        elif moment and is_bare_form(clause, books):
            reasons[number].setdefault("preferences", ONE_OFF)


def is_bare_form(text: str, books: Sequence[Phrasebook]) -> bool:
    """Whether ``text`` says how long or in which tone something is to be, and no word makes a rule of it."""
    if any(book.has("standing", text) for book in books):
        return False
    return any(book.has("form_only", text) for book in books)


def _block_dictation(sentence: Sentence, reasons: list[dict[str | None, str]]) -> None:
    """ "Write to my landlord: I have decided ..." - what follows is the letter's, not the user's."""
    for number, (start, end) in enumerate(sentence.clauses[:-1]):
        asked = reasons[number].get("actions") == REQUEST
        if asked and sentence.masked[start:end].rstrip().endswith((":", "：")):
            for rest in reasons[number + 1 :]:
                rest.update({kind: "dictated" for kind in ("preferences", "decisions", "profile", "actions")})
            return


def _free_settled(
    sentence: Sentence, books: Sequence[Phrasebook], reasons: list[dict[str | None, str]]
) -> None:
    """我打算换成 Redis，就这么定了: what was only meant to be done is settled by the clause after it."""
    for number, (start, end) in enumerate(sentence.clauses[1:]):
        if any(book.has("settles", sentence.masked[start:end]) for book in books):
            kept = {kind: why for kind, why in reasons[number].items() if why != TENTATIVE}
            reasons[number] = kept


def _block_questions(
    book: Phrasebook,
    sentence: Sentence,
    reasons: list[dict[str | None, str]],
    everywhere: dict[str | None, str],
) -> None:
    """A sentence that asks from its start is all question; else the clauses that ask, the last before "?"."""
    asks = sentence.masked.rstrip(BLANK + " \"'”」)").endswith(("?", "？"))
    if book.has("asks_to_remember", sentence.masked):
        return
    starts = book.has("question_start", sentence.masked)
    if asks and (starts or book.has("tag_question", sentence.masked)):
        everywhere[None] = QUESTION
        return
    if starts:  # no question mark: up to where the user speaks of themselves
        for number, (start, end) in enumerate(sentence.clauses):
            if number and book.has("first_person", sentence.masked[start:end]):
                break
            reasons[number][None] = QUESTION
    if asks:
        reasons[-1][None] = QUESTION
    for number, (start, end) in enumerate(sentence.clauses):
        clause = sentence.masked[start:end].rstrip(" ,，、")
        relative = number > 0 and book.has("relative", clause)
        if (book.has("question_start", clause) and not relative) or book.has("question_end", clause):
            reasons[number][None] = QUESTION
