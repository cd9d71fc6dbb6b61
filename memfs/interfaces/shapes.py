"""The answers of the use cases as JSON values: the same keys for every interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfs.config import Config, Setting
    from memfs.history.log import LogEntry
    from memfs.memory.snapshot import Outcome
    from memfs.memory.types import MemoryType, Registry
    from memfs.model import Dropped, EntryView, Tokens
    from memfs.services.audit import Reason, Why
    from memfs.services.changing import Changed
    from memfs.services.checking import Checked
    from memfs.services.dryrun import DryRun, Estimate
    from memfs.services.purging import Forgotten
    from memfs.services.recall import Found
    from memfs.services.reports import IngestReport, SessionReport
    from memfs.services.retrying import Retried
    from memfs.services.status import Status
    from memfs.services.undo import Undone
    from memfs.vault.records import Quarantine

Json = dict[str, Any]


def entry_json(view: EntryView) -> Json:
    """An entry as ``list`` gives it."""
    return {
        "id": view.id,
        "identity": view.identity,
        "peer": view.peer,
        "type": view.type,
        "field": view.field,
        "text": view.text,
        "status": view.status,
        "date": view.date,
        "path": view.path,
        "line": view.line,
        "origin": view.origin,
        "source": view.source,
        "commit": view.commit,
    }


def found_json(found: Found) -> Json:
    """What ``search`` found, the best first."""
    hits = [
        entry_json(hit.view) | {"score": round(hit.score, 4), "snippet": hit.snippet.text}
        for hit in found.hits
    ]
    return {"hits": hits, "degraded": found.degraded}


def ingest_json(report: IngestReport) -> Json:
    """What ``ingest`` did, what waits and what could not be read."""
    return {
        "sessions": [session_json(session) for session in report.sessions],
        "waiting": list(report.waiting),
        "problems": list(report.problems),
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


def retry_json(retried: Retried) -> Json:
    """What a retry did: ranges that are merged now, those that failed again, and the ingest after them."""
    failed = [_quarantine_json(item) | {"reason": reason} for item, reason in retried.failed]
    merged = [_quarantine_json(item) for item in retried.merged]
    return {"retried": merged, "failed": failed} | ingest_json(retried.ingest)


def _quarantine_json(item: Quarantine) -> Json:
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


def changed_json(changed: Changed) -> Json:
    """What a change of one entry did."""
    return {"id": changed.id, "path": changed.path, "action": changed.action, "commit": changed.commit}


def purged_json(forgotten: Forgotten) -> Json:
    """What a purge did, with its proof."""
    return {
        "id": forgotten.id,
        "action": "purged",
        "moved": list(forgotten.moved),
        "objects": forgotten.objects,
        "left": list(forgotten.left),
        "copies": list(forgotten.copies),
        "transcripts": list(forgotten.transcripts),
    }


def undone_json(undone: Undone) -> Json:
    """What an undo did, entry by entry."""
    return {"undone": undone.undone, "commit": undone.commit, "entries": outcomes_json(undone.outcomes)}


def outcomes_json(outcomes: Iterable[Outcome]) -> list[Json]:
    """What became of entries."""
    return [
        {"id": one.id, "action": one.action, "type": one.type, "document": one.document, "reason": one.reason}
        for one in outcomes
    ]


def log_json(entry: LogEntry) -> Json:
    """One commit of the log."""
    told = entry.message
    return {
        "commit": entry.commit,
        "time": entry.time.isoformat(),
        "author": entry.author,
        "kind": entry.kind,
        "subject": entry.subject,
        "identity": told.identity if told else None,
        "source": told.source if told else None,
        "extractor": told.extractor if told else None,
        "tokens": tokens_json(told.tokens) if told else None,
        "entries": [
            {"id": one.id, "action": one.action, "source": one.source, "messages": list(one.messages)}
            for one in (told.entries if told else ())
        ],
    }


def why_json(why: Why) -> Json:
    """Where an entry comes from, newest first."""
    return {
        "entry": entry_json(why.entry),
        "author": why.author,
        "commit": why.commit,
        "reasons": [_reason_json(reason) for reason in why.reasons],
    }


def _reason_json(reason: Reason) -> Json:
    told = reason.provenance
    return {
        "commit": told.commit,
        "time": told.time.isoformat(),
        "action": told.action,
        "kind": told.kind,
        "source": told.source,
        "extractor": told.extractor,
        "tokens": tokens_json(told.tokens),
        "turns": [
            {
                "message": said.message,
                "role": said.turn.role if said.turn else None,
                "text": said.turn.text if said.turn else None,
                "timestamp": said.turn.timestamp if said.turn else None,
                "speaker": said.turn.speaker if said.turn else None,
                "path": said.path,
                "kept": said.kept,
            }
            for said in reason.turns
        ],
    }


def status_json(status: Status) -> Json:
    """How a vault does."""
    return {
        "vault": status.top,
        "branch": status.branch,
        "commit": status.commit,
        "busy": status.busy,
        "extractor": status.extractor,
        "when": status.when,
        "identities": [
            {
                "identity": one.identity,
                "last_run": None if one.last_run is None else _iso(one.last_run),
                "pending_cursors": one.pending_cursors,
                "tokens_today": one.tokens_today,
            }
            for one in status.identities
        ],
        "sources": [
            {
                "name": one.name,
                "path": one.root,
                "identity": one.identity,
                "transcripts": one.transcripts,
                "unmerged": one.unmerged,
                "choice_needed": one.choice_needed,
            }
            for one in status.sources
        ],
        "unfinished": status.unfinished,
        "quarantine": [_quarantine_json(item) for item in status.quarantine],
        "locks": list(status.locks),
        "warnings": list(status.warnings),
        "reasons": list(status.reasons),
    }


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def check_json(checked: Checked) -> Json:
    """What a check found."""
    return {
        "sound": checked.sound,
        "documents": checked.documents,
        "entries": checked.entries,
        "findings": [
            {"level": one.level, "message": one.message, "path": one.path, "line": one.line}
            for one in checked.findings
        ],
    }


def types_json(registry: Registry) -> Json:
    """The memory types, and what is wrong with templates."""
    return {
        "types": [_type_json(one) for one in registry.types.values()],
        "problems": list(registry.problems),
    }


def _type_json(one: MemoryType) -> Json:
    return {
        "name": one.name,
        "description": one.description,
        "path": one.path,
        "key": list(one.key),
        "fields": [
            {"name": each.name, "type": each.kind, "operator": each.operator, "description": each.description}
            for each in one.fields
        ],
        "stage": one.stage,
        "mode": one.mode,
        "enabled": one.enabled,
        "self_enabled": one.self_enabled,
        "peer_enabled": one.peer_enabled,
    }


def setting_json(declared: Setting, config: Config) -> Json:
    """One setting with its value now."""
    return {
        "key": declared.key,
        "value": _plain(declared.value(config)),
        "default": _plain(declared.default),
        "origin": config.origins.get(declared.key),
        "allowed": declared.allowed,
        "description": declared.description,
    }


def sources_json(config: Config) -> list[Json]:
    """The configured sources of transcripts."""
    return [
        {name: _plain(getattr(source, name)) for name in type(source).__dataclass_fields__}
        for source in config.sources
    ]


def _plain(value: object) -> object:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
