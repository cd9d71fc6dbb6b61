"""What the turns around a sentence say of it: a text that is to be made, a proposal, a choice that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from memfs.extraction.guards import ONE_OFF, is_bare_form
from memfs.extraction.heard import Candidate
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.sentences import Sentence
from memfs.model import Turn

Books = tuple[Phrasebook, ...]


def of_the_moment(
    turns: Sequence[Turn],
    position: int,
    sentence: Sentence,
    candidate: Candidate,
    books: Books,
    *,
    promised: bool,
) -> str | None:
    """Why what is said belongs to a text that is to be made: its form, or what it tells of somebody."""
    said = sentence.masked[candidate.start : candidate.end]
    if candidate.type == "preferences" and not (promised or candidate.remember):
        bare = is_bare_form(sentence.masked, books)
        return ONE_OFF if bare and _is_asked_for(turns, position, books) else None
    if candidate.type != "profile" or any(book.has("of_me", said) for book in books):
        return None
    told = any(book.has("makes_text", turns[position].text) for book in books)
    return "told of a text to be made" if told else None


def _is_asked_for(turns: Sequence[Turn], position: int, books: Books) -> bool:
    """Whether this turn of the speaker, or the one before or after it, asks for something to be made."""
    if position == 0:
        return True  # who begins with a form asks for something in it: "awk one-liner: print column 3"
    turn = turns[position]
    near = [
        each.text
        for each in turns[max(0, position - 2) : position + 3]
        if each.role == turn.role and each.peer == turn.peer
    ]
    return any(
        book.asks(text) or book.has("makes_text", text) or book.has("question_start", text)
        for text in near
        for book in books
    )


def proposal_before(turns: Sequence[Turn], position: int) -> str:
    """What the assistant said just before."""
    before = turns[position - 1] if position else None
    return before.text if before is not None and before.role == "assistant" else ""


def choice_was_asked(turns: Sequence[Turn], position: int, books: Books) -> bool:
    """Whether the assistant's words just before answer a question for one of two things."""
    asked = turns[position - 2].text if position > 1 else ""
    return any(book.has("choice_question", asked) for book in books)
