"""What was said: the turns that prove an entry, from a transcript or its kept copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.errors import TranscriptError
from memfs.model import Turn
from memfs.services.changing import BY_CALL
from memfs.services.ingesting.kept import find_copies
from memfs.services.ingesting.reading import open_reader
from memfs.services.ingesting.sessions import SessionKey, known_cursors, message_names

if TYPE_CHECKING:
    from pathlib import Path

    from memfs.history.provenance import Provenance
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn that proves an entry, and the file it was read from (None: no copy of it is left)."""

    message: str
    turn: Turn | None
    path: str | None
    kept: bool = False


def said_turns(vault: Vault, identity: str, provenance: Provenance) -> Iterator[SaidTurn]:
    """The turns that a commit went by, as far as a copy of them is left; none where something was told by a call."""
    source, _, session = (provenance.source or "").partition("/")
    if source == BY_CALL:
        return
    wanted = dict.fromkeys(provenance.messages)
    if source and session:
        key = SessionKey(source, session)
        for name in dict.fromkeys(
            (identity, *vault.identities())
        ):  # it may have been moved here from another
            for path, kept in find_copies(vault, name, key, known_cursors(vault, name, key)):
                yield from _turns_in(path, kept, key, wanted)
                if not wanted:
                    return
    yield from (SaidTurn(message, None, None) for message in wanted)


def _turns_in(path: Path, kept: bool, key: SessionKey, wanted: dict[str, None]) -> Iterator[SaidTurn]:
    """The wanted turns of one file; they are taken off the list."""
    try:
        with open_reader(path) as reader:
            for one in reader.conversations or (reader,):
                turns = list(one)
                names = [turn.id for turn in turns] if kept else message_names(key, one.incremental, turns)[0]
                for name, turn in zip(names, turns, strict=True):
                    if name in wanted:
                        del wanted[name]
                        yield SaidTurn(name, turn, str(path), kept)
    except TranscriptError:
        return
