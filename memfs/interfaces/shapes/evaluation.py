"""JSON shapes of an evaluation; the figures have the names that docs/evaluation.md explains."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.evaluating.scoring import Score, Tally
    from memfs.services.evaluation import Evaluation

RATES = ("recall", "recall_any", "precision", "precision_typed", "precision_must", "f1", "f1_any")


def evaluation_json(one: Evaluation) -> Json:
    """An evaluation: what was run and what it took, then all figures."""
    from memfs.services.evaluation import GOAL

    return {
        "model": one.model,
        "goal": GOAL,
        "reaches_goal": one.reaches_goal,
        "turns": one.turns,
        "seconds": one.seconds,
        "tokens_in": one.tokens.input,
        "tokens_out": one.tokens.output,
        "price": one.price,
        "offered": one.offered,
        "dropped": one.dropped,
        "failed": [{"id": name, "reason": reason} for name, reason in one.failed],
        **score_json(one.score),
    }


def score_json(score: Score) -> Json:
    """All figures of a score."""
    return {
        **row_json(score.all),
        "transcripts": score.transcripts,
        "repeats": score.repeats,
        "tokens": score.tokens,
        "empty": score.empty,
        "left_empty": score.left_empty,
        "empty_share": round(score.left_empty / score.empty, 4) if score.empty else None,
        "attributes": {
            name: {"n": n, "accuracy": round(right / n, 4)} for name, (n, right) in score.attributes.items()
        },
        "violations_by_why": dict(sorted(Counter(each.why for each in score.violations).items())),
        "violation_list": [{"id": each.id, "why": each.why, "text": each.text} for each in score.violations],
        "missing": list(score.missing),
        "unknown_ids": list(score.unknown),
        **{name: {key: row_json(row) for key, row in table.items()} for name, table in score.tables.items()},
    }


def row_json(row: Tally) -> Json:
    """One row of a table."""
    return {
        "must": row.must,
        "entries": row.entries,
        **{name: getattr(row, name) for name in RATES},
        "violations": row.violations,
    }
