"""memfs as a Python library: where memory comes from."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from memfs.interfaces.days import read_day

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.audit import Why
    from memfs.services.opening import Vault


class Asking:
    """Where memory comes from."""

    vault: Vault

    def log(
        self,
        *,
        identity: str | None = None,
        limit: int | None = 20,
        since: date | str | None = None,
        until: date | str | None = None,
        everything: bool = False,
    ) -> tuple[LogEntry, ...]:
        """The audit log, newest first. A day as ``until`` is included; days may be ISO strings."""
        from memfs.services.audit import log

        return log(
            self.vault,
            identity=identity,
            limit=limit,
            since=self._moment(since, time.min),
            until=self._moment(until, time.max),
            everything=everything,
        )

    def why(self, entry: str) -> Why:
        """Where an entry comes from: commits, sources, and the turns themselves."""
        from memfs.services.audit import why

        return why(self.vault, entry)

    def diff(self, commit: str | None = None, *, until: str | None = None) -> str:
        """What a commit (default: the last one of memfs) changed in memory, as a patch."""
        from memfs.services.audit import diff

        return diff(self.vault, commit, until=until)

    def _moment(self, said: date | str | None, at: time) -> datetime | None:
        day = read_day(said)
        if day is None:
            return None
        moment = day if isinstance(day, datetime) else datetime.combine(day, at)
        return (moment if moment.tzinfo else moment.replace(tzinfo=self.vault.zone)).astimezone(UTC)
