"""What was archived: one JSON object a line, in local state; and which transcripts have nothing left to archive."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.vault.copies import Look
from memfs.vault.files import new_file_mode
from memfs.vault.folders import ensure_folder, fsync_folder
from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.model import Stat
    from memfs.services.opening import Vault

_SCANNED = "archive-scanned"


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file that was archived. ``told``: metadata named it; ``deleted``: the original is gone. Sizes in bytes."""

    time: str
    identity: str
    model: str | None
    original: str
    copy: str
    sha256: str
    size: int
    mtime_ns: int
    told: bool
    deleted: bool = False

    def fits(self, look: Look) -> bool:
        """Whether an original still is as it was when it was archived."""
        return (self.size, self.mtime_ns) == (look.size, look.mtime_ns)


class ArchiveRecord:
    """The record of a vault, read once; the last line of an original counts."""

    def __init__(self, vault: Vault) -> None:
        self._path = vault.layout.local / "archive.jsonl"
        self._latest: dict[str, ArchivedFile] = {}
        for line in _lines(self._path):
            try:
                one = ArchivedFile(**json.loads(line))
            except (ValueError, TypeError):
                continue  # a line cut short by a crash; its file is archived once more
            self._latest[one.original] = one

    def find(self, original: Path) -> ArchivedFile | None:
        """What is known of an original."""
        return self._latest.get(str(original))

    def add(self, one: ArchivedFile) -> None:
        """Note a file, durably."""
        ensure_folder(self._path.parent, mode=0o700)
        fresh = not self._path.exists()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._path, flags, new_file_mode() & 0o600)
        try:
            os.write(descriptor, b"\n" * _is_cut(self._path) + json.dumps(asdict(one)).encode() + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if fresh:
            fsync_folder(self._path.parent)
        self._latest[one.original] = one


def scanned_transcripts(vault: Vault) -> Mapping[str, Any]:
    """The transcripts that hold nothing more to archive, by path: how each lay on disk, and under which settings."""
    return LocalState(vault.layout).read_record(_SCANNED)


def scan_mark(vault: Vault, stat: Stat) -> list[Any]:
    """What tells that a transcript, as it lies on disk, was looked through under the settings of now."""
    archive = vault.config.archive
    return [list(stat), list(archive.roots), archive.delete_originals, archive.max_megabytes]


def note_scanned(vault: Vault, marks: Mapping[str, list[Any]]) -> None:
    """Note transcripts that were looked through to the end; those that are gone are forgotten."""

    def change(record: dict[str, Any]) -> None:
        record.update(marks)
        for path in [path for path in record if not os.path.lexists(path)]:
            del record[path]

    if marks:
        LocalState(vault.layout).update_record(_SCANNED, change)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _is_cut(path: Path) -> bool:
    """Whether a crash left the last line without its end."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
