"""Where a commit's file really lies: the one resolver of everything that services write."""

from __future__ import annotations

from pathlib import Path

from memfs.errors import UnsafePath
from memfs.vault.paths import OWN_RECORDS, resolve_beneath

# memfs's own files inside its own folders; no name from a transcript ever comes here.
_OWN_FILES = OWN_RECORDS | {".gitignore", ".gitattributes"}


def resolve_file(top: Path, rel: str) -> Path:
    """The real place of a file of a commit. Raises UnsafePath."""
    return resolve_beneath(top, rel, hidden=_OWN_FILES)


def is_safe(top: Path, rel: str) -> bool:
    """Whether a path that somebody named stays in the vault."""
    try:
        resolve_file(top, rel)
    except UnsafePath:
        return False
    return True
