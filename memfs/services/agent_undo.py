"""Taking back what an agent did to files: whole or not at all, and no entry ever stands twice because of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest
from memfs.memory.snapshot import Outcome
from memfs.memory.texts import entry_ids, merge_texts
from memfs.services.commit import Transaction, open_transaction
from memfs.services.committing.secrets import decoded, is_text, require_no_secrets
from memfs.vault.scan import find_ids

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.history.trees import Blob
    from memfs.services.opening import Vault

KIND = "agent-undo"
_RECORDS = ("/.ledger/", "/.cursors/", "/.forgotten")


def is_of_files(vault: Vault, entry: LogEntry, base: str | None) -> bool:
    """Whether a commit is an agent's change of files, or the undo of one.

    Such an undo once was an ``undo`` like any other; of these it is the one that names no entry and no record.
    """
    from memfs.history.log import changed_blobs

    if entry.kind != "undo" or entry.message is None or entry.message.entries:
        return entry.kind in ("agent", KIND)
    changed = changed_blobs(vault.repository, base, entry.commit)
    return not any(record in path for path in changed for record in _RECORDS)


def undo_files(vault: Vault, entry: LogEntry, base: str | None) -> tuple[str | None, tuple[Outcome, ...]]:
    """Take back what a commit of an agent did to files; what was changed since stays.

    ``base``: the commit that it began from. Gives the commit of the undo (None: nothing was left to take back) and
    what became of each file.

    Raises:
        InvalidRequest: a secret would come back, or a renamed file or an entry would stand twice; nothing was done.
    """
    from memfs.history.log import changed_blobs
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject

    changed = changed_blobs(vault.repository, base, entry.commit)
    before = vault.repository.read_blobs(base, list(changed)) if base else dict.fromkeys(changed)
    after = vault.repository.read_blobs(entry.commit, list(changed))
    with open_transaction(vault) as transaction:
        now = {path: transaction.read(path) for path in changed}
        taken = {path: _taken_back(before[path], after[path], now[path]) for path in changed}
        for move in _moves(changed):
            taken |= _moved_back(move, before, after, now)
        files = {path: data for path, data in taken.items() if data != now[path]}
        if not files:
            return None, ()
        _require_once(transaction, files)
        require_no_secrets(transaction, files)
        subject = action_subject("undo", f"{entry.commit[:8]} ({entry.subject})", language=vault.language)
        identity = entry.message.identity if entry.message else None
        done = transaction.commit(files, CommitMessage(KIND, subject, identity=identity))
        return done.commit, tuple(_outcome(path, now[path], data) for path, data in files.items())


def _outcome(path: str, was: bytes | None, became: bytes | None) -> Outcome:
    """What became of a file, which has no id."""
    if became is None:
        return Outcome("", "removed", "", path)
    return (
        Outcome("", "updated", "", path)
        if was is not None
        else Outcome("", "added", "", path, "brought back")
    )


def _taken_back(before: bytes | None, after: bytes | None, now: bytes | None) -> bytes | None:
    """A file as it would be without the change from ``before`` to ``after``."""
    if now == after:
        return before
    if now is None or before == after:
        return now
    texts = [(data or b"").decode("utf-8", "surrogateescape") for data in (after, now, before)]
    return merge_texts(*texts).encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class _Move:
    old: str
    new: str


def _moves(changed: Mapping[str, tuple[Blob | None, Blob | None]]) -> Iterator[_Move]:
    """The renames of a commit: a file that went, and one of the same content that came."""
    gone: dict[Blob, list[str]] = defaultdict(list)
    for path, (was, became) in sorted(changed.items()):
        if was is not None and became is None:
            gone[was].append(path)
    for path, (was, became) in sorted(changed.items()):
        if was is None and became is not None and gone[became]:
            yield _Move(gone[became].pop(0), path)


def _moved_back(
    move: _Move,
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
    now: Mapping[str, bytes | None],
) -> dict[str, bytes | None]:
    """A renamed file under its old name, with all that was written into it since. Raises InvalidRequest."""
    here, there = now[move.new], now[move.old]
    if there is None and here is not None:
        return {move.old: here, move.new: None}
    if there is not None and (here is None or (there, here) == (before[move.old], after[move.new])):
        return {move.old: there, move.new: None}
    if there is None:
        raise InvalidRequest(
            f"{move.new} is no longer where the rename put it, and would stand twice under {move.old}",
            hint="move it back by hand, if it is still there under another name",
        )
    raise InvalidRequest(
        f"{move.old} was begun anew since it was renamed to {move.new}; both stay as they are",
        hint=f"move what one of them says into the other, and rename {move.new} by hand",
    )


def _require_once(transaction: Transaction, files: Mapping[str, bytes | None]) -> None:
    """Raise InvalidRequest where an entry would come back that stands in another place by now."""
    texts = {path: entry_ids(decoded(data)) for path, data in files.items() if is_text(path)}
    brought = {path: ids - entry_ids(decoded(transaction.read(path))) for path, ids in texts.items()}
    standing = find_ids(transaction.vault.layout, set().union(*brought.values()))
    for path, ids in sorted(brought.items()):
        for entry in sorted(ids):
            others = {other for other in standing.get(entry, ()) if other not in texts}
            others |= {other for other, its in texts.items() if other != path and entry in its}
            if others:
                raise InvalidRequest(
                    f"the entry {entry} would come back into {path}, and stands in {min(others)} by now",
                    hint="take one of them out by hand, or leave it as it is",
                )
