"""Lots: transcripts of one identity that are merged together. No state, so that any thread may do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.errors import MemfsError
from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport

if TYPE_CHECKING:
    import threading

    from memfs.services.ingesting.sources import TranscriptFile
    from memfs.services.opening import Vault

# So many transcripts at a time; another identity gets its turn between two lots.
LOT = 20

# What came of a lot: its report, else why there is none (None: stopped).
Outcome = IngestReport | MemfsError | None


@dataclass(frozen=True, slots=True)
class Lot:
    """Transcripts of one identity."""

    identity: str
    files: tuple[TranscriptFile, ...]

    def stuck(self, report: IngestReport) -> tuple[TranscriptFile, ...]:
        """Those that have to be tried again: all when something waits, else what could not be read."""
        if report.waiting:
            return self.files
        problems = report.problems
        return tuple(file for file in self.files if any(str(file.path) in problem for problem in problems))


class Stopped(Exception):
    """Leaves an ingest between two sessions, when nothing is half done."""


def merge_lot(vault: Vault, lot: Lot, tell: Callable[[str], None], stop: threading.Event) -> Outcome:
    """Extract and merge a lot; ``tell`` is told of each session, ``stop`` ends it after the one under way."""

    def between(line: str) -> None:
        tell(line)
        if stop.is_set():
            raise Stopped

    try:
        return ingest(vault, files=lot.files, announce=between)
    except Stopped:
        return None
    except MemfsError as error:
        return error
