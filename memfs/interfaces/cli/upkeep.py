"""Commands that keep a vault well: reindex."""

from __future__ import annotations

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING


@command(
    examples="""
    memfs reindex
    """
)
def reindex_command(call: Call) -> int:
    """Build the search index anew.

    Never needed in everyday use: the index follows the files, and everything in it comes from them.
    """
    report = call.memory.reindex()
    problems = [{"path": path, "reason": reason} for path, reason in report.problems]
    degraded = "; ".join(report.degraded) or None
    data = {
        "indexed": len(report.indexed),
        "removed": len(report.removed),
        "deferred": list(report.deferred),
        "problems": problems,
        "degraded": degraded,
    }
    call.answer(data, lambda: [call.text("reindexed", count=len(report.indexed))])
    for problem in problems:
        call.note(call.text("problem", text=f"{problem['path']}: {problem['reason']}"))
    for path in report.deferred:
        call.note(call.text("waiting", text=path))
    if degraded:
        call.note(call.text("degraded", reason=degraded))
    return WAITING if problems or report.deferred else DONE
