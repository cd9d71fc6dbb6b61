"""Merging proposals into an identity's documents, as one commit with ledger, marks and cursors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from memfs.memory.drafts import draft_entries
from memfs.memory.merge import MergeResult, Outcome, Snapshot, entry_texts, merge_drafts, missing_ids
from memfs.model import Cursor, Draft, Dropped, Origin, Tokens
from memfs.services.commit import Transaction, open_transaction
from memfs.services.extracting import Proposal
from memfs.services.sessions import SessionKey, cursor_place
from memfs.vault.layout import Layout
from memfs.vault.leases import Lease, check_lease
from memfs.vault.scan import find_ids

if TYPE_CHECKING:
    from memfs.history.messages import EntryChange
    from memfs.services.opening import Vault

UNSETTLED_SECONDS = 2.0
_SETTLE_TRIES = 5
_ACTIONS = {"added": "added", "updated": "updated", "superseded": "superseded", "suggested": "updated"}


@dataclass(frozen=True, slots=True)
class MergeWork:
    """What a merge is asked to do, and what its commit says of it."""

    identity: str
    kind: str = "merge"
    proposals: tuple[Proposal, ...] = ()
    cursors: tuple[Cursor, ...] = ()
    source: str | None = None
    extractor: str | None = None
    tokens: Tokens = Tokens()
    dropped: tuple[Dropped, ...] = ()
    day: date | None = None
    origin: Origin = "extracted"
    lease: Lease | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of it. ``commit`` is None when nothing had to be written; ``waiting`` says why it must be tried again."""

    outcomes: tuple[Outcome, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    commit: str | None = None
    waiting: tuple[str, ...] = ()
    unsettled: float = 0.0

    def count(self, *actions: str) -> int:
        """How many entries had one of these outcomes."""
        return sum(outcome.action in actions for outcome in self.outcomes)


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
        names = known_names(vault, work.identity)
        drafts, dropped = _draft_all(vault, work, names, {})
        if not drafts:
            return Merged(dropped=dropped)
        snapshot, unsettled = load_snapshot(vault, transaction, work.identity, (d.document for d in drafts))
        if unsettled:
            return Merged(dropped=dropped, waiting=_reasons(snapshot.deferred), unsettled=unsettled)
        existing = entry_texts(snapshot)
        if existing:  # patches and sums need the texts that are there
            drafts, dropped = _draft_all(vault, work, names, existing)
        result = merge_drafts(
            snapshot, drafts, identity=work.identity, language=vault.language, today=vault.now().date()
        )
        waiting = _reasons(
            {o.document: o.reason or "" for o in result.outcomes if o.action in ("deferred", "refused")}
        )
        work = replace(work, cursors=()) if waiting else work
        commit = write_result(vault, transaction, work, result) if result.changed else None
        return Merged(result.outcomes, dropped, commit, waiting)


def _reasons(waiting: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{document}: {reason}" for document, reason in waiting.items())


def write_result(vault: Vault, transaction: Transaction, work: MergeWork, result: MergeResult) -> str:
    """Commit a merge's texts together with its cursors."""
    from memfs.history.cursors import cursor_note
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import merge_subject

    files = result_files(vault.layout, work.identity, result)
    files |= cursor_files(vault, work.identity, work.cursors)
    counts = Counter(o.type for o in result.outcomes if o.action in _ACTIONS)
    message = CommitMessage(
        kind=work.kind,
        subject=merge_subject(work.identity, counts, work.day, vault.language),
        body=_body(work, result),
        identity=work.identity,
        source=work.source,
        cursor=cursor_note(work.cursors[-1]) if work.cursors else None,
        extractor=work.extractor,
        tokens=work.tokens if work.extractor else None,
        entries=tuple(entry_changes(result.outcomes)),
    )
    return transaction.commit(files, message).commit


def load_snapshot(
    vault: Vault, transaction: Transaction, identity: str, documents: Iterable[str]
) -> tuple[Snapshot, float]:
    """An identity's documents as they are now, with all that a merge must know of them.

    Also gives for how many seconds a document that was changed just now is still to be left alone.
    """
    layout = vault.layout
    names = tuple(dict.fromkeys(documents))
    ledgers = {name: _text(transaction, _ledger(layout, identity, name)) or "" for name in names}
    texts = {name: _text(transaction, layout.document_rel(identity, name)) for name in names}
    for moved in _moved_documents(ledgers):
        texts.setdefault(moved, _text(transaction, layout.document_rel(identity, moved)))
    missing = missing_ids(texts, ledgers)
    places, outside = _find_missing(vault, identity, missing)
    for place in places.values():
        texts.setdefault(place, _text(transaction, layout.document_rel(identity, place)))
    gone = [entry for entry in missing if entry not in places and entry not in outside]
    obstacles = _obstacles(vault, transaction, identity, texts)
    deferred, unsettled = _unsettled(vault, transaction, identity, ledgers, texts, gone)
    snapshot = Snapshot(
        documents=texts,
        ledgers=ledgers,
        marks=_text(transaction, layout.rel(layout.forgotten_file(identity))) or "",
        places=places,
        outside=frozenset(outside),
        deleted_at=_deletion_times(vault, transaction, identity, ledgers, gone),
        deferred={**deferred, **obstacles},
    )
    return snapshot, unsettled


def result_files(layout: Layout, identity: str, result: MergeResult) -> dict[str, bytes | None]:
    """The files of a merge's result, by path in the vault."""
    files: dict[str, bytes | None] = {}
    for document, text in result.documents.items():
        files[layout.document_rel(identity, document)] = None if text is None else text.encode()
    for document, text in result.ledgers.items():
        files[_ledger(layout, identity, document)] = text.encode() if text else None
    if result.marks is not None:
        files[layout.rel(layout.forgotten_file(identity))] = result.marks.encode()
    return files


def cursor_files(vault: Vault, identity: str, cursors: Sequence[Cursor]) -> dict[str, bytes | None]:
    """The cursor files of these moves."""
    from memfs.history.cursors import render_cursor

    return {
        cursor_place(vault, identity, SessionKey(c.source, c.session)): render_cursor(c).encode() for c in cursors
    }


def entry_changes(outcomes: Iterable[Outcome]) -> Iterable[EntryChange]:
    """The trailers of a commit: one for each entry that was written."""
    from memfs.history.messages import EntryChange

    for outcome in outcomes:
        action = _ACTIONS.get(outcome.action)
        if action is None and outcome.action in ("removed",):
            action = "removed"
        if action is not None:
            proof = outcome.evidence
            yield EntryChange(
                outcome.id,
                action,  # type: ignore[arg-type]  # one of the actions of a trailer
                proof.source if proof else None,
                proof.messages if proof else (),
            )


def _draft_all(
    vault: Vault, work: MergeWork, names: Mapping[str, str], existing: Mapping[str, str]
) -> tuple[tuple[Draft, ...], tuple[Dropped, ...]]:
    drafts: list[Draft] = []
    dropped: list[Dropped] = []
    for proposal in work.proposals:
        made = draft_entries(
            proposal.operation,
            proposal.target,
            vault.registry,
            proposal.evidence,
            language=vault.language,
            today=proposal.evidence.time.astimezone(vault.zone).date(),
            names=names,
            existing=existing,
        )
        if isinstance(made, Dropped):
            dropped.append(made)
        else:
            drafts += [replace(d, origin=work.origin, insist=proposal.operation.insist) for d in made]
    return tuple(drafts), tuple(dropped)


def known_names(vault: Vault, identity: str) -> Mapping[str, str]:
    """Names of the projects, entities and peers of an identity, each with its document in the vault."""
    folder = vault.layout.identity_dir(identity)
    names: dict[str, str] = {}
    for pattern in ("projects/*.md", "entities/*/*.md", "peers/*/profile.md"):
        for path in folder.glob(pattern):
            stem = path.parent.name if path.name == "profile.md" else path.stem
            for name in {stem, stem.replace("-", " ")}:
                names[name] = vault.layout.rel(path)
    return names


def _text(transaction: Transaction, path: str) -> str | None:
    """A file's text; one that is not UTF-8 reads with escapes, which keeps it from ever being written."""
    data = transaction.read(path)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _ledger(layout: Layout, identity: str, document: str) -> str:
    return layout.rel(layout.ledger_file(identity, document))


def _moved_documents(ledgers: Mapping[str, str]) -> Iterable[str]:
    from memfs.memory.ledger import parse_ledger

    for text in ledgers.values():
        yield from (record.at for record in parse_ledger(text)[0] if record.at)


def _find_missing(
    vault: Vault, identity: str, missing: Sequence[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Where ids stand that are not where their ledger says: in the identity's documents, or only outside of them."""
    if not missing:
        return {}, ()
    prefix = vault.layout.rel(vault.layout.identity_dir(identity)) + "/"
    places: dict[str, str] = {}
    outside = []
    for entry, paths in find_ids(vault.layout, missing).items():
        inside = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
        if inside:
            places[entry] = inside[0]
        else:
            outside.append(entry)
    return places, tuple(outside)


def _obstacles(
    vault: Vault, transaction: Transaction, identity: str, texts: Mapping[str, str | None]
) -> dict[str, str]:
    paths = {vault.layout.document_rel(identity, name): name for name in texts}
    found = {paths[path]: reason for path, reason in transaction.obstacles(paths).items()}
    for name, text in texts.items():
        if text is not None and any("\udc80" <= char <= "\udcff" for char in text):
            found[name] = "the document is not UTF-8, so memfs does not write into it"
    return found


def _unsettled(
    vault: Vault,
    transaction: Transaction,
    identity: str,
    ledgers: Mapping[str, str],
    texts: Mapping[str, str | None],
    gone: Sequence[str],
) -> tuple[dict[str, str], float]:
    """Documents in which entries are missing that may only seem so: gone, empty, or saved a moment ago."""
    deferred: dict[str, str] = {}
    wait = 0.0
    if not gone:
        return deferred, wait
    for name, ledger in ledgers.items():
        if not any(entry in ledger for entry in gone):
            continue
        path = vault.layout.document_rel(identity, name)
        age = vault.clock().timestamp() - transaction.states[path].mtime_ns / 1e9
        text = texts[name]
        if text is None and _is_committed(transaction, path):
            deferred[name] = "the document is missing; commit its removal, or put it back"
        elif text is not None and not text.strip():
            deferred[name] = "the document is empty"
        elif text is not None and 0 <= age < UNSETTLED_SECONDS:
            deferred[name] = "the document was saved a moment ago"
            wait = max(wait, UNSETTLED_SECONDS - age)
    return deferred, wait


def _is_committed(transaction: Transaction, path: str) -> bool:
    commit = transaction.head.commit
    return transaction.vault.repository.blob_ids(commit, [path])[path] is not None


def _deletion_times(
    vault: Vault,
    transaction: Transaction,
    identity: str,
    ledgers: Mapping[str, str],
    gone: Sequence[str],
) -> dict[str, datetime]:
    """When each entry was deleted: the person's commit that lacks it, else when its document was last saved."""
    from memfs.history.log import last_changes

    times: dict[str, datetime] = {}
    for name, ledger in ledgers.items():
        lost = [entry for entry in gone if entry in ledger]
        if not lost:
            continue
        path = vault.layout.document_rel(identity, name)
        state = transaction.states[path]
        blob = vault.repository.blob_ids(transaction.head.commit, [path])[path]
        clean = state.data is None or (blob is not None and vault.repository.matches(path, state.data, blob[1]))
        change = last_changes(vault.repository, [path]).get(path) if clean else None
        moment = change.time if change else datetime.fromtimestamp(state.mtime_ns / 1e9, UTC)
        times.update(dict.fromkeys(lost, moment))
    return times


def _body(work: MergeWork, result: MergeResult) -> str:
    lines = [f"dropped {item.type}: {item.reason}" for item in work.dropped]
    lines += [
        f"{outcome.action} {outcome.type} {outcome.id}: {outcome.reason}"
        for outcome in result.outcomes
        if outcome.reason and outcome.action not in ("added", "unchanged")
    ]
    return "\n".join(lines)
