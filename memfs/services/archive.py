"""The archive: files that conversations mention, copied to where the person keeps them.

``{archive_path}/{identity}_{model}/{YYYY-MM-DD}/{name}``. Nothing is deleted before its copy was read back, and then
only where settings say so; a failure leaves every original as it was.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import VaultError
from memfs.services.archiving.copying import Copier
from memfs.services.archiving.finding import find_files
from memfs.services.archiving.places import archive_folder, archive_roots, vault_tag
from memfs.services.archiving.record import ArchivedFile, ArchiveRecord, note_scanned
from memfs.services.archiving.running import Announce, ArchiveReport, ArchiveRun, archive_all
from memfs.services.archiving.wording import size_text
from memfs.vault.files import TEMP_PREFIX, remove_file
from memfs.vault.lock import hold_file
from memfs.vault.paths import safe_name
from memfs.vault.setup import ensure_ignores

if TYPE_CHECKING:
    from memfs.services.opening import Vault

__all__ = ["ArchiveReport", "ArchivedFile", "archive"]

LOCK_SECONDS = 10.0  # that a run waits for another one to end


def archive(
    vault: Vault,
    *,
    identity: str | None = None,
    archive_path: str | Path | None = None,
    day: date | None = None,
    announce: Announce | None = None,
    dry_run: bool = False,
) -> ArchiveReport:
    """Archive what transcripts mention, of one identity or of all.

    Args:
        archive_path: another archive for this run; it lies under ``archive.roots``.
        day: the day in the path, else today.
        announce: is told each log line.
        dry_run: only say what would be archived, and which originals deleted.

    Raises:
        InvalidRequest: ``archive_path`` lies outside of ``archive.roots``, or there is no such identity name.
        UnsafePath: it lies in a folder that memfs never archives into.
        VaultLocked: another archive run is under way.
    """
    who = safe_name(identity) if identity else None  # one that has only transcripts so far will do
    folder = archive_folder(vault, archive_path)
    with hold_file(vault.layout.local / "archive.lock", LOCK_SECONDS, "the archive"):
        finding = find_files(vault, who)
        copier = Copier(vault, folder, archive_roots(vault), day or vault.now().date(), ArchiveRecord(vault))
        run = ArchiveRun(vault, copier, announce or (lambda _: None), errors=finding.problems)
        if not dry_run:
            _prepare(vault, folder)
        archive_all(run, finding.files, dry_run=dry_run)
        report = run.report()
        if not dry_run:
            done = {path: mark for path, mark in finding.marks.items() if path not in run.unsettled}
            note_scanned(vault, done)
        if report.files:
            run.say("total_would" if dry_run else "total", count=report.files, size=size_text(report.size))
    return report


def _prepare(vault: Vault, folder: Path) -> None:
    """Keep git away from an archive in the vault, and take away what a crash left of copies."""
    if vault.top in folder.parents:
        ensure_ignores(vault.layout, folder)
    pattern = f"*/*/{TEMP_PREFIX}{vault_tag(vault)}*"
    for left in folder.glob(pattern):
        with suppress(VaultError):
            remove_file(left)
