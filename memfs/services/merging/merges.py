"""Merging proposals into an identity's documents, as one commit with ledger, marks and cursors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from memfs.memory.ids import suggestion_id
from memfs.memory.journal import JOURNAL
from memfs.memory.merge import Change, MergeResult, Outcome, entry_texts, merge_drafts
from memfs.model import Cursor, Draft, Dropped, Origin, Tokens
from memfs.services.commit import Transaction, open_transaction
from memfs.services.ingesting.extracting import Proposal
from memfs.services.ingesting.sessions import SessionKey, cursor_place
from memfs.services.merging.drafting import draft_proposals
from memfs.services.merging.snapshots import UNSETTLED_SECONDS, ledger_path, load_snapshot
from memfs.services.merging.stale import note_mended
from memfs.vault.layout import Layout
from memfs.vault.leases import Lease, check_lease

if TYPE_CHECKING:
    from memfs.history.messages import EntryChange
    from memfs.services.opening import Language, Vault

_SETTLE_TRIES = 5
_ACTIONS = {"added": "added", "updated": "updated", "superseded": "superseded", "suggested": "added"}


@dataclass(frozen=True, slots=True)
class MergeWork:
    """What a merge is asked to do, and what its commit says of it.

    ``changes`` are done beside the proposals, in the same commit; one that cannot be done is dropped, and nothing
    waits for it.
    """

    identity: str
    kind: str = "merge"
    proposals: tuple[Proposal, ...] = ()
    changes: tuple[Change, ...] = ()
    cursors: tuple[Cursor, ...] = ()
    source: str | None = None
    extractor: str | None = None
    tokens: Tokens = field(default_factory=Tokens)
    dropped: tuple[Dropped, ...] = ()
    day: date | None = None
    origin: Origin = "extracted"
    lease: Lease | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of it. ``commit`` is None when nothing had to be written; ``waiting``: why it must be tried again."""

    outcomes: tuple[Outcome, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    commit: str | None = None
    waiting: tuple[str, ...] = ()
    unsettled: float = 0.0

    def count(self, *actions: str) -> int:
        """How many entries had one of these outcomes; lines of the journal are none."""
        return sum(outcome.action in actions and outcome.type != JOURNAL for outcome in self.outcomes)


def merge_settled(vault: Vault, work: MergeWork) -> Merged:
    """As `merge_proposals`; a document that was saved a moment ago is given its moment."""
    merged = Merged()
    for _ in range(_SETTLE_TRIES):
        merged = merge_proposals(vault, work)
        if not merged.unsettled:
            break
        time.sleep(min(merged.unsettled, UNSETTLED_SECONDS) + 0.01)
    return merged


def merge_proposals(vault: Vault, work: MergeWork) -> Merged:
    """Draft, merge and commit.

    What cannot be written now, because its document has to wait, is named in ``waiting``; the rest is committed,
    but without the cursors, so that the next run comes back to it. A document saved a moment ago makes all wait.

    Raises:
        LeaseLost: another worker took the identity; nothing was written.
        RepositoryBusy: git cannot take a commit now.
    """
    with open_transaction(vault) as transaction:
        if work.lease is not None:
            check_lease(vault.layout, work.lease, clock=lambda: vault.clock().timestamp())
        names = vault.names.mentioned(vault, work.identity, _said(work.proposals))
        drafts, dropped = _draft_all(vault, work, names, {})
        if not drafts and not work.changes:
            return Merged(dropped=dropped)
        documents = [draft.document for draft in drafts]
        documents += [document for change in work.changes for document in change.documents]
        loaded = load_snapshot(vault, transaction, work.identity, documents)
        snapshot = loaded.snapshot
        if loaded.unsettled:
            return Merged(dropped=dropped, waiting=_reasons(snapshot.deferred), unsettled=loaded.unsettled)
        existing = entry_texts(snapshot)
        if existing:  # patches and sums need the texts that are there
            drafts, dropped = _draft_all(vault, work, names, existing)
        result = merge_drafts(
            snapshot,
            drafts,
            identity=work.identity,
            language=vault.language,
            today=vault.now().date(),
            changes=work.changes,
        )
        dropped = (*dropped, *result.dropped)
        waiting = _reasons(
            {o.document: o.reason or "" for o in result.outcomes if o.action in ("deferred", "refused")}
        )
        work = replace(work, cursors=() if waiting else work.cursors, dropped=(*work.dropped, *dropped))
        changed = result.changed or bool(loaded.mended)
        commit = _write(vault, transaction, work, result, loaded.mended) if changed else None
        return Merged(result.outcomes, dropped, commit, waiting)


def _said(proposals: Iterable[Proposal]) -> str:
    """All that the operations say."""
    values = (value for proposal in proposals for value in proposal.operation.fields.values())
    return "\n".join(
        " ".join(map(str, value)) if isinstance(value, tuple) else str(value) for value in values
    )


def _reasons(waiting: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{document}: {reason}" for document, reason in waiting.items())


def _write(
    vault: Vault, transaction: Transaction, work: MergeWork, result: MergeResult, mended: Mapping[str, str]
) -> str:
    """Commit a merge's texts together with its cursors and the stale saves it mended."""
    from memfs.history.cursors import cursor_note
    from memfs.history.messages import CommitMessage

    files: dict[str, bytes | None] = {p: t.encode("utf-8", "surrogateescape") for p, t in mended.items()}
    files |= result_files(vault.layout, work.identity, result)
    files |= cursor_files(vault, work.identity, work.cursors)
    message = CommitMessage(
        kind=work.kind,
        subject=_subject(work, result.outcomes, vault.language),
        body=_body(work, result),
        identity=work.identity,
        source=work.source,
        cursor=cursor_note(work.cursors[-1]) if work.cursors else None,
        extractor=work.extractor,
        tokens=work.tokens if work.extractor else None,
        entries=tuple(entry_changes(result.outcomes)),
    )
    commit = transaction.commit(files, message).commit
    if mended:
        note_mended(vault, mended, commit)
    return commit


def _subject(work: MergeWork, outcomes: Sequence[Outcome], language: Language) -> str:
    from memfs.history.subjects import action_subject, count_phrase, merge_subject

    if work.kind == "merge":
        counts = Counter(o.type for o in outcomes if o.action in _ACTIONS)
        if counts.pop(JOURNAL, 0) and not counts and work.day:
            return action_subject(JOURNAL, work.day.isoformat(), identity=work.identity, language=language)
        return merge_subject(work.identity, counts, work.day, language)
    told = [o.type for o in outcomes]
    if work.kind == "training":  # a trajectory or skill is a document, whose fields are entries
        told = [
            kind for kind, _ in dict.fromkeys((o.type, o.document) for o in outcomes if o.action in _ACTIONS)
        ]
    what = count_phrase(Counter(told), language)
    return action_subject(work.kind, what, identity=work.identity, language=language)


def result_files(layout: Layout, identity: str, result: MergeResult) -> dict[str, bytes | None]:
    """The files of a merge's result, by path in the vault."""
    files: dict[str, bytes | None] = {}
    for document, text in result.documents.items():
        files[layout.document_rel(identity, document)] = None if text is None else text.encode()
    for document, text in result.ledgers.items():
        files[ledger_path(layout, identity, document)] = text.encode() if text else None
    if result.marks is not None:
        files[layout.rel(layout.forgotten_file(identity))] = result.marks.encode() or None
    return files


def cursor_files(vault: Vault, identity: str, cursors: Sequence[Cursor]) -> dict[str, bytes | None]:
    """The cursor files of these moves."""
    from memfs.history.cursors import render_cursor

    return {
        cursor_place(vault, identity, SessionKey(c.source, c.session)): render_cursor(c).encode()
        for c in cursors
    }


def entry_changes(outcomes: Iterable[Outcome]) -> Iterable[EntryChange]:
    """The trailers of a commit: one for each entry that was written."""
    from memfs.history.messages import EntryChange

    for outcome in outcomes:
        action = "removed" if outcome.action == "removed" else _ACTIONS.get(outcome.action)
        if action is not None:
            proof = outcome.evidence
            yield EntryChange(
                suggestion_id(outcome.id) if outcome.action == "suggested" else outcome.id,
                action,  # type: ignore[arg-type]  # one of the actions of a trailer
                proof.source if proof else None,
                proof.messages if proof else (),
            )


def _draft_all(
    vault: Vault, work: MergeWork, names: Mapping[str, str], existing: Mapping[str, str]
) -> tuple[tuple[Draft, ...], tuple[Dropped, ...]]:
    drafts: list[Draft] = []
    dropped: list[Dropped] = []
    for proposal, made in draft_proposals(vault, work.proposals, names=names, existing=existing):
        if isinstance(made, Dropped):
            dropped.append(made)
        else:
            drafts += [replace(d, origin=work.origin, insist=proposal.operation.insist) for d in made]
    return tuple(drafts), tuple(dropped)


def _body(work: MergeWork, result: MergeResult) -> str:
    lines = [f"dropped {item.type}: {item.reason}" for item in work.dropped]
    lines += [
        f"{outcome.action} {outcome.type} {outcome.id}: {outcome.reason}"
        for outcome in result.outcomes
        if outcome.reason and outcome.action not in ("added", "unchanged")
    ]
    return "\n".join(lines)
