"""One file into the archive: looked at, copied, read back, recorded, and only then, where allowed, deleted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import VaultError
from memfs.services.archiving.finding import Found
from memfs.services.archiving.places import (
    aside_name,
    copy_name,
    in_repository,
    is_inside,
    sniffed_name,
    target_folder,
    temp_name,
)
from memfs.services.archiving.record import ArchivedFile, ArchiveRecord
from memfs.services.committing.failpoints import reach
from memfs.vault.copies import (
    FileChanged,
    Look,
    drop_taken,
    hash_file,
    look_at,
    put_back,
    take_original,
    write_copy,
)
from memfs.vault.files import TEMP_PREFIX, put_new, remove_file

if TYPE_CHECKING:
    from datetime import date

    from memfs.services.opening import Vault

STEPS = (
    "archive.looked",
    "archive.copied",
    "archive.placed",
    "archive.recorded",
    "archive.taken",
    "archive.deleted",
)
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: archived now, already, or left (``reason`` is a key of `archive_wording`)."""

    found: Found
    archived: ArchivedFile | None = None
    reason: str | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Copier:
    """Copies the files of one run. ``archive`` and ``roots`` are real folders."""

    vault: Vault
    archive: Path
    roots: Sequence[Path]
    day: date
    record: ArchiveRecord

    def examine(self, found: Found) -> Outcome:
        """Whether the file can be archived; all that it writes is to end what a crash left half done."""
        if found.path is None:
            gone = (self.record.find(place) for place in found.tried)
            moved = next((one for one in gone if one is not None and one.deleted), None)
            return Outcome(found, archived=moved) if moved else Outcome(found, reason=found.missing)
        if not found.whole and not is_inside(found.path, self.roots):
            return Outcome(found, reason="outside")
        if is_inside(found.path, (self.archive,)) or found.path.name.startswith(TEMP_PREFIX):
            return Outcome(found, reason="own")
        self._recover(found.path)
        look = look_at(found.path)
        if look.kind != "file":
            return Outcome(found, reason=look.kind)
        if not os.access(found.path, os.R_OK):
            return Outcome(found, reason="unreadable")
        if look.size > self.vault.config.archive.max_megabytes * _MEGABYTE:
            return Outcome(found, reason="too_large")
        known = self.record.find(found.path)
        if known is not None and known.fits(look) and _is_there(known):
            return Outcome(found, archived=known)
        return Outcome(found)

    def target(self, found: Found) -> Path:
        """Where the copy of a file goes, unless its name is taken."""
        folder = target_folder(self.archive, found.identity, found.model, self.day)
        return folder / copy_name(sniffed_name(found.path or Path(found.name)))

    def archive_file(self, found: Found, look: Look) -> Outcome:
        """Archive a file that was examined and lay as ``look`` says; then delete the original where that is allowed.

        Raises:
            OSError, VaultError, UnsafePath: it cannot be read, or the copy not be written; the original is untouched.
        """
        assert found.path is not None
        reach("archive.looked")
        known = self.whole_copy(found.path, look)
        if known is not None:
            done, fresh = known, False
        else:
            try:
                done, fresh = self._copy(found, found.path, look)
            except FileChanged:
                return Outcome(found, reason="changing")
        outcome = Outcome(found, done, fresh=fresh)
        return self._delete(outcome, found.path, look, done) if self.may_delete(found) else outcome

    def whole_copy(self, place: Path, look: Look) -> ArchivedFile | None:
        """The copy of a file as it lies, made by an earlier run and still whole; None: it is to be made."""
        known = self.record.find(place)
        return known if known is not None and known.fits(look) and _is_whole(known) else None

    def may_delete(self, found: Found) -> bool:
        """Whether an original may go: metadata named it, the person wants it, and no repository holds it."""
        wanted = found.whole or (found.told and self.vault.config.archive.delete_originals)
        return wanted and found.path is not None and not in_repository(found.path)

    def _copy(self, found: Found, place: Path, look: Look) -> tuple[ArchivedFile, bool]:
        target = self.target(found)
        temp = target.with_name(temp_name(self.vault, place))
        if temp.exists():
            remove_file(temp)
        digest = write_copy(place, temp, look)
        reach("archive.copied")
        copy, fresh = _place(temp, target, digest)
        reach("archive.placed")
        done = ArchivedFile(
            time=self.vault.now().isoformat(timespec="seconds"),
            identity=found.identity,
            model=found.model,
            original=str(place),
            copy=str(copy),
            sha256=digest,
            size=look.size,
            mtime_ns=look.mtime_ns,
            told=found.told,
        )
        self.record.add(done)
        reach("archive.recorded")
        return done, fresh

    def _recover(self, place: Path) -> None:
        """An original that a crash left under its name aside gets its own again; it goes where that is taken by now."""
        aside = place.with_name(aside_name(place))
        if look_at(aside).kind != "file":
            return
        known = self.record.find(place)
        spare = look_at(place).kind != "absent" and known is not None and _is_whole(known)
        if spare and known is not None and hash_file(aside) == known.sha256:
            drop_taken(place, aside.name)
        else:
            put_back(place, aside.name)

    def _delete(self, outcome: Outcome, place: Path, look: Look, done: ArchivedFile) -> Outcome:
        aside = aside_name(place)
        if not take_original(place, look, done.sha256, aside):
            return replace(outcome, reason="original_changed")
        try:
            reach("archive.taken")
            drop_taken(place, aside)
        except BaseException:
            put_back(place, aside)
            raise
        reach("archive.deleted")
        done = replace(done, deleted=True)
        self.record.add(done)
        return replace(outcome, archived=done)


def _is_there(known: ArchivedFile) -> bool:
    look = look_at(Path(known.copy))
    return look.kind == "file" and look.size == known.size


def _is_whole(known: ArchivedFile) -> bool:
    """Whether the copy, read once more, is what was archived; the original may depend on it."""
    try:
        return hash_file(Path(known.copy)) == known.sha256
    except (OSError, VaultError):
        return False


def _place(temp: Path, target: Path, digest: str) -> tuple[Path, bool]:
    """Give the copy its name; one that is taken by the same content is the copy, by another it gets a suffix."""
    for name in (target, target.with_name(copy_name(target.name, digest))):
        if put_new(temp, name):
            return name, True
        if look_at(name).kind == "file" and hash_file(name) == digest:
            remove_file(temp)
            return name, False
    for number in range(2, 1000):
        stem, extension = os.path.splitext(copy_name(target.name, digest))
        if put_new(temp, target.with_name(f"{stem}-{number}{extension}")):
            return target.with_name(f"{stem}-{number}{extension}"), True
    raise VaultError("no name is free in the archive", path=str(target))
