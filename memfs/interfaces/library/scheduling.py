"""memfs as a Python library: the daily run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.services.daily import DailyResult, DailyStatus, Progress
    from memfs.services.opening import Vault


class Scheduling:
    """The daily run."""

    vault: Vault

    def daily(
        self,
        *,
        identity: str | None = None,
        backup_path: Path | str | None = None,
        announce: Callable[[str], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> DailyResult:
        """Extract all that waits (of ``identity``, or of all), then archive files; failures are in its ``errors``.

        ``backup_path``: another archive for this run, under ``archive.roots``. ``announce`` is told the log's lines,
        ``progress`` how far it is. A run that is under way already is waited for, and its result given.
        """
        from memfs.services.daily import run_daily

        return run_daily(
            self.vault, identity=identity, backup_path=backup_path, announce=announce, progress=progress
        )

    def daily_status(self) -> DailyStatus:
        """When the daily run last began, when it is due next, and whether it is under way."""
        from memfs.services.daily_run.runs import daily_status

        return daily_status(self.vault)
