"""Ingest: from transcripts to commits. The main job.

Per identity, under its lease, sessions in the order in which they began: new turns, extraction, one merge commit each.
A turn is merged once; a failure moves no cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import ConfigError, ExtractionError, LeaseLost, TranscriptError, UnsafePath
from memfs.services.ingesting.candidates import Candidate, find_candidates, find_unmerged
from memfs.services.ingesting.extracting import choose_extractor
from memfs.services.ingesting.policies import check_policy
from memfs.services.ingesting.queued import settle_queue
from memfs.services.ingesting.reasons import note_outcome
from memfs.services.ingesting.reports import IngestReport, SessionReport, describe
from memfs.services.ingesting.runs import Run, open_run
from memfs.services.ingesting.sources import TranscriptFile, named_files
from memfs.services.merging.reverts import absorb_reverts
from memfs.vault.leases import (
    Held,
)

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.services.opening import Vault


Announce = Callable[[str], None]
# How one identity's transcripts are merged. Given: the run, the transcripts, problems, the announcer, why each waits.
Way = Callable[
    [Run, Sequence[Candidate], list[str], Announce, Mapping[str, list[str]]], Iterator[SessionReport]
]


def ingest(
    vault: Vault,
    paths: Sequence[Path] = (),
    *,
    identity: str | None = None,
    choice: str | None = None,
    files: Iterable[TranscriptFile] | None = None,
    announce: Announce | None = None,
    now: datetime | None = None,
    extractor: Extractor | None = None,
    way: Way | None = None,
    policy: Mapping[str, Any] | None = None,
) -> IngestReport:
    """Merge what is new in ``paths``, or in all sources of the vault, into memory.

    ``choice`` is the backfill choice (``none``, ``30d``, ``all``) for new sources with many sessions; ``announce`` is
    told of each session as it is merged; ``now`` stands in for the day of turns that have no time; ``extractor``
    is another one than the settings name, ``way`` another way than transcript by transcript. ``policy`` is what may be
    remembered this time, in the shape of ``memory_policy``; it goes before session, identity and settings.

    Raises:
        InvalidRequest: it cannot be told which identity is meant, or none is called as named.
        ConfigError: ``policy`` has an unknown key or type, or the settings do.
        RepositoryBusy, VaultLocked.
    """
    check_policy(vault, policy)
    if identity:
        vault.choose_identity(
            identity
        )  # sources and transcripts may begin one, a name that is mistyped may not
    extractor = extractor or choose_extractor(vault)
    if extractor is None:
        return IngestReport(waiting=("extraction is turned off (extract.model is empty)",))
    tell = announce or (lambda _: None)
    problems: list[str] = []
    waiting: list[str] = []
    left_out: list[TranscriptFile] = []
    if files is None:
        past = left_out if choice else None
        files = named_files(vault, paths, identity) if paths else find_unmerged(vault, choice, waiting, past)
    files = list(files)
    candidates = list(find_candidates(vault, files, identity, problems, strict=bool(paths)))
    reasons = {
        str(file.path): [told for told in problems if told.startswith(f"{file.path}:")] for file in files
    }
    sessions: list[SessionReport] = []
    absorb_reverts(vault)
    for name in sorted({candidate.identity for candidate in candidates}):
        own = sorted((c for c in candidates if c.identity == name), key=lambda c: (c.began, c.file.rel))
        with open_run(vault, extractor, name, now, policy) as run:
            if isinstance(run, Held):
                waiting.append(
                    f"{name}: another memfs process (pid {run.pid} on {run.host}) is working on it"
                )
                for candidate in own:
                    reasons[str(candidate.file.path)].append(waiting[-1])
                continue
            sessions += (way or ingest_identity)(run, own, problems, tell, reasons)
            waiting += run.waiting
    note_outcome(vault, reasons)
    settle_queue(vault, problems)
    told = tuple(dict.fromkeys(waiting)), tuple(dict.fromkeys(problems))
    return IngestReport(tuple(sessions), *told, left_out=len(left_out))


def ingest_identity(
    run: Run,
    candidates: Sequence[Candidate],
    problems: list[str],
    tell: Announce,
    reasons: Mapping[str, list[str]],
) -> Iterator[SessionReport]:
    """Merge an identity's transcripts, in order; one that fails stops no other. ``reasons`` get why one waits."""
    for candidate in candidates:
        before = len(run.waiting), len(problems)
        try:
            for report in run.ingest_file(candidate):
                tell(describe(report, run.vault.language))
                yield report
        except LeaseLost:
            raise  # another worker has the identity: nothing more is written here
        except (TranscriptError, UnsafePath) as error:
            named = error.path == str(candidate.file.path)
            problems.append(str(error) if named else f"{candidate.file.path}: {error}")
        except (ExtractionError, ConfigError) as error:
            run.waiting.append(f"{candidate.file.path}: {error}")
        reasons[str(candidate.file.path)] += [*run.waiting[before[0] :], *problems[before[1] :]]
        run.renew()
