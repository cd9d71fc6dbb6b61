"""Commands that keep a vault well: status, check, reindex."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.printing import one_line
from memfs.interfaces.cli.wording import say_remark

if TYPE_CHECKING:
    from memfs.services.checking import Checked, Finding
    from memfs.services.daily_run.runs import DailyStatus
    from memfs.services.status import Status

_DAILY = {"idle": "daily_idle", "running": "daily_running", "error": "daily_error"}


@command(
    examples="""
    memfs status
    memfs status --json
    """
)
def status_command(call: Call) -> None:
    """Show how the vault does, and what waits.

    Its identities and sources, transcripts not merged yet, and whatever needs you.
    """
    from memfs.interfaces.shapes.upkeep import status_json

    found = call.memory.status()
    call.answer(status_json(found), lambda: _status_lines(call, found))


def _status_lines(call: Call, status: Status) -> Iterator[str]:
    branch, commit = status.branch or call.text("none"), (status.commit or call.text("none"))[:8]
    yield call.text("status_vault", path=one_line(status.top), branch=one_line(branch), commit=commit)
    yield call.text("status_extractor", name=status.extractor, when=call.text(status.when))
    if status.daily is not None:
        yield _daily_line(call, status.daily)
    yield from _status_tables(call, status)
    yield ""
    yield from _worries(call, status) or (call.text("all_well"),)


def _daily_line(call: Call, daily: DailyStatus) -> str:
    moments = {
        name: call.text("never") if at is None else at.strftime("%Y-%m-%d %H:%M")
        for name, at in (("last", daily.last_run_at), ("next", daily.next_run_at))
    }
    return call.text("daily_status", state=call.text(_DAILY[daily.state]), **moments)


def _status_tables(call: Call, status: Status) -> Iterator[str]:
    from memfs.interfaces.cli.tables import table_lines

    identities = [
        (
            one.identity,
            call.text("never") if one.last_run is None else _local(call, one.last_run),
            str(one.tokens_today),
        )
        for one in status.identities
    ]
    sources = [
        (one.name, one.identity or "", str(one.transcripts), str(one.unmerged), one_line(one.root))
        for one in status.sources
    ]
    if identities:
        yield ""
        yield from table_lines(
            [call.text(key) for key in ("identity", "last_run", "tokens_today")], identities
        )
    if sources:
        yield ""
        headings = ("source", "identity", "transcripts", "unmerged", "lives_in")
        yield from table_lines([call.text(key) for key in headings], sources)


def _worries(call: Call, status: Status) -> list[str]:
    """What waits, and what needs the person."""
    lines = [call.remark("waiting", status.busy)] if status.busy else []
    unmerged = sum(one.unmerged for one in status.sources if not one.choice_needed)
    lines += [call.text("to_merge", n=unmerged)] if unmerged else []
    lines += [call.remark("why_unmerged", reason) for reason in status.reasons]
    lines += [call.text("unfinished")] if status.unfinished else []
    lines += [call.text("choice_needed", name=one.name) for one in status.sources if one.choice_needed]
    for item in status.quarantine:
        session = one_line(f"{item.source}/{item.session}")
        lines.append(
            call.text("set_aside", session=session, identity=item.identity, reason=one_line(item.reason))
        )
    lines += [call.text("lock", text=one_line(lock)) for lock in status.locks]
    lines += [call.remark("warning", warning) for warning in status.warnings]
    daily = status.daily.errors if status.daily else ()
    lines += [call.remark("daily_failed", error) for error in daily]
    return lines


def _local(call: Call, seconds: float) -> str:
    return datetime.fromtimestamp(seconds, call.memory.vault.zone).strftime("%Y-%m-%d %H:%M")


@command(
    examples="""
    memfs check
    memfs check --json
    """
)
def check_command(call: Call) -> int:
    """Verify vault, git and index; mend what is derived.

    Finishes a commit that a crash interrupted, and brings the index up to the files. What is yours is only
    reported. The exit code is 10 when something is wrong that memfs cannot mend.
    """
    from memfs.interfaces.shapes.upkeep import check_json

    checked = call.memory.check()
    call.answer(check_json(checked), lambda: _check_lines(call, checked))
    return DONE if checked.sound else WAITING


def _check_lines(call: Call, checked: Checked) -> Iterator[str]:
    for finding in checked.findings:
        yield call.text(f"finding_{finding.level}", text=_finding_text(call, finding))
    yield call.text("checked", documents=checked.documents, entries=checked.entries)
    if checked.sound:
        yield call.text("sound")


def _finding_text(call: Call, finding: Finding) -> str:
    place = "".join(f"{part}:" for part in (finding.path, finding.line) if part is not None)
    return one_line(f"{place} {say_remark(call.language, finding.message)}")


@command(
    examples="""
    memfs reindex
    """
)
def reindex_command(call: Call) -> int:
    """Build the search index anew.

    Never needed in everyday use: the index follows the files, and everything in it comes from them.
    """
    report = call.memory.reindex(announce=lambda part: call.note(call.text("indexing_documents", part=part)))
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
        call.note(call.remark("problem", f"{problem['path']}: {problem['reason']}"))
    for path in report.deferred:
        call.note(call.text("waiting", text=path))
    if degraded:
        call.note(call.text("degraded", reason=degraded))
    return WAITING if problems or report.deferred else DONE
