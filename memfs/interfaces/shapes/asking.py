"""JSON shapes of history and provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.entries import entry_json
from memfs.interfaces.shapes.feeding import tokens_json
from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.audit import Reason, Why


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
