"""The latest messages of an identity as they were said: from the ends of its newest transcripts, redacted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memfs.errors import MemfsError
from memfs.model import Turn
from memfs.services.ingesting.backfill import is_chosen
from memfs.services.ingesting.candidates import identity_fed
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader
from memfs.services.ingesting.sessions import known_cursors, session_key
from memfs.services.ingesting.sources import FROM_CWD, TranscriptFile, find_all
from memfs.transcripts.privacy import keep_turns
from memfs.transcripts.times import turn_time

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.transcripts.reader import Reader

_LOOKED_AT = 30  # newest transcripts that are opened at most to find the identity's
_TAIL = 256 * 1024  # bytes; the last messages stand there
_WHOLE = 8 * 1024 * 1024  # bytes; a larger transcript that must be read whole is left out
_LONGEST = 480  # characters


@dataclass(frozen=True, slots=True)
class RawMessage:
    """One message: who said it, its text (redacted, cut), when, and the transcript it stands in."""

    role: str
    text: str
    time: datetime
    path: str


def latest_messages(vault: Vault, identity: str, count: int = 3) -> tuple[RawMessage, ...]:
    """The latest messages of users and assistant, newest first; what is private or off the record is not among them."""
    found: list[RawMessage] = []
    for file in _newest(vault, identity):
        found += reversed(_messages(vault, identity, file)[-count:])
        if len(found) >= count:
            break
    return tuple(found[:count])


def _newest(vault: Vault, identity: str) -> Iterator[TranscriptFile]:
    """The identity's transcripts, the one that was saved last first."""
    files = [
        file for source, listed in find_all(vault) if _may_feed(source.identity, identity) for file in listed
    ]
    files.sort(key=lambda file: file.stat.mtime_ns, reverse=True)
    for file in files[:_LOOKED_AT]:
        if is_chosen(vault, file) and identity_fed(vault, file)[0] == identity:
            yield file


def _may_feed(said: str | None, identity: str) -> bool:
    return said in (None, FROM_CWD, identity)


def _messages(vault: Vault, identity: str, file: TranscriptFile) -> list[RawMessage]:
    """The messages at the end of a transcript, in their order; none of one that cannot be read."""
    try:
        with open_reader(file.path, me=file.source.me, limits=INGEST_LIMITS) as reader:
            readers = reader.conversations or (reader,)
            if reader.conversations or not reader.incremental:
                if file.stat.size > _WHOLE:
                    return []
                said = [message for one in readers for message in _said(vault, identity, file, one)]
                return sorted(said, key=lambda message: message.time)
            start = _start(vault, identity, file, reader)
        if start is None:
            return []
        with open_reader(file.path, start=start, me=file.source.me, limits=INGEST_LIMITS) as reader:
            return _said(vault, identity, file, reader)
    except (MemfsError, OSError):
        return []


def _start(vault: Vault, identity: str, file: TranscriptFile, reader: Reader) -> int | None:
    """Where reading begins: early enough that nothing said off the record since the cursor is missed."""
    if file.stat.size <= _TAIL or file.path.suffix == ".zst":
        return 0 if file.stat.size <= _WHOLE else None
    offsets = [cursor.offset for cursor in known_cursors(vault, identity, session_key(reader, file))]
    merged = max((offset for offset in offsets if offset <= file.stat.size), default=None)
    if merged is None:
        return 0 if file.stat.size <= _WHOLE else None
    return min(merged, file.stat.size - _TAIL)


def _said(vault: Vault, identity: str, file: TranscriptFile, reader: Reader) -> list[RawMessage]:
    key = session_key(reader, file)
    off = any(cursor.off_record for cursor in known_cursors(vault, identity, key))
    kept, _ = keep_turns(list(reader), reader.session, session_off=off)
    saved = datetime.fromtimestamp(file.stat.mtime_ns / 1e9, UTC)
    return [_raw(vault, turn, file, saved) for turn in _spoken(kept)]


def _spoken(turns: Sequence[Turn]) -> Iterator[Turn]:
    return (turn for turn in turns if turn.role != "document" and turn.text.strip())


def _raw(vault: Vault, turn: Turn, file: TranscriptFile, saved: datetime) -> RawMessage:
    from memfs.extraction.redaction import redact_text

    text = redact_text(turn.text).text.strip()
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
    who = redact_text(turn.speaker).text if turn.role == "participant" and turn.speaker else turn.role
    return RawMessage(who, short, turn_time(turn.timestamp, vault.zone) or saved, redact_text(file.rel).text)
