"""Files that a commit displaced: kept a while, because an editor may still write into them.

Each has a JSON record beside it that says what it was, so the check can be made by a later process.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memfs.errors import VaultError
from memfs.vault.files import read_state, remove_file, write_atomic
from memfs.vault.folders import ensure_folder, fsync_folder
from memfs.vault.layout import Layout
from memfs.vault.names import slug
from memfs.vault.scan import find_temps

_DAY = 86400.0
_UNSEEN = 10**9  # the time of a record whose file is to be looked at: no file is as old


@dataclass(frozen=True, slots=True)
class Displaced:
    """The old file of ``path`` (relative to the vault), now at ``place``.

    ``expected`` is the SHA-256 it had when memfs read it; ``time`` seconds since the epoch.
    """

    name: str
    place: str
    path: str
    expected: str | None
    time: float
    old_blob: str | None = None
    new_blob: str | None = None
    commit: str | None = None

    def read_changed(self) -> bytes | None:
        """The bytes somebody saved into it since; None when it is as it was, or gone. Raises VaultError."""
        state = read_state(Path(self.place))
        return state.data if state.hash != self.expected else None


def keep_displaced(
    layout: Layout,
    file: Path,
    path: str,
    expected: str | None,
    *,
    time: float,
    old_blob: str | None = None,
    new_blob: str | None = None,
) -> Displaced:
    """Move ``file`` (what `files.exchange` returned) to the displaced folder; it stays the same inode.

    The record is written first. On another file system it stays where it is. Raises VaultError.
    """
    ensure_folder(layout.displaced, mode=0o700)
    name = f"{int(time)}-{secrets.token_hex(6)}-{slug(Path(path).name)}"
    place = layout.displaced / name
    kept = Displaced(name, str(place), path, expected, time, old_blob, new_blob)
    write_displaced(layout, kept)
    try:
        os.rename(file, place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            remove_file(layout.displaced / f"{name}.json")
            message = f"cannot keep the displaced file: {error.strerror}"
            raise VaultError(message, path=str(file)) from error
        kept = replace(kept, place=str(file))
        write_displaced(layout, kept)
    fsync_folder(layout.displaced)
    return kept


def write_displaced(layout: Layout, kept: Displaced) -> None:
    """Write the record anew, say with ``expected`` set; the file is looked at again."""
    record = layout.displaced / f"{kept.name}.json"
    write_atomic(record, json.dumps(asdict(kept)).encode())
    os.utime(record, ns=(_UNSEEN, _UNSEEN))  # or a save in the same tick of the clock would seem looked at


def list_displaced(layout: Layout) -> tuple[Displaced, ...]:
    """All records, oldest first; unreadable ones are left out."""
    try:
        return _read_records(layout, filter(_is_record, os.listdir(layout.displaced)))
    except FileNotFoundError:
        return ()


def due_displaced(layout: Layout, time: float, *, settle: float, keep: float) -> tuple[Displaced, ...]:
    """The records to be looked at now, oldest first: displaced ``settle`` seconds ago and written into since the
    last look, or never looked at, or older than ``keep`` seconds. Costs two stat calls for each of the others.
    """
    try:
        with os.scandir(layout.displaced) as entries:
            found = {entry.name: entry for entry in entries}
    except FileNotFoundError:
        return ()
    due: list[str] = []
    for name in filter(_is_record, found):
        age, file = time - int(name.partition("-")[0]), found.get(name.removesuffix(".json"))
        if age > keep or (age >= settle and _mtime(found[name]) != (_mtime(file) if file else 0)):
            due.append(name)
    return _read_records(layout, due)


def mark_settled(layout: Layout, kept: Displaced, mtime_ns: int) -> None:
    """Note that the file, last changed at ``mtime_ns``, was looked at: its record gets the same time."""
    os.utime(layout.displaced / f"{kept.name}.json", ns=(mtime_ns, mtime_ns))


def _is_record(name: str) -> bool:
    return name.endswith(".json") and name[0].isdigit()


def _mtime(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return 0


def _read_records(layout: Layout, names: Iterable[str]) -> tuple[Displaced, ...]:
    found: list[Displaced] = []
    for name in sorted(names):
        try:
            found.append(Displaced(**json.loads((layout.displaced / name).read_bytes())))
        except (ValueError, TypeError, FileNotFoundError):
            continue
    return tuple(sorted(found, key=lambda kept: kept.time))


def sweep_temps(layout: Layout, keep: Collection[str], *, time: float) -> tuple[str, ...]:
    """Take away the temp files a crash left under ``memories/``; gives their paths. Under the vault lock.

    ``keep`` are the names in the intent log. They are displaced, not removed, since one may hold a document's
    old bytes; those of local state go when they are a day old. Raises VaultError.
    """
    stay = {kept.place for kept in list_displaced(layout)}
    swept: list[str] = []
    for temp in find_temps(layout.memories):
        state = read_state(temp)
        if temp.name not in keep and str(temp) not in stay and state.kind == "file":
            keep_displaced(layout, temp, layout.rel(temp), state.hash, time=time)
            swept.append(layout.rel(temp))
    for temp in find_temps(layout.local):
        if read_state(temp).mtime_ns < (time - _DAY) * 1e9:
            remove_file(temp)
    return tuple(swept)
