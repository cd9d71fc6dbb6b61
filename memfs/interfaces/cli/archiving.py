"""The command archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.parameters import identity_option, read_day

if TYPE_CHECKING:
    from memfs.services.archive import ArchiveReport


@command(
    examples="""
    memfs archive --dry-run
    memfs archive --identity coding-assistant
    memfs archive --day 2026-03-14 --to /backup/agents
    """
)
@identity_option()
@click.option("--day", callback=read_day, metavar="DATE", help="The day in the path; else today.")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path, resolve_path=True),
    metavar="PATH",
    help="Another archive this once; it lies under archive.roots.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be archived, and deleted.")
def archive_command(
    call: Call, identity: str | None, day: date | None, target: Path | None, dry_run: bool
) -> int:
    """Archive the files that conversations mention.

    Copies go to ARCHIVE/IDENTITY_MODEL/DAY/NAME and are read back. An original is only deleted with
    archive.delete_originals = true, and never one that only the text names or that lies in a git repository.
    """
    from memfs.interfaces.shapes.relaying import archive_json

    at = day.date() if isinstance(day, datetime) else day
    report = call.memory.archive(
        identity=identity, archive_path=target, day=at, announce=call.note, dry_run=dry_run
    )
    call.answer(archive_json(report), lambda: _archive_lines(call, report, dry_run=dry_run))
    return WAITING if report.errors else DONE


def _archive_lines(call: Call, report: ArchiveReport, *, dry_run: bool) -> Iterator[str]:
    from memfs.services.archiving.wording import size_text

    size = size_text(report.size)
    if dry_run:
        yield call.text("would_archive", count=report.files, size=size, deleted=report.deleted)
    else:
        yield call.text("archived", count=report.files, size=size, deleted=report.deleted)
    if report.known:
        yield call.text("archived_before", count=report.known)
    if report.skipped or report.errors:
        yield call.text("archive_left", skipped=len(report.skipped), failed=len(report.errors))
