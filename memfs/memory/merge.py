"""The merge: drafts meet what is on disk, and hand edits win (spec 5). Pure: a snapshot in, new texts out.

The ledger says what memfs last wrote; *ours* is the text on disk now, *theirs* the draft. Merging the same
drafts into the result again changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Protocol

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.memory.deletions import missing_ids, notice_changes
from memfs.memory.desk import Desk
from memfs.memory.headings import Language
from memfs.memory.ledger import as_utc
from memfs.memory.matching import Match, find_match
from memfs.memory.meeting import Round, meet_own
from memfs.memory.plain import plain_text
from memfs.memory.snapshot import MergeResult, Outcome, Snapshot
from memfs.memory.suggestions import offer
from memfs.memory.wording import same_sense
from memfs.memory.writing import add_entry
from memfs.model import Draft, Dropped

__all__ = ["Change", "MergeResult", "Outcome", "Snapshot", "entry_texts", "merge_drafts", "missing_ids"]


class Change(Protocol):
    """What a merge is to do beside its drafts, after them."""

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents it looks at or changes, below the identity."""
        ...

    def apply(self, merge: Round, waiting: Mapping[str, str]) -> tuple[Sequence[Outcome], Sequence[Dropped]]:
        """Do it, all or nothing, but in no document that is ``waiting``; what became of it, and what did not."""
        ...


def merge_drafts(
    snapshot: Snapshot,
    drafts: Sequence[Draft],
    *,
    identity: str,
    language: Language,
    today: date,
    changes: Sequence[Change] = (),
) -> MergeResult:
    """Merge drafts of one identity into its memory.

    Drafts count in the order of their evidence time, not of arrival. One that cannot be merged (its document
    is deferred, broken, or would be damaged) leaves everything as it is, with a reason; the others go on.
    ``today`` dates deletions that ``snapshot.deleted_at`` does not. Raises InvalidRequest for a draft that is
    another identity's.
    """
    if strangers := [draft.id for draft in drafts if draft.frontmatter.get("identity", identity) != identity]:
        raise InvalidRequest(f"{strangers[0]} is not an entry of {identity}")
    desk = Desk(snapshot)
    waiting = notice_changes(desk, noticed=datetime.combine(today, time.max, UTC))
    merge = Round(desk, language)
    in_order = sorted(range(len(drafts)), key=lambda at: as_utc(drafts[at].evidence.time))
    outcomes = {at: _apply(merge, drafts[at], waiting) for at in in_order}
    made = [change.apply(merge, waiting) for change in changes]
    own = [outcomes[at] for at in range(len(drafts))]
    result = desk.result([*own, *(outcome for done, _ in made for outcome in done)])
    return replace(result, dropped=tuple(each for _, dropped in made for each in dropped))


def entry_texts(snapshot: Snapshot) -> Mapping[str, str]:
    """The texts of memfs's entries by id, as a reader sees them: what patches and sums start from."""
    desk = Desk(snapshot)
    found = ((entry, desk.owned(entry)) for entry in desk.records if not entry.endswith("-q"))
    return {entry: plain_text(at[1].text) for entry, at in found if at}


def _apply(merge: Round, draft: Draft, waiting: Mapping[str, str]) -> Outcome:
    """What becomes of one draft; an edit that was refused changed nothing."""
    try:
        with merge.desk.attempt():
            return _merge_one(merge, draft, waiting)
    except (InvalidDocument, InvalidRequest) as error:
        return Outcome(draft.id, "refused", draft.type, draft.document, error.message, draft.evidence)


def _merge_one(merge: Round, draft: Draft, waiting: Mapping[str, str]) -> Outcome:
    desk = merge.desk
    path = desk.place(draft.id) or draft.document
    for document in (desk.homes.get(draft.id, draft.document), path, draft.document):
        if document in waiting:
            return merge.outcome(draft, "deferred", document, waiting[document])
    if draft.id in desk.snapshot.outside:
        return merge.outcome(
            draft, "kept", path, "the entry was moved out of memories; it is the person's now"
        )
    desk.document(path).require_writable()
    match = find_match(desk, draft)
    if match is not None and match.owned:
        if match.path in waiting:
            return merge.outcome(draft, "deferred", match.path, waiting[match.path])
        return meet_own(merge, draft, match)
    if held := merge.held_back(draft, draft.id):
        return merge.outcome(draft, "forgotten", draft.document, held)
    if draft.id in desk.records and draft.id in desk.snapshot.places:
        return merge.outcome(
            draft, "kept", path, "a person put it where it is no entry: into code, a comment, a quote"
        )
    return _meet_person(merge, draft, match) if match is not None else _add(merge, draft)


def _meet_person(merge: Round, draft: Draft, match: Match) -> Outcome:
    """A person's line is never rewritten; where it says something else, the draft is offered under it."""
    if match.how == "near" or same_sense(draft.type, match.block.text, draft.text):
        reason = "a person's line says this already"
        return merge.outcome(draft, "kept", match.path, reason, entry=match.block.block_id)
    return offer(merge.desk, draft, match)


def _add(merge: Round, draft: Draft) -> Outcome:
    if draft.mode == "update_only":
        reason = "this type is only updated, and there is no entry"
        return merge.outcome(draft, "unchanged", draft.document, reason)
    if draft.inferred:
        return offer(merge.desk, draft, None)
    add_entry(merge.desk, draft)
    merge.written.add(draft.id)
    return merge.outcome(draft, "added", draft.document)
