"""The one loop: transcripts are merged when they are due, and the index follows the documents."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial

from memfs.daemon.areas import SETTLE_SECONDS
from memfs.daemon.changes import ChangeSet
from memfs.daemon.indexing import IndexFollower
from memfs.daemon.lots import Lot, Outcome, merge_lot
from memfs.daemon.watcher import Watcher
from memfs.daemon.wording import Notice, notice, say
from memfs.daemon.work import TranscriptWork
from memfs.daemon.worker import Worker
from memfs.errors import MemfsError, RepositoryBusy, VaultLocked
from memfs.services.commit import open_transaction
from memfs.services.ingesting.progress import commit_old_moves
from memfs.services.opening import Vault, open_vault
from memfs.vault.displaced import list_displaced

GRACE_SECONDS = 4.0
_BREATH_SECONDS = 1.0


def watch(
    vault: Vault, *, announce: Callable[[str], None], stop: threading.Event | None = None, once: bool = False
) -> None:
    """Watch the vault and its sources until ``stop`` is set, and act on what changes.

    Args:
        vault: the open vault; its settings are read again when they change.
        announce: told one line per event, in the vault's language.
        stop: ends it, at once while waiting, else after the merge under way. A model that still thinks after
            `GRACE_SECONDS` is left behind, and its transcript to the next run. Signals are the caller's part.
        once: look at everything, do what is due now, and end.
    """
    Loop(vault, announce, stop or threading.Event()).run(once=once)


class Loop:
    """What the daemon does. Every step is on its own: one that fails says so, and the others go on."""

    def __init__(self, vault: Vault, announce: Callable[[str], None], stop: threading.Event) -> None:
        self._vault = vault
        self._announce = announce
        self._speaking = threading.Lock()
        self._stop = stop
        self._index = IndexFollower(vault, self._say)
        self._work = TranscriptWork(vault, self._tell, stop)
        self._lot: Lot | None = None
        self._apart = _vault_apart(vault)
        self._settle_at: float | None = None

    def run(self, *, once: bool) -> None:
        with Watcher(self._vault) as watcher:
            self._worker = Worker[Outcome](watcher.nudge)
            if once:
                self._run_once(watcher)
            else:
                self._say(notice("watching", vault=str(self._vault.top)))
                while not self._stop.is_set():
                    self._attempt(lambda: self._follow(watcher))
                    self._stop.wait(_BREATH_SECONDS)
            self._worker.wait(GRACE_SECONDS)
        if not once:
            self._say(notice("ended"))

    def _run_once(self, watcher: Watcher) -> None:
        self._round(watcher, watcher.look())
        while not self._stop.is_set() and (self._worker.busy or self._work.wait() == 0):
            self._worker.wait(_BREATH_SECONDS)
            self._round(watcher, ChangeSet())
        self._index.compare()
        self._attempt(self._index.step)
        while self._index.busy and not self._stop.is_set():
            self._attempt(self._index.step)

    def _follow(self, watcher: Watcher) -> None:
        for changes in watcher.changes(self._stop, self._wait):
            self._round(watcher, changes)

    def _round(self, watcher: Watcher, changes: ChangeSet) -> None:
        for said in changes.notices:
            self._say(said)
        self._index.note(changes.documents)
        if changes.complete:
            self._index.compare()
        if changes.settings:
            self._attempt(lambda: self._reload(watcher))
        self._attempt(lambda: self._work.take(changes))
        self._attempt(self._merge)
        self._attempt(self._index.step)
        self._attempt(lambda: self._settle(complete=changes.complete))
        if changes.complete:
            self._attempt(self._commit_cursors)

    def _attempt(self, step: Callable[[], None]) -> None:
        """Do a step. The daemon outlives whatever goes wrong in it."""
        if self._stop.is_set():
            return
        try:
            step()
        except Exception as error:  # noqa: BLE001
            self._say(notice("failed", reason=f"{type(error).__name__}: {error}".splitlines()[0]))

    def _wait(self) -> float | None:
        """Seconds until something is due without any change on disk."""
        work = None if self._worker.busy else self._work.wait()
        waits = [seconds for seconds in (work, self._index.wait()) if seconds is not None]
        if self._settle_at is not None:
            waits.append(self._settle_at - time.monotonic())
        return max(0.0, min(waits)) if waits else None

    def _reload(self, watcher: Watcher) -> None:
        try:
            vault = open_vault(self._vault.top, environ=os.environ, clock=self._vault.clock)
        except MemfsError as error:
            self._say(notice("settings_wrong", reason=str(error)))
            return
        if (vault.config, vault.registry) == (self._vault.config, self._vault.registry):
            return
        self._vault, self._apart = vault, _vault_apart(vault)
        self._index.use(vault)
        watcher.use(vault)
        self._work.use(vault)
        self._say(notice("settings"))

    def _merge(self) -> None:
        """Take in what the worker has done, and give it the next lot."""
        if self._lot is not None and self._worker.done:
            lot, self._lot = self._lot, None
            if self._work.conclude(lot, self._worker.take):
                self._settle_at = time.monotonic() + SETTLE_SECONDS + 0.1
        if self._lot is None:
            self._lot = self._work.take_lot()
            if self._lot is not None:
                self._worker.start(partial(merge_lot, self._apart, self._lot, self._tell, self._stop))

    def _settle(self, *, complete: bool) -> None:
        """Look at displaced files once more: an editor may have saved into one after a merge took its place.

        Opening a transaction does that.
        """
        if self._settle_at is None:
            due = complete and bool(list_displaced(self._vault.layout))
        else:
            due = time.monotonic() >= self._settle_at
        if due:
            self._settle_at = None
            try:
                with open_transaction(self._vault):
                    pass
            except (RepositoryBusy, VaultLocked):
                return  # at the next look

    def _commit_cursors(self) -> None:
        for identity in self._vault.identities():
            try:
                commit = commit_old_moves(self._vault, identity)
            except (RepositoryBusy, VaultLocked):
                continue  # at the next look
            if commit:
                self._say(notice("moved_cursors", identity=identity, commit=commit[:8]))

    def _say(self, said: Notice) -> None:
        self._tell(say(self._vault.language, said))

    def _tell(self, line: str) -> None:
        with self._speaking:
            self._announce(line)


def _vault_apart(vault: Vault) -> Vault:
    """The same vault with nothing in common that is changed: for another thread."""
    return Vault(vault.layout, vault.config, vault.clock, vault.zone)
