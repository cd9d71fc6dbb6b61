"""Cursor moves between commits: a batch with nothing to record moves its cursor as pending work.

Pending moves ride along with the next merge, or are committed alone at most hourly. Losing one costs re-reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.model import Cursor
from memfs.services.commit import open_transaction
from memfs.services.merging.merges import MergeWork, cursor_files
from memfs.vault.local import LocalState
from memfs.vault.records import drop_pending_cursors, pending_cursors, set_pending_cursor

if TYPE_CHECKING:
    from memfs.services.opening import Vault

ALONE_AFTER_SECONDS = 3600.0


def take_pending(vault: Vault, identity: str, other_than: Cursor) -> tuple[Cursor, ...]:
    """The pending moves of an identity's other sessions, to be committed with a merge."""
    own = (other_than.source, other_than.session)
    pending = pending_cursors(LocalState(vault.layout), identity)
    return tuple(cursor for cursor, _ in pending if (cursor.source, cursor.session) != own)


def move_cursors(vault: Vault, work: MergeWork, *, committed: bool) -> None:
    """After a batch: forget the pending moves that its commit holds, or note its own as pending."""
    state = LocalState(vault.layout)
    if committed:
        pending = pending_cursors(state, work.identity)
        if pending:
            keys = {(cursor.source, cursor.session) for cursor in work.cursors}
            held = tuple(cursor for cursor, _ in pending if (cursor.source, cursor.session) in keys)
            drop_pending_cursors(state, work.identity, held)
    elif work.cursors:
        set_pending_cursor(state, work.identity, work.cursors[0], vault.clock().timestamp())


def commit_old_moves(vault: Vault, identity: str, *, at_once: bool = False) -> str | None:
    """Commit pending moves alone when the oldest has waited for an hour (``at_once``: whatever its age)."""
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject

    state = LocalState(vault.layout)
    pending = pending_cursors(state, identity)
    if not pending:
        return None
    oldest = min(since for _, since in pending)
    if not at_once and vault.clock().timestamp() - oldest < ALONE_AFTER_SECONDS:
        return None
    cursors = tuple(cursor for cursor, _ in pending)
    what = f"{len(cursors)} session" + ("s" if len(cursors) > 1 else "")
    subject = action_subject("cursor", what, identity=identity, language=vault.language)
    with open_transaction(vault) as transaction:
        files = cursor_files(vault, identity, cursors)
        commit = transaction.commit(files, CommitMessage("cursor", subject, identity=identity)).commit
    drop_pending_cursors(state, identity, cursors)
    return commit
