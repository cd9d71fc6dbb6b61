"""The two files of a relay board on disk: relay.md, which a person may edit at any time, and relay.jsonl."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import InvalidDocument, UnsafePath
from memfs.memory.board_records import BoardRecords, parse_records, render_records
from memfs.memory.views import locate
from memfs.services.committing.places import resolve_file
from memfs.services.committing.threeway import merge_files
from memfs.vault.files import exchange, put_new, read_state, remove_file, write_atomic, write_temp
from memfs.vault.setup import ensure_ignores

if TYPE_CHECKING:
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class BoardFiles:
    """What lies on disk; ``text`` None: there is no board yet."""

    text: str | None
    records: BoardRecords


def read_files(vault: Vault, identity: str) -> BoardFiles:
    """The board and its records as they are now.

    Raises:
        InvalidDocument: relay.md is not UTF-8 text.
        VaultError, UnsafePath: it cannot be read.
    """
    place = board_place(vault, identity)
    data = _read(place)
    records = _read(vault.layout.relay_records(identity)) or b""
    return BoardFiles(
        None if data is None else _decode(place, data),
        parse_records(records.decode("utf-8", "surrogateescape")),
    )


def edit_board(vault: Vault, identity: str, edit: Callable[[str | None], str]) -> None:
    """Put ``edit`` of the board in its place, durably; for the holder of the vault's lock.

    A person's save in the same moment is edited in turn, so nothing of it is lost; it may be asked to edit again.

    Raises:
        InvalidDocument, VaultError, UnsafePath.
    """
    place = board_place(vault, identity)
    if not place.exists():
        ensure_ignores(vault.layout)
    known = base = saved = _read(place)
    while True:
        try:
            new = edit(None if base is None else _decode(place, base)).encode()
        except InvalidDocument:
            _put_back(place, saved, known)
            raise
        if new == base == known:
            return
        saved = _put(place, new)
        if saved == known:
            return
        # what came out is a person's save: its changes go on top of what stands there now
        base = None if saved is None else merge_files(place.name, known, saved, new)
        known = new


def write_records(vault: Vault, identity: str, records: BoardRecords) -> None:
    """Replace relay.jsonl, durably."""
    data = render_records(records).encode("utf-8", "surrogateescape")
    write_atomic(vault.layout.relay_records(identity), data)


def board_place(vault: Vault, identity: str) -> Path:
    """Where relay.md really lies; a link may lead anywhere in the vault but to another identity. Raises UnsafePath."""
    board = vault.layout.rel(vault.layout.relay_board(identity))
    place = resolve_file(vault.top, board)
    whose = locate(vault.layout.rel(place), root=vault.layout.root)
    if whose is not None and whose.identity != identity:
        raise UnsafePath(f"the link leads to {whose.identity}, another identity", path=board)
    return place


def _read(place: Path) -> bytes | None:
    try:
        state = read_state(place)
    except FileNotFoundError:
        return None
    if state.kind in ("special", "too_large"):
        raise UnsafePath("no regular file of a usual size", path=str(place))
    return state.data


def _put(place: Path, data: bytes) -> bytes | None:
    """Exchange the file for one with ``data``; what was there."""
    state = read_state(place) if place.exists() else None
    temp = write_temp(place, data, state.mode if state else None)
    if state is None and put_new(temp, place):
        return None
    displaced = exchange(temp, place)
    if displaced is None:
        return None
    out = read_state(displaced).data
    remove_file(displaced)
    return out


def _put_back(place: Path, saved: bytes | None, known: bytes | None) -> None:
    """A person's save that came out and cannot be edited stands on disk again; so does one newer still."""
    while saved is not None and saved != known:
        out = _put(place, saved)
        saved, known = (None if out == known else out), saved


def _decode(place: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            "the relay board is not UTF-8", path=str(place), hint="save it as UTF-8"
        ) from error
