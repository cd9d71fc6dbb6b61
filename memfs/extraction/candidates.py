"""What in a sentence may be worth keeping: cues found in clauses, less what the guards hold back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memfs.extraction.acknowledgement import PRODUCED
from memfs.extraction.clauses import join_clauses
from memfs.extraction.guards import ONE_OFF, QUESTION, TENTATIVE, find_blocks
from memfs.extraction.heard import Candidate, Heard
from memfs.extraction.patterns import named_groups
from memfs.extraction.phrasebook import REQUEST, Cue
from memfs.extraction.sentences import Sentence
from memfs.extraction.wording import shingles

DATE_NEEDS = {"date", "date_near", "date_any"}
SAID_NEEDS = {"introduced": "introduces", "own": "of_oneself"}  # what the sentence must say besides
DATED = {"decisions", "actions", "events"}
# of cues of equal strength in one clause the first type wins
ORDER = ("actions", "decisions", "entities", "preferences", "projects", "profile", "events", "notes")


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
    joined = join_clauses(sentence, best, heard.books, blocked)
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
    if cue.needs in SAID_NEEDS:
        return any(book.has(SAID_NEEDS[cue.needs], sentence.masked) for book in heard.books)
    if cue.needs == "listed":
        return sentence.listed
    if cue.needs == "opening":
        return heard.opening
    if cue.needs == "promised":
        return heard.promised
    if cue.needs == "date_any":
        return True
    if cue.needs == "date_near":
        return len({mention.day for mention in heard.dates}) == 1
    if cue.type == "projects" and cue.field in {"known_issues", "stage"} and cue.strength <= 2:
        name = named_groups(match).get("project", "")
        named = bool(name) and not any(book.has("not_a_name", name) for book in heard.books)
        return named or heard.project is not None  # else it is a cry for help, or news
    if cue.needs == "accepted":
        return (
            not PRODUCED.search(heard.proposal)
            and "\n" not in heard.proposal
            and (heard.choice or any(book.has("proposal", heard.proposal) for book in heard.books))
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
