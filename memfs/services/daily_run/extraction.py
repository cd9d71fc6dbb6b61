"""The daily run's first half for one identity: all that waits is extracted and merged, what merged is cleared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.errors import ConfigError, ExtractionError, MemfsError, UnsafePath
from memfs.model import Tokens
from memfs.services.daily_run.compact_way import ingest_compact
from memfs.services.ingest import Announce, ingest
from memfs.services.ingesting.candidates import find_candidates, find_unmerged
from memfs.services.ingesting.extracting import choose_extractor
from memfs.services.ingesting.models import COMPACT_PROMPT, model_extractor
from memfs.services.ingesting.reports import SessionReport
from memfs.services.ingesting.runs import Run, open_run
from memfs.services.ingesting.seen import open_seen
from memfs.services.ingesting.settled import note_settled
from memfs.services.relay import Baton, settle_relay, unread_batons
from memfs.services.relaying.extraction import read_board
from memfs.vault.leases import Held

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.services.ingesting.sources import TranscriptFile
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for one identity: transcripts with turns that are not merged, and unread batons."""

    identity: str
    files: tuple[TranscriptFile, ...] = ()
    batons: int = 0


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
    with open_seen(vault.layout.derived) as seen:
        for candidate in find_candidates(vault, files, None, problems, strict=False):
            if not note_settled(vault, candidate, seen):
                found[candidate.identity].append(candidate.file)
    batons = {name: len(unread) for name in vault.identities() if (unread := _unread(vault, name, problems))}
    names = found.keys() | batons.keys()
    return tuple(
        Pending(name, tuple(found.get(name, ())), batons.get(name, 0))
        for name in sorted(names if identity is None else names & {identity})
    )


def _unread(vault: Vault, identity: str, problems: list[str]) -> tuple[Baton, ...]:
    try:
        return unread_batons(vault, identity)
    except MemfsError as error:
        problems.append(str(error))
        return ()


def is_compact(vault: Vault) -> bool:
    """Whether a language model is asked in compact mode; the rules read everything anyway."""
    return vault.config.extract.model != "rules" and vault.config.daily.mode == "compact"


def extract_pending(vault: Vault, pending: Pending, announce: Announce) -> Extraction:
    """Extract and merge once what waits for an identity. An error of memfs is a reason to try again.

    Raises:
        ConfigError: trying again would not help.
    """
    try:
        if is_compact(vault):
            return _compact(vault, pending, announce)
        return _full(vault, pending, announce)
    except (ConfigError, UnsafePath):
        raise
    except (MemfsError, OSError) as error:
        return Extraction(waiting=(str(error),))


def clear_board(vault: Vault, identity: str, done: Extraction) -> int:
    """After an extraction: what is done leaves the board, when something was written or its time is over."""
    wrote = any(report.commit for report in done.sessions)
    return settle_relay(vault, identity, read=(), wrote=wrote)


def _full(vault: Vault, pending: Pending, announce: Announce) -> Extraction:
    """Transcript by transcript, then the board."""
    extractor = choose_extractor(vault)
    told = ingest(vault, files=pending.files, announce=announce, extractor=extractor)
    if not pending.batons or extractor is None:
        return Extraction(told.sessions, told.waiting, told.problems)
    board = _alone(vault, extractor, pending.identity, read_board)
    return Extraction(
        (*told.sessions, *board.sessions), (*told.waiting, *board.waiting), (*told.problems, *board.problems)
    )


def _compact(vault: Vault, pending: Pending, announce: Announce) -> Extraction:
    """All in as few calls as can be."""
    extractor = model_extractor(vault, prompt=COMPACT_PROMPT)
    if not pending.files:
        return _alone(
            vault, extractor, pending.identity, lambda run: ingest_compact(run, (), [], announce, {})
        )
    told = ingest(vault, files=pending.files, announce=announce, extractor=extractor, way=ingest_compact)
    return Extraction(told.sessions, told.waiting, told.problems)


def _alone(
    vault: Vault, extractor: Extractor, identity: str, work: Callable[[Run], Iterable[SessionReport]]
) -> Extraction:
    """Work on an identity without transcripts, under its lease."""
    sessions: list[SessionReport] = []
    with open_run(vault, extractor, identity, None) as run:
        if isinstance(run, Held):
            return Extraction(
                waiting=(f"another memfs process (pid {run.pid} on {run.host}) is working on it",)
            )
        try:
            sessions.extend(work(run))
        except ExtractionError as error:
            run.waiting.append(str(error))
        return Extraction(tuple(sessions), tuple(run.waiting))


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
