"""JSON shapes of a review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.review import IdentityReview, ReviewReport


def review_json(report: ReviewReport) -> Json:
    """What a review did, by identity."""
    return {
        "identities": [_identity_json(one) for one in report.identities],
        "problems": list(report.problems),
    }


def _identity_json(one: IdentityReview) -> Json:
    return {
        "identity": one.identity,
        "united": one.united,
        "superseded": one.superseded,
        "suggested": one.suggested,
        "stale": one.stale,
        "archived": one.archived,
        "kept": [{"id": entry, "reason": reason} for entry, reason in one.kept],
        "refused": [{"type": item.type, "reason": item.reason} for item in one.refused],
        "read": one.read,
        "left": one.left,
        "tokens": {"input": one.tokens.input, "output": one.tokens.output},
        "commit": one.commit,
        "waiting": list(one.waiting),
        "degraded": one.degraded,
    }
