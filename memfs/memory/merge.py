"""The merge: drafts meet what is on disk, and hand edits win (spec 5). Pure: a snapshot in, new texts out.

The ledger says what memfs last wrote; *ours* is the text on disk now, *theirs* the draft. Merging the same
drafts into the result again changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.memory.deletions import missing_ids, notice_changes
from memfs.memory.desk import Desk, says
from memfs.memory.headings import Language
from memfs.memory.ids import superseded_id, text_hash, written_hash
from memfs.memory.ledger import LedgerRecord, as_utc
from memfs.memory.matching import Match, find_match
from memfs.memory.plain import plain_text, says_no_more
from memfs.memory.snapshot import Action, MergeResult, Outcome, Snapshot
from memfs.memory.suggestions import offer
from memfs.memory.wording import combine, core_key, restates, strike, unstruck, without_date
from memfs.memory.writing import add_entry, add_superseded, rewrite_entry
from memfs.model import Draft

__all__ = ["MergeResult", "Outcome", "Snapshot", "entry_texts", "merge_drafts", "missing_ids"]


def merge_drafts(
    snapshot: Snapshot, drafts: Sequence[Draft], *, identity: str, language: Language, today: date
) -> MergeResult:
    """Merge drafts of one identity into its memory.

    Drafts count in the order of their evidence time, not of arrival. One that cannot be merged (its
    document is deferred, broken, or would be damaged) leaves everything as it is, with a reason; the others
    go on.
    """
    desk = Desk(snapshot)
    waiting = notice_changes(desk)
    merge = _Merge(desk, waiting, identity, language, today)
    in_order = sorted(range(len(drafts)), key=lambda at: as_utc(drafts[at].evidence.time))
    outcomes = {at: merge.apply(drafts[at]) for at in in_order}
    return desk.result(outcomes[at] for at in range(len(drafts)))


def entry_texts(snapshot: Snapshot) -> Mapping[str, str]:
    """The texts of memfs's entries by id, as a reader sees them: what patches and sums start from."""
    desk = Desk(snapshot)
    found = ((entry, desk.owned(entry)) for entry in desk.records if not entry.endswith("-q"))
    return {entry: plain_text(at[1].text) for entry, at in found if at}


class _Merge:
    """One merge under way.

    ``written``: entries that this merge wrote, where a later draft of equal time wins.
    """

    def __init__(
        self, desk: Desk, waiting: Mapping[str, str], identity: str, language: Language, today: date
    ) -> None:
        self.desk, self.waiting = desk, waiting
        self.identity, self.language, self.today = identity, language, today
        self.written: set[str] = set()

    def apply(self, draft: Draft) -> Outcome:
        """What becomes of one draft."""
        try:
            return self._apply(draft)
        except (InvalidDocument, InvalidRequest) as error:
            return _outcome(draft, "refused", draft.document, error.message)

    def _apply(self, draft: Draft) -> Outcome:
        home = self.desk.homes.get(draft.id, draft.document)
        path = self.desk.place(draft.id) or draft.document
        for document in (home, path, draft.document):
            if document in self.waiting:
                return _outcome(draft, "deferred", document, self.waiting[document])
        if draft.id in self.desk.snapshot.outside:
            return _outcome(
                draft, "kept", path, "the entry was moved out of memories; it is the person's now"
            )
        self.desk.document(path).require_writable()
        match = find_match(self.desk, draft)
        if match is not None and match.owned:
            if match.path in self.waiting:
                return _outcome(draft, "deferred", match.path, self.waiting[match.path])
            return self._meet_own(draft, match)
        if held := self._held_back(draft, draft.id):
            return _outcome(draft, "forgotten", draft.document, held)
        if match is not None:
            return _outcome(draft, "kept", match.path, "a person's line says this already", entry=match.id)
        return self._add(draft)

    # -- nothing there yet ----------------------------------------------------------------------------------

    def _add(self, draft: Draft) -> Outcome:
        if draft.mode == "update_only":
            return _outcome(
                draft, "unchanged", draft.document, "this type is only updated, and there is no entry"
            )
        if draft.inferred:
            return offer(self.desk, draft, None)
        add_entry(self.desk, draft)
        self.written.add(draft.id)
        return _outcome(draft, "added", draft.document)

    # -- an entry of memfs's own ----------------------------------------------------------------------------

    def _meet_own(self, draft: Draft, match: Match) -> Outcome:
        entry = match.id or draft.id
        record = self.desk.records[entry]
        untouched = written_hash(match.block.text) == record.hash
        draft = replace(draft, id=entry, text=self._wording(draft, match, untouched))
        if text_hash(draft.text) == text_hash(match.block.text):
            return self._say_again(draft, match, record, "unchanged" if untouched else "kept")
        if held := self._held_back(draft, entry):
            return _outcome(draft, "forgotten", match.path, held)
        if not untouched:
            return self._meet_edited(draft, match, record)
        if draft.mode == "add_only":
            return _outcome(draft, "unchanged", match.path, "entries of this type are only added")
        if match.how == "near":
            return self._update(draft, match, record)
        if not self._is_later(draft, record):
            return self._come_late(draft, match, record)
        if draft.inferred:
            return offer(self.desk, draft, match)
        if draft.supersedes and not restates(match.block.text, draft.text):
            return self._supersede(draft, match, record)
        return self._update(draft, match, record)

    def _wording(self, draft: Draft, match: Match, untouched: bool) -> str:
        """What the entry would say after this draft; one that says less says what stands there."""
        ours, theirs = match.block.text, draft.text
        if match.how == "near" and says_no_more(_core(draft, theirs), _core(draft, ours)):
            return ours
        if not untouched and says_no_more(_core(draft, theirs), _core(draft, ours)):
            return ours
        return combine(draft.type, ours, theirs, status_said=draft.box != "")

    def _say_again(self, draft: Draft, match: Match, record: LedgerRecord, action: Action) -> Outcome:
        """The same text again: newer evidence counts, and the box follows it unless the person set it."""
        later = self._is_later(draft, record)
        box = _merged_box(record.box, match.block.box, draft.box, later=later)
        time = max(as_utc(record.time), as_utc(draft.evidence.time))
        if box != match.block.box:
            rewrite_entry(self.desk, match, match.block.text, box=box)
            action = "updated"
            record = replace(record, box=box)
            self.written.add(draft.id)
        self.desk.record(self.desk.homes[draft.id], replace(record, time=time))
        return _outcome(draft, action, match.path)

    def _meet_edited(self, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
        if text_hash(draft.text) == says(record):
            return self._say_again(draft, match, record, "kept")
        if not self._is_later(draft, record):
            return _outcome(draft, "kept", match.path, "a person edited it, and this is not newer")
        return offer(self.desk, draft, match)

    def _come_late(self, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
        """Older evidence changes nothing; an older decision enters already superseded."""
        older = as_utc(draft.evidence.time) < as_utc(record.time)
        if not (draft.supersedes and older) or draft.inferred or restates(draft.text, match.block.text):
            return _outcome(
                draft, "unchanged", match.path, "newer evidence says otherwise" if older else None
            )
        past = superseded_id(draft.id, without_date(draft.text))
        if self._is_past(draft, past, match.path):
            return _outcome(draft, "unchanged", match.path, "it is known as superseded")
        if held := self._held_back(draft, past):
            return _outcome(draft, "forgotten", match.path, held, entry=past)
        struck = strike(draft.text, as_utc(record.time).date().isoformat())
        add_superseded(self.desk, match.path, past, struck, self.language)
        self.desk.record(
            self.desk.homes[draft.id], _record(past, struck, draft, self.desk.homes[draft.id], match.path)
        )
        return _outcome(draft, "superseded", match.path, "a later decision is known", entry=past)

    def _update(self, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
        box = _merged_box(record.box, match.block.box, draft.box, later=self._is_later(draft, record))
        rewrite_entry(self.desk, match, draft.text, box=box)
        base = box if box != match.block.box else record.box
        self._note(draft, draft.text, match.path, base, record)
        return _outcome(draft, "updated", match.path)

    def _supersede(self, draft: Draft, match: Match, record: LedgerRecord) -> Outcome:
        past = superseded_id(draft.id, without_date(match.block.text))
        ours = " ".join(match.block.text.split())
        rewrite_entry(self.desk, match, draft.text, box=match.block.box)
        if past not in self.desk.records and not self.desk.document(match.path).find(past):
            struck = strike(ours, draft.evidence.time.date().isoformat())
            add_superseded(self.desk, match.path, past, struck, self.language)
            old = replace(record, id=past, hash=written_hash(struck), box=None)
            self.desk.record(self.desk.homes[draft.id], old)
        self._note(draft, draft.text, match.path, record.box, record)
        return _outcome(draft, "superseded", match.path)

    def _is_past(self, draft: Draft, past: str, path: str) -> bool:
        """Whether a decision stands among the superseded ones of its topic already."""
        if past in self.desk.records or self.desk.document(path).find(past):
            return True
        known = (self.desk.owned(entry) for entry in self.desk.records if entry.startswith(f"{draft.id}-"))
        texts = [unstruck(found[1].text) for found in known if found and found[1].kind != "callout"]
        return any(restates(draft.text, text) or restates(text, draft.text) for text in texts)

    # -- common ---------------------------------------------------------------------------------------------

    def _note(self, draft: Draft, text: str, path: str, box: str | None, old: LedgerRecord) -> None:
        home = self.desk.homes[draft.id]
        time = max(as_utc(old.time), as_utc(draft.evidence.time))
        self.desk.record(home, replace(_record(draft.id, text, draft, home, path), box=box, time=time))
        self.written.add(draft.id)

    def _is_later(self, draft: Draft, record: LedgerRecord) -> bool:
        said, known = as_utc(draft.evidence.time), as_utc(record.time)
        return said > known or (said == known and draft.id in self.written)

    def _held_back(self, draft: Draft, entry: str) -> str | None:
        return (
            None if draft.insist else self.desk.held_back(entry, text_hash(draft.text), draft.evidence.time)
        )


def _core(draft: Draft, text: str) -> str:
    return core_key(draft.type, plain_text(text))


def _record(entry: str, text: str, draft: Draft, home: str, path: str) -> LedgerRecord:
    at = None if path == home else path
    return LedgerRecord(entry, written_hash(text), draft.evidence.time, draft.origin, None, at)


def _merged_box(base: str | None, ours: str | None, theirs: str | None, *, later: bool) -> str | None:
    """The box after three sides met: one that a person set, or took away, stays."""
    if not theirs or ours is None or not later or _norm(ours) != _norm(base or " "):
        return ours
    return ours if _norm(theirs) == _norm(ours) else theirs


def _norm(box: str) -> str:
    return box.lower()


def _outcome(
    draft: Draft, action: Action, path: str, reason: str | None = None, *, entry: str | None = None
) -> Outcome:
    return Outcome(entry or draft.id, action, draft.type, path, reason, draft.evidence)
