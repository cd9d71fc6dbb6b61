"""Folders opened without following a link anywhere on the way.

A path that `paths.resolve_beneath` returned held no symbolic link when it was resolved. Opening it part by
part with O_NOFOLLOW makes any link that was swapped in later an error: no gap between check and use.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memfs.errors import UnsafePath, VaultError

# O_PATH needs only search permission on the folders above the vault.
_SEARCH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def open_folder(folder: Path, *, create: bool = False, mode: int = 0o777) -> Iterator[int]:
    """A descriptor of ``folder`` for ``dir_fd=``, no symbolic link followed in any part of it.

    With ``create`` missing folders are made (``mode`` less the umask) and are durable.
    Raises UnsafePath for a link on the way, FileNotFoundError when absent, VaultError for other failures.
    """
    descriptor = os.open(folder.anchor, _SEARCH)
    try:
        for part in folder.parts[1:]:
            if create:
                _make_folder(descriptor, part, mode)
            below = _step(descriptor, part, folder)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def ensure_folder(folder: Path, *, mode: int = 0o777) -> None:
    """Make ``folder`` and what is missing above it, durably. Raises UnsafePath, VaultError."""
    with open_folder(folder, create=True, mode=mode):
        pass


def fsync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable. Raises UnsafePath, VaultError, FileNotFoundError."""
    with open_folder(folder) as descriptor:
        sync_descriptor(descriptor, folder)


def sync_descriptor(descriptor: int, folder: Path) -> None:
    """fsync the folder that ``descriptor`` (of `open_folder`) stands for."""
    try:
        readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=descriptor)
        try:
            os.fsync(readable)
        finally:
            os.close(readable)
    except OSError as error:
        raise VaultError(f"cannot make the folder durable: {error.strerror}", path=str(folder)) from error


def _make_folder(parent: int, part: str, mode: int) -> None:
    with suppress(FileExistsError):
        try:
            os.stat(part, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            os.mkdir(part, mode, dir_fd=parent)
            sync_descriptor(parent, Path(part))


def _step(parent: int, part: str, folder: Path) -> int:
    try:
        return os.open(part, _SEARCH, dir_fd=parent)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            what = "a symbolic link" if _is_link(parent, part) else "not a folder"
            raise UnsafePath(f"{part!r} is {what}", path=str(folder)) from error
        raise VaultError(f"cannot open the folder: {error.strerror}", path=str(folder)) from error


def _is_link(parent: int, part: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        return False
