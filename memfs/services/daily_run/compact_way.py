"""Compact mode as a way to ingest one identity, and what it falls back to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memfs.errors import ExtractionError, InvalidAnswer, LeaseLost
from memfs.extraction.rules import RulesExtractor
from memfs.services.daily_run.compact import CompactDay
from memfs.services.ingest import Announce, ingest_identity
from memfs.services.ingesting.extracting import choose_extractor
from memfs.services.ingesting.reports import describe

if TYPE_CHECKING:
    from memfs.services.ingesting.candidates import Candidate
    from memfs.services.ingesting.reports import SessionReport
    from memfs.services.ingesting.runs import Run


def ingest_compact(
    run: Run,
    candidates: Sequence[Candidate],
    problems: list[str],
    tell: Announce,
    reasons: Mapping[str, list[str]],
) -> Iterator[SessionReport]:
    """Merge an identity's transcripts and its board in few tokens; conversations are summed up offline.

    An answer that cannot be read has them read in full, as `ingest_identity` does, which sets aside what fails
    thrice. A model that does not answer leaves them to the next try.

    Raises:
        LeaseLost: another worker has the identity; nothing more may be written.
        ConfigError: the prompt or the model cannot be used.
    """
    run.summed_by = RulesExtractor()
    before = len(problems)
    try:
        for report in CompactDay(run).ingest(candidates, problems):
            tell(describe(report, run.vault.language))
            yield report
    except LeaseLost:
        raise
    except InvalidAnswer as error:
        tell(f"{run.identity}: {error}")
        run.extractor = choose_extractor(run.vault) or run.extractor
        del problems[before:]  # they are met again
        yield from ingest_identity(run, candidates, problems, tell, reasons)
        return
    except ExtractionError as error:
        run.waiting.append(f"{run.identity}: {error}")
    for candidate in candidates:
        path = str(candidate.file.path)
        reasons[path] += [*run.waiting, *(told for told in problems[before:] if told.startswith(f"{path}:"))]
