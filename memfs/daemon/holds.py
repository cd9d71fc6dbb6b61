"""Transcripts that could not be merged: what holds them, and when they are tried again. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

LONGEST_PAUSE_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Held:
    """One transcript of ``identity``. A reason about a document begins with its path beneath ``memories/``.

    It is tried again when such a document changes, else at a look at everything after ``until``.
    """

    identity: str
    reasons: tuple[str, ...]
    until: float


class Holds:
    """What is held, by path. The first pause lasts ``pause`` seconds, each further one twice as long."""

    def __init__(self) -> None:
        self.pause = 60.0
        self._held: dict[str, Held] = {}
        self._tries: dict[str, int] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._held

    def hold(self, path: str, identity: str, reasons: tuple[str, ...], now: float) -> float:
        """Hold a transcript back once more; gives for how many seconds."""
        self._tries[path] = tries = self._tries.get(path, 0) + 1
        pause = min(self.pause * 2.0 ** (tries - 1), max(self.pause, LONGEST_PAUSE_SECONDS))
        self._held[path] = Held(identity, reasons, now + pause)
        return pause

    def drop(self, path: str) -> None:
        """Hold it no longer: it changed, and is tried at its own time. How often it failed is remembered."""
        self._held.pop(path, None)

    def forget(self, path: str) -> None:
        """It was merged, or is gone."""
        self._held.pop(path, None)
        self._tries.pop(path, None)

    def release(self, changed: Collection[str], now: float, *, complete: bool) -> list[tuple[str, str]]:
        """Take out what may be tried again, as (path, identity).

        ``changed`` are documents by their path beneath ``memories/``; ``complete``: everything was looked at.
        """
        names = {_nfc(name) for name in changed}
        released = [
            (path, held.identity)
            for path, held in self._held.items()
            if (complete and now >= held.until) or any(_document(reason) in names for reason in held.reasons)
        ]
        for path, _ in released:
            del self._held[path]
        return released


def _document(reason: str) -> str:
    return _nfc(reason.partition(": ")[0])


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
