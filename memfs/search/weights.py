"""Model files, verified by their checksum before they are loaded."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from memfs.errors import SearchIndexError

_NOTE = "verified-models.json"


def verify(path: Path, sha256: str, state: Path | None) -> None:
    """Check a file's checksum; once per file as it lies on disk, where ``state`` can remember it.

    Raises:
        SearchIndexError: it cannot be read, or is not the one expected.
    """
    try:
        stat = path.stat()
        seen = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, sha256]
        known = _read_note(state / _NOTE) if state else {}
        if known.get(str(path)) == seen:
            return
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SearchIndexError(f"the embedding model cannot be read: {error}", path=str(path)) from error
    if found != sha256:
        raise SearchIndexError("the embedding model is not the one expected (checksum)", path=str(path))
    if state:
        state.mkdir(parents=True, exist_ok=True)
        (state / _NOTE).write_text(json.dumps({**known, str(path): seen}), encoding="utf-8")


def _read_note(path: Path) -> dict[str, Any]:
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}
