"""Small real vaults for the services' tests: made once, copied for each test."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.model import Evidence, FieldValue, Operation, Target
from memfs.services.ingesting.extracting import Proposal
from memfs.services.merging.merges import Merged, MergeWork, merge_settled
from memfs.services.opening import Vault, open_vault
from memfs.services.starting import init

IDENTITY = "coding-assistant"
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is moved. It runs ahead of the files' times, so that all are settled."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def far_clock() -> Clock:
    """A clock ten minutes ahead of the real one: no file was saved a moment ago."""
    return Clock(datetime.now(UTC) + timedelta(minutes=10))


def new_vault(folder: Path, *identities: str) -> Vault:
    """A new vault with these identities (default one), its clock ahead of the files'."""
    return init(folder, identities=identities or (IDENTITY,), clock=far_clock()).vault


def copy_vault(template: Path, folder: Path) -> Vault:
    """A copy of a vault, opened anew."""
    shutil.copytree(template, folder, symlinks=True)
    return open_vault(folder, environ={}, clock=far_clock())


def proposal(
    type: str, day: int, session: str = "s1", message: str | None = None, **fields: FieldValue
) -> Proposal:
    """An operation said on a day of March 2026."""
    said = datetime(2026, 3, day, 9, 0, tzinfo=UTC)
    evidence = Evidence(f"claude-code/{session}", (message or f"{session}-{day}",), said)
    return Proposal(Operation(type, fields, turns=(0,)), Target(IDENTITY), evidence)


def note(text: str, day: int = 1, session: str = "s1") -> Proposal:
    """A note said on a day of March 2026."""
    return proposal("notes", day, session, content=text)


def merge(vault: Vault, *proposals: Proposal, session: str = "s1", identity: str = IDENTITY) -> Merged:
    """Merge as ingest does, without a transcript."""
    return merge_settled(vault, MergeWork(identity, proposals=proposals, source=f"claude-code/{session}"))


def document(vault: Vault, name: str, identity: str = IDENTITY) -> Path:
    """A document's path."""
    return vault.layout.document(identity, name)


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """The person's git."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if check:
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr.strip()}"
    return done.stdout


def committed(folder: Path, path: str, commit: str = "HEAD") -> str:
    """A file's text in a commit; empty when it is not there."""
    return git(folder, "show", f"{commit}:{path}", check=False)


def merge_commits(folder: Path, kind: str = "merge") -> Sequence[str]:
    """The commits of a kind, newest first."""
    return git(folder, "log", "--format=%H", f"--grep=^Memfs-Kind: {kind}$").split()
