"""JSON shapes of the relay board and the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.archive import ArchivedFile, ArchiveReport
    from memfs.services.relay import Baton, Board


def baton_json(baton: Baton) -> Json:
    """One baton; ``dropped`` says why it is not on the board."""
    return {
        "id": baton.id or None,
        "time": baton.time.isoformat(timespec="seconds"),
        "channel": baton.channel,
        "sequence": baton.sequence or None,
        "role": baton.role,
        "text": baton.text,
        "session": baton.session,
        "message": baton.message,
        "bootstrap": baton.bootstrap,
        "done": baton.done,
        "dropped": baton.dropped,
        "redacted": baton.redacted,
    }


def board_json(board: Board) -> Json:
    """A relay board, oldest first."""
    return {
        "batons": [baton_json(baton) for baton in board.batons],
        "overdue": list(board.overdue),
        "problems": list(board.problems),
    }


def archive_json(report: ArchiveReport) -> Json:
    """What was archived, what was left where it is, and what failed."""
    return {
        "files": report.files,
        "size": report.size,
        "deleted": report.deleted,
        "known": report.known,
        "archived": [_archived_json(one) for one in report.archived],
        "skipped": [{"path": path, "reason": reason} for path, reason in report.skipped],
        "errors": list(report.errors),
    }


def _archived_json(one: ArchivedFile) -> Json:
    return {
        "identity": one.identity,
        "model": one.model,
        "original": one.original,
        "copy": one.copy,
        "sha256": one.sha256 or None,
        "size": one.size,
        "deleted": one.deleted,
    }
