"""Files that a commit displaced: kept a while, because an editor may still write into them.

Each has a JSON record beside it that says what it was, so the check can be made by a later process.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memfs.errors import VaultError
from memfs.vault.files import read_state, remove_file, write_atomic
from memfs.vault.folders import ensure_folder, fsync_folder
from memfs.vault.layout import Layout
from memfs.vault.names import slug
from memfs.vault.scan import find_temps

_DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Displaced:
    """The old file of ``path`` (relative to the vault), now at ``place``.

    ``expected`` is the SHA-256 it had when memfs read it; ``time`` seconds since the epoch;
    ``checked`` says that it was looked at long enough after it was displaced.
    """

    name: str
    place: str
    path: str
    expected: str | None
    time: float
    old_blob: str | None = None
    new_blob: str | None = None
    commit: str | None = None
    checked: bool = False

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
    """Write the record anew, say with ``checked`` or ``commit`` set."""
    write_atomic(layout.displaced / f"{kept.name}.json", json.dumps(asdict(kept)).encode())


def list_displaced(layout: Layout) -> tuple[Displaced, ...]:
    """All records, oldest first; unreadable ones are left out."""
    try:
        names = sorted(n for n in os.listdir(layout.displaced) if n.endswith(".json") and n[0].isdigit())
    except FileNotFoundError:
        return ()
    found: list[Displaced] = []
    for name in names:
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
