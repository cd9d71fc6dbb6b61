"""Copies that may take an original's place: written durably, read back, and only then is the original removed.

Nothing here follows a symbolic link; whatever fails, the original lies where it was.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memfs.errors import VaultError
from memfs.vault.folders import open_folder, sync_descriptor
from memfs.vault.renames import rename_new

_CHUNK = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
Kind = Literal["file", "absent", "link", "special", "unreadable"]


@dataclass(frozen=True, slots=True)
class Look:
    """What lies at a path; the numbers tell one state of a file from another."""

    kind: Kind
    size: int = 0
    mtime_ns: int = 0
    device: int = 0
    inode: int = 0
    mode: int = 0


def look_at(place: Path) -> Look:
    """What lies at ``place``, without opening it."""
    try:
        found = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return Look("absent")
    except OSError:
        return Look("unreadable")
    return _look(found)


def hash_file(place: Path) -> str:
    """SHA-256 of a regular file. Raises OSError, VaultError, UnsafePath."""
    with _opened(place) as descriptor:
        return _hash(descriptor)


def write_copy(place: Path, temp: Path, seen: Look) -> str:
    """Copy the file that was ``seen`` at ``place`` to the new file ``temp``, durably; its SHA-256.

    ``temp`` is read back from the disk before that is said. On any failure ``temp`` is gone.

    Raises:
        FileChanged: it is another file by now, or changes while it is read.
        OSError, VaultError, UnsafePath: it cannot be read, or the copy not be written.
    """
    with _opened(place) as source:
        if _look(os.fstat(source)) != seen:
            raise FileChanged("the file changed", path=str(place))
        with open_folder(temp.parent, create=True) as folder:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            target = os.open(temp.name, flags, 0o600, dir_fd=folder)
            try:
                digest = _copy(source, target)
                os.fchmod(target, seen.mode & 0o666 | 0o400)
                os.utime(target, ns=(seen.mtime_ns, seen.mtime_ns))
                os.fsync(target)
                if hasattr(os, "posix_fadvise"):  # read the disk back, not the memory
                    os.posix_fadvise(target, 0, 0, os.POSIX_FADV_DONTNEED)
                if _hash(target) != digest or _look(os.fstat(source)) != seen:
                    raise FileChanged("the file changed while it was copied", path=str(place))
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(temp.name, dir_fd=folder)
                raise
            finally:
                os.close(target)
    return digest


def take_original(place: Path, seen: Look, digest: str, aside: str) -> bool:
    """Give the original the name ``aside`` if it still is the very file of that ``digest`` and nobody has it open.

    False: it is not, and lies where it was. Raises OSError, VaultError, UnsafePath.
    """
    with open_folder(place.parent) as folder:
        _rename(folder, place.name, aside)
        try:
            safe = _is_same(folder, aside, seen, digest)
        except BaseException:
            put_back(place, aside)
            raise
    if not safe:
        put_back(place, aside)
    return safe


def drop_taken(place: Path, aside: str) -> None:
    """Remove what `take_original` has taken, durably. Raises OSError, VaultError, UnsafePath."""
    with open_folder(place.parent) as folder:
        os.unlink(aside, dir_fd=folder)
        sync_descriptor(folder, place.parent)


def put_back(place: Path, aside: str) -> Path | None:
    """Give what lies at ``aside`` its name again, or one beside it where that is taken; None when nothing is there."""
    with open_folder(place.parent) as folder:
        for number in range(1, 1000):
            name = place.name if number == 1 else f"{place.stem}-{number}{place.suffix}"
            try:
                _rename(folder, aside, name)
            except FileExistsError:
                continue
            except FileNotFoundError:
                return None
            sync_descriptor(folder, place.parent)
            return place.with_name(name)
    raise VaultError("no name is free for the original", path=str(place.with_name(aside)))


class FileChanged(VaultError):
    """The file is not, or no longer, what was looked at."""


@contextmanager
def _opened(place: Path) -> Iterator[int]:
    with open_folder(place.parent) as folder:
        descriptor = os.open(place.name, _READ, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileChanged("no regular file", path=str(place))
        yield descriptor
    finally:
        os.close(descriptor)


def _look(found: os.stat_result) -> Look:
    kind: Kind = "special"
    if stat.S_ISREG(found.st_mode):
        kind = "file"
    elif stat.S_ISLNK(found.st_mode):
        kind = "link"
    mode = stat.S_IMODE(found.st_mode)
    return Look(kind, found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino, mode)


def _copy(source: int, target: int) -> str:
    digest = hashlib.sha256()
    while chunk := os.read(source, _CHUNK):
        digest.update(chunk)
        left = memoryview(chunk)
        while left:
            left = left[os.write(target, left) :]
    return digest.hexdigest()


def _hash(descriptor: int) -> str:
    digest = hashlib.sha256()
    os.lseek(descriptor, 0, os.SEEK_SET)
    while chunk := os.read(descriptor, _CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _is_same(folder: int, name: str, seen: Look, digest: str) -> bool:
    if _look(os.stat(name, dir_fd=folder, follow_symlinks=False)) != seen:
        return False
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        return not _in_use(descriptor) and _hash(descriptor) == digest and _look(os.fstat(descriptor)) == seen
    finally:
        os.close(descriptor)


def _in_use(descriptor: int) -> bool:
    """Whether somebody else has the file open: Linux grants a write lease only on a file nobody else has open."""
    lease, write, none = (getattr(fcntl, name, None) for name in ("F_SETLEASE", "F_WRLCK", "F_UNLCK"))
    if lease is None or write is None or none is None:
        return False
    try:
        fcntl.fcntl(
            descriptor, fcntl.F_SETSIG, signal.SIGURG
        )  # ignored, where the default would end the process
        fcntl.fcntl(descriptor, lease, write)
    except OSError as error:  # no leases on this file system, or another owner's file
        return error.errno in (errno.EAGAIN, errno.EBUSY)
    fcntl.fcntl(descriptor, lease, none)
    return False


def _rename(folder: int, old: str, new: str) -> None:
    """Rename, never over something."""
    if rename_new(folder, old, new):
        return
    with suppress(FileNotFoundError):
        os.stat(new, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
