"""Kept copies: what was merged, redacted and compressed, because clients delete their own transcripts.

One file a session under ``archive/transcripts/``; each batch appends a zstd frame of neutral JSONL, so a reader
sees one transcript. A batch that is tried again appends its turns again; reading drops repeated ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.model import Cursor, Session, Turn
from memfs.services.ingesting.sessions import SessionKey
from memfs.services.ingesting.sources import list_sources
from memfs.vault.paths import safe_name, slug
from memfs.vault.setup import ensure_ignores

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def kept_copy(vault: Vault, identity: str, key: SessionKey) -> Path:
    """Where the kept copy of a session is (or would be)."""
    folder = vault.layout.archive / "transcripts" / safe_name(identity) / slug(key.source)
    return folder / f"{slug(key.session)}.jsonl.zst"


def find_copies(
    vault: Vault, identity: str, key: SessionKey, cursors: Iterable[Cursor]
) -> Iterator[tuple[Path, bool]]:
    """The files that may hold a session: the transcript where its cursors say, then the kept copy (True)."""
    for cursor in cursors:
        for source in list_sources(vault):
            path = source.root if source.root.is_file() else source.root / (cursor.path or "")
            if cursor.path and path.is_file():
                yield path, False
    copy = kept_copy(vault, identity, key)
    if copy.is_file():
        yield copy, True


def keep_copy(vault: Vault, identity: str, key: SessionKey, session: Session, turns: Sequence[Turn]) -> Path:
    """Append a redacted copy of these turns, durably."""
    import zstandard

    from memfs.extraction.redaction import redact_session, redact_turn
    from memfs.transcripts.neutral import render_header, render_turn

    path = kept_copy(vault, identity, key)
    if not path.parent.exists():
        ensure_ignores(vault.layout)  # first: in a fresh clone nothing tells git yet to leave these alone
        path.parent.mkdir(parents=True)
    rows = [render_turn(redact_turn(turn)) for turn in turns]
    if not path.exists():
        rows.insert(0, render_header(redact_session(session)))
    frame = zstandard.ZstdCompressor(level=9).compress(b"".join(rows))
    with path.open("ab") as stream:
        stream.write(frame)
        stream.flush()
        os.fsync(stream.fileno())
    return path
