"""Changes that a person or an agent asks for: remember, forget, move, accept, reject. Each is one commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memfs.errors import EntryNotFound, InvalidDocument, InvalidRequest, VaultError
from memfs.memory.merge import MergeResult, Snapshot
from memfs.memory.removal import move_entry, remove_entry
from memfs.memory.slugs import peer_id
from memfs.memory.suggestions import accept_suggestion, reject_suggestion
from memfs.memory.telling import told_fields
from memfs.model import Evidence, FieldValue, Operation, Target, Trust
from memfs.services.commit import Transaction, open_transaction
from memfs.services.entries import EntryPlace, find_entry
from memfs.services.ingesting.extracting import Proposal
from memfs.services.merging.emptied import without_emptied
from memfs.services.merging.merges import Merged, MergeWork, entry_changes, merge_settled, result_files
from memfs.services.merging.proofs import with_proof
from memfs.services.merging.snapshots import SAVED_JUST_NOW, load_snapshot
from memfs.services.merging.unwritable import look_at

if TYPE_CHECKING:
    from memfs.history.messages import EntryChange
    from memfs.services.opening import Vault

BY_CALL = "remembered"
Change = Callable[[Snapshot], MergeResult]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change did: the entry's id now, its document in the vault, and the commit (None: it was so already).

    ``redacted``: something in what was to be remembered was taken for a secret and replaced.
    """

    id: str
    path: str
    action: str
    commit: str | None
    redacted: bool = False


def remember(
    vault: Vault,
    text: str,
    *,
    identity: str | None = None,
    type: str = "notes",
    peer: str | None = None,
    fields: Mapping[str, FieldValue] | None = None,
    trust: Trust = "user",
) -> Changed:
    """Keep ``text`` as an entry of an identity. Secrets in it are redacted; asked outright, it overrides marks.

    ``fields`` are further ones of the memory type; the text is the content of a note or a preference, the task of an
    action, a decision (``topic: decision``), a profile's fact (``field: value``). ``peer`` is an id or a name.
    ``trust`` is less than the user's where somebody else asks, say an agent of its own accord.

    Raises:
        InvalidRequest: the text is empty, identity or type are not known, or a field is none of its fields or does not
            fit.
    """
    from memfs.extraction.redaction import redact_text

    name = vault.choose_identity(identity)
    clean = redact_text(text).text.strip()
    if not clean:
        raise InvalidRequest("there is nothing to remember: the text is empty")
    now = vault.now()
    kind = vault.registry.types.get(type)
    if kind is None:
        known = sorted(name for name, each in vault.registry.types.items() if each.enabled)
        raise InvalidRequest(f"no memory type {type!r}", hint=f"one of {', '.join(known)}")
    given = {key: _without_secrets(value) for key, value in (fields or {}).items()}
    operation = Operation(type, told_fields(kind, clean, given), peer=peer, insist=True)
    evidence = Evidence(BY_CALL, (now.isoformat(timespec="milliseconds"),), now, trust)
    target = Target(name, peer_id(peer) if peer and peer.strip() else None)
    merged = merge_settled(
        vault,
        MergeWork(
            name, "remember", (Proposal(operation, target, evidence),), source=BY_CALL, origin="remembered"
        ),
    )
    redacted = clean != text.strip() or given != dict(fields or {})
    return replace(_remembered(vault, name, merged), redacted=redacted)


def _without_secrets(value: FieldValue) -> FieldValue:
    from memfs.extraction.redaction import redact_text

    if isinstance(value, str):
        return redact_text(value).text
    return tuple(redact_text(item).text for item in value) if isinstance(value, tuple) else value


def _remembered(vault: Vault, identity: str, merged: Merged) -> Changed:
    if merged.dropped:
        raise InvalidRequest(f"it cannot be kept as {merged.dropped[0].type}: {merged.dropped[0].reason}")
    if merged.waiting:
        for refused in merged.outcomes[:1]:
            _require_writable(vault, vault.layout.document_rel(identity, refused.document))
        raise VaultError(f"it cannot be written now: {merged.waiting[0]}")
    outcome = merged.outcomes[0]
    path = vault.layout.document_rel(identity, outcome.document)
    return Changed(outcome.id, path, outcome.action, merged.commit)


def forget(vault: Vault, reference: str) -> Changed:
    """Take an entry out, whoever wrote it; marks keep evidence up to now from bringing it back.

    Raises:
        EntryNotFound: no entry has this id.
    """
    place = find_entry(vault, reference)

    def change(snapshot: Snapshot) -> MergeResult:
        return remove_entry(snapshot, place.id, time=vault.now())

    return _change(vault, "forget", place, change)


def accept(vault: Vault, reference: str) -> Changed:
    """Put a suggestion in the place of the entry it is offered for. Raises EntryNotFound where nothing is offered."""
    place = _suggested(vault, reference)
    return _change(vault, "accept", place, lambda snapshot: accept_suggestion(snapshot, place.id))


def reject(vault: Vault, reference: str) -> Changed:
    """Take a suggestion away; its text is not offered again. Raises EntryNotFound where nothing is offered."""
    place = _suggested(vault, reference)
    return _change(vault, "reject", place, lambda snapshot: reject_suggestion(snapshot, place.id))


def move(vault: Vault, reference: str, to: str) -> Changed:
    """Move an entry to the same document of another identity, where it gets that identity's id.

    Raises:
        EntryNotFound: no entry has this id.
        InvalidRequest: it is there already, or no identity is called so.
    """
    place, target = find_entry(vault, reference), vault.known_identity(to)
    if target == place.identity:
        raise InvalidRequest(f"{place.id} is in {target} already")
    with open_transaction(vault) as transaction:
        source = _snapshot(vault, transaction, place.identity, place.document, place.id)
        other = _snapshot(vault, transaction, target, place.document)
        left, arrived, new_id = move_entry(source, other, place.id, identity=target, time=vault.now())
        left = without_emptied(vault, place.identity, source, left)
        files = result_files(vault.layout, place.identity, left) | result_files(vault.layout, target, arrived)
        changes = with_proof(
            vault, (*entry_changes(left.outcomes), *entry_changes(arrived.outcomes)), was={new_id: place.id}
        )
        commit = _commit(
            vault, transaction, "move", place.identity, f"{place.id} -> {target}", files, changes
        )
    return Changed(new_id, vault.layout.document_rel(target, place.document), "moved", commit)


def _suggested(vault: Vault, reference: str) -> EntryPlace:
    """The place of a suggestion, named by its own id or by its entry's."""
    entry = reference.strip().removeprefix("^").removesuffix("-q")
    try:
        return find_entry(vault, f"{entry}-q")
    except EntryNotFound as error:
        raise EntryNotFound(
            f"nothing is offered for {entry}", hint="the list of entries shows what is offered"
        ) from error


def _change(vault: Vault, kind: str, place: EntryPlace, change: Change) -> Changed:
    with open_transaction(vault) as transaction:
        snapshot = _snapshot(vault, transaction, place.identity, place.document, place.id)
        result = without_emptied(vault, place.identity, snapshot, change(snapshot))
        outcome = result.outcomes[0]
        files = result_files(vault.layout, place.identity, result)
        changes = with_proof(vault, entry_changes(result.outcomes), was={outcome.id: place.id})
        commit = _commit(vault, transaction, kind, place.identity, place.id, files, changes)
    return Changed(outcome.id, place.path, kind, commit)


def _snapshot(
    vault: Vault, transaction: Transaction, identity: str, document: str, entry: str = ""
) -> Snapshot:
    homes = homes_of(vault, identity, entry) if entry else ()
    _require_writable(vault, vault.layout.document_rel(identity, document))
    snapshot = load_snapshot(vault, transaction, identity, (document, *homes)).snapshot
    blocked = snapshot.deferred.get(document)
    if blocked and blocked != SAVED_JUST_NOW:  # what a person asks for now is meant for the text as it is now
        raise VaultError(blocked, path=vault.layout.document_rel(identity, document))
    return replace(snapshot, deferred={n: r for n, r in snapshot.deferred.items() if r != SAVED_JUST_NOW})


def _require_writable(vault: Vault, path: str) -> None:
    """Raise InvalidDocument, with path and line, for a document that memfs does not write into."""
    found = look_at(vault, path).obstacles if (vault.top / path).exists() else ()
    for obstacle in found[:1]:
        raise InvalidDocument(
            obstacle.reason, path=path, line=obstacle.line, hint="mend it by hand, then run the command again"
        )


def homes_of(vault: Vault, identity: str, entry: str) -> tuple[str, ...]:
    """The documents whose ledger knows an entry, or what is offered for it."""
    folder = vault.layout.identity_dir(identity) / ".ledger"
    known = re.compile(rf"^{re.escape(entry.removesuffix('-q'))}(-q)? ", re.MULTILINE)
    return tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*.md"))
        if known.search(path.read_text(encoding="utf-8", errors="replace"))
    )


def _commit(
    vault: Vault,
    transaction: Transaction,
    kind: str,
    identity: str,
    what: str,
    files: Mapping[str, bytes | None],
    entries: tuple[EntryChange, ...],
) -> str | None:
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject

    if not files:
        return None
    subject = action_subject(kind, what, identity=identity, language=vault.language)
    return transaction.commit(files, CommitMessage(kind, subject, identity=identity, entries=entries)).commit
