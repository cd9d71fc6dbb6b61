"""Reading a file as it is, and putting new bytes in its place without losing anybody's.

Paths are real ones, as `paths.resolve_beneath` returns them: a symbolic link on the way is refused.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from memfs.errors import UnsafePath, VaultError
from memfs.vault.folders import fsync_folder, open_folder, sync_descriptor
from memfs.vault.renames import exchange_names, rename_new

__all__ = [
    "FileState",
    "exchange",
    "fsync_folder",
    "hash_bytes",
    "new_file_mode",
    "put_new",
    "read_state",
    "remove_file",
    "take_away",
    "temp_name",
    "write_atomic",
    "write_temp",
]

TEMP_PREFIX = ".memfs-"
READ_LIMIT = 32 * 1024 * 1024
_STABLE_READS = 3


@dataclass(frozen=True, slots=True)
class FileState:
    """A path at one moment. ``data`` and ``hash`` are there for a regular file within the size limit only.

    ``mode`` is the permission bits (when absent: those of a new file); times are nanoseconds, ``size`` bytes.
    """

    kind: Literal["file", "absent", "too_large", "special"]
    data: bytes | None = None
    hash: str | None = None
    mode: int = 0
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0


def hash_bytes(data: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def temp_name() -> str:
    """A fresh name that git and the scan ignore."""
    return TEMP_PREFIX + secrets.token_hex(8)


def read_state(path: Path, *, limit: int = READ_LIMIT) -> FileState:
    """What is at ``path``; FIFOs, devices, folders and links are "special" and never opened.

    A failed read is an error, never an empty file. Raises VaultError, UnsafePath.
    """
    try:
        with open_folder(path.parent) as folder, _explain(path, "read", pass_absent=True):
            found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISREG(found.st_mode):
                return FileState("special", mode=stat.S_IMODE(found.st_mode))
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(path.name, flags, dir_fd=folder)
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                return _read_stable(file.fileno(), limit)
    except FileNotFoundError:
        return FileState("absent", mode=new_file_mode())


@cache
def new_file_mode() -> int:
    """The permission bits of a new file under this process's umask."""
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask


def write_temp(target: Path, data: bytes, mode: int | None = None, *, name: str | None = None) -> Path:
    """Write ``data`` durably to a new file beside ``target``; missing folders are made.

    ``mode`` None: as any new file. ``name`` comes from `temp_name` when a crash record must know it first.
    Raises VaultError, UnsafePath.
    """
    name = name or temp_name()
    with open_folder(target.parent, create=True) as folder, _explain(target, "write beside"):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o600, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), new_file_mode() if mode is None else mode)
                os.fsync(file.fileno())
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            raise
    return target.with_name(name)


def put_new(temp: Path, target: Path) -> bool:
    """Give ``temp`` the name ``target``; False, and nothing changed, when something has that name.

    Raises VaultError, UnsafePath.
    """
    with open_folder(target.parent) as folder, _explain(target, "place"):
        return _put_new(folder, temp.name, target.name)


def exchange(temp: Path, target: Path, *, create: bool = True) -> Path | None:
    """Put ``temp`` in the place of ``target`` in one step, and keep what was there.

    Returns where the displaced file is now (beside the target, under a temp name), None when there was none: then
    ``temp`` has the target's name, or with ``create`` False is where it was, and nothing is changed.
    Raises UnsafePath, with everything as before, when the target is no regular file; VaultError.
    """
    with open_folder(target.parent) as folder, _explain(target, "place"):
        while True:
            if create and _put_new(folder, temp.name, target.name):
                return None
            _require_regular(folder, target)
            with suppress(FileNotFoundError):
                return target.with_name(_swap(folder, temp.name, target))
            if not create:
                return None


def take_away(target: Path) -> Path | None:
    """Move ``target`` to a temp name beside it and return that; None when it was absent already.

    Raises UnsafePath when it is no regular file; VaultError.
    """
    name = temp_name()
    with open_folder(target.parent) as folder, _explain(target, "remove"):
        try:
            _require_regular(folder, target)
            os.rename(target.name, name, src_dir_fd=folder, dst_dir_fd=folder)
        except FileNotFoundError:
            return None
        sync_descriptor(folder, target.parent)
    return target.with_name(name)


def remove_file(path: Path) -> bool:
    """Unlink ``path`` durably; False when it was absent. Raises VaultError, UnsafePath."""
    try:
        with open_folder(path.parent) as folder, _explain(path, "remove", pass_absent=True):
            os.unlink(path.name, dir_fd=folder)
            sync_descriptor(folder, path.parent)
    except FileNotFoundError:
        return False
    return True


def write_atomic(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace a file of memfs's own (never a document) durably. Raises VaultError, UnsafePath."""
    temp = write_temp(path, data, mode)
    with open_folder(path.parent) as folder, _explain(path, "write"):
        try:
            os.rename(temp.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            os.unlink(temp.name, dir_fd=folder)
            raise
        sync_descriptor(folder, path.parent)


@contextmanager
def _explain(path: Path, doing: str, *, pass_absent: bool = False) -> Iterator[None]:
    """Translate the system's errors; FileNotFoundError too, unless the caller gives it a meaning."""
    try:
        yield
    except OSError as error:
        if pass_absent and isinstance(error, FileNotFoundError):
            raise
        hint = "free some space, then run the command again" if error.errno == errno.ENOSPC else None
        raise VaultError(f"cannot {doing} the file: {error.strerror}", path=str(path), hint=hint) from error


def _read_stable(descriptor: int, limit: int) -> FileState:
    """Read until the file was the same before and after, so a writer's half is not taken for the whole."""
    for _ in range(_STABLE_READS):
        before = os.fstat(descriptor)
        if before.st_size > limit:
            return FileState("too_large", None, None, *_facts(before))
        os.lseek(descriptor, 0, os.SEEK_SET)
        chunks: list[bytes] = []
        while chunk := os.read(descriptor, 1 << 20):
            chunks.append(chunk)
        data = b"".join(chunks)
        after = os.fstat(descriptor)
        if len(data) == after.st_size and before.st_mtime_ns == after.st_mtime_ns:
            break
    return FileState("file", data, hash_bytes(data), *_facts(after))


def _facts(found: os.stat_result) -> tuple[int, int, int, int, int]:
    return stat.S_IMODE(found.st_mode), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _put_new(folder: int, temp: str, target: str) -> bool:
    try:
        if not rename_new(folder, temp, target):
            if _link(folder, temp, target):
                os.unlink(temp, dir_fd=folder)
            else:
                _rename_if_free(folder, temp, target)
    except FileExistsError:
        return False
    sync_descriptor(folder, Path(target))
    return True


def _require_regular(folder: int, target: Path) -> None:
    with suppress(FileNotFoundError):
        if stat.S_ISREG(os.stat(target.name, dir_fd=folder, follow_symlinks=False).st_mode):
            return
        raise UnsafePath("no regular file; memfs writes documents only", path=str(target))


def _swap(folder: int, temp: str, target: Path) -> str:
    """Swap; returns the displaced file's name. Raises FileNotFoundError when the target has vanished."""
    if not exchange_names(folder, temp, target.name):
        return _replace_keeping(folder, temp, target.name)
    try:
        _require_regular(folder, target.with_name(temp))
    except UnsafePath:  # a link or folder was put there between the check and the swap
        exchange_names(folder, temp, target.name)
        raise
    sync_descriptor(folder, target.parent)
    return temp


def _replace_keeping(folder: int, temp: str, target: str) -> str:
    """Where names cannot be swapped: a second name for the old file, then replace it."""
    aside = temp_name()
    if not _link(folder, target, aside):
        os.rename(target, aside, src_dir_fd=folder, dst_dir_fd=folder)
    os.replace(temp, target, src_dir_fd=folder, dst_dir_fd=folder)
    sync_descriptor(folder, Path(target))
    return aside


def _link(folder: int, old: str, new: str) -> bool:
    """Give a file a second name; False where the file system has no hard links."""
    try:
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
            return False
        raise
    return True


def _rename_if_free(folder: int, temp: str, target: str) -> None:
    """The last resort, on file systems without hard links and flags: look, then rename."""
    with suppress(FileNotFoundError):
        os.stat(target, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, "exists", target)
    os.rename(temp, target, src_dir_fd=folder, dst_dir_fd=folder)
