"""Where a commit's file really lies: the one resolver of everything that services write."""

from __future__ import annotations

import os
from pathlib import Path

from memfs.errors import UnsafePath
from memfs.vault.paths import OWN_RECORDS, find_link, resolve_beneath

# memfs's own files inside its own folders; no name from a transcript ever comes here.
_OWN_FILES = OWN_RECORDS | {".gitignore", ".gitattributes"}


def resolve_file(top: Path, rel: str) -> Path:
    """The real place of a file of a commit. Raises UnsafePath."""
    return resolve_beneath(top, rel, hidden=_OWN_FILES)


def linked(top: Path, rel: str) -> str | None:
    """Why nothing is committed under this path: a symbolic link stands on the way to it, and git would keep the link.

    One rule for every writer: what a link leads to may be another identity's, or a document that is there twice.
    """
    link = find_link(top, rel)
    if link is None:
        return None
    name = "it" if link == rel else link
    return f"{name} is a symbolic link (to {os.readlink(top / link)}), and memfs writes through none"


def is_safe(top: Path, rel: str) -> bool:
    """Whether a path that somebody named stays in the vault."""
    try:
        resolve_file(top, rel)
    except UnsafePath:
        return False
    return True
