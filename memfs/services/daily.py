"""The daily run: every identity's day condensed into memory, then its files archived.

For each identity with something that waits, all of it is extracted and merged, and what merged is cleared. One
identity's failure stops no other; archiving comes after, and its failure undoes no memory. Runs that are asked for
at the same time are one run. `slots` says when it is due, `daemon.schedule` starts it then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memfs.errors import HistoryError, MemfsError
from memfs.services.archiving.wording import size_text
from memfs.services.daily_run.extraction import (
    Extraction,
    Pending,
    clear_board,
    extract_insisting,
    extract_pending,
    find_pending,
)
from memfs.services.daily_run.lines import DailyLog
from memfs.services.daily_run.runs import DailyRequest, DailyResult, DailyStatus, daily_status, run_joined
from memfs.services.daily_run.slots import Slot, SlotBook

if TYPE_CHECKING:
    from memfs.services.opening import Vault

__all__ = ["DailyResult", "DailyStatus", "Progress", "daily_status", "run_daily"]

RETRIES = 3
PAUSES = (2.0, 10.0, 30.0)  # seconds before each further try of a step


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a daily run is: percent of its phase, and the identity at work, where there is one.

    Extraction: 0, 10 for each identity, 50. Archiving: 0, 10 for each identity, 100.
    """

    percent: int
    identity: str | None
    phase: Literal["extraction", "archiving"]


class Stopped(Exception):
    """Leaves a run between two sessions, when nothing is half done."""


def run_daily(
    vault: Vault,
    *,
    identity: str | None = None,
    backup_path: Path | str | None = None,
    announce: Callable[[str], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
    slot: Slot | None = None,
    stop: Callable[[], bool] = lambda: False,
    pause: Callable[[float], object] = time.sleep,
) -> DailyResult:
    """Extract all that waits (of ``identity``, or of all), then archive files to ``backup_path`` or where settings say.

    ``announce`` is told the log's lines, ``progress`` how far it is. ``slot``: the time for which it runs; what of
    it is done already is not done again. ``stop`` is asked between sessions whether to end early. ``pause`` waits
    between tries, in seconds. Called while the same is under way, it waits for that run and gives its result.

    Failures are in the result's ``errors``, in the local log and in `daily_status`.

    Raises:
        InvalidRequest: no identity is called so, or ``backup_path`` lies outside of ``archive.roots``.
        VaultLocked: another run is under way and does not end.
    """
    from memfs.services.archiving.places import archive_folder

    if backup_path:
        archive_folder(vault, backup_path)
    backup = str(Path(backup_path).expanduser()) if backup_path else None
    log = DailyLog(vault.layout.local / "logs" / "daily.log", vault.language, announce, vault.now)
    book = SlotBook(vault, slot) if slot else None
    run = _Run(vault, log, progress or (lambda _: None), stop, pause, book)
    request = DailyRequest(identity, backup, slot.name if slot else None)
    return run_joined(vault, request, lambda: run.work(identity, backup))


@dataclass
class _Run:
    """One run. ``failed`` are the identities whose extraction did not succeed."""

    vault: Vault
    log: DailyLog
    progress: Callable[[Progress], None]
    stop: Callable[[], bool]
    pause: Callable[[float], object]
    book: SlotBook | None
    result: DailyResult = field(default_factory=DailyResult)
    failed: list[str] = field(default_factory=list)

    def work(self, identity: str | None, backup: str | None) -> DailyResult:
        """Do all of it."""
        if self.book is not None and self.book.closed:
            return self.result
        began = time.monotonic()
        if self.book is None:
            self.log.say("begin")
        else:
            due = self.book.slot.due.astimezone(self.vault.zone)
            self.log.say("begin_slot", slot=f"{due:%Y-%m-%d %H:%M:%S}")
        try:
            self._extract(identity)
            self._review(identity)
            self._archive(identity, backup)
            self._maintain()
        except Stopped:
            self.log.say("stopped")
            return self._error("the run was stopped before its end")
        if self.book is not None and not self.failed:
            self.book.close()
        self.log.say("end", seconds=time.monotonic() - began)
        told = self.result
        self.log.say(
            "total",
            identities=told.extracted_count,
            files=told.archived_files,
            size=size_text(told.archived_size),
        )
        return told

    # Extraction

    def _extract(self, identity: str | None) -> None:
        self.progress(Progress(0, None, "extraction"))
        if self.vault.config.extract.model:
            self._extract_pending(identity)
        else:
            self.log.say("off")
        self.progress(Progress(50, None, "extraction"))

    def _extract_pending(self, identity: str | None) -> None:
        choices: list[str] = []
        problems: list[str] = []
        found = find_pending(self.vault, identity, choices, problems)
        if identity and not found:
            self.vault.known_identity(identity)
        for reason in dict.fromkeys((*choices, *problems)):
            self.log.say("problem", reason=reason)
        for reason in dict.fromkeys(problems):
            self._error(reason)
        if self.book is not None:
            found = tuple(pending for pending in found if not self.book.is_done(pending.identity))
        self.log.say("found", count=len(found))
        for pending in found:
            self._check_stop()
            self.progress(Progress(10, pending.identity, "extraction"))
            self._extract_identity(pending)
        busy = {pending.identity for pending in found}
        for name in self.vault.identities():
            if name not in busy and identity in (None, name):
                self._clear(name, Extraction())  # what was there for its 24 hours

    def _extract_identity(self, pending: Pending) -> None:
        self.log.say("identity", identity=pending.identity)
        began = time.monotonic()
        try:
            done = extract_insisting(
                lambda: extract_pending(self.vault, pending, self._between),
                lambda number, reason: self._again(pending.identity, number, reason),
                RETRIES,
            )
        except MemfsError as error:
            done = Extraction(waiting=(str(error),))
        self._tell(done, pending, time.monotonic() - began)
        for problem in done.problems:
            self._error(f"{pending.identity}: {problem}")
        self._clear(pending.identity, done)
        if done.waiting:
            self.failed.append(pending.identity)
            for reason in done.waiting:
                self.log.say("failed", step=pending.identity, reason=reason)
                self._error(f"{pending.identity}: {reason}")
            return
        self.result = replace(self.result, extracted_count=self.result.extracted_count + 1)
        if self.book is not None:
            self.book.done(pending.identity)

    def _tell(self, done: Extraction, pending: Pending, seconds: float) -> None:
        size = size_text(sum(file.stat.size for file in pending.files))
        sessions = len({(one.source, one.session) for one in done.sessions})
        self.log.say("read", turns=done.count("turns"), sessions=sessions, batons=pending.batons, size=size)
        self.log.say("extracted", seconds=seconds, tokens=done.tokens)
        counts: Mapping[str, int] = {name: done.count(name) for name in ("added", "updated", "superseded")}
        dropped = sum(len(report.dropped) for report in done.sessions)
        if any(counts.values()) or dropped:
            self.log.say("merged", dropped=dropped, **counts)
        else:
            self.log.say("nothing")

    def _clear(self, identity: str, done: Extraction) -> None:
        """Take off the relay board what is done there."""
        try:
            cleared = clear_board(self.vault, identity, done)
        except MemfsError as error:
            self.log.say("failed", step=f"{identity}/relay.md", reason=error)
            self._error(f"{identity}: {error}")
            return
        if cleared:
            self.log.say("cleared", count=cleared)

    def _again(self, step: str, number: int, reason: str) -> None:
        self._check_stop()
        self.log.say("again", step=step, attempt=number, attempts=RETRIES, reason=reason)
        self.pause(PAUSES[min(number, len(PAUSES)) - 1])
        self._check_stop()

    # What comes after

    def _archive(self, identity: str | None, backup: str | None) -> None:
        """Archive the files of each identity. Whatever fails here, memory stays as it is."""
        if self.book is not None and self.book.archived:
            return
        self.progress(Progress(0, None, "archiving"))
        for name in (identity,) if identity else self.vault.identities():
            self._check_stop()
            self.progress(Progress(10, name, "archiving"))
            self._archive_identity(name, backup)
        self.progress(Progress(100, None, "archiving"))
        if self.book is not None:
            self.book.note_archived()

    def _archive_identity(self, identity: str, backup: str | None) -> None:
        step = f"{identity}: archive"
        for number in range(1, RETRIES + 2):
            errors = self._archive_once(identity, backup)
            if not errors or number > RETRIES:
                break
            self._again(step, number, errors[0])
        for reason in errors:
            self.log.say("failed", step=step, reason=reason)
            self._error(f"{step}: {reason}")

    def _archive_once(self, identity: str, backup: str | None) -> tuple[str, ...]:
        """Archive once; what could not be. Files that are archived are not archived again."""
        from memfs.services.archive import archive

        day = self.book.slot.day if self.book is not None else None
        try:
            report = archive(
                self.vault, identity=identity, archive_path=backup, day=day, announce=self.log.tell
            )
        except (MemfsError, OSError) as error:
            return (str(error),)
        told = self.result
        self.result = replace(
            told,
            archived_files=told.archived_files + report.files,
            archived_size=told.archived_size + report.size,
        )
        return report.errors

    def _review(self, identity: str | None) -> None:
        """Consolidate what is remembered, where that is wanted every day; a failure is told and undoes nothing."""
        from memfs.services.review import review

        if not self.vault.config.daily.review:
            return
        self._check_stop()
        try:
            problems = review(self.vault, identity=identity, announce=self.log.tell_of).problems
        except (MemfsError, OSError) as error:
            problems = (str(error),)
        for reason in problems:
            self.log.say("failed", step="review", reason=reason)
            self._error(f"review: {reason}")

    def _maintain(self) -> None:
        """git's incremental maintenance. What it cannot do now, it does the next day."""
        try:
            self.vault.repository.run_maintenance()
        except HistoryError as error:
            self.log.say("problem", reason=f"git maintenance: {error}")

    # Along the way

    def _between(self, _: str) -> None:
        self._check_stop()

    def _check_stop(self) -> None:
        if self.stop():
            raise Stopped

    def _error(self, reason: str) -> DailyResult:
        self.result = replace(self.result, errors=(*self.result.errors, reason))
        return self.result
