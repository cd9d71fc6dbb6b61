"""JSON shapes of what is read of transcripts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.model import Dropped, Tokens
    from memfs.services.dryrun import DryRun, Estimate
    from memfs.services.ingesting.reports import IngestReport, SessionReport
    from memfs.services.learning.lessons import Assignment
    from memfs.services.retrying import Retried
    from memfs.services.turns import Pushed
    from memfs.vault.records import Quarantine


def ingest_json(report: IngestReport) -> Json:
    """What ``ingest`` did, what waits and what could not be read."""
    return {
        "sessions": [session_json(session) for session in report.sessions],
        "waiting": list(report.waiting),
        "problems": list(report.problems),
        "left_out": report.left_out,
    }


def session_json(report: SessionReport) -> Json:
    """What came of one session."""
    return {
        "source": report.source,
        "session": report.session,
        "identity": report.identity,
        "turns": report.turns,
        "added": report.added,
        "updated": report.updated,
        "superseded": report.superseded,
        "kept": report.kept,
        "trained": report.trained,
        "dropped": dropped_json(report.dropped),
        "skipped_lines": report.skipped_lines,
        "commit": report.commit,
        "path": report.path,
        "withheld": report.withheld,
        "off_record": report.off_record,
        "undone": list(report.undone),
        "problems": list(report.problems),
        "tokens": tokens_json(report.tokens),
    }


def pushed_json(pushed: Pushed) -> Json:
    """What became of pushed turns."""
    return {"session": pushed.session, "accepted": pushed.accepted, "known": pushed.known}


def retry_json(retried: Retried) -> Json:
    """What a retry did: ranges that are merged now, those that failed again, training, and the ingest after them."""
    failed = [quarantine_json(item) | {"reason": reason} for item, reason in retried.failed]
    merged = [quarantine_json(item) for item in retried.merged]
    learned = [assignment_json(item) for item in retried.learned]
    unlearned = [assignment_json(item) | {"reason": reason} for item, reason in retried.unlearned]
    again = {"retried": merged, "failed": failed, "learned": learned, "unlearned": unlearned}
    return again | ingest_json(retried.ingest)


def assignment_json(item: Assignment) -> Json:
    """Cases that training failed on."""
    return {
        "identity": item.identity,
        "source": item.key.source,
        "session": item.key.session,
        "cases": list(item.cases),
        "reason": item.reason,
    }


def quarantine_json(item: Quarantine) -> Json:
    """A range that was set aside."""
    return {"identity": item.identity, "source": item.source, "session": item.session, "reason": item.reason}


def extract_json(run: DryRun) -> Json:
    """What a dry run proposes."""
    return {
        "operations": [
            {
                "type": proposal.operation.type,
                "fields": dict(proposal.operation.fields),
                "text": text,
                "turns": list(proposal.operation.turns),
                "peer": proposal.target.peer,
            }
            for proposal, text in run.proposals
        ],
        "dropped": dropped_json(run.dropped),
        "tokens": tokens_json(run.tokens),
    }


def estimate_json(estimate: Estimate) -> Json:
    """What extraction would cost."""
    return {
        "turns": estimate.turns,
        "calls": estimate.calls,
        "tokens": tokens_json(estimate.tokens),
        "price": estimate.price,
    }


def dropped_json(dropped: Iterable[Dropped]) -> list[Json]:
    """Operations that were not used."""
    return [{"type": one.type, "reason": one.reason} for one in dropped]


def tokens_json(tokens: Tokens | None) -> Json | None:
    """Tokens of model calls."""
    return None if tokens is None else {"input": tokens.input, "output": tokens.output}
