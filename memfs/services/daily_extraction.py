"""The daily run's first half for one identity: all that waits is extracted and merged, what merged is cleared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.errors import ConfigError, MemfsError
from memfs.model import Tokens
from memfs.services.candidates import find_candidates, find_unmerged
from memfs.services.ingest import Announce, ingest
from memfs.services.reports import IngestReport, SessionReport

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.services.sources import TranscriptFile


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for one identity: transcripts with turns that are not merged."""

    identity: str
    files: tuple[TranscriptFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of it. ``waiting``: why it has to be tried again; ``problems``: what cannot be read at all."""

    sessions: tuple[SessionReport, ...] = ()
    waiting: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """All tokens of prompts and answers."""
        spent = sum((report.tokens for report in self.sessions), Tokens())
        return spent.input + spent.output

    def count(self, name: str) -> int:
        """The sum of a number that sessions report (``turns``, ``added`` ...)."""
        return sum(int(getattr(report, name)) for report in self.sessions)


def find_pending(
    vault: Vault, identity: str | None, choices: list[str], problems: list[str]
) -> tuple[Pending, ...]:
    """The identities for which something waits (only ``identity``, where it is given), sorted by name.

    ``choices`` get the sources whose past nobody chose yet, ``problems`` what cannot be read.
    """
    found: dict[str, list[TranscriptFile]] = defaultdict(list)
    files = list(find_unmerged(vault, None, choices))
    for candidate in find_candidates(vault, files, None, problems, strict=False):
        found[candidate.identity].append(candidate.file)
    names = sorted(found if identity is None else found.keys() & {identity})
    return tuple(Pending(name, tuple(found[name])) for name in names)


def extract_pending(vault: Vault, pending: Pending, announce: Announce) -> Extraction:
    """Extract and merge once what waits for an identity. An error of memfs is a reason to try again.

    Raises:
        ConfigError: trying again would not help.
    """
    try:
        report = ingest(vault, files=pending.files, announce=announce) if pending.files else IngestReport()
    except ConfigError:
        raise
    except (MemfsError, OSError) as error:
        return Extraction(waiting=(str(error),))
    return Extraction(report.sessions, report.waiting, report.problems)


def extract_insisting(
    attempt: Callable[[], Extraction], again: Callable[[int, str], None], retries: int
) -> Extraction:
    """Try until nothing has to wait, at most ``retries`` times more; the sessions of all tries are told.

    ``again`` is told before each further try which one it is, and why.
    """
    sessions: Sequence[SessionReport] = ()
    for number in range(retries + 1):
        done = attempt()
        sessions = (*sessions, *done.sessions)
        if not done.waiting or number == retries:
            break
        again(number + 1, done.waiting[0])
    return Extraction(tuple(sessions), done.waiting, done.problems)
