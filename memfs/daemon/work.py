"""Transcripts from noticed to merged: who waits, who is due, who is tried again and when."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memfs.daemon.debounce import Debounce, Timing
from memfs.daemon.gate import find_obstacle
from memfs.daemon.holds import Holds
from memfs.daemon.lots import LOT, Lot, Outcome, merge_lot
from memfs.daemon.wording import Notice, notice, say
from memfs.errors import MemfsError
from memfs.services.ingesting.candidates import identity_fed
from memfs.services.ingesting.reports import IngestReport
from memfs.services.ingesting.seen import open_seen
from memfs.services.ingesting.sessions import is_merged
from memfs.vault.local import LocalState
from memfs.vault.records import last_run

if TYPE_CHECKING:
    from memfs.daemon.changes import ChangeSet
    from memfs.services.ingesting.sources import TranscriptFile
    from memfs.services.opening import Vault


class TranscriptWork:
    """The transcripts of a vault on their way to memory. ``tell`` is told of every event."""

    def __init__(self, vault: Vault, tell: Callable[[str], None], stop: threading.Event) -> None:
        self._tell = tell
        self._stop = stop
        self._unseen: list[tuple[TranscriptFile, bool]] = []
        self._files: dict[str, TranscriptFile] = {}
        self._debounce = Debounce(Timing(0, 0))
        self._ready: list[tuple[str, str]] = []
        self._pending: dict[str, str] = {}
        self._holds = Holds()
        self.use(vault)

    def use(self, vault: Vault) -> None:
        """Go on with the settings of ``vault``."""
        self._vault = vault
        extract = vault.config.extract
        self._debounce.timing = Timing(extract.delay_seconds, extract.min_interval_seconds)
        self._holds.pause = float(vault.config.watch.rescan_seconds)

    # Noticing

    def take(self, changes: ChangeSet) -> None:
        """Note what a change set says of transcripts, and of what held some back."""
        for path in changes.gone:
            self._forget(path)
        for old, file in changes.renamed:
            self._rename(old, file)
        self._unseen += [(file, True) for file in changes.settled if str(file.path) not in self._holds]
        self._unseen += [(file, merged) for file, merged in self._merged(changes.transcripts)]
        policy = any(name.endswith("/identity.md") for name in changes.documents)
        if changes.complete or changes.settings or policy:
            self._unseen += [(self._files[path], True) for path in self._pending]
        memories = self._vault.layout.rel(self._vault.layout.memories) + "/"
        documents = {name.removeprefix(memories) for name in changes.documents if name.startswith(memories)}
        for path, identity in self._holds.release(documents, self._now(), complete=changes.complete):
            self._debounce.grew(path, identity, self._grew(self._files[path]))
        self._notice()

    def _merged(self, files: Sequence[TranscriptFile]) -> Iterator[tuple[TranscriptFile, bool]]:
        """Each transcript, and whether it is merged as it lies: then it is no news."""
        if files:
            with open_seen(self._vault.layout.derived) as seen:
                yield from [(file, is_merged(self._vault, file, seen)) for file in files]

    def _notice(self) -> None:
        """Find out whose the new transcripts are and when they are due. One that fails leaves the others."""
        noticed: dict[tuple[str, Notice | None], list[str]] = defaultdict(list)
        obstacles: dict[str, Notice | None] = {}
        while self._unseen and not self._stop.is_set():
            file, quietly = self._unseen.pop(0)
            identity, problem = identity_fed(self._vault, file)
            if identity is not None:
                if identity not in obstacles:
                    obstacles[identity] = find_obstacle(self._vault, identity)
                self._schedule(file, identity, obstacles[identity])
                if not quietly:
                    noticed[identity, obstacles[identity]].append(str(file.path))
            elif problem and not quietly and file.path.exists():
                self._say(notice("problem", reason=problem))
        for (identity, obstacle), paths in noticed.items():
            self._say(self._noticed(identity, obstacle, paths))

    def _schedule(self, file: TranscriptFile, identity: str, obstacle: Notice | None) -> None:
        path = str(file.path)
        self._files[path] = file
        self._holds.drop(path)
        if obstacle is None:
            self._pending.pop(path, None)
            self._debounce.grew(path, identity, self._grew(file))
        else:
            self._debounce.forget(path)
            self._pending[path] = identity

    def _noticed(self, identity: str, obstacle: Notice | None, paths: Sequence[str]) -> Notice:
        what = os.path.basename(paths[0])
        if len(paths) > 1:
            what = say(self._vault.language, notice("transcripts", count=len(paths)))
        if obstacle is not None:
            return self._left(identity, what, obstacle)
        now, runs = self._now(), self._last_runs()
        seconds = round(min(self._debounce.due_at(path, now, runs) or now for path in paths) - now)
        if seconds <= 0:
            return notice("noticed_now", identity=identity, what=what)
        word = "deferred" if seconds > self._debounce.timing.delay else "noticed"
        return notice(word, identity=identity, what=what, seconds=seconds)

    def _left(self, identity: str, what: str, obstacle: Notice) -> Notice:
        return notice("pending", identity=identity, what=what, reason=say(self._vault.language, obstacle))

    def _rename(self, old: str, file: TranscriptFile) -> None:
        """Go on under another name; a rename alone is no growth."""
        waits = old in self._debounce or old in self._pending or old in self._holds or old not in self._files
        waits = waits or any(path == old for path, _ in self._ready)
        self._forget(old)
        if waits:
            self._unseen.append((file, True))

    def _forget(self, path: str) -> None:
        self._debounce.forget(path)
        self._holds.forget(path)
        self._pending.pop(path, None)
        self._files.pop(path, None)

    # Working

    def wait(self) -> float | None:
        """Seconds until something is due; None when nothing waits for the clock."""
        if self._ready or self._unseen:
            return 0.0
        now = self._now()
        at = self._debounce.next_due(now, self._last_runs())
        return None if at is None else max(0.0, at - now)

    def run(self) -> bool:
        """Merge one lot of what is due; whether anything was committed."""
        lot = self.take_lot()
        return lot is not None and self.conclude(
            lot, lambda: merge_lot(self._vault, lot, self._tell, self._stop)
        )

    def take_lot(self) -> Lot | None:
        """Take out the next transcripts that are due, of one identity, if its gate is open."""
        if not self._ready:
            due = self._debounce.take_due(self._now(), self._last_runs())
            self._ready = sorted(due, key=lambda item: item[1])
        paths = self._next_paths()
        if not paths:
            return None
        identity = paths[0][1]
        obstacle = find_obstacle(self._vault, identity)
        if obstacle is None:
            return Lot(identity, tuple(self._files[path] for path, _ in paths))
        self._pending |= dict(paths)
        what = say(self._vault.language, notice("transcripts", count=len(paths)))
        self._say(self._left(identity, what, obstacle))
        return None

    def conclude(self, lot: Lot, outcome: Callable[[], Outcome]) -> bool:
        """Hold back what of a lot failed or waits; whether anything was committed. Raises what ``outcome`` raises."""
        reasons: tuple[str, ...] = ("interrupted",)
        try:
            report = outcome()
            reasons = (str(report),) if isinstance(report, MemfsError) else ()
        finally:  # whatever went wrong, not again at once
            self._hold(lot.identity, lot.files, reasons)
        if not isinstance(report, IngestReport):
            return report is None
        for problem in (problem for session in report.sessions for problem in session.problems):
            self._say(notice("problem", reason=problem))
        stuck = lot.stuck(report)
        for file in lot.files:
            if file not in stuck:
                self._holds.forget(str(file.path))
        self._hold(lot.identity, stuck, (*report.waiting, *report.problems))
        return any(session.commit for session in report.sessions)

    def _next_paths(self) -> list[tuple[str, str]]:
        """The next transcripts of one identity; what is gone meanwhile is skipped."""
        lot: list[tuple[str, str]] = []
        while self._ready and len(lot) < LOT and (not lot or self._ready[0][1] == lot[0][1]):
            path, identity = self._ready.pop(0)
            if path not in self._files or path in self._debounce or path in self._pending:
                continue  # since it was due it went, or grew again
            if os.path.exists(path):
                lot.append((path, identity))
            else:
                self._forget(path)
                self._say(notice("skipped", what=os.path.basename(path)))
        return lot

    def _hold(self, identity: str, files: Sequence[TranscriptFile], reasons: tuple[str, ...]) -> None:
        if self._stop.is_set() or not reasons:
            return
        now = self._now()
        paths = [str(file.path) for file in files if str(file.path) in self._files]
        pauses = [self._holds.hold(path, identity, reasons, now) for path in paths]
        for reason in reasons:
            self._say(notice("waiting", reason=reason, seconds=round(max(pauses, default=self._holds.pause))))

    def _last_runs(self) -> Mapping[str, float]:
        state = LocalState(self._vault.layout)
        return {name: at for name in self._vault.identities() if (at := last_run(state, name)) is not None}

    def _grew(self, file: TranscriptFile) -> float:
        return min(file.stat.mtime_ns / 1e9, self._now())

    def _now(self) -> float:
        return self._vault.clock().timestamp()

    def _say(self, said: Notice) -> None:
        self._tell(say(self._vault.language, said))
