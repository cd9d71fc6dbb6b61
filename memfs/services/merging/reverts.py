"""A person's ``git revert`` of a memfs commit counts as its undo: marks are set, and the cursor stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.errors import CommitNotFound
from memfs.services.commit import Transaction, open_transaction
from memfs.services.merging.merges import result_files
from memfs.services.undo import base_of, marks_of_revert
from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.opening import Vault

_RECORD = "reverts"
_CURSORS = "/.cursors/"


def absorb_reverts(vault: Vault) -> tuple[str, ...]:
    """Take note of what a person reverted since the last look. Returns the commits that were taken back."""
    from memfs.history.log import is_ancestor, read_log

    state = LocalState(vault.layout)
    head = vault.repository.head().commit
    seen = state.read_record(_RECORD).get("seen")
    if head is None or head == seen:
        return ()
    known = seen if seen and is_ancestor(vault.repository, seen, head) else None
    reverts = read_log(vault.repository, after=known, kinds=("revert",))
    again = {
        name for revert in reverts for name in revert.reverts
    }  # a revert that was reverted changed nothing
    reverted = [
        entry
        for revert in reverts
        if revert.commit not in again
        for name in revert.reverts
        if (entry := _reverted(vault, name)) is not None
    ]
    for entry in reversed(reverted):
        _absorb(vault, entry)
    state.update_record(_RECORD, lambda record: record.update(seen=head))
    return tuple(entry.commit for entry in reverted)


def _reverted(vault: Vault, name: str) -> LogEntry | None:
    """The memfs commit that a revert names; None when it is none."""
    from memfs.history.log import read_commit

    try:
        entry = read_commit(vault.repository, name)
    except CommitNotFound:
        return None
    return (
        entry
        if entry.message is not None and entry.kind in ("merge", "training", "remember", "accept")
        else None
    )


def _absorb(vault: Vault, entry: LogEntry) -> None:
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject

    with open_transaction(vault) as transaction:
        files: dict[str, bytes | None] = {}
        for identity, result in marks_of_revert(vault, transaction, entry).items():
            files |= result_files(vault.layout, identity, result)
        files |= _cursors_kept(vault, transaction, entry)
        files = {path: data for path, data in files.items() if data != transaction.read(path)}
        if files:
            subject = action_subject("undo", f"{entry.commit[:8]} (git revert)", language=vault.language)
            whose = entry.message.identity if entry.message else None
            transaction.commit(files, CommitMessage("undo", subject, identity=whose))


def _cursors_kept(vault: Vault, transaction: Transaction, entry: LogEntry) -> dict[str, bytes | None]:
    """The cursor files of the reverted merge, unless they moved on since."""
    from memfs.history.cursors import parse_cursor, render_cursor
    from memfs.history.log import changed_blobs

    files: dict[str, bytes | None] = {}
    for path in changed_blobs(vault.repository, base_of(vault, entry), entry.commit):
        if _CURSORS not in f"/{path}":
            continue
        then = parse_cursor((vault.repository.read_blob(entry.commit, path) or b"").decode())[0]
        now = parse_cursor((transaction.read(path) or b"").decode("utf-8", "replace"))[0]
        furthest = max((cursor.offset for cursor in now), default=-1)
        if any(cursor.offset > furthest for cursor in then):
            files[path] = render_cursor(*now, *then).encode()
    return files
