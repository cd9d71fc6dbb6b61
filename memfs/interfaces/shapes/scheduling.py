"""JSON shapes of the daily run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.daily_run.runs import DailyResult, DailyStatus


def daily_json(result: DailyResult) -> Json:
    """What a daily run did. ``extracted_count`` counts identities, ``archived_size`` bytes."""
    return {
        "success": not result.errors,
        "extracted_count": result.extracted_count,
        "archived_files": result.archived_files,
        "archived_size": result.archived_size,
        "errors": list(result.errors),
    }


def daily_status_json(status: DailyStatus) -> Json:
    """How the daily run does."""
    last, due = status.last_run_at, status.next_run_at
    return {
        "last_run_at": last.isoformat(timespec="seconds") if last else None,
        "next_run_at": due.isoformat(timespec="seconds") if due else None,
        "status": status.state,
        "errors": list(status.errors),
    }
