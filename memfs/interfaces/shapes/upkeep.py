"""JSON shapes of how a vault does, its types and settings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memfs.interfaces.shapes.feeding import quarantine_json
from memfs.interfaces.shapes.scheduling import daily_status_json
from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.config.settings import Config, Setting
    from memfs.memory.types import MemoryType, Registry
    from memfs.search.index import UpdateReport
    from memfs.services.checking import Checked
    from memfs.services.status import Status


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
        "quarantine": [quarantine_json(item) for item in status.quarantine],
        "locks": list(status.locks),
        "warnings": list(status.warnings),
        "reasons": list(status.reasons),
        "daily": daily_status_json(status.daily) if status.daily else None,
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


def reindex_json(report: UpdateReport) -> Json:
    """What a rebuild of the index did."""
    return {
        "indexed": len(report.indexed),
        "removed": len(report.removed),
        "deferred": list(report.deferred),
        "problems": [{"path": path, "reason": reason} for path, reason in report.problems],
        "degraded": "; ".join(report.degraded) or None,
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
