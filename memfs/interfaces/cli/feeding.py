"""Commands that feed memory from transcripts: ingest, watch, retry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.parameters import file_argument, identity_option, policy_option
from memfs.interfaces.cli.printing import one_line
from memfs.model import JOURNAL

if TYPE_CHECKING:
    from threading import Event

    from memfs.services.ingesting.reports import IngestReport
    from memfs.services.retrying import Retried

_REASONS = 10


@command(
    examples="""
    memfs ingest                                         what is new in inbox/ and in the configured sources
    memfs ingest chat.json --identity coding-assistant
    memfs ingest ~/exports/2026                          a folder
    memfs ingest --backfill 30d                          of a new source's past, only the last 30 days
    """
)
@file_argument("paths", nargs=-1)
@identity_option("Whose memory it feeds; without PATH, only what neither source nor transcript tells of.")
@click.option(
    "--backfill",
    type=click.Choice(["none", "30d", "all"]),
    help="How much of the past of a new source with many sessions is read.",
)
@policy_option
def ingest_command(
    call: Call,
    paths: tuple[Path, ...],
    identity: str | None,
    backfill: str | None,
    policy: dict[str, Any] | None,
) -> int:
    """Merge what is new in transcripts into memory.

    Without PATH: the inbox and all sources in memfs.toml. Every merge is one commit; a transcript is never
    read twice, so running it again is always safe.
    """
    from memfs.interfaces.shapes.feeding import ingest_json

    report = call.memory.ingest(
        paths, identity=identity, backfill=backfill, announce=call.note, policy=policy
    )
    call.answer(ingest_json(report), lambda: _report_lines(call, report))
    if report.left_out:
        call.note(call.text("left_out", n=report.left_out))
    return note_troubles(call, report)


def note_troubles(call: Call, report: IngestReport) -> int:
    """Say what waits and what could not be read; gives the exit code."""
    for reason in report.waiting:
        call.note(call.remark("waiting", reason))
    for line in _dropped_lines(call, report):
        call.note(line)
    for one in report.sessions:
        told = [f"{JOURNAL}: {each.reason}" for each in one.dropped if each.type == JOURNAL]
        for problem in (*one.problems, *told):
            call.note(call.remark("problem", f"{one.source}/{one.session}: {problem}"))
    for problem in report.problems:
        call.note(call.remark("problem", problem))
    return WAITING if report.waiting or report.problems else DONE


def _dropped_lines(call: Call, report: IngestReport) -> Iterator[str]:
    """Why something was dropped: each reason once, the most frequent first."""
    dropped = (each for one in report.sessions for each in one.dropped if each.type != JOURNAL)
    reasons = Counter((each.type, each.reason) for each in dropped).most_common()
    for (kind, reason), count in reasons[:_REASONS]:
        text = call.text("dropped_line", type=kind, reason=one_line(reason))
        yield f"{text} (x{count})" if count > 1 else text
    if len(reasons) > _REASONS:
        yield call.text("more_reasons", n=len(reasons) - _REASONS)


def _report_lines(call: Call, report: IngestReport) -> Iterator[str]:
    sessions = report.sessions
    waits = bool(report.waiting or report.problems)
    if not sessions:
        yield call.text("nothing_merged" if waits else "nothing_new")
        return
    counts = {
        "n_added": sum(one.added for one in sessions),
        "n_updated": sum(one.updated for one in sessions),
        "n_superseded": sum(one.superseded for one in sessions),
        "n_kept": sum(one.kept for one in sessions),
        "n_trained": sum(one.trained for one in sessions),
        "n_dropped": sum(len(one.dropped) for one in sessions),
    }
    done = [call.text(key, n=count) for key, count in counts.items() if count]
    yield call.text(
        "ingested",
        sessions=len({(one.source, one.session) for one in sessions}),
        turns=sum(one.turns for one in sessions),
        done=", ".join(done) or call.text("something_waits" if waits else "nothing_to_record"),
    )


@command(
    examples="""
    memfs watch
    memfs watch --vault ~/memory
    """
)
def watch_command(call: Call) -> None:
    """Merge transcripts as they grow, until stopped.

    Ctrl-C or SIGTERM ends it cleanly. Says what it does, one line per event; with --json one object per line.
    """
    from memfs.daemon import watch
    from memfs.services.serving import only_watch

    vault = call.memory.vault
    with only_watch(vault.layout, "watch"):
        watch(vault, announce=call.tell, stop=stopped_by_signals())


def stopped_by_signals() -> Event:
    """An event that the first SIGTERM or Ctrl-C sets; a second one ends the process at once."""
    import signal
    from threading import Event

    stop = Event()

    def end(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    return stop


@command(
    examples="""
    memfs retry
    memfs retry --identity coding-assistant
    """
)
@identity_option()
def retry_command(call: Call, identity: str | None) -> int:
    """Try again what could not be extracted.

    What was set aside after failing several times, cases that could not be learned from, then everything that is
    not merged.
    """
    from memfs.interfaces.shapes.feeding import retry_json

    retried = call.memory.retry(identity=identity, announce=call.note)
    call.answer(retry_json(retried), lambda: _retried_lines(call, retried))
    code = note_troubles(call, retried.ingest)
    return WAITING if retried.failed or retried.unlearned else code


def _retried_lines(call: Call, retried: Retried) -> Iterator[str]:
    for item in retried.merged:
        yield call.text("retried", session=one_line(f"{item.source}/{item.session}"), identity=item.identity)
    for item, reason in retried.failed:
        session = one_line(f"{item.source}/{item.session}")
        yield call.text("failed_again", session=session, identity=item.identity, reason=one_line(reason))
    for learned in retried.learned:
        yield call.text("learned_now", session=one_line(str(learned.key)), identity=learned.identity)
    for unlearned, reason in retried.unlearned:
        session = one_line(str(unlearned.key))
        yield call.text("unlearned", session=session, identity=unlearned.identity, reason=one_line(reason))
    yield from _report_lines(call, retried.ingest)
