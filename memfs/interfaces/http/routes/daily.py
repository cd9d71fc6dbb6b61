"""The daily job: run it, see how it does, follow its progress, and say where files are archived."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field

from memfs.errors import NotPermitted
from memfs.interfaces.answers.relaying import Archived, DailyExtracted, ExtractStatus, Success
from memfs.interfaces.http.calling import Caller, Calls
from memfs.interfaces.http.problems import documented
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import PLAIN, AskedIdentity, Body
from memfs.interfaces.library import Memory
from memfs.interfaces.shapes.relaying import archive_json
from memfs.services.daily import DailyResult, Progress, run_daily

router = router_of("daily", prefix="/api")
Folder = Annotated[str, Field(min_length=1, max_length=4096, pattern=PLAIN)]


class DailyExtract(Body):
    """How a run is to differ from what the settings say."""

    backupPath: Folder | None = Field(
        default=None, description="Another archive for this run; it lies under archive.roots."
    )


class ArchivePath(Body):
    """Where files are archived from now on; empty: in the vault."""

    value: Annotated[str, Field(max_length=4096, pattern=r"^[^\x00-\x1f\x7f]*$")]


@router.post("/memory/daily-extract", response_model=DailyExtracted)
def daily(calls: Calls, body: DailyExtract | None = None) -> Any:
    """Run the daily extraction and archiving now; one that is under way already is waited for."""
    shared = calls.shared
    begun: list[Progress] = []

    def tell(progress: Progress) -> None:
        begun.append(progress)
        shared.progress.tell(progress)

    with calls.whole() as memory:
        try:
            result = run_daily(
                memory.vault,
                backup_path=body.backupPath if body else None,
                announce=shared.announce,
                progress=tell,
                stop=shared.stopping,
            )
        except BaseException as error:
            if begun:  # else another run may be under way, which is followed
                shared.progress.fail(str(error) or type(error).__name__)
            raise
    shared.finish_daily(result)
    return _extracted(result)


def _extracted(result: DailyResult) -> dict[str, Any]:
    return {
        "success": not result.errors,
        "extractedCount": result.extracted_count,
        "archivedFiles": result.archived_files,
        "errors": list(result.errors),
    }


@router.get("/memory/extract-status", response_model=ExtractStatus)
def daily_status(calls: Calls) -> Any:
    """When the daily run last began, when it is due next, and whether it is under way."""
    with calls.reach() as reach:
        return _status(reach.memory)


def _status(memory: Memory) -> dict[str, Any]:
    found = memory.daily_status()
    last, due = found.last_run_at, found.next_run_at
    return {
        "success": True,
        "lastRunAt": last.isoformat(timespec="seconds") if last else None,
        "nextRunAt": due.isoformat(timespec="seconds") if due else None,
        "status": found.state,
    }


async def _owner(calls: Calls) -> Caller:
    if calls.grant.identity is not None:
        raise NotPermitted("only the owner's token may do this")
    return calls


@router.get("/memory/extract-events", response_class=EventSourceResponse)
async def daily_events(calls: Annotated[Caller, Depends(_owner)]) -> AsyncIterator[ServerSentEvent]:
    """Follow the daily run under way, else the next: `waiting` until it begins, `progress`, and `done` as the last."""
    async for name, data in calls.shared.progress.follow():
        yield ServerSentEvent(event=name, data=data)


@router.put("/store/file_archive_path", response_model=Success)
def file_archive_path(calls: Calls, body: ArchivePath) -> Any:
    """Say where files are archived: any folder of this machine but memfs's own, kept in memfs.local.toml."""
    with calls.whole() as memory:
        memory.set_config("file_archive_path", body.value or None, local=True)
    return {"success": True}


@router.post("/archive", response_model=Archived, responses=documented(404))
def archive(calls: Calls, identity: AskedIdentity = None, dry_run: bool = False) -> Any:
    """Archive the files that conversations mention; with dry_run only say which."""
    with calls.whole() as memory:
        report = memory.archive(identity=identity, announce=calls.shared.announce, dry_run=dry_run)
        return archive_json(report)
