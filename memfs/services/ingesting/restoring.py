"""Making the notes of seen messages complete again: after ``.memfs`` was deleted, or cursors came from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import CommitNotFound, TranscriptError
from memfs.extraction.redaction import redact_name
from memfs.model import Cursor, Turn
from memfs.services.ingesting.kept import find_copies
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader
from memfs.services.ingesting.seen import SeenMessages
from memfs.services.ingesting.sessions import SessionKey, message_names

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.transcripts.reader import Reader


def restore_seen(vault: Vault, identity: str, seen: SeenMessages) -> None:
    """Note the messages of every cursor that the notes do not cover yet; nothing to do in the ordinary case."""
    head = vault.repository.head().commit
    if head is None or seen.stamp(identity) == head:
        return
    noted = seen.offsets(identity)
    for path in _changed_cursors(vault, identity, seen.stamp(identity), head):
        for cursor in _read_cursors(path):
            key = SessionKey(cursor.source, cursor.session)
            if noted.get(str(key), -1) < cursor.offset:
                seen.add(identity, str(key), cursor.offset, _messages(vault, identity, cursor, key))
    seen.set_stamp(identity, head)


def _changed_cursors(vault: Vault, identity: str, stamp: str | None, head: str) -> Iterator[Path]:
    """The cursor files that changed since the stamp; all of them when it is unknown here."""
    from memfs.history.log import changed_blobs

    folder = vault.layout.identity_dir(identity) / ".cursors"
    if stamp is not None:
        try:
            changed = changed_blobs(vault.repository, stamp, head, [vault.layout.rel(folder)])
        except CommitNotFound:
            changed = None
        if changed is not None:
            yield from (vault.top / name for name in changed if (vault.top / name).is_file())
            return
    # No stamp, or history was rewritten since: look at every cursor.
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def _read_cursors(path: Path) -> Iterable[Cursor]:
    from memfs.history.cursors import parse_cursor

    return parse_cursor(path.read_text(encoding="utf-8", errors="replace"))[0]


def _messages(vault: Vault, identity: str, cursor: Cursor, key: SessionKey) -> Iterator[str]:
    """The message keys before a cursor, from the transcript where it lies, else from its kept copy."""
    for path, _ in find_copies(vault, identity, key, [cursor]):
        try:
            with open_reader(path, limits=INGEST_LIMITS) as reader:
                for one in reader.conversations or (reader,):
                    if one.session.id is None or redact_name(one.session.id) == key.session:
                        yield from message_names(key, one.incremental, _merged(one, cursor))[1]
            return
        except TranscriptError:
            continue


def _merged(reader: Reader, cursor: Cursor) -> Sequence[Turn]:
    """The turns before the cursor: by offset, and by the last message where the client rewrites its file."""
    if reader.incremental:
        return [turn for turn in reader if turn.end <= cursor.offset]
    turns: list[Turn] = []
    for turn in reader:
        turns.append(turn)
        if turn.id is not None and redact_name(turn.id) == cursor.message_id:
            return turns
    return ()
