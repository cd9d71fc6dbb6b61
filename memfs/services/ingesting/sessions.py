"""What is new in a transcript for an identity: the turns behind its cursor that were not merged from elsewhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from memfs.model import Cursor, Session, Turn
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader, open_stream
from memfs.services.ingesting.seen import SeenMessages
from memfs.services.ingesting.sources import TranscriptFile
from memfs.vault.paths import slug

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.transcripts.reader import Reader

BATCH_TURNS = 400
BATCH_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class SessionKey:
    """Which conversation: its format and id, or the source and path of one that has no id."""

    source: str
    session: str

    def __str__(self) -> str:
        return f"{self.source}/{self.session}"


@dataclass(frozen=True, slots=True)
class NewTurns:
    """A batch of a session: its new turns and the cursor behind them.

    ``keys`` name all turns that were read, also those that other sessions had brought already. ``last``: nothing
    follows in this file now.
    """

    key: SessionKey
    session: Session
    turns: tuple[Turn, ...]
    keys: tuple[str, ...]
    cursor: Cursor
    skipped: int
    problems: tuple[str, ...]
    last: bool


@dataclass(frozen=True, slots=True)
class Part:
    """The first turns of a batch, when the others have to wait.

    ``cursor`` is None where none can say so: formats that are rewritten whole are read up to their end or not at
    all, and only ``keys`` tell their turns.
    """

    turns: tuple[Turn, ...]
    keys: tuple[str, ...]
    cursor: Cursor | None


def first_part(new: NewTurns, file: TranscriptFile, count: int) -> Part:
    """The first ``count`` turns of a batch, with the cursor behind them."""
    turns = new.turns[:count]
    if count >= len(new.turns):
        return Part(turns, new.keys, new.cursor)
    keys = tuple(_among_sessions(new.key, turn.id or "") for turn in turns)
    if not turns or turns[-1].end <= turns[-1].start:
        return Part(turns, keys, None)
    with open_stream(file.path) as stream:
        plain = _plain(stream, str(file.path))
        named = [turn for turn in turns if (turn.id or "@")[0] not in "@~"]
        return Part(turns, keys, _cursor(new.key, file, plain, turns[-1].end, named, None))


def session_key(reader: Reader, file: TranscriptFile) -> SessionKey:
    """The key of the conversation that a reader has open; it goes into git, so without a secret in it."""
    from memfs.extraction.redaction import redact_name

    session = reader.session
    if session.id:
        own = redact_name(session.id)
        return SessionKey(reader.format, f"{own}-{redact_name(session.agent)}" if session.agent else own)
    return SessionKey(redact_name(file.source.name), redact_name(file.rel))


def turn_key(turn: Turn, incremental: bool) -> str:
    """What tells a turn from every other one: its id (without a secret), its place, or its content."""
    from memfs.extraction.redaction import redact_name

    if turn.id:
        return redact_name(turn.id)
    if incremental:
        return f"@{turn.start}"
    text = f"{turn.role}\x1f{turn.timestamp}\x1f{turn.speaker}\x1f{turn.text}"
    return "~" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def cursor_place(vault: Vault, identity: str, key: SessionKey) -> str:
    """The cursor file of a session, relative to the vault."""
    shard = hashlib.sha256(key.session.encode()).hexdigest()[:2]
    path = vault.layout.cursor_file(identity, slug(key.source), shard, slug(key.session))
    return vault.layout.rel(path)


def is_merged(vault: Vault, file: TranscriptFile, seen: SeenMessages) -> bool:
    """Whether a file, as it lies on disk now, is known to be merged, and the cursors still say so."""
    noted = seen.file_cursors(str(file.path), file.stat)
    return noted is not None and all(_holds(vault, place, text) for place, text in noted.items())


def _holds(vault: Vault, place: str, text: str) -> bool:
    from memfs.vault.local import LocalState
    from memfs.vault.records import pending_cursors

    path = vault.top / place
    if path.is_file() and text in path.read_text(encoding="utf-8", errors="replace"):
        return True
    from memfs.history.cursors import render_cursor

    identity = place.partition("/.cursors/")[0].rpartition("/")[2]
    return any(render_cursor(c) == text for c, _ in pending_cursors(LocalState(vault.layout), identity))


def read_new_turns(
    vault: Vault, identity: str, file: TranscriptFile, seen: SeenMessages
) -> Iterator[NewTurns]:
    """The new turns of every conversation in a file, in batches; also an empty one when only the cursor moves.

    Raises:
        TranscriptError: the file cannot be read.
        UnknownFormat: it is no transcript.
    """
    with open_reader(file.path, me=file.source.me, limits=INGEST_LIMITS) as first:
        if first.session.subagent:
            return
        if first.conversations or not first.incremental:
            for reader in first.conversations or (first,):
                yield from _read_whole(vault, identity, file, reader, seen)
            return
        key = session_key(first, file)
    yield from _read_on(vault, identity, file, key, seen)


def _read_on(
    vault: Vault, identity: str, file: TranscriptFile, key: SessionKey, seen: SeenMessages
) -> Iterator[NewTurns]:
    """A transcript that grows: from the cursor on."""
    with ExitStack() as stack:
        plain = _plain(stack.enter_context(open_stream(file.path)), str(file.path))
        cursor = _find_cursor(vault, identity, key, plain, seen)
        start = cursor.offset if cursor else 0
        reader = stack.enter_context(
            open_reader(file.path, start=start, me=file.source.me, limits=INGEST_LIMITS)
        )
        batch: list[Turn] = []
        size = 0
        for turn in reader:
            batch.append(turn)
            size += len(turn.text)
            if len(batch) >= BATCH_TURNS or size >= BATCH_CHARACTERS:
                yield _batch(
                    identity,
                    key,
                    reader,
                    batch,
                    seen,
                    _cursor(key, file, plain, turn.end, batch, cursor),
                    False,
                )
                batch, size = [], 0
        if batch or reader.consumed > start or reader.problems:
            cursor_now = _cursor(key, file, plain, reader.consumed, batch, cursor)
            yield _batch(identity, key, reader, batch, seen, cursor_now, True)


def _read_whole(
    vault: Vault, identity: str, file: TranscriptFile, reader: Reader, seen: SeenMessages
) -> Iterator[NewTurns]:
    """A transcript that its client rewrites whole: by the ids of its messages."""
    key = session_key(reader, file)
    turns = list(reader)
    with open_stream(file.path) as stream:
        plain = _plain(stream, str(file.path))
        cursor = _find_cursor(vault, identity, key, plain, seen)
        if cursor is not None and cursor.offset == cursor.size == file.stat.size:
            return
        batch = _batch(
            identity, key, reader, turns, seen, _cursor(key, file, plain, file.stat.size, turns, cursor), True
        )
    if batch.turns or batch.problems or cursor is None:
        yield batch


def _batch(
    identity: str,
    key: SessionKey,
    reader: Reader,
    turns: Sequence[Turn],
    seen: SeenMessages,
    cursor: Cursor,
    last: bool,
) -> NewTurns:
    keys, names = message_names(key, reader.incremental, turns)
    known = seen.known(identity, names)
    fresh = tuple(
        replace(turn, id=own) for turn, own, name in zip(turns, keys, names, strict=True) if name not in known
    )
    return NewTurns(
        key, reader.session, fresh, tuple(names), cursor, reader.counts["skipped"], reader.problems, last
    )


def message_names(key: SessionKey, incremental: bool, turns: Sequence[Turn]) -> tuple[list[str], list[str]]:
    """The key of each turn in its session, and its name among all sessions of an identity.

    A message id is the same in every copy of a session; a place or a content names a turn in its session only.
    """
    keys = _numbered(turn_key(turn, incremental) for turn in turns)
    return keys, [_among_sessions(key, name) for name in keys]


def _among_sessions(key: SessionKey, name: str) -> str:
    return f"{key}{name}" if name[:1] in ("@", "~") else name


def _numbered(keys: Iterable[str]) -> list[str]:
    """The keys, a repeated one with its number: the second "ok" of a conversation is another turn."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in keys:
        counts[name] += 1
        numbered.append(name if counts[name] == 1 else f"{name}.{counts[name]}")
    return numbered


def _find_cursor(
    vault: Vault, identity: str, key: SessionKey, plain: BinaryIO, seen: SeenMessages
) -> Cursor | None:
    """The furthest cursor, committed or pending, whose hashes fit the transcript as it is now."""
    cursors = known_cursors(vault, identity, key)
    seen.rewind(identity, str(key), max((cursor.offset for cursor in cursors), default=0))
    return fitting_cursor(cursors, plain)


def fitting_cursor(cursors: Sequence[Cursor], plain: BinaryIO) -> Cursor | None:
    """The furthest of a session's cursors whose hashes fit its transcript as it is now."""
    from memfs.history.cursors import choose_cursor, cursor_fits, prefix_hashes

    size = _size(plain)

    def fits(cursor: Cursor) -> bool:
        if cursor.offset > size:
            return False
        return cursor_fits(cursor, size, *prefix_hashes(_ranges(plain), cursor.offset))

    return choose_cursor(cursors, fits)


def known_cursors(vault: Vault, identity: str, key: SessionKey) -> list[Cursor]:
    """All cursors of a session, committed and pending."""
    from memfs.history.cursors import parse_cursor
    from memfs.vault.local import LocalState
    from memfs.vault.records import pending_cursors

    place = vault.top / cursor_place(vault, identity, key)
    records = list(parse_cursor(place.read_text(encoding="utf-8"))[0]) if place.is_file() else []
    pending = pending_cursors(LocalState(vault.layout), identity)
    return records + [c for c, _ in pending if (c.source, c.session) == (key.source, key.session)]


def _cursor(
    key: SessionKey,
    file: TranscriptFile,
    plain: BinaryIO,
    offset: int,
    turns: Sequence[Turn],
    before: Cursor | None,
) -> Cursor:
    from memfs.extraction.redaction import redact_name
    from memfs.history.cursors import prefix_hashes

    last = next(
        (redact_name(turn.id) for turn in reversed(turns) if turn.id), before.message_id if before else None
    )
    size = _size(plain)
    offset = min(offset, size)
    head, tail = prefix_hashes(_ranges(plain), offset)
    off = before is not None and before.off_record
    return Cursor(key.source, key.session, offset, last, size, head, tail, redact_name(file.rel), off)


def _plain(stream: BinaryIO, name: str) -> BinaryIO:
    from memfs.transcripts.decoding import plain_stream

    return plain_stream(stream, name)


def _size(stream: BinaryIO) -> int:
    return stream.seek(0, 2)


def _ranges(stream: BinaryIO) -> Callable[[int, int], bytes]:
    def read(start: int, end: int) -> bytes:
        stream.seek(start)
        return stream.read(end - start)

    return read
