"""A conversation put off the record after parts of it were merged: what came of these parts is taken back (spec 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.services.kept import kept_copy
from memfs.services.sessions import SessionKey
from memfs.services.undo import undo

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def withdraw(vault: Vault, identity: str, key: SessionKey) -> tuple[str, ...]:
    """Undo the merges of a session, the latest first, and remove its kept copy. Returns the commits taken back.

    Hand edits in what they brought stay. Idempotent.
    """
    from memfs.history.log import read_log

    merges = [
        entry.commit
        for entry in read_log(vault.repository, identity=identity, kinds=("merge", "training"))
        if entry.message is not None and entry.message.source == str(key)
    ]
    undone = tuple(commit for commit in merges if undo(vault, commit).commit is not None)
    kept_copy(vault, identity, key).unlink(missing_ok=True)
    return undone
