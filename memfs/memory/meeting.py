"""A draft meets an entry of memfs's own: untouched or edited, with newer or older evidence (spec 5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from memfs.memory.desk import DELETED_LATER, Desk, says
from memfs.memory.headings import Language
from memfs.memory.ids import superseded_id, text_hash, written_hash
from memfs.memory.ledger import LedgerRecord, as_utc
from memfs.memory.marks import blocks_entry
from memfs.memory.matching import Match
from memfs.memory.plain import plain_text, says_no_more
from memfs.memory.snapshot import Action, Outcome
from memfs.memory.suggestions import offer
from memfs.memory.trust import greatest, is_less, least
from memfs.memory.wording import combine, core_key, redated, restates, strike, unstruck, without_date
from memfs.memory.writing import add_superseded, rewrite_entry
from memfs.model import Draft


@dataclass(slots=True)
class Round:
    """One merge under way. ``written``: entries it wrote, where a later draft of equal time wins."""

    desk: Desk
    language: Language
    written: set[str] = field(default_factory=set)

    def is_later(self, draft: Draft, record: LedgerRecord) -> bool:
        """Whether a draft's evidence is newer than what the ledger knows."""
        said, known = as_utc(draft.evidence.time), as_utc(record.time)
        return said > known or (said == known and draft.id in self.written)

    def held_back(self, draft: Draft, entry: str) -> str | None:
        """Why marks hold a draft back. What the user asked for outright is held back by a later deletion only.

        A call to remember is made now, whatever was deleted before.
        """
        if draft.origin == "remembered":
            return None
        if draft.insist:
            timed = [mark for mark in self.desk.marks if mark.time is not None]
            return DELETED_LATER if blocks_entry(timed, entry, draft.evidence.time) else None
        return self.desk.held_back(entry, text_hash(draft.text), draft.evidence.time)

    def outcome(
        self, draft: Draft, action: Action, path: str, reason: str | None = None, *, entry: str | None = None
    ) -> Outcome:
        """What became of a draft."""
        return Outcome(entry or draft.id, action, draft.type, path, reason, draft.evidence)

    def note(self, draft: Draft, path: str, box: str | None, old: LedgerRecord) -> None:
        """Record that an entry says what the draft says now."""
        home = self.desk.homes[draft.id]
        time = max(as_utc(old.time), as_utc(draft.evidence.time))
        at = None if path == home else path
        hashed, trust = written_hash(draft.text), draft.evidence.trust
        self.desk.record(home, LedgerRecord(draft.id, hashed, time, draft.origin, box, at, trust))
        self.written.add(draft.id)


def meet_own(merge: Round, draft: Draft, match: Match) -> Outcome:
    """What becomes of a draft that is about an entry in the ledger. The entry's id stays."""
    entry = match.id or draft.id
    record, ours = merge.desk.records[entry], match.block.text
    untouched = written_hash(ours) == record.hash
    if not untouched and says(record) in (text_hash(draft.text), text_hash(redated(draft.text, ours))):
        return _say_again(merge, replace(draft, id=entry), match, "kept")
    draft = _as_met(replace(draft, id=entry), match, record, untouched=untouched)
    if text_hash(draft.text) == text_hash(ours):
        return _say_again(merge, draft, match, "unchanged" if untouched else "kept")
    if held := merge.held_back(draft, entry):
        return merge.outcome(draft, "forgotten", match.path, held)
    if draft.mode == "add_only":
        return merge.outcome(draft, "unchanged", match.path, "entries of this type are only added")
    if not untouched:
        if merge.is_later(draft, record):
            return offer(merge.desk, draft, match)
        return merge.outcome(draft, "kept", match.path, "a person edited it, and this is not newer")
    if match.how == "near" and not draft.inferred:
        return _update(merge, draft, match, record)
    if not merge.is_later(draft, record):
        return _come_late(merge, draft, match, record)
    if draft.inferred:
        return offer(merge.desk, draft, match)
    if draft.supersedes and not restates(ours, draft.text):
        return _supersede(merge, draft, match, record)
    return _update(merge, draft, match, record)


def _as_met(draft: Draft, match: Match, record: LedgerRecord, *, untouched: bool) -> Draft:
    """The draft with the words that the entry would have after it, and as trusted as all of them are.

    What is trusted less than the entry never rewrites it: it is offered.
    """
    text = _wording(draft, match, untouched=untouched)
    trust, own = draft.evidence.trust, text_hash(text) == text_hash(draft.text)
    evidence = replace(draft.evidence, trust=trust if own else least((trust, record.trust)))
    return replace(
        draft, text=text, evidence=evidence, inferred=draft.inferred or is_less(trust, record.trust)
    )


def _wording(draft: Draft, match: Match, *, untouched: bool) -> str:
    """What the entry would say after this draft; one that says less says what stands there."""
    ours, theirs = match.block.text, draft.text
    old, new = (core_key(draft.type, plain_text(text)) for text in (ours, theirs))
    if (match.how == "near" or not untouched) and (new == old or says_no_more(new, old)):
        return ours
    return combine(draft.type, ours, theirs, status_said=draft.box != "")


def _say_again(merge: Round, draft: Draft, match: Match, action: Action) -> Outcome:
    """The same text again: newer evidence counts, and the box follows it unless the person set it."""
    record = merge.desk.records[draft.id]
    box = merged_box(record.box, match.block.box, draft.box, later=merge.is_later(draft, record))
    time = max(as_utc(record.time), as_utc(draft.evidence.time))
    if box != match.block.box:
        rewrite_entry(merge.desk, match, match.block.text, box=box)
        action, record = "updated", replace(record, box=box)
        merge.written.add(draft.id)
    trust = greatest(
        (record.trust, draft.evidence.trust)
    )  # said again in the same words: the better source counts
    merge.desk.record(merge.desk.homes[draft.id], replace(record, time=time, trust=trust))
    return merge.outcome(draft, action, match.path)


def _update(merge: Round, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
    box = merged_box(record.box, match.block.box, draft.box, later=merge.is_later(draft, record))
    rewrite_entry(merge.desk, match, draft.text, box=box)
    merge.note(draft, match.path, box if box != match.block.box else record.box, record)
    return merge.outcome(draft, "updated", match.path)


def _supersede(merge: Round, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
    """The later decision takes the place; the earlier one is kept under its heading, struck."""
    desk, ours = merge.desk, " ".join(match.block.text.split())
    past = superseded_id(draft.id, without_date(ours))
    rewrite_entry(desk, match, draft.text, box=match.block.box)
    if past not in desk.records and not desk.document(match.path).find(past):
        struck = strike(ours, draft.evidence.time.date().isoformat())
        add_superseded(desk, match.path, past, struck, merge.language)
        old = replace(record, id=past, hash=written_hash(struck), box=None)
        desk.record(desk.homes[draft.id], old)
    merge.note(draft, match.path, record.box, record)
    return merge.outcome(draft, "superseded", match.path)


def _come_late(merge: Round, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
    """Older evidence changes nothing; an older decision enters already superseded."""
    desk, older = merge.desk, as_utc(draft.evidence.time) < as_utc(record.time)
    if not (draft.supersedes and older) or draft.inferred or restates(draft.text, match.block.text):
        return merge.outcome(
            draft, "unchanged", match.path, "newer evidence says otherwise" if older else None
        )
    past = superseded_id(draft.id, without_date(draft.text))
    if _is_past(desk, draft, past, match.path):
        _say_past_again(desk, draft, past)
        return merge.outcome(draft, "unchanged", match.path, "it is known as superseded")
    if held := merge.held_back(draft, past):
        return merge.outcome(draft, "forgotten", match.path, held, entry=past)
    struck = strike(draft.text, as_utc(record.time).date().isoformat())
    add_superseded(desk, match.path, past, struck, merge.language)
    home = desk.homes[draft.id]
    at = None if match.path == home else match.path
    hashed, proof = written_hash(struck), draft.evidence
    desk.record(home, LedgerRecord(past, hashed, proof.time, draft.origin, None, at, proof.trust))
    return merge.outcome(draft, "superseded", match.path, "a later decision is known", entry=past)


def _is_past(desk: Desk, draft: Draft, past: str, path: str) -> bool:
    """Whether a decision stands among the superseded ones of its topic already."""
    if past in desk.records or desk.document(path).find(past):
        return True
    known = (desk.owned(entry) for entry in desk.records if entry.startswith(f"{draft.id}-"))
    texts = [unstruck(found[1].text) for found in known if found and found[1].kind != "callout"]
    return any(restates(draft.text, text) or restates(text, draft.text) for text in texts)


def _say_past_again(desk: Desk, draft: Draft, past: str) -> None:
    if record := desk.records.get(past):
        time = max(as_utc(record.time), as_utc(draft.evidence.time))
        desk.record(desk.homes[past], replace(record, time=time))


def merged_box(base: str | None, ours: str | None, theirs: str | None, *, later: bool) -> str | None:
    """The box after three sides met: one that a person set, or took away, stays."""
    if not theirs or ours is None or not later or ours.lower() != (base or " ").lower():
        return ours
    return ours if theirs.lower() == ours.lower() else theirs
