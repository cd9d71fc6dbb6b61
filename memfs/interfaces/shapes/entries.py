"""JSON shapes of entries and what changes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.memory.snapshot import Outcome
    from memfs.model import EntryView
    from memfs.search.context import Context
    from memfs.search.searching import Hit
    from memfs.search.sessions import TurnHit
    from memfs.services.changing import Changed
    from memfs.services.purging import Forgotten
    from memfs.services.recall import Found
    from memfs.services.undo import Undone


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
        "trust": view.trust,
    }


def found_json(found: Found, *, why_score: bool = False) -> Json:
    """What ``search`` found, the best first; ``why_score`` adds the parts of each score."""
    return {
        "hits": [_hit_json(hit, why_score) for hit in found.hits],
        "degraded": found.degraded,
        "understood": [
            {"words": span.words, "since": span.since.isoformat(), "until": span.until.isoformat()}
            for span in found.understood
        ],
        "commit": found.commit,
        "turns": [turn_json(turn) for turn in found.turns],
    }


def _hit_json(hit: Hit, why_score: bool) -> dict[str, object]:
    parts = {"parts": dict(hit.parts)} if why_score else {}
    return entry_json(hit.view) | {"score": round(hit.score, 4), "snippet": hit.snippet.text, **parts}


def turn_json(turn: TurnHit) -> Json:
    """A turn that was found in a conversation."""
    return {
        "identity": turn.identity,
        "session": turn.session,
        "message": turn.message,
        "role": turn.role,
        "peer": turn.peer,
        "date": turn.date,
        "path": turn.path,
        "line": turn.line,
        "score": round(turn.score, 4),
        "snippet": turn.snippet.text,
        "before": turn.before,
        "after": turn.after,
    }


def context_json(context: Context) -> Json:
    """What an agent should read."""
    return {"text": context.text, "tokens": context.tokens, "left_out": context.left_out}


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
