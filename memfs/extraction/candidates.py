"""What in a sentence may be worth keeping: cues found in clauses, less what the guards hold back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memfs.extraction.acknowledgement import PRODUCED
from memfs.extraction.dates import DateMention
from memfs.extraction.guards import ONE_OFF, QUESTION, TENTATIVE, Blocked, find_blocks
from memfs.extraction.patterns import named_groups
from memfs.extraction.phrasebook import REQUEST, Cue, Phrasebook
from memfs.extraction.sentences import Sentence
from memfs.extraction.wording import shingles

DATE_NEEDS = {"date", "date_near", "date_any"}
DATED = {"decisions", "actions", "events"}
# of cues of equal strength in one clause the first type wins
ORDER = ("actions", "decisions", "entities", "preferences", "projects", "profile", "events", "notes")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part of a sentence that says something of a type. Positions count in the sentence."""

    type: str
    cue: Cue
    start: int
    end: int
    cue_start: int
    cue_end: int
    strength: float
    names: dict[str, str] = field(default_factory=dict)
    remember: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """How a sentence was said: languages, days named in it, the project spoken of.

    ``noted``: how the assistant took note (2 outright, 1 perhaps); ``promised``: for good; ``proposal``: what it
    had said just before.
    """

    books: tuple[Phrasebook, ...]
    dates: tuple[DateMention, ...] = ()
    noted: int = 0
    promised: bool = False
    proposal: str = ""
    project: str | None = None
    echoed: bool = False


def find_candidates(sentence: Sentence, heard: Heard) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """Candidates in order of place, and (type, reason) of what guards held back."""
    blocked = find_blocks(sentence, heard.books)
    if all(None in reasons for reasons in blocked.reasons):
        said = blocked.reasons[0][None]
        return [], [("any", said)] if said != QUESTION else []
    best: list[Candidate | None] = [None] * len(sentence.clauses)
    held_back: list[tuple[str, str]] = []
    remember = False
    for cue, matches in _matches(sentence, heard):
        strength = _strength(cue, matches, heard)
        for match in matches[:4]:
            number = _clause_of(sentence, match)
            reason = blocked.reason(number, cue.type)
            last = _clause_at(sentence, match.end() - 1)
            if reason is not None and last > number:  # "a reply to Mr Osei, he's our biggest client"
                number, reason = last, blocked.reason(last, cue.type)
            if strength < 2 and (
                blocked.reason(number, "actions") == REQUEST
                or blocked.reason(number, "decisions") == TENTATIVE
            ):
                continue
            if strength < 2 and any(ONE_OFF in each.values() for each in blocked.reasons):
                continue
            if cue.needs == "echoed" and blocked.reason(number, "preferences") is not None:
                continue  # one-off, somebody's wish
            if reason is not None:
                if strength >= 2:
                    held_back.append((cue.type, reason))
                continue
            remember = remember or cue.remember
            if strength < 1 or not _has_needs(cue, match, number, sentence, heard):
                continue
            start, end = sentence.clauses[number]
            found = Candidate(
                cue.type,
                cue,
                start,
                max(end, match.end()),
                match.start(),
                match.end(),
                strength,
                named_groups(match),
            )
            if _better(found, best[number]):
                best[number] = found
    strong = {each.type for each in best if each is not None and each.strength >= 2}
    best = [None if each is not None and _gives_way(each, strong) else each for each in best]
    joined = _join(sentence, best, heard, blocked)
    return [replace(each, remember=remember) for each in joined], held_back


def _gives_way(weak: Candidate, strong: set[str]) -> bool:
    """Weak notes and events are only for sentences that say nothing plainer."""
    if weak.strength >= 2:
        return False
    return bool(strong) if weak.type == "notes" else weak.type == "events" and bool(strong & DATED)


def _matches(sentence: Sentence, heard: Heard) -> Iterable[tuple[Cue, list[re.Match[str]]]]:
    for book in heard.books:
        for cue in book.cues:
            if cue.needs in DATE_NEEDS and not heard.dates:
                continue
            matches = list(cue.pattern.finditer(sentence.masked))
            if matches:
                yield cue, matches


def _strength(cue: Cue, matches: Sequence[re.Match[str]], heard: Heard) -> float:
    """Strong cues stand alone; weak ones when the assistant took note, or when there are two of them."""
    if cue.needs == "echoed":
        return 1.0 if heard.echoed else 0.0
    if cue.strength >= 2:
        return cue.strength
    if heard.noted >= (1 if cue.type == "events" else 2):
        return 1.0
    several = len({match[0].lower() for match in matches}) >= 2 and heard.books[0].spaced
    return 1.0 if several and cue.type not in {"notes", "actions"} else 0.0


def _better(new: Candidate, old: Candidate | None) -> bool:
    if old is None:
        return True
    if old.cue.remember != new.cue.remember:  # "remember" alone says nothing of the type
        return old.cue.remember
    return (new.strength, -ORDER.index(new.type)) > (old.strength, -ORDER.index(old.type))


def _clause_of(sentence: Sentence, match: re.Match[str]) -> int:
    """The clause in which the words of the match begin (a leading comma belongs to the one before)."""
    lead = re.match(r"[\s,;:.!(–—，；：、-]*", match[0])
    position = match.start() + (lead.end() if lead else 0)
    return _clause_at(sentence, position)


def _clause_at(sentence: Sentence, position: int) -> int:
    for number, (start, end) in enumerate(sentence.clauses):
        if start <= position < end:
            return number
    return len(sentence.clauses) - 1


def _has_needs(cue: Cue, match: re.Match[str], number: int, sentence: Sentence, heard: Heard) -> bool:
    if cue.needs == "date":
        if cue.strength < 2 and any(book.has("anaphora", match.string) for book in heard.books):
            return False  # "will try that tonight"
        start, end = sentence.clauses[number]
        return any(start <= mention.start < end for mention in heard.dates) or (
            len(heard.dates) == 1
            and number + 1 < len(sentence.clauses)
            and _starts_with_date(sentence, number + 1, heard)
        )
    if cue.needs == "listed":
        return sentence.listed
    if cue.needs == "promised":
        return heard.promised
    if cue.needs == "date_any":
        return True
    if cue.needs == "date_near":
        return len({mention.day for mention in heard.dates}) == 1
    if cue.type == "projects" and cue.field in {"known_issues", "stage"} and cue.strength <= 2:
        return heard.project is not None  # else it is a cry for help, or news
    if cue.needs == "accepted":
        return (
            not PRODUCED.search(heard.proposal)
            and "\n" not in heard.proposal
            and any(book.has("proposal", heard.proposal) for book in heard.books)
            and bool(shingles(match[0], heard.books) & shingles(heard.proposal, heard.books))
        )
    if cue.needs == "name":
        name = named_groups(match).get("name", "")
        return bool(name) and not any(book.has("not_a_name", name) for book in heard.books)
    return True


def _starts_with_date(sentence: Sentence, number: int, heard: Heard) -> bool:
    """Whether the next clause is just the day ("the demo, on Friday")."""
    start, end = sentence.clauses[number]
    mention = heard.dates[0]
    return start <= mention.start < end and len(sentence.masked[start:end].strip()) - len(mention.text) < 8


def _join(
    sentence: Sentence, best: list[Candidate | None], heard: Heard, blocked: Blocked
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
        elif last is not None and found.strength > last.strength and _is_short(sentence.masked[start:end]):
            joined[-1] = replace(found, start=last.start)  # "..., full stop": says what the whole is
        elif last is not None and last.strength < 2 and found.strength < 2:
            joined[-1] = replace(last, end=max(last.end, found.end))  # neither is sure: one entry, whole
        elif last is not None and (
            _same(last, found) or _goes_on(sentence.masked[start:end], last, found, heard.books)
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
