"""Clauses of a sentence that make one memory, put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memfs.extraction.guards import Blocked
from memfs.extraction.heard import Candidate
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.sentences import Sentence

_DATED = frozenset({"actions", "events"})  # keep their day: "on Friday I send it, that's settled"


def join_clauses(
    sentence: Sentence, best: Sequence[Candidate | None], books: Sequence[Phrasebook], blocked: Blocked
) -> list[Candidate]:
    """Clauses without a cue go with the one before, else with the one after; what goes on is one."""
    joined: list[Candidate] = []
    waiting: int | None = None  # the first clause that waits for a candidate
    for number, (start, end) in enumerate(sentence.clauses):
        found = best[number]
        last = joined[-1] if joined and joined[-1].end >= start else None
        if found is None:
            if blocked.reasons[number].get(None) is not None:
                waiting = None
                joined += [replace(joined.pop(), end=start)] if last is not None else []
            elif last is None:
                waiting = number if waiting is None else waiting
            elif blocked.reason(number, last.type) is None:
                joined[-1] = replace(last, end=max(last.end, end))
        elif last is not None and any(book.has("settles", sentence.masked[start:end]) for book in books):
            joined[-1] = last if last.type in _DATED else replace(found, start=last.start)
        elif (
            last is not None
            and found.strength > last.strength
            and _is_short(sentence.masked[start:end])
            and not _two_facts(last, found)
        ):
            joined[-1] = replace(found, start=last.start)  # "..., full stop": says what the whole is
        elif last is not None and last.strength < 2 and found.strength < 2:
            joined[-1] = replace(last, end=max(last.end, found.end))  # neither is sure: one entry, whole
        elif last is not None and (
            _same(last, found) or _goes_on(sentence.masked[start:end], last, found, books)
        ):
            joined[-1] = replace(last, end=max(last.end, found.end))
        else:
            while (
                waiting is not None and waiting < number and blocked.reason(waiting, found.type) is not None
            ):
                waiting += 1
            first = number if waiting is None else min(waiting, number)
            joined.append(replace(found, start=sentence.clauses[first][0]))
            waiting = None
    return joined


def _same(one: Candidate, other: Candidate) -> bool:
    return one.type == other.type and one.cue.field == other.cue.field


def _two_facts(one: Candidate, other: Candidate) -> bool:
    """ "I'm called Li Lei, a nurse": a name and a trade."""
    return one.type == other.type == "profile" and one.cue.field != other.cue.field


def _goes_on(clause: str, last: Candidate, found: Candidate, books: Sequence[Phrasebook]) -> bool:
    """Whether a clause with a cue of its own still speaks of the one before: "..., otherwise it fails"."""
    if found.strength > 2 or found.type == "actions":
        return False
    if _is_short(clause):
        return True
    if last.type == "entities" and any(book.has("of_the_same", clause) for book in books):
        return True
    if found.type == "notes" and not found.cue.remember and last.type not in {"profile", "notes"}:
        return True
    if last.type == "actions" and found.type == "events" and len(clause.split()) < 6:
        return True  # "..., end of the month": when it is due
    loose = last.type == "notes" or found.type == "notes" or found.strength < 2
    return loose and any(book.has("continues", clause) for book in books)


def _is_short(clause: str) -> bool:
    """Too short to stand alone."""
    return len(clause.split()) <= 2 and len(clause.strip()) < 14 and sum(c > "\u2e7f" for c in clause) < 5
