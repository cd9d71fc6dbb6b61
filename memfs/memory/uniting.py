"""What a review does to entries: unite two, retire one, offer a wording, mark a task. Hand edits win, as in a merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from memfs.errors import InvalidRequest
from memfs.markdown.document import Block
from memfs.markdown.edits import remove_block, replace_block
from memfs.markdown.escape import escape_line
from memfs.markdown.inserts import insert_item, insert_paragraph
from memfs.memory.desk import Desk
from memfs.memory.headings import Language, heading
from memfs.memory.ids import entry_id, suggestion_id, superseded_id, text_hash, written_hash
from memfs.memory.ledger import as_utc
from memfs.memory.marks import Mark
from memfs.memory.matching import Match
from memfs.memory.names import link_names
from memfs.memory.plain import plain_text
from memfs.memory.snapshot import Action, Outcome
from memfs.memory.standing import Standing, find_block
from memfs.memory.suggestions import offer
from memfs.memory.wording import (
    FIELD_TYPES,
    ActionText,
    decision_date,
    parse_action,
    render_action,
    split_label,
    split_tags,
    split_topic,
    strike,
    without_date,
)
from memfs.memory.writing import known_section
from memfs.model import Draft, Evidence, Trust

BY_REVIEW = "review"
MAX_TEXT = 600
_TAGS = 8


@dataclass(slots=True)
class Bench:
    """The desk of one review, and what it must know. ``names`` are linked in new texts; ``spared``: ids whose
    review a person took back; ``done`` counts what was done: united, superseded, archived, stale, suggested."""

    desk: Desk
    identity: str
    language: Language
    today: date
    names: Mapping[str, str] = field(default_factory=dict)
    spared: frozenset[str] = frozenset()
    done: Counter[str] = field(default_factory=Counter)

    @property
    def noon(self) -> datetime:
        """Today, for what nothing dates."""
        return datetime(self.today.year, self.today.month, self.today.day, 12, tzinfo=UTC)

    def block(self, each: Standing) -> Block:
        """Where an entry stands now. Raises InvalidRequest where it does not stand there any more."""
        found = find_block(self.desk, each)
        if found is None:
            raise InvalidRequest("it has changed meanwhile")
        return found

    def trust(self, each: Standing) -> Trust:
        """How far an entry is trusted; a person's as their own words."""
        record = self.desk.records.get(each.handle)
        return record.trust if record else "user"

    def require_free(self, *entries: Standing) -> None:
        """Raise InvalidRequest where an entry is not memfs's to change."""
        for each in entries:
            if not each.untouched:
                raise InvalidRequest("it is a person's")
            if each.handle in self.spared:
                raise InvalidRequest("a person took an earlier review of it back")


def bare(type_name: str, text: str) -> str:
    """What an entry says, without its label, topic, tags, dates and marks: the part that is united."""
    if type_name == "actions":
        return parse_action(text).task
    if type_name == "notes":
        return split_tags(text)[0]
    if type_name == "decisions":
        topic = split_topic(text)
        return without_date(topic[1] if topic else text).strip()
    label = split_label(text) if type_name in FIELD_TYPES else None
    return label[1] if label else text


def clothed(keep: Standing, other: Standing, core: str) -> str:
    """The text of the entry that stays when it says ``core``, with what both had around it; the later counts."""
    old, new = sorted((keep, other), key=lambda each: each.age)
    if keep.type == "actions":
        was, now = parse_action(old.text), parse_action(new.text)
        return render_action(
            ActionText(core, now.priority or was.priority, now.due or was.due, now.in_progress)
        )
    if keep.type == "notes":
        tags = dict.fromkeys((*split_tags(keep.text)[1], *split_tags(other.text)[1]))
        return " ".join([core, *(f"#{tag}" for tag in list(tags)[:_TAGS])])
    if keep.type == "decisions":
        topic, day = split_topic(keep.text) or split_topic(other.text), decision_date(new.text)
        head = keep.text[: len(keep.text) - len(topic[1])] if topic and split_topic(keep.text) else ""
        return f"{head}{core}" + (f" ({day})" if day else "")
    label = split_label(keep.text) if keep.type in FIELD_TYPES else None
    return f"{label[0]}: {core}" if label else core


def unite(bench: Bench, keep: Standing, gone: Standing, text: str) -> list[Outcome]:
    """``keep`` says ``text`` from now on, and ``gone`` is taken out. Both are memfs's own, untouched."""
    bench.require_free(keep, gone)
    desk, block = bench.desk, bench.block(keep)
    text = _shown(bench, keep, text)
    time = max(as_utc(each.time) for each in (keep, gone) if each.time)
    changed = text_hash(text) != text_hash(keep.text)
    if changed and (held := desk.held_back(keep.handle, text_hash(text), time)):
        raise InvalidRequest(held)
    later = max(keep, gone, key=lambda each: each.age)
    home, record = desk.homes[keep.handle], desk.records[keep.handle]
    if changed or later.box != keep.box:
        edited = replace_block(
            desk.document(keep.path), block, text if changed else block.text, box=later.box
        )
        desk.edit(keep.path, edited, (keep.handle,))
        hashed = written_hash(text) if changed else record.hash
        record = replace(record, hash=hashed, box=later.box)
    desk.record(home, replace(record, time=time))
    _take_out(bench, gone)
    proof = Evidence(BY_REVIEW, (keep.handle, gone.handle), time)
    bench.done["united"] += 1
    return [
        Outcome(keep.handle, "updated", keep.type, keep.path, f"united with {gone.handle}", proof),
        Outcome(gone.handle, "removed", gone.type, gone.path, f"said by {keep.handle}"),
    ]


def drop_said(bench: Bench, said_by: Standing, gone: Standing) -> list[Outcome]:
    """Take out an entry of memfs's that a person's line says already."""
    bench.require_free(gone)
    bench.block(said_by)
    _take_out(bench, gone)
    bench.done["united"] += 1
    return [Outcome(gone.handle, "removed", gone.type, gone.path, "a person's line says it")]


def supersede(bench: Bench, old: Standing, new: Standing) -> list[Outcome]:
    """Keep an entry that a later one contradicts among the superseded ones."""
    day = as_utc(new.time).date() if new.time else bench.today
    return _retire(
        bench, old, "Superseded", strike(old.text, day.isoformat()), f"{new.handle} says otherwise"
    )


def archive(bench: Bench, each: Standing) -> list[Outcome]:
    """Keep an entry that is over in its document's archive."""
    return _retire(bench, each, "Archived", each.text, "over")


def mark(bench: Bench, each: Standing, text: str) -> list[Outcome]:
    """Give an entry a text that says nothing else, only how it stands with it."""
    bench.require_free(each)
    desk, block = bench.desk, bench.block(each)
    if desk.held_back(each.handle, text_hash(text), each.time or bench.noon):
        raise InvalidRequest("a person took this mark away")
    desk.edit(each.path, replace_block(desk.document(each.path), block, text), (each.handle,))
    record = desk.records[each.handle]
    desk.record(desk.homes[each.handle], replace(record, hash=written_hash(text)))
    bench.done["stale"] += 1
    return [Outcome(each.handle, "updated", each.type, each.path, "stale")]


def suggest(bench: Bench, under: Standing, other: Standing, text: str) -> list[Outcome]:
    """Offer ``text`` under an entry, unless something is offered there already or was rejected."""
    desk, block = bench.desk, bench.block(under)
    entry = (
        under.handle
        if under.own
        else entry_id(bench.identity, under.peer, under.type, ["review", under.text])
    )
    text = _shown(bench, under, text)
    if desk.owned(suggestion_id(entry)) is not None:
        return []
    if text_hash(text) == text_hash(under.text) or under.handle in bench.spared:
        return []
    times = [as_utc(each.time) for each in (under, other) if each.time]
    proof = Evidence(BY_REVIEW, (under.handle, other.handle), max(times, default=bench.noon))
    draft = Draft(
        id=entry,
        type=under.type,
        field=None,
        document=under.path,
        section=under.section,
        text=text,
        evidence=proof,
        title="",
    )
    outcome = offer(desk, draft, Match(under.id, under.path, block, "near", under.own))
    if outcome.action != "suggested":
        return []
    bench.done["suggested"] += 1
    return [replace(outcome, reason=f"{other.handle} is like it")]


def _retire(bench: Bench, each: Standing, title: str, text: str, reason: str) -> list[Outcome]:
    """Move an entry under another heading, where it has an id of its own; later evidence brings its first id back."""
    bench.require_free(each)
    desk, block = bench.desk, bench.block(each)
    home, record = desk.homes[each.handle], desk.records[each.handle]
    past = superseded_id(each.handle, without_date(each.text))
    action: Action = "superseded" if title == "Superseded" else "added"
    _take_out(bench, each)
    bench.done["superseded" if action == "superseded" else "archived"] += 1
    outcomes = [Outcome(each.handle, "removed", each.type, each.path, reason)]
    if past in desk.records or desk.document(each.path).find(past):
        return outcomes
    document = desk.document(each.path)
    section = known_section(document, (heading(title, bench.language),))
    if block.kind == "paragraph":
        edited = insert_paragraph(document, section, f"{text} ^{past}")
    else:
        edited = insert_item(
            document, section, f"- {'' if block.box is None else f'[{block.box}] '}{text} ^{past}"
        )
    desk.edit(each.path, edited, (past,))
    desk.record(home, replace(record, id=past, hash=written_hash(text), box=block.box))
    proof = Evidence(BY_REVIEW, (each.handle,), record.time)
    return [*outcomes, Outcome(past, action, each.type, each.path, reason, proof)]


def _take_out(bench: Bench, each: Standing) -> None:
    """Remove an entry's line; the same evidence does not bring it back, later evidence does."""
    desk, block = bench.desk, bench.block(each)
    document = desk.document(each.path)
    at = document.blocks.index(block)
    if any(other.parent == at for other in document.blocks):
        raise InvalidRequest("lines stand below it")
    time = desk.records[each.handle].time
    desk.edit(each.path, remove_block(document, block), (each.handle,))
    desk.drop(each.handle)
    desk.mark(Mark("entry", each.handle, time))


def _shown(bench: Bench, each: Standing, text: str) -> str:
    """A text as it is written: one safe line with known names linked."""
    line = escape_line(" ".join(text.split()))
    own = f"memories/{bench.identity}/{each.path}"
    shown = link_names(line, bench.names, own=own)
    if len(plain_text(shown)) > MAX_TEXT:
        raise InvalidRequest(f"it would be longer than {MAX_TEXT} characters")
    return shown
