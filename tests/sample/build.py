"""Builds the extracted part of ``sample_vault/`` (``make sample``): memfs merges its older conversations.

Documents that memfs writes in begin as in ``hand/``, beside this file; all others, and the inbox, are
written by hand in ``sample_vault/`` itself. The newer conversations are left for whoever tries the sample.
"""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import open_vault
from memfs.services.starting import init

HAND = Path(__file__).parent / "hand"
MERGED = ("coding-assistant/2026-10-06-tide-import.jsonl", "home-aide/2026-10-18-kitchen.md")
_MADE_AT_OPEN = (".gitignore", ".gitattributes")


def build_sample(sample: Path, work: Path) -> IngestReport:
    """Build the sample anew in ``work``, which must not exist, from what is written by hand in ``sample``."""
    shutil.copytree(sample, work)
    _take_out_extracted(work / "memories")
    shutil.copytree(HAND, work / "memories", dirs_exist_ok=True)
    init(work, clock=_then)
    vault = open_vault(work, environ={}, clock=_then)
    return ingest(vault, [work / "inbox" / name for name in MERGED])


def _then() -> datetime:
    return datetime(2026, 10, 19, 6, tzinfo=UTC)


def built_files(work: Path) -> dict[str, bytes]:
    """The memories of a sample: path -> content, without what every open makes anew."""
    memories = work / "memories"
    return {
        path.relative_to(memories).as_posix(): path.read_bytes()
        for path in sorted(memories.rglob("*"))
        if path.is_file() and path.name not in _MADE_AT_OPEN
    }


def _take_out_extracted(memories: Path) -> None:
    for identity in memories.iterdir():
        for ledger in list((identity / ".ledger").rglob("*.md")):
            (identity / ledger.relative_to(identity / ".ledger")).unlink(missing_ok=True)
        for own in (".ledger", ".cursors"):
            shutil.rmtree(identity / own, ignore_errors=True)


def main(sample: Path, work: Path) -> None:
    """Build in ``work`` and put the result in place of the sample's memories."""
    report = build_sample(sample, work)
    sys.stdout.write("".join(f"{found}\n" for found in (*report.sessions, *report.problems, *report.waiting)))
    built = built_files(work)
    shutil.rmtree(sample / "memories")
    for name, data in built.items():
        path = sample / "memories" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        main(Path("sample_vault"), Path(folder) / "work")
