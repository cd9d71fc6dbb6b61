"""Pushed turns: appended to a transcript in the inbox, durable before they are acknowledged, each message once."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import InvalidRequest, VaultError
from memfs.model import Session, Turn
from memfs.vault.folders import ensure_folder, fsync_folder, open_folder
from memfs.vault.lock import hold_file
from memfs.vault.names import slug
from memfs.vault.setup import ensure_ignores

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_REMEMBERED_FILES = 1024
_Header = tuple[str | None, str | None]  # channel, model


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of pushed turns: how many are new, and how many were there already under their message id."""

    session: str
    accepted: int
    known: int


@dataclass(slots=True)
class _Content:
    """What a pushed transcript holds, as long as it lies there as it was left: ``end`` is where its last line ends."""

    stat: tuple[int, int, int]
    end: int
    ids: set[str]
    header: _Header | None


def push_turns(
    vault: Vault,
    session: str,
    *,
    identity: str | None,
    channel: str | None = None,
    model: str | None = None,
    turns: Sequence[Turn],
) -> Pushed:
    """Append turns to the session's transcript under ``inbox/<identity>/``; they are on disk when this returns.

    Every turn has an id; one whose id is in the transcript already is known, and not written again. A turn without a
    time gets the present one.

    Raises:
        InvalidRequest: no such identity, an empty session, or a turn without id or with a role of its own.
        VaultError: it cannot be written; nothing is acknowledged then.
    """
    name = vault.choose_identity(identity)
    _check(vault, name, session, turns)
    folder = vault.layout.inbox_dir(name)
    if not folder.is_dir():
        ensure_ignores(vault.layout)
        ensure_folder(folder)
    now = vault.now().isoformat(timespec="milliseconds")
    said = Session(session, identity=name, model=model or None, channel=channel or None, started_at=now)
    with hold_file(vault.layout.local / "inbox" / f"{name}.lock", what=f"the inbox of {name}"):
        return _append(folder / _file_name(session), said, [_timed(turn, now) for turn in turns])


def _check(vault: Vault, identity: str, session: str, turns: Sequence[Turn]) -> None:
    from memfs.transcripts.neutral import render_turn

    vault.known_identity(identity)
    if not session.strip():
        raise InvalidRequest("a session needs an id")
    for turn in turns:
        if not turn.id or not turn.id.strip():
            raise InvalidRequest("every turn needs an id, so that it is kept once however often it is sent")
        if turn.role not in ("user", "assistant", "participant"):
            raise InvalidRequest(
                f"a turn is a user's, an assistant's or a participant's, not a {turn.role}'s"
            )
        try:
            render_turn(turn)
        except (UnicodeEncodeError, TypeError) as error:
            raise InvalidRequest("a turn holds half of a character (a lone surrogate)") from error


def _file_name(session: str) -> str:
    """A file name that no other session has: the id itself where it can be one, else with its hash."""
    name = slug(session)
    if name == session:
        return f"{name}.jsonl"
    digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}-{digest[:12]}.jsonl"


def _timed(turn: Turn, now: str) -> Turn:
    return turn if turn.timestamp else replace(turn, timestamp=now)


def _append(path: Path, session: Session, turns: Sequence[Turn]) -> Pushed:
    from memfs.transcripts.neutral import render_header, render_turn

    with open_folder(path.parent) as folder:
        existed = os.access(path.name, os.F_OK, dir_fd=folder, follow_symlinks=False)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(path.name, flags, 0o600, dir_fd=folder)
        except OSError as error:
            raise VaultError(f"the turns cannot be written: {error.strerror}", path=str(path)) from error
    try:
        content = _content(path, descriptor)
        fresh = {turn.id: turn for turn in reversed(turns) if turn.id not in content.ids}
        new = [turn for turn in turns if fresh.get(turn.id) is turn]
        header = (session.channel, session.model)
        rows = [] if content.header == header or not new else [render_header(session)]
        if rows or new:
            _write(path, descriptor, content.end, b"".join((*rows, *map(render_turn, new))))
        if not existed:
            fsync_folder(path.parent)
        content.ids.update(turn.id for turn in new if turn.id)
        content.header = header if new else content.header
        _remember(path, descriptor, content)
    finally:
        os.close(descriptor)
    return Pushed(str(session.id), len(new), len(turns) - len(new))


def _write(path: Path, descriptor: int, end: int, data: bytes) -> None:
    """Put whole lines after the last whole line, durably; what cannot be written leaves nothing behind."""
    try:
        if os.fstat(descriptor).st_size > end:
            os.ftruncate(descriptor, end)  # half a line that a crash left: it was never acknowledged
        written = 0
        while written < len(data):
            written += os.pwrite(descriptor, data[written:], end + written)
        os.fsync(descriptor)
    except OSError as error:
        with suppress(OSError):
            os.ftruncate(descriptor, end)
        raise VaultError(f"the turns cannot be written: {error.strerror}", path=str(path)) from error


# What files hold, so that a push does not read the whole conversation again.
_contents: OrderedDict[Path, _Content] = OrderedDict()
_contents_lock = threading.Lock()


def _content(path: Path, descriptor: int) -> _Content:
    with _contents_lock:
        known = _contents.get(path)
    if known is not None and known.stat == _stat(descriptor):
        return known
    return _read(descriptor)


def _remember(path: Path, descriptor: int, content: _Content) -> None:
    content.stat = _stat(descriptor)
    content.end = content.stat[0]
    with _contents_lock:
        _contents[path] = content
        _contents.move_to_end(path)
        while len(_contents) > _REMEMBERED_FILES:
            _contents.popitem(last=False)


def _stat(descriptor: int) -> tuple[int, int, int]:
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns, found.st_ino


def _read(descriptor: int) -> _Content:
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        data = stream.read()
    whole, ids, header = data.rfind(b"\n") + 1, set[str](), None
    for line in data[:whole].splitlines():
        row = _row(line)
        if "memfs" in row:
            header = row.get("channel"), row.get("model")
        elif isinstance(row.get("id"), str):
            ids.add(row["id"])
    return _Content(_stat(descriptor), whole, ids, header)


def _row(line: bytes) -> dict[str, Any]:
    import orjson

    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return row if isinstance(row, dict) else {}
