"""Days for the tests of the daily run: a vault of several identities, talks, a clock at night."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.services.daily import DailyResult, Progress, run_daily
from memfs.services.daily_run.slots import Slot
from memfs.services.opening import Vault, open_vault
from tests.services.talks import inbox, put_talk, talk
from tests.services.vaults import Clock

A, B, C = "analyst", "coding-assistant", "writer"
# A night ahead of the files' times, so that all of them are settled.
NIGHT = (datetime.now(UTC) + timedelta(days=2)).replace(hour=23, minute=59, second=0, microsecond=0)
FACTS = {
    A: "We decided to use PostgreSQL for the ledger.",
    B: "Please always write commit messages in English.",
    C: "My name is Priya and I lead the payments team.",
}


def night_vault(template: Path, folder: Path, settings: str = "") -> Vault:
    """A copy of the vault with these settings, its clock at the end of a day in UTC."""
    shutil.copytree(template, folder, symlinks=True)
    (folder / "memfs.local.toml").write_text(f'timezone = "UTC"\n{settings}', encoding="utf-8")
    return open_vault(folder, environ={}, clock=Clock(NIGHT))


def clock_of(vault: Vault) -> Clock:
    """The vault's clock, to move."""
    assert isinstance(vault.clock, Clock)
    return vault.clock


def say(vault: Vault, identity: str, *said: str, session: str = "s1") -> Path:
    """Put a session into an identity's inbox."""
    name = f"{identity}-{session}"
    return put_talk(inbox(vault, identity), talk(name, *(said or (FACTS[identity],))))


@dataclass
class Told:
    """A run with all it told."""

    lines: list[str] = field(default_factory=list)
    progress: list[Progress] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def run(self, vault: Vault, slot: Slot | None = None, identity: str | None = None) -> DailyResult:
        return run_daily(
            vault,
            identity=identity,
            announce=self.lines.append,
            progress=self.progress.append,
            slot=slot,
            pause=self.pauses.append,
        )

    def percents(self, phase: str) -> Sequence[tuple[int, str | None]]:
        return [(each.percent, each.identity) for each in self.progress if each.phase == phase]
