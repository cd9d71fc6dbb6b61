"""JSON shapes of entries and what changes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.memory.snapshot import Outcome
    from memfs.model import EntryView
    from memfs.search.context import Context
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
    }


def found_json(found: Found) -> Json:
    """What ``search`` found, the best first."""
    hits = [
        entry_json(hit.view) | {"score": round(hit.score, 4), "snippet": hit.snippet.text}
        for hit in found.hits
    ]
    return {"hits": hits, "degraded": found.degraded}


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
