"""A run of the archive: file by file, each told and counted; one that fails stops no other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import MemfsError
from memfs.services.archiving.copying import Copier, Outcome
from memfs.services.archiving.finding import Found
from memfs.services.archiving.record import ArchivedFile
from memfs.services.archiving.wording import UNSETTLED, log_line, reason
from memfs.vault.copies import Look, look_at

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_SETTLE = 2.0  # seconds in which a file that is being written changes again
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What an archive run did, or would do: ``files`` copied, ``size`` of them in bytes, ``deleted`` originals.

    ``known`` were archived already; ``skipped`` are (path, reason) of files left as they are; ``errors`` tell of files
    that could not be copied. ``archived`` lists the copies (of a dry run: nothing was written).
    """

    files: int = 0
    size: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    errors: tuple[str, ...] = ()
    archived: tuple[ArchivedFile, ...] = ()
    deleted: int = 0
    known: int = 0


@dataclass
class ArchiveRun:
    """A run under way."""

    vault: Vault
    copier: Copier
    tell: Announce
    archived: list[ArchivedFile] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    deleted: int = 0
    known: int = 0
    unopened: int = 0
    unsettled: set[str] = field(default_factory=set)

    def say(self, key: str, **values: object) -> None:
        self.tell(log_line(self.vault.language, key, **values))

    def leave(self, found: Found, key: str) -> None:
        """Report a file that is left as it is; `leave_all_outside` tells once of many."""
        if key == "outside" and not self.copier.roots:
            self.unopened += 1
            return
        place, why = str(found.path or found.name), reason(self.vault.language, key)
        self.skipped.append((place, why))
        self.say("left", source=place, reason=why)
        if key in UNSETTLED:
            self.unsettled.add(found.transcript)

    def leave_all_outside(self) -> None:
        """Tell once that no folder is open to the archive, and how to open one."""
        if self.unopened:
            self.skipped.append(
                ("archive.roots", reason(self.vault.language, "no_roots", count=self.unopened))
            )
            self.say("no_roots", why=self.skipped[-1][1])

    def fail(self, found: Found, error: OSError | MemfsError) -> None:
        """Report a file that could not be copied; it is tried again by the next run."""
        told = error.strerror or str(error) if isinstance(error, OSError) else error.message
        self.errors.append(f"{found.path}: {told}")
        self.say("failed", text=self.errors[-1])
        self.unsettled.add(found.transcript)

    def take(self, outcome: Outcome) -> None:
        """Count what became of a file."""
        done = outcome.archived
        if done is not None and outcome.fresh:
            self.archived.append(done)
            self.say("archived", source=done.original, copy=done.copy)
        elif done is not None:
            self.known += 1
        if done is not None and done.deleted:
            self.deleted += 1
            self.say("deleted", source=done.original)
        if outcome.reason is not None:
            self.leave(outcome.found, outcome.reason)

    def plan(self, found: Found, look: Look) -> None:
        """Say what would be done: copied, unless that was done before, and deleted where that is allowed."""
        goes = self.copier.may_delete(found)
        if found.path is not None and self.copier.whole_copy(found.path, look) is not None:
            self.known += 1
        else:
            copy = self.copier.target(found)
            self.say("would", source=found.path, copy=copy)
            self.archived.append(self._planned(found, look, copy, goes=goes))
        if goes:
            self.deleted += 1
            self.say("would_delete", source=found.path)

    def _planned(self, found: Found, look: Look, copy: Path, *, goes: bool) -> ArchivedFile:
        return ArchivedFile(
            time=self.vault.now().isoformat(timespec="seconds"),
            identity=found.identity,
            model=found.model,
            original=str(found.path),
            copy=str(copy),
            sha256="",
            size=look.size,
            mtime_ns=look.mtime_ns,
            told=found.told,
            deleted=goes,
        )

    def report(self) -> ArchiveReport:
        size = sum(one.size for one in self.archived)
        return ArchiveReport(
            len(self.archived),
            size,
            tuple(self.skipped),
            tuple(self.errors),
            tuple(self.archived),
            self.deleted,
            self.known,
        )


def archive_all(run: ArchiveRun, files: Sequence[Found], *, dry_run: bool) -> None:
    """Archive files, merged transcripts last: one stays while a file that it mentions has to be tried again."""
    todo: list[Found] = []
    for one in map(run.copier.examine, files):
        if one.reason is not None:
            run.leave(one.found, one.reason)
        elif one.archived is not None and not run.copier.may_delete(one.found):
            run.known += 1
        else:
            todo.append(one.found)
    run.leave_all_outside()
    if todo:
        run.say("found", count=len(todo))
    for found, look in _settled(run, sorted(todo, key=lambda each: each.whole), wait=not dry_run):
        if found.whole and found.transcript in run.unsettled:
            continue
        if dry_run:
            run.plan(found, look)
        else:
            _archive_one(run, found, look)


def _archive_one(run: ArchiveRun, found: Found, look: Look) -> None:
    try:
        run.take(run.copier.archive_file(found, look))
    except (OSError, MemfsError) as error:
        run.fail(found, error)


def _settled(run: ArchiveRun, todo: Sequence[Found], *, wait: bool) -> Iterator[tuple[Found, Look]]:
    """The files with how they lie; one that was written a moment ago only if it lies the same a little later."""
    now = run.vault.clock().timestamp()
    looks = [(found, look_at(found.path or Path())) for found in todo]
    young = [(found, look) for found, look in looks if now - look.mtime_ns / 1e9 < _SETTLE] if wait else []
    if young:
        time.sleep(_SETTLE)
    for found, look in looks:
        if (found, look) in young and look_at(found.path or Path()) != look:
            run.leave(found, "changing")
        else:
            yield found, look
