"""Where files are archived to and from, what a copy is called, and which originals must never be deleted."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest, UnsafePath
from memfs.vault.files import TEMP_PREFIX
from memfs.vault.names import MAX_NAME_BYTES, is_protected

if TYPE_CHECKING:
    from memfs.services.opening import Vault

UNKNOWN_MODEL = "unknown"
_UNSAFE = re.compile(r"[^\w.@+-]+")
_TYPES: Sequence[tuple[bytes, str]] = (
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"%PDF-", ".pdf"),
    (b"PK\x03\x04", ".zip"),
    (b"ID3", ".mp3"),
    (b"OggS", ".ogg"),
    (b"\x1f\x8b", ".gz"),
)


def archive_roots(vault: Vault) -> tuple[Path, ...]:
    """The folders that files may be archived from and to, links in their names followed: the person opened them."""
    return tuple(_real(vault, root) for root in vault.config.archive.roots)


def archive_folder(vault: Vault, asked: str | Path | None) -> Path:
    """The archive's real folder: the one asked for this once, else ``file_archive_path``, else ``archive/``.

    Raises:
        InvalidRequest: what was asked for lies outside of ``archive.roots``.
        UnsafePath: it lies in a folder that memfs never archives into.
    """
    usual = _real(vault, vault.config.file_archive_path or vault.layout.archive)
    folder = usual if asked is None else _real(vault, asked)
    if folder != usual and not is_inside(folder, archive_roots(vault)):
        raise InvalidRequest(
            f"the archive path {folder} does not lie under archive.roots",
            hint="choose a folder under one of them, or add one to the setting archive.roots",
        )
    return usable_folder(vault, folder)


def usable_folder(vault: Vault, asked: str | Path) -> Path:
    """The real folder of an archive, which may lie anywhere but where memfs, git and Obsidian keep their own.

    Raises:
        UnsafePath: it lies in a folder that memfs never archives into.
    """
    folder = _real(vault, asked)
    own = (vault.layout.memories, vault.layout.inbox, vault.layout.templates, vault.layout.git_dir)
    if is_inside(folder, own) or any(is_protected(part) for part in folder.parts):
        raise UnsafePath("files are not archived into this folder", path=str(folder))
    return folder


def target_folder(archive: Path, identity: str, model: str | None, day: date) -> Path:
    """``{archive}/{identity}_{model}/{YYYY-MM-DD}``; the model is a mere label here."""
    label = _UNSAFE.sub("-", model or "").strip("-.")[:80] or UNKNOWN_MODEL
    return archive / f"{identity}_{label}" / day.isoformat()


def copy_name(name: str, digest: str | None = None) -> str:
    """The name of a copy; with the ``digest`` of its content for one whose plain name is taken.

    Never longer than file systems allow in bytes; the extension stays.
    """
    suffix = f"-{digest[:8]}" if digest else ""
    stem, extension = os.path.splitext(name)
    room = MAX_NAME_BYTES - len((suffix + extension).encode())
    cut = stem.encode("utf-8", "surrogateescape")[:room]
    return f"{os.fsdecode(cut) if len(cut) < room else cut.decode('utf-8', 'ignore')}{suffix}{extension}"


def sniffed_name(place: Path) -> str:
    """The name of a packed ``.dat`` file with the extension that its first bytes tell."""
    if place.suffix.lower() not in (".dat", ""):
        return place.name
    try:
        with place.open("rb") as file:
            head = file.read(16)
    except OSError:
        return place.name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return place.stem + ".webp"
    if head[4:8] == b"ftyp":
        return place.stem + ".mp4"
    return next((place.stem + ext for magic, ext in _TYPES if head.startswith(magic)), place.name)


def is_inside(place: Path, folders: Sequence[Path]) -> bool:
    """Whether a real path is one of the folders or lies beneath one."""
    return any(place == folder or folder in place.parents for folder in folders)


def in_repository(place: Path) -> bool:
    """Whether a file lies in a git repository or its work tree: such a one is never deleted."""
    for folder in place.parents:
        if os.path.lexists(folder / ".git") or folder.name == ".git":
            return True
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir():
            return True
    return False


def temp_name(vault: Vault, place: Path) -> str:
    """The temp name of a file's copy: of this vault only, so that what a crash left of it is known again."""
    return TEMP_PREFIX + vault_tag(vault) + _short_hash(str(place))


def vault_tag(vault: Vault) -> str:
    """What temp names of this vault begin with, in an archive that several vaults may share."""
    return _short_hash(str(vault.layout.git_dir)) + "-"


def aside_name(place: Path) -> str:
    """The name an original has between the verified copy and its end."""
    return TEMP_PREFIX + _short_hash(place.name)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _real(vault: Vault, folder: str | Path) -> Path:
    """A folder's real path, whether or not it is there yet; a relative one counts from the vault."""
    return Path(os.path.realpath(vault.top / os.path.expanduser(folder)))
