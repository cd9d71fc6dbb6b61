"""Transcripts from noticed to merged: who waits, who is due, who is tried again and when."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.daemon.debounce import Debounce, Timing
from memfs.daemon.wording import Notice, notice, say
from memfs.errors import MemfsError
from memfs.services.commit import require_branch
from memfs.services.ingest import IngestReport, identity_fed, ingest
from memfs.services.policies import read_policy
from memfs.vault.local import LocalState
from memfs.vault.names import nfc
from memfs.vault.records import last_run

if TYPE_CHECKING:
    from memfs.daemon.watcher import ChangeSet
    from memfs.services.opening import Vault
    from memfs.services.sources import TranscriptFile

# So many transcripts at a time; between two lots documents are indexed and a stop is honoured.
LOT = 20
LONGEST_PAUSE_SECONDS = 3600.0


class Stopped(Exception):
    """Leaves an ingest between two sessions, when nothing is half done."""


@dataclass(frozen=True, slots=True)
class Held:
    """A transcript that could not be merged, for ``reasons``. It is tried again when it or a document that a
    reason names changes, else at the first look at everything after ``until``.
    """

    identity: str
    reasons: tuple[str, ...]
    tries: int
    until: float


class TranscriptWork:
    """The transcripts of a vault on their way to memory. ``tell`` is told of every event."""

    def __init__(self, vault: Vault, tell: Callable[[str], None], stop: threading.Event) -> None:
        self._tell = tell
        self._stop = stop
        self._files: dict[str, TranscriptFile] = {}
        self._ready: list[tuple[str, str]] = []
        self._pending: dict[str, tuple[str, Notice]] = {}
        self._held: dict[str, Held] = {}
        self._tries: dict[str, int] = {}
        self._debounce = Debounce(Timing(0, 0))
        self.use(vault)

    def use(self, vault: Vault) -> None:
        """Go on with the settings of ``vault``."""
        self._vault = vault
        extract = vault.config.extract
        self._debounce.timing = Timing(extract.delay_seconds, extract.min_interval_seconds)

    # Noticing

    def take(self, changes: ChangeSet) -> None:
        """Note what a change set says of transcripts, and of what held some back."""
        for path in changes.gone:
            self._forget(path)
        for old, file in changes.renamed:
            self._rename(old, file)
        self._notice((file for file in changes.settled if str(file.path) not in self._held), quietly=True)
        self._notice(changes.transcripts)
        if (
            changes.complete
            or changes.settings
            or any(name.endswith("identity.md") for name in changes.documents)
        ):
            again = [self._files[path] for path in self._pending]
            self._pending.clear()
            self._notice(again, quietly=True)
        self._release(changes)

    def _notice(self, files: Iterable[TranscriptFile], *, quietly: bool = False) -> None:
        now, noticed = self._now(), defaultdict[tuple[str, Notice | None], list[str]](list)
        obstacles: dict[str, Notice | None] = {}
        for file in files:
            path = str(file.path)
            self._forget(path)
            identity, problem = identity_fed(self._vault, file)
            if identity is None:
                if problem and not quietly:
                    self._say(notice("problem", reason=problem))
                continue
            self._files[path] = file
            if identity not in obstacles:
                obstacles[identity] = self._obstacle(identity)
            obstacle = obstacles[identity]
            if obstacle is None:
                self._debounce.grew(path, identity, min(file.stat.mtime_ns / 1e9, now))
            else:
                self._pending[path] = (identity, obstacle)
            noticed[identity, obstacle].append(path)
        if not quietly:
            for (identity, obstacle), paths in noticed.items():
                self._say(self._noticed(identity, obstacle, paths, now))

    def _noticed(self, identity: str, obstacle: Notice | None, paths: Sequence[str], now: float) -> Notice:
        what = os.path.basename(paths[0])
        if len(paths) > 1:
            what = say(self._vault.language, notice("transcripts", count=len(paths)))
        if obstacle is not None:
            reason = say(self._vault.language, obstacle)
            return notice("pending", identity=identity, what=what, reason=reason)
        runs = self._last_runs({identity})
        seconds = max(0, round(min(self._debounce.due_at(path, now, runs) or now for path in paths) - now))
        if not seconds:
            return notice("noticed_now", identity=identity, what=what)
        word = "deferred" if seconds > self._debounce.timing.delay else "noticed"
        return notice(word, identity=identity, what=what, seconds=seconds)

    def _release(self, changes: ChangeSet) -> None:
        """Try again what was held back by something that may be over."""
        now = self._now()
        memories = self._vault.layout.rel(self._vault.layout.memories) + "/"
        changed = {
            nfc(name.removeprefix(memories)) for name in changes.documents if name.startswith(memories)
        }
        for path, held in list(self._held.items()):
            named = any(nfc(reason).startswith(f"{name}: ") for reason in held.reasons for name in changed)
            if named or (changes.complete and now >= held.until):
                del self._held[path]
                self._debounce.grew(path, held.identity, self._files[path].stat.mtime_ns / 1e9)

    def _rename(self, old: str, file: TranscriptFile) -> None:
        waits = old in self._debounce or old in self._pending or old in self._held
        waits = waits or any(path == old for path, _ in self._ready)
        self._forget(old)
        if waits:
            self._notice([file], quietly=True)

    def _forget(self, path: str) -> None:
        self._debounce.forget(path)
        self._pending.pop(path, None)
        self._held.pop(path, None)
        self._files.pop(path, None)

    def _obstacle(self, identity: str) -> Notice | None:
        """Why transcripts of the identity are not extracted now; None when they may be."""
        extract = self._vault.config.extract
        if not extract.model:
            return notice("off")
        if extract.when == "daily":
            return notice("daily")
        try:
            policy = read_policy(self._vault, identity)
            require_branch(self._vault)
        except MemfsError as error:
            return notice("problem", reason=str(error))
        allowed = policy.self_enabled or policy.peer_enabled or policy.working_memory_enabled
        return None if allowed else notice("policy")

    # Working

    def wait(self) -> float | None:
        """Seconds until something is due; None when nothing waits for the clock."""
        if self._ready:
            return 0.0
        now = self._now()
        at = self._debounce.next_due(now, self._last_runs(None))
        return None if at is None else max(0.0, at - now)

    def run(self) -> bool:
        """Merge one lot of what is due, of one identity; whether anything was committed."""
        if not self._ready:
            self._ready = sorted(
                self._debounce.take_due(self._now(), self._last_runs(None)), key=lambda item: item[1]
            )
        lot = self._next_lot()
        if not lot:
            return False
        identity = lot[0][1]
        files = [self._files[path] for path, _ in lot]
        obstacle = self._obstacle(identity)
        if obstacle is not None:
            self._pending |= {path: (identity, obstacle) for path, _ in lot}
            what = say(self._vault.language, notice("transcripts", count=len(lot)))
            reason = say(self._vault.language, obstacle)
            self._say(notice("pending", identity=identity, what=what, reason=reason))
            return False
        return self._ingest(identity, files)

    def _next_lot(self) -> list[tuple[str, str]]:
        """The next transcripts of one identity; what is gone meanwhile is skipped."""
        lot: list[tuple[str, str]] = []
        while self._ready and len(lot) < LOT and (not lot or self._ready[0][1] == lot[0][1]):
            path, identity = self._ready.pop(0)
            if path not in self._files or path in self._debounce:
                continue  # it grew again, or went, since it was due
            if os.path.exists(path):
                lot.append((path, identity))
            else:
                self._forget(path)
                self._say(notice("skipped", what=os.path.basename(path)))
        return lot

    def _ingest(self, identity: str, files: Sequence[TranscriptFile]) -> bool:
        report: IngestReport | None = None
        reason = "interrupted"
        try:
            report = ingest(self._vault, files=files, announce=self._between)
        except Stopped:
            return True
        except MemfsError as error:
            reason = str(error)
        finally:
            if report is None and not self._stop.is_set():  # whatever went wrong, not again at once
                self._hold(identity, files, (reason,))
        if report is None:
            return False
        for problem in (*report.problems, *(text for one in report.sessions for text in one.problems)):
            self._say(notice("problem", reason=problem))
        failed = [file for file in files if any(text.startswith(str(file.path)) for text in report.problems)]
        stuck = files if report.waiting else failed
        self._hold(identity, stuck, report.waiting or report.problems)
        for file in files:
            if file not in stuck:
                self._tries.pop(str(file.path), None)
        return any(session.commit for session in report.sessions)

    def _between(self, line: str) -> None:
        self._tell(line)
        if self._stop.is_set():
            raise Stopped

    def _hold(self, identity: str, files: Sequence[TranscriptFile], reasons: tuple[str, ...]) -> None:
        now, longest = self._now(), 0.0
        for file in files:
            path = str(file.path)
            tries = self._tries.get(path, 0) + 1
            pause = min(self._vault.config.watch.rescan_seconds * 2.0 ** (tries - 1), LONGEST_PAUSE_SECONDS)
            self._tries[path] = tries
            self._held[path] = Held(identity, reasons, tries, now + pause)
            longest = max(longest, pause)
        if files:
            for reason in reasons:
                self._say(notice("waiting", reason=reason, seconds=round(longest)))

    def _last_runs(self, identities: Iterable[str] | None) -> Mapping[str, float]:
        state = LocalState(self._vault.layout)
        names = self._vault.identities() if identities is None else identities
        return {name: at for name in names if (at := last_run(state, name)) is not None}

    def _now(self) -> float:
        return self._vault.clock().timestamp()

    def _say(self, said: Notice) -> None:
        self._tell(say(self._vault.language, said))
