"""Undo of one commit of memfs, entry by entry; what a person changed since is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest
from memfs.extraction.locating import brings_secrets, hidden_secrets
from memfs.memory.merge import MergeResult, Outcome
from memfs.memory.undo import Version, undo_entries, undo_marks
from memfs.memory.views import locate
from memfs.services.agent_undo import is_of_files, undo_files
from memfs.services.commit import NO_BASE, Transaction, open_transaction
from memfs.services.committing.secrets import decoded, is_text, require_no_secrets, secret_comes_back
from memfs.services.editing import undo_edit
from memfs.services.merging.merges import entry_changes, result_files
from memfs.services.merging.proofs import with_proof
from memfs.services.merging.snapshots import load_snapshot

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.opening import Vault

_LEDGER = "/.ledger/"
_HELD = ("kept", "refused", "unchanged")


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: the commit it took back, its own (None: nothing was left to take back), and each entry."""

    undone: str
    commit: str | None
    outcomes: tuple[Outcome, ...]


def undo(vault: Vault, name: str) -> Undone:
    """Take back what one commit of memfs did. What goes is not extracted again from the same evidence.

    Raises:
        CommitNotFound: no such commit.
        InvalidRequest: memfs did not make it, it holds several merges, or a secret or a second copy would come of it.
    """
    from memfs.history.log import read_commit
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject

    entry = read_commit(vault.repository, name)
    if entry.message is None or entry.kind in ("hand", "init", "cursor"):
        raise InvalidRequest(
            f"{entry.commit[:8]} is no merge of memfs ({entry.subject})", hint="take it back with git revert"
        )
    if entry.kind == "redact":
        raise _no_way_back(vault, entry)
    base = base_of(vault, entry)
    if entry.kind == "edit":
        return Undone(entry.commit, *undo_edit(vault, entry, base))
    if is_of_files(vault, entry, base):
        return Undone(entry.commit, *undo_files(vault, entry, base))
    with open_transaction(vault) as transaction:
        files: dict[str, bytes | None] = {}
        outcomes: list[Outcome] = []
        places = touched(vault, entry)
        moved = _is_move(entry, places)
        for identity, documents in places.items():
            result = _undo_identity(vault, transaction, entry, identity, documents, moved=moved)
            files |= result_files(vault.layout, identity, result)
            outcomes += result.outcomes
        if moved and (held := [each for each in outcomes if each.action in _HELD]):
            files, outcomes = {}, held  # back in one place only, it would stand twice or nowhere
        commit = None
        if files:
            subject = action_subject("undo", f"{entry.commit[:8]} ({entry.subject})", language=vault.language)
            message = CommitMessage(
                "undo",
                subject,
                identity=entry.message.identity,
                entries=with_proof(vault, entry_changes(outcomes), until=entry.commit),
            )
            require_no_secrets(transaction, files)
            commit = transaction.commit(files, message).commit
    return Undone(entry.commit, commit, tuple(outcomes))


def _no_way_back(vault: Vault, entry: LogEntry) -> InvalidRequest:
    """Why a redaction is not undone: where the secret was, in a line of whomever."""
    from memfs.history.log import changed_blobs

    base = base_of(vault, entry)
    paths = [path for path in changed_blobs(vault.repository, base, entry.commit) if is_text(path)]
    was = vault.repository.read_blobs(base, paths) if base else {}
    became = vault.repository.read_blobs(entry.commit, paths)
    hidden = None
    for path in paths:
        before, after = (decoded(blobs.get(path)) for blobs in (was, became))
        for line, kind in brings_secrets(after, before):
            return secret_comes_back(kind, path, line)
        hidden = hidden or next(((path, *found) for found in hidden_secrets(before, after)), None)
    place = f" ({hidden[2]}) out of {hidden[0]}:{hidden[1]}" if hidden else ""
    return InvalidRequest(
        f"{entry.commit[:8]} took a secret{place} that was never committed; no undo brings it back",
        hint="write the line again, if it was none",
    )


def touched(vault: Vault, entry: LogEntry) -> Mapping[str, tuple[str, ...]]:
    """The documents that a commit touched, by identity; told by documents and ledgers alike."""
    from memfs.history.log import changed_blobs

    found: dict[str, dict[str, None]] = defaultdict(dict)
    for path in changed_blobs(vault.repository, base_of(vault, entry), entry.commit):
        place = locate(path.replace(_LEDGER, "/", 1), root=vault.layout.root)
        if place is not None and place.document.endswith(".md"):
            found[place.identity][place.document] = None
    return {identity: tuple(documents) for identity, documents in found.items()}


def base_of(vault: Vault, entry: LogEntry) -> str | None:
    """The commit that a merge began from (None: nothing was committed then).

    Its parent, or what its trailer says where a person committed the merge's files while it was under way.

    Raises:
        CommitNotFound: a shallow clone does not have it.
    """
    from memfs.history.log import find_commit, is_ancestor, read_log

    said = entry.message.base if entry.message else None
    if said is None or said == NO_BASE:
        return entry.parents[0] if entry.parents else None
    if not entry.parents:
        return find_commit(vault.repository, said)
    parent = entry.parents[0]
    if said == parent or not is_ancestor(vault.repository, said, parent):
        return parent
    between = read_log(vault.repository, tip=parent, after=said)
    return said if all(each.kind == "other" for each in between) else parent


def version_at(vault: Vault, commit: str | None, identity: str, documents: tuple[str, ...]) -> Version:
    """Documents, their ledgers and the marks as a commit has them."""
    layout = vault.layout
    paths = {name: layout.document_rel(identity, name) for name in documents}
    ledgers = {name: layout.rel(layout.ledger_file(identity, name)) for name in documents}
    marks = layout.rel(layout.forgotten_file(identity))
    if commit is None:
        return Version(dict.fromkeys(documents), {}, "")
    blobs = vault.repository.read_blobs(commit, [*paths.values(), *ledgers.values(), marks])

    def text(path: str) -> str | None:
        data = blobs[path]
        return None if data is None else data.decode("utf-8", "surrogateescape")

    return Version(
        {name: text(path) for name, path in paths.items()},
        {name: text(path) or "" for name, path in ledgers.items()},
        text(marks) or "",
    )


def _undo_identity(
    vault: Vault,
    transaction: Transaction,
    entry: LogEntry,
    identity: str,
    documents: tuple[str, ...],
    *,
    moved: bool,
) -> MergeResult:
    snapshot = load_snapshot(vault, transaction, identity, documents).snapshot
    before = version_at(vault, base_of(vault, entry), identity, documents)
    after = version_at(vault, entry.commit, identity, documents)
    return undo_entries(snapshot, before, after, moved=moved)


def _is_move(entry: LogEntry, places: Collection[str]) -> bool:
    """Whether a commit moved an entry between identities: a move, or the undo of one.

    Such an undo bears an identity and touches two; one of a source that touches several bears none.
    """
    bears = entry.message is not None and entry.message.identity is not None
    return entry.kind in ("move", "undo") and bears and len(places) > 1


def marks_of_revert(vault: Vault, transaction: Transaction, entry: LogEntry) -> Mapping[str, MergeResult]:
    """For a merge that a person took back with git: the marks that keep its evidence from bringing it back."""
    results = {}
    for identity, documents in touched(vault, entry).items():
        snapshot = load_snapshot(vault, transaction, identity, documents).snapshot
        before = version_at(vault, base_of(vault, entry), identity, documents)
        results[identity] = undo_marks(snapshot, before, version_at(vault, entry.commit, identity, documents))
    return results
