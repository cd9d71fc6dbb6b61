"""From a find to the fields of an operation, by type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from memfs.extraction.candidates import Candidate
from memfs.extraction.dates import DateMention
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.wording import absolute, tidy, topic_of, without_dates
from memfs.model import FieldValue


@dataclass(slots=True)
class Find:
    """Something worth keeping, before it is an operation. ``turns`` are positions in the request."""

    type: str
    fields: dict[str, FieldValue]
    turns: tuple[int, ...]
    peer: str | None
    text: str
    day: date | None = None
    words: frozenset[str] = field(default_factory=frozenset)
    insist: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a candidate stands: its sentence, days in it, the turn's day, the project spoken of."""

    sentence: str
    dates: tuple[DateMention, ...]
    today: date
    books: tuple[Phrasebook, ...]
    general: str
    project: str | None


def make_fields(
    candidate: Candidate, place: Place
) -> tuple[str, dict[str, FieldValue], str, date | None] | None:
    """(type, fields, text, day) of a candidate; None when nothing is left to say."""
    raw = place.sentence[candidate.start : candidate.end]
    dates = [m for m in place.dates if candidate.start <= m.start < candidate.end] or (
        list(place.dates) if len(place.dates) == 1 else []
    )
    text = tidy(absolute(raw, candidate.start, place.dates), place.books)
    if len(text) < 2:
        return None
    due = [mention for mention in dates if mention.day >= place.today]
    day = (due if due and candidate.type == "actions" else dates)[0].day if dates else None
    maker = {
        "preferences": _preference,
        "decisions": _decision,
        "actions": _action,
        "events": _event,
        "profile": _profile,
        "projects": _project,
        "entities": _entity,
    }.get(candidate.type, _note)
    made = maker(candidate, place, text, day)
    return None if made is None else (*made, text, day)


Made = tuple[str, dict[str, FieldValue]]


def _preference(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    return "preferences", {"topic": topic_of(text, place.books, general=place.general), "content": text}


def _decision(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    fields: dict[str, FieldValue] = {
        "topic": topic_of(text, place.books, general=place.general, known=True),
        "decision": text,
        "date": place.today.isoformat(),
    }
    for book in place.books:
        match = book.words["reason"].search(text) if "reason" in book.words else None
        if match is not None and match.start() > 5 and len(text) - match.end() > 3:
            fields["decision"] = text[: match.start()].rstrip(" ,，;；")
            fields["reason"] = text[match.end() :].strip(" ,，:：")
            break
    return "decisions", fields


def _action(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    status = candidate.cue.status or "pending"
    sentence = place.sentence
    if any(book.has("in_progress", sentence) for book in place.books):
        status = "in_progress"
    task = text
    for book in place.books:
        if "task_lead" in book.words:
            task = book.words["task_lead"].sub("", task, count=1).strip() or task
    fields: dict[str, FieldValue] = {"task": task, "status": status}
    if any(book.has("minor", sentence) for book in place.books):
        fields["priority"] = "low"
    elif any(book.has("urgent", sentence) for book in place.books):
        fields["priority"] = "high"
    if day is not None:
        fields["due"] = day.isoformat()
    return "actions", fields


def _event(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    if day is None:
        return None
    raw = place.sentence[candidate.start : candidate.end]
    bare = tidy(without_dates(raw, candidate.start, place.dates), place.books)
    name = _short(bare) or _short(text)
    return "events", {"name": name, "date": day.isoformat(), "summary": text}


def _short(text: str) -> str:
    """A name of an event: its first clause, a few words."""
    head = re.split(r"[,:;，：；。(]", text, maxsplit=1)[0].strip()
    wide = sum(char > "\u2e7f" for char in head)
    return head[:20] if wide > len(head) // 2 else " ".join(head.split()[:7])


def _profile(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    value = _value(candidate, place, text)
    return "profile", {candidate.cue.field or "about": value}


def _value(candidate: Candidate, place: Place, text: str) -> str:
    """The part of the clause the cue points at: all of it, what comes after, or a named group."""
    want = candidate.cue.value
    if want == "after" and candidate.cue_end < candidate.end:
        after = place.sentence[candidate.cue_end : candidate.end]
        return tidy(absolute(after, candidate.cue_end, place.dates), place.books) or text
    if want in candidate.names:
        return candidate.names[want]
    return text


def _project(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    name = candidate.names.get("project") or place.project or candidate.names.get("what")
    if not name:
        return _note(candidate, place, text, day)
    kind = candidate.cue.field or "description"
    return "projects", {"project": name.strip(" ,.，「」《》\"'“”"), kind: text}


def _entity(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    name = candidate.names.get("name", "").strip(" ,.")
    name = re.sub(r"['’]s$", "", name)
    if not name:
        return None
    return "entities", {"category": candidate.names.get("category", "people"), "name": name, "content": text}


def _note(candidate: Candidate, place: Place, text: str, day: date | None) -> Made | None:
    tags: Sequence[str] = ("pitfall",) if not candidate.cue.remember and candidate.type == "notes" else ()
    fields: dict[str, FieldValue] = {"content": text}
    return "notes", {**fields, "tags": tuple(tags)} if tags else fields
