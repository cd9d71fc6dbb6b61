"""Transcripts whose cursors say that nothing follows in them, though nothing here noted it: vaults that were copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memfs.errors import TranscriptError, UnsafePath
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader, open_stream
from memfs.services.ingesting.reasons import note_outcome
from memfs.services.ingesting.sessions import cursor_place, fitting_cursor, known_cursors, session_key
from memfs.transcripts.decoding import plain_stream

if TYPE_CHECKING:
    from memfs.services.ingesting.candidates import Candidate
    from memfs.services.ingesting.seen import SeenMessages
    from memfs.services.ingesting.sources import TranscriptFile
    from memfs.services.opening import Vault


def note_settled(vault: Vault, candidate: Candidate, seen: SeenMessages) -> bool:
    """Whether a transcript is merged to its end, as its cursors say; that it is merged as it lies is noted then."""
    file = candidate.file
    cursors = standing_cursors(vault, candidate.identity, file, ended=True)
    if cursors is None:
        return False
    seen.note_file(str(file.path), file.stat, cursors)
    note_outcome(vault, {str(file.path): ()})
    return True


def standing_cursors(
    vault: Vault, identity: str, file: TranscriptFile, *, ended: bool = False
) -> Mapping[str, str] | None:
    """The cursors (place -> text) of all conversations in a file, as they stand; None where one has none.

    A subagent's has none and needs none. ``ended``: None also where something may follow behind a cursor.
    """
    try:
        return _find_standing(vault, identity, file, ended)
    except (TranscriptError, UnsafePath):
        return None  # who reads it tells why not


def _find_standing(
    vault: Vault, identity: str, file: TranscriptFile, ended: bool
) -> Mapping[str, str] | None:
    from memfs.history.cursors import render_cursor

    with open_reader(file.path, me=file.source.me, limits=INGEST_LIMITS) as first:
        if first.session.subagent:
            return {}
        keys = [session_key(reader, file) for reader in first.conversations or (first,)]
    found: dict[str, str] = {}
    with open_stream(file.path) as stream:
        plain = plain_stream(stream, str(file.path))
        size = plain.seek(0, 2)
        for key in keys:
            cursor = fitting_cursor(known_cursors(vault, identity, key), plain)
            if cursor is None or (ended and cursor.offset < size):
                return None
            found[cursor_place(vault, identity, key)] = render_cursor(cursor)
    return found
