"""Later words correct earlier ones: only the last state of things is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from memfs.extraction.operations import Find
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.wording import content_words, shingles

SCALAR_PROFILE = frozenset({"name", "role", "timezone", "location", "team", "working_hours"})
DATED = frozenset({"events", "actions"})
CHOICES = frozenset({"decisions", "preferences", "notes"})
PLANS = CHOICES | {"actions", "events", "projects", "entities", "profile"}
NUMBER = re.compile(r"(?<![\d-])\d+(?:\.\d+)*(?![\d-])")
STATES = PLANS
PLANNED = frozenset({"decisions", "actions", "events", "projects"})
FEW, SHORT = 3, 6  # words with meaning: a find that says one thing
NEAR = 8  # turns back in which a bare "I was wrong" finds what it speaks of
CONTENT_FIELDS = ("content", "decision", "task", "summary")
REACH = 40  # turns back that a correction reaches


def scratch_earlier(finds: list[Find], start: int) -> None:
    """ "Scratch that": what the turn said so far is taken back."""
    del finds[start:]


def take_back(
    finds: list[Find],
    sentence: str,
    position: int,
    peer: str | None,
    books: Sequence[Phrasebook],
    *,
    names: bool,
    given_up: str,
    asked: bool = False,
    agrees: Callable[[Find], bool],
) -> list[Find]:
    """What the user gives up or replaces: earlier finds of other turns that ``sentence`` speaks of go. Returns these.

    ``names``: a shared name or number is enough (something was replaced); else most of the topic must be shared, or a
    find of few words must be spoken of in the clause that gives it up. ``asked``: it may be an edit that is asked for,
    which makes plans obsolete, not facts. What ``sentence`` ``agrees`` with stays.
    """
    named, off, gone = shingles(sentence, books), shingles(given_up, books), []
    for old in list(finds):
        if old.peer != peer or old.turns[-1] >= position or position - old.turns[-1] > REACH:
            continue
        shared = {word for word in named & shingles(old.text, books) if not _is_part(word, sentence, books)}
        if asked and old.type not in PLANNED:
            continue
        by_name = names and any(_is_name(word, sentence, old.text) for word in shared)
        by_subject = _is_of(old, shared if names else shared & off, books, most=SHORT if names else FEW)
        much = len(shared) >= 2 and len(shared) >= 0.34 * min(len(named), 12)
        if (by_name or by_subject or much) and not agrees(old):
            gone.append(old)
    finds[:] = [old for old in finds if not any(old is each for each in gone)]
    return gone


def _is_of(old: Find, shared: set[str], books: Sequence[Phrasebook], *, most: int) -> bool:
    """Whether a find of few words shares one that tells: "the till is here", "the till is upstairs now"."""
    words = content_words(old.text, books)
    telling = any(len(word) > 2 or not word.isascii() for word in shared)
    return telling and old.type in STATES and len(words) <= most


def _is_part(word: str, sentence: str, books: Sequence[Phrasebook]) -> bool:
    """Whether ``word`` only says which part of a text or page is meant: "the budget row", 预算那行."""
    after = [sentence[match.end() :] for match in re.finditer(re.escape(word), sentence, re.IGNORECASE)]
    parts = [book.words["artefact"] for book in books if "artefact" in book.words]
    return bool(after) and all(any(part.match(rest.lstrip()) for part in parts) for rest in after)


def in_place_of(
    old: Find, text: str, position: int, day: date | None, today: date, books: Sequence[Phrasebook]
) -> Find:
    """ "Joy took over billing": what replaces ``old`` and has no cue of its own is of its type, and about its thing."""
    kind, fields = old.type, dict(old.fields)
    if kind == "entities":  # another name, which is not known for certain
        kind, fields = "notes", {"content": text}
    elif kind == "profile":
        fields = dict.fromkeys(fields, text)
    else:
        for name in CONTENT_FIELDS:
            if name in fields:
                fields[name] = text
        fields.pop("reason", None)
    if kind == "events":
        fields["name"] = re.split(r"[,:;，：；。(]", text, maxsplit=1)[0][:60].strip()
    if kind == "projects":
        fields = {name: value if name == "project" else text for name, value in fields.items()}
    if kind == "decisions":
        fields["date"] = today.isoformat()
    elif kind in DATED and day is not None:
        fields["due" if kind == "actions" else "date"] = day.isoformat()
    words = frozenset(content_words(text, books))
    return Find(kind, fields, (position,), old.peer, text, day or old.day, words)


def recounted(old: Find, counted: re.Pattern[str], number: str, position: int) -> Find:
    """``old`` with another number where it is ``counted``."""
    fields = {
        name: counted.sub(number, value) if isinstance(value, str) else value
        for name, value in old.fields.items()
    }
    turns = tuple(turn for turn in old.turns if turn >= 0)  # others lie before the segment
    return replace(old, fields=fields, turns=(*turns, position), text=counted.sub(number, old.text))


def take_back_named(
    finds: list[Find], dropped: str, position: int, peer: str | None, books: Sequence[Phrasebook]
) -> list[Find]:
    """ "Scrap the blog": what was said before of a thing that is given up by its name. Returns what went."""
    named = {word for word in shingles(dropped, books) if len(word) > 2 or not word.isascii()}
    gone = [
        old
        for old in finds
        if old.peer == peer
        and old.type in PLANS
        and old.turns[-1] < position
        and named & shingles(old.text, books)
    ]
    finds[:] = [old for old in finds if not any(old is each for each in gone)]
    return gone


def take_back_last(finds: list[Find], position: int, peer: str | None) -> None:
    """ "I was wrong, it's three after all": without a topic it is the last choice that goes."""
    choices = [
        old
        for old in finds
        if old.type in CHOICES and old.peer == peer and position - NEAR <= old.turns[-1] < position
    ]
    together = [old for old in choices if old.turns == choices[-1].turns]
    last = next(
        (old for old in reversed(together) if old.type == "decisions"), choices[-1] if choices else None
    )
    if last is not None:
        finds.remove(last)


def _is_name(word: str, *texts: str) -> bool:
    """Whether ``word`` is written as a name in one of ``texts``, other than at its start."""
    if len(word) < 3 or not word.isascii():
        return False
    found = (match for text in texts for match in re.finditer(re.escape(word), text, re.IGNORECASE))
    return any(match.start() > 0 and match[0] != match[0].lower() for match in found)


def add_find(
    finds: list[Find], new: Find, books: Sequence[Phrasebook], *, corrects: bool, reverses: bool = False
) -> None:
    """Add ``new``; what it repeats or corrects goes. ``corrects``: it says that something changed."""
    if finds and _belongs(finds[-1], new):
        _append(finds[-1], new, books)
        return
    if not corrects and _is_role(new) and any(_stands_with(old, new) for old in finds):
        new.fields = {"background": new.fields["role"]}
    for old in list(finds):
        if old.peer != new.peer and not (corrects and old.type == new.type):
            continue
        if _repeats(old, new):
            if len(old.text) >= len(new.text):
                return
            finds.remove(old)
        elif _replaces(new, old, books, corrects=corrects):
            finds.remove(old)
            if corrects and old.type == new.type == "events":
                new.fields["name"] = old.fields["name"]  # what moved is still called what it was called
    if reverses:
        last = next((old for old in reversed(finds) if old.type == new.type and old.peer == new.peer), None)
        if last is not None and new.turns[0] - last.turns[-1] <= 4:
            finds.remove(last)
    if corrects and new.day is not None:
        _move(finds, new)
    finds.append(new)


def _stands_with(old: Find, new: Find) -> bool:
    """Two roles told in one turn: the second stands beside the first, "I'm a nurse. I write crime novels"."""
    return _is_role(old) and old.turns == new.turns and old.peer == new.peer


def _is_role(find: Find) -> bool:
    return find.type == "profile" and "role" in find.fields


def _belongs(last: Find, new: Find) -> bool:
    """Neighbours in a turn that make one memory: a pitfall in two sentences, a choice and what falls."""
    if (
        last.turns != new.turns
        or last.peer != new.peer
        or last.type != new.type
        or len(last.text + new.text) > 300
    ):
        return False
    if new.type == "notes":
        return True
    return new.type == "decisions" and last.fields["topic"] == new.fields["topic"]


def _append(last: Find, new: Find, books: Sequence[Phrasebook]) -> None:
    joint = "。" if not books[0].spaced else ". "
    key = "content" if last.type == "notes" else "decision"
    last.fields[key] = f"{last.fields[key]}{joint}{new.fields[key]}"
    last.text = f"{last.text}{joint}{new.text}"
    last.words = last.words | new.words


def _repeats(old: Find, new: Find) -> bool:
    if old.type != new.type or not old.words or not new.words:
        return old.text.lower() == new.text.lower()
    if not (old.words <= new.words or new.words <= old.words):  # so of nearly all pairs
        return False
    ours, theirs = set(NUMBER.findall(new.text)), set(NUMBER.findall(old.text))
    return ours <= theirs or theirs <= ours  # not so "port 8024 for service 24", "port 8025 for service 25"


def _replaces(new: Find, old: Find, books: Sequence[Phrasebook], *, corrects: bool) -> bool:
    if {"entities"} == {new.type, old.type} and new.fields["name"] != old.fields["name"]:
        return any(book.has("only_one", new.text) and book.has("only_one", old.text) for book in books)
    if new.type == old.type == "profile":
        (key,) = new.fields
        return key in SCALAR_PROFILE and key in old.fields
    if new.type == old.type == "decisions":
        return new.fields["topic"] == old.fields["topic"]
    if new.type == old.type == "preferences" and _is_in_another_tongue(new, old, books):
        return True
    if not corrects:
        return False
    if new.type == old.type == "events" and new.day == old.day:
        return True  # the same happening, told anew
    same_kind = new.type == old.type or {new.type, old.type} <= DATED
    return same_kind and bool(shingles(new.text, books) & shingles(old.text, books))


def _is_in_another_tongue(new: Find, old: Find, books: Sequence[Phrasebook]) -> bool:
    """ "Answer in German" after "answer in English": the same wish, for another language."""
    if old.turns[-1] >= new.turns[0] or any(book.has("besides", new.text) for book in books):
        return False
    (ours, our_rest), (theirs, their_rest) = (_tongues(each.text, books) for each in (new, old))
    return bool(ours and theirs) and ours != theirs and our_rest == their_rest


def _tongues(text: str, books: Sequence[Phrasebook]) -> tuple[set[str], set[str]]:
    """The languages that ``text`` names, and the words that tell what is to be in them."""
    named, rest = set(), text
    for book in books:
        if "tongues" in book.words:
            named |= {" ".join(match[0].lower().split()) for match in book.words["tongues"].finditer(rest)}
            rest = book.words["tongue_use"].sub(" ", book.words["tongues"].sub(" ", rest))
    return named, set(content_words(rest, books))


def _move(finds: list[Find], new: Find) -> None:
    """ "It'll be the 25th instead": the last dated find that the new one does not name is what moved."""
    for old in reversed(finds):
        if old.type in DATED and old.day is not None and old.day != new.day and old.peer == new.peer:
            if old.type == new.type == "events":
                new.fields["name"] = old.fields["name"]
                finds.remove(old)
            return
