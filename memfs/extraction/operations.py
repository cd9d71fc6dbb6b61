"""From a find to the fields of an operation, by type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from memfs.extraction.dates import DateMention
from memfs.extraction.heard import Candidate
from memfs.extraction.kinds import kind_of
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


@dataclass(frozen=True, slots=True)
class _Said:
    """A candidate with its words tidied up and the day it names."""

    candidate: Candidate
    place: Place
    text: str
    day: date | None

    @property
    def raw(self) -> str:
        """The candidate's words as they were written."""
        return self.place.sentence[self.candidate.start : self.candidate.end]


_I_AM = re.compile(r"(?i)^i(?:['’]?m| am) (?=(?:an?|the) )")
_BY = re.compile(r"(?i)\b(?:by|before|until|till|due|bis|spätestens|avant|antes del?)\b")
_RAN_OUT = re.compile(r"(?i)\b(?:ran out|expired|lapsed)\b|[过到]期")  # over, so that something is to be done
_CLOCK = re.compile(  # "on at 9", where the day between them is taken out; "at 9 am" at the end
    r"(?i)(?<!\s)(?:\s+(?:on|for|due|by|is|set|,)){0,6}\s+at\s+\d{1,2}(?:[:.]\d\d)?(?:\s?[ap]\.?m\b\.?|\s?o['’]clock)?(?=\s*(?:$|[,;.]))"
    r"|(?<!\s)\s+on(?=\s+at\b)"
)
_BOUND = (
    "(?:for|from|since|to|the|than|of|is|was|are|after|between|and|deadline)"  # words that need their day
)
_WIDE_FREE = (
    r"(?<![过到是为离从至了即等])(?<![过到是为离从至了即等]\s)(?<!deadline)(?<!deadline\s)(?<!i\.e\.\s)"
)
_WIDE_LEAD = "(?:截止(?:日期|时间)?(?:是|到|为|：)?|截至|在|于)?"
_WIDE_BY = "(?:(?:之|以)?前)?(?:得|要|必须)?"
Made = tuple[str, dict[str, FieldValue]]


def make_fields(
    candidate: Candidate, place: Place
) -> tuple[str, dict[str, FieldValue], str, date | None] | None:
    """(type, fields, text, day) of a candidate; None when nothing is left to say."""
    raw = place.sentence[candidate.start : candidate.end]
    text = tidy(_as_it_is(absolute(raw, candidate.start, place.dates), place.books), place.books)
    if len(text) < 2:
        return None
    said = _Said(candidate, place, text, _day(candidate, place))
    made = _MAKERS["events" if _is_past(said) else candidate.type](said)
    return None if made is None else (*made, text, said.day)


def _as_it_is(text: str, books: tuple[Phrasebook, ...]) -> str:
    """Without what only was so: "the launch was on the 3rd, moved to the 10th"."""
    for book in books:
        if "former" in book.words:
            text = book.words["former"].sub("", text, count=1)
    return text


def _is_past(said: _Said) -> bool:
    """Whether a task that only its day tells of is over: "we got the keys yesterday"."""
    candidate, place = said.candidate, said.place
    own = [each for each in place.dates if candidate.start <= each.start < candidate.end]
    told = [each.day for each in own if each.relative and not _is_limit(each, place.sentence)]
    by_day = candidate.type == "actions" and candidate.cue.needs in {"date", "date_any", "date_near"}
    over = bool(told) and all(day < place.today for day in told)
    return by_day and over and _RAN_OUT.search(said.raw) is None


def _day(candidate: Candidate, place: Place) -> date | None:
    """The day a candidate names, for a task the first one to come; else the only day of its sentence."""
    own = [mention for mention in place.dates if candidate.start <= mention.start < candidate.end]
    if candidate.type == "actions":  # "the inspector comes on the 11th, done by the 10th"
        own = [mention for mention in own if _is_limit(mention, place.sentence)] or own
    last = candidate.type == "actions"
    days = [
        _last_day(mention, place.sentence) if last else mention.day
        for mention in own or (place.dates if len(place.dates) == 1 else ())
    ]
    to_come = [day for day in days if day >= place.today]
    if candidate.type == "actions" and (to_come or not own):
        return to_come[0] if to_come else None
    moved = candidate.cue.needs == "date_any" or any(
        book.has("correction", place.sentence) for book in place.books
    )
    if candidate.type == "events" and moved:
        return days[-1] if days else None  # "from the 12th to the 19th"
    return days[0] if days else None


def _last_day(mention: DateMention, sentence: str) -> date:
    """The day by which what is to be done then is due; what is due before the weekend is so on its first day."""
    return mention.day if mention.until is None or _is_limit(mention, sentence) else mention.until


def _is_limit(mention: DateMention, sentence: str) -> bool:
    """Whether something is to be done by that day."""
    before = sentence[max(0, mention.start - 32) : mention.start] + mention.text
    return (
        bool(_BY.search(before))
        or sentence[mention.end :].lstrip().startswith(("前", "之前", "以前", "まで"))
        or mention.text.endswith("前")
    )


def _preference(said: _Said) -> Made:
    topic = topic_of(said.text, said.place.books, general=said.place.general)
    return "preferences", {"topic": topic, "content": said.text}


def _decision(said: _Said) -> Made:
    place, decision, reason = said.place, said.text, ""
    for book in place.books:
        match = book.words["reason"].search(decision) if "reason" in book.words else None
        if match is not None and match.start() > 5 and len(decision) - match.end() > 3:
            reason = decision[match.end() :].strip(" ,，:：")
            decision = decision[: match.start()].rstrip(" ,，;；")
            break
    fields: dict[str, FieldValue] = {"decision": decision, "date": place.today.isoformat()}
    return "decisions", fields | ({"reason": reason} if reason else {})


def _action(said: _Said) -> Made:
    books, sentence = said.place.books, said.place.sentence
    task = _task(said)
    status = said.candidate.cue.status or "pending"
    if any(book.has("in_progress", sentence) for book in books):
        status = "in_progress"
    fields: dict[str, FieldValue] = {"task": task, "status": status}
    if any(book.has("minor", sentence) for book in books):
        fields["priority"] = "low"
    elif any(book.has("urgent", sentence) for book in books):
        fields["priority"] = "high"
    if said.day is not None:
        fields["due"] = said.day.isoformat()
    return "actions", fields


def _task(said: _Said) -> str:
    """What is to be done: without "remind me to", how urgent it is, and the day that stands beside it."""
    books, task = said.place.books, said.text
    if said.day is not None:
        task = _without_due(task, said, said.day)
    for name in ("task_noise", "task_lead"):
        for book in books:
            if name in book.words:
                task = tidy(book.words[name].sub(" ", task, count=3), books) or task
    size = len(task) + sum(char > "\u2e7f" for char in task)  # in Chinese two characters are a task
    return task if size > 3 else said.text


def _without_due(task: str, said: _Said, due: date) -> str:
    """``task`` without the day it is due, which has a field of its own; among other days it stays."""
    own = [each for each in said.place.dates if said.candidate.start <= each.start < said.candidate.end]
    language = said.place.books[0].language
    if language not in {"en", "zh"} or any(each.day != due for each in own):
        days = re.escape(due.isoformat())
        return re.sub(rf"[,，]? ?\b(?:due|by|on|until|before) {days}(?=$|[,.;])|^{days}{_WIDE_BY}", "", task)
    written = (
        each.text.removesuffix("之前").removesuffix("前").strip(" .") for each in own if not each.relative
    )
    days = "|".join(re.escape(day) for day in sorted({due.isoformat(), *written}, key=len, reverse=True))
    if language == "zh":
        return re.sub(rf"{_WIDE_FREE}[,，]?\s?{_WIDE_LEAD}\s?(?:{days}){_WIDE_BY}", "", task)
    lead = r"(?:\b(?:due|by|on|until|before):? )*"
    return re.sub(
        rf"(?P<bound>\b{_BOUND} )?[,，]? ?{lead}(?:{days})(?=$|[,.;]| at \d)",
        lambda match: match[0] if match["bound"] else "",
        task,
        flags=re.IGNORECASE,
    )


def _event(said: _Said) -> Made | None:
    if said.day is None or _is_far(said, said.day):
        return None
    bare = _CLOCK.sub("", without_dates(said.raw, said.candidate.start, said.place.dates))
    bare = tidy(_as_it_is(bare, said.place.books), said.place.books)
    name = _short(_noun_phrase(bare, said.place.books)) or _short(said.text)
    return "events", {"name": name, "date": said.day.isoformat(), "summary": said.text}


def _is_far(said: _Said, day: date) -> bool:
    """More than two years away, and no year was said: rather misread than meant."""
    return abs((day - said.place.today).days) > 730 and str(day.year) not in said.place.sentence


def _noun_phrase(text: str, books: tuple[Phrasebook, ...]) -> str:
    """ "My flight to Oslo is": what happens, without the words that only lead to it or to its day."""
    for book in books:
        for name in ("event_tail", "event_lead"):
            cut = book.words[name].sub("", text, count=1).strip() if name in book.words else text
            text = cut if len(cut) > 2 or (cut and cut[-1] > "\u2e7f") else text
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", text)


def _short(text: str) -> str:
    """A name of an event: its first clause, a few words."""
    head = re.split(r"[,:;，：；。(]", text, maxsplit=1)[0].strip()
    wide = sum(char > "\u2e7f" for char in head)
    return head[:20] if wide > len(head) // 2 else " ".join(head.split()[:7])


def _profile(said: _Said) -> Made:
    """The part of the clause the cue points at: all of it, what comes after, or a named group."""
    candidate, value = said.candidate, said.text
    want = candidate.cue.value
    if want == "after" and candidate.cue_end < candidate.end:
        after = said.place.sentence[candidate.cue_end : candidate.end]
        value = tidy(absolute(after, candidate.cue_end, said.place.dates), said.place.books) or said.text
    elif want in candidate.names:
        value = candidate.names[want]
    elif candidate.cue.field == "role":
        value = _I_AM.sub("", value)
    return "profile", {candidate.cue.field or "about": value}


def _project(said: _Said) -> Made | None:
    names = said.candidate.names
    name = names.get("project") or said.place.project or names.get("what")
    if not name:
        return _note(said) if len(said.text) > 8 else None
    name = name.strip(" ,.，「」《》\"'『』“”")
    return "projects", {"project": name, said.candidate.cue.field or "description": said.text}


def _entity(said: _Said) -> Made | None:
    names = said.candidate.names
    name = re.sub(r"['’]s$", "", names.get("name", "").strip(" ,."))
    if not name:
        return None
    if said.place.project and name.lower() == said.place.project.lower():
        return "projects", {"project": said.place.project, "description": said.text}
    name, kind = kind_of(name, said.raw)
    return "entities", {"category": kind, "name": name, "content": said.text}


def _note(said: _Said) -> Made:
    fields: dict[str, FieldValue] = {"content": said.text}
    told = any(book.has("pitfall", said.text) for book in said.place.books)
    if told and said.candidate.type == "notes" and said.candidate.strength >= 2:
        fields["tags"] = ("pitfall",)
    return "notes", fields


_MAKERS: Mapping[str, Callable[[_Said], Made | None]] = {
    "preferences": _preference,
    "decisions": _decision,
    "actions": _action,
    "events": _event,
    "profile": _profile,
    "projects": _project,
    "entities": _entity,
    "notes": _note,
}
