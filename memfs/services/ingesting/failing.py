"""What becomes of turns that a language model could not be read on.

A model that does not answer costs nothing but time: its turns wait. An answer that cannot be read three rounds
running sets its turns aside, visibly, and the transcript goes on behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.errors import ExtractionError, InvalidAnswer
from memfs.model import Dropped, Turn
from memfs.vault.local import LocalState
from memfs.vault.records import Quarantine, clear_failures, count_failure, quarantine

if TYPE_CHECKING:
    from memfs.services.ingesting.sessions import SessionKey
    from memfs.services.opening import Vault

ROUNDS = 3


class Rounds:
    """Counts the rounds in which the turns of one session could not be read."""

    def __init__(self, vault: Vault, identity: str, key: SessionKey) -> None:
        self._vault = vault
        self._state = LocalState(vault.layout)
        self._identity, self._key = identity, key

    def set_aside(self, turns: Sequence[Turn], error: ExtractionError) -> Dropped | None:
        """In the third malformed round the turns are quarantined, and the note of it is given."""
        if not isinstance(error, InvalidAnswer):
            return None
        place = self._place(turns)
        if count_failure(self._state, place) < ROUNDS:
            return None
        quarantine(self._state, self._quarantined(turns, error))
        clear_failures(self._state, place)
        return Dropped(
            "turns",
            f"{len(turns)} turns are set aside after {ROUNDS} rounds: {error} (memfs retry tries them again)",
        )

    def passed(self, turns: Sequence[Turn]) -> None:
        """The turns were read; earlier rounds do not count any more."""
        place = self._place(turns)
        if place in self._state.read_record("failures"):
            clear_failures(self._state, place)

    def _place(self, turns: Sequence[Turn]) -> str:
        """A segment is known by its first turn: at the end of a transcript it may still grow."""
        return f"{self._identity} {self._key} {turns[0].id}"

    def _quarantined(self, turns: Sequence[Turn], error: InvalidAnswer) -> Quarantine:
        placed = all(turn.end > turn.start for turn in turns)
        return Quarantine(
            self._identity,
            self._key.source,
            self._key.session,
            turns[0].start,
            turns[-1].end,
            error.message,
            self._vault.clock().timestamp(),
            () if placed else tuple(turn.id or "" for turn in turns),
            error.answer,
        )
