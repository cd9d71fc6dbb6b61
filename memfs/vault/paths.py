"""From a name to a place on disk that certainly lies in the vault (protocol 3.4)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from memfs.errors import UnsafePath
from memfs.vault.names import OWN_RECORDS, check_relative, is_protected, is_safe_name, nfc, safe_name, slug

__all__ = ["OWN_RECORDS", "find_link", "is_safe_name", "nfc", "resolve_beneath", "safe_name", "slug"]


def resolve_beneath(
    top: Path, rel: str, *, allowed: Sequence[Path] = (), hidden: frozenset[str] = OWN_RECORDS
) -> Path:
    """The real place of the vault-relative POSIX path ``rel``, whether or not it exists yet.

    A link that stays inside is followed: a linked document is written where it lies, and the link is kept.
    The result holds no symbolic link; file functions refuse one that appears later. ``allowed`` are folders
    outside the vault that the person opened by a setting; ``hidden`` the dot names that may occur.
    Raises UnsafePath for everything else.
    """
    parts = check_relative(rel, hidden=hidden)
    real_top = Path(os.path.realpath(top))
    try:
        real = Path(os.path.realpath(_as_on_disk(real_top, parts)))
    except OSError as error:  # a folder became a link, or a link a folder, in this very moment
        raise UnsafePath(f"the path cannot be resolved: {error.strerror}", path=rel) from error
    for folder in (real_top, *(Path(os.path.realpath(extra)) for extra in allowed)):
        if real != folder and real.is_relative_to(folder):
            if any(is_protected(part) for part in real.relative_to(folder).parts):
                raise UnsafePath("the link leads into a folder that memfs never writes in", path=rel)
            return real
    raise UnsafePath("the path leads out of the vault", path=rel, hint="a symbolic link points outside")


def find_link(top: Path, rel: str) -> str | None:
    """The first symbolic link on the way from ``top`` to ``rel``, relative to ``top``; None when there is none."""
    place = Path(top)
    for part in rel.split("/"):
        place = place / _spelling(place, part)
        if place.is_symlink():
            return place.relative_to(top).as_posix()
    return None


def _as_on_disk(top: Path, parts: Sequence[str]) -> Path:
    place = top
    for part in parts:
        place = place / _spelling(place, part)
    return place


def _spelling(folder: Path, part: str) -> str:
    """The name as it is on disk: a file system may hold the decomposed form of the same name."""
    if part.isascii() or os.path.lexists(folder / part):
        return part
    try:
        names = os.listdir(folder)
    except OSError:
        return part
    wanted = nfc(part)
    return next((name for name in sorted(names) if nfc(name) == wanted), part)
