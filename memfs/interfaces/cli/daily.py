"""The command daily."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.parameters import identity_option

if TYPE_CHECKING:
    from memfs.services.daily import DailyResult, Progress

_PHASES = {"extraction": "daily_extraction", "archiving": "daily_archiving"}


@command(
    examples="""
    memfs daily
    memfs daily --identity coding-assistant
    memfs daily --backup-path /backup/agents
    """
)
@identity_option()
@click.option(
    "--backup-path",
    type=click.Path(path_type=Path, resolve_path=True),
    metavar="PATH",
    help="Another archive this once; it lies under archive.roots.",
)
def daily_command(call: Call, identity: str | None, backup_path: Path | None) -> int:
    """Condense the day into memory now, then archive its files.

    What `memfs up` does every day as daily.schedule says. All that waits is extracted: transcripts that are not
    merged, and what nobody has read of the relay board. One identity's failure stops no other, and a failure of the
    archive undoes no memory. A run that is under way already is waited for. The exit code is 10 when something
    failed; the run can be started again at any time.
    """
    from memfs.interfaces.shapes.scheduling import daily_json

    def tell(progress: Progress) -> None:
        call.note(call.text(_PHASES[progress.phase], percent=progress.percent, name=progress.identity or ""))

    result = call.memory.daily(identity=identity, backup_path=backup_path, announce=call.note, progress=tell)
    call.answer(daily_json(result), lambda: _lines(call, result))
    return WAITING if result.errors else DONE


def _lines(call: Call, result: DailyResult) -> Iterator[str]:
    from memfs.services.archiving.wording import size_text

    yield call.text(
        "daily_done",
        identities=result.extracted_count,
        files=result.archived_files,
        size=size_text(result.archived_size),
    )
    for error in result.errors:
        yield call.remark("problem", error)
