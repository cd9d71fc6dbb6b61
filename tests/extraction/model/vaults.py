"""A vault whose extractor is a model of the test server, and talks in two segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memfs.extraction.model.extractor import ModelExtractor
from memfs.model import EntryView
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.ingesting.models import model_extractor
from memfs.services.ingesting.reports import IngestReport
from memfs.services.ingesting.sessions import SessionKey, known_cursors
from memfs.services.opening import Vault, open_vault
from memfs.services.retrying import Retried, retry
from tests.extraction.model.conftest import Room
from tests.services.talks import Talk, inbox, jsonl, rows, talk
from tests.services.vaults import IDENTITY, far_clock

KEY = "MEMFS_API_KEY"
FIRST = ("We go with PostgreSQL for the ledger.", "My name is Priya, I lead the payments team.")
SECOND = ("Please always write commit messages in English.", "The staging VPN drops at noon.")


def decision(what: str = "PostgreSQL", *turns: int) -> dict[str, Any]:
    return {
        "topic": "Ledger database",
        "decision": what,
        "reason": None,
        "date": None,
        "turns": list(turns or (1,)),
    }


DECIDED = "decisions: Ledger database: PostgreSQL. (2026-03-01)"
GOOD_FIRST = {"decisions": [decision()]}
GOOD_SECOND = {
    "preferences": [
        {"topic": "Commit messages", "content": "Write commit messages in English", "turns": [1]}
    ],
    "notes": [{"content": "The staging VPN drops at noon", "tags": ["vpn"], "turns": [3]}],
}


@dataclass
class Desk:
    """A vault, its room in the server, and the transcript of one session in its inbox."""

    vault: Vault
    room: Room
    path: Path

    @classmethod
    def set_up(
        cls,
        top: Path,
        room: Room,
        settings: str = "",
        *,
        model: str = "openai:test",
        timeout: int = 20,
        journal: bool = False,
    ) -> Desk:
        """Give the vault at ``top`` the room's model, and without ``journal`` no other use for it than extraction."""
        text = f'[extract]\nmodel = "{model}"\nbase_url = "{room.base_url}"\ntimeout_seconds = {timeout}\n{settings}'
        text += f"\n[memory_policy.working_memory]\nenabled = {str(journal).lower()}\n"
        (top / "memfs.local.toml").write_text(text, encoding="utf-8")
        vault = open_vault(top, environ={}, clock=far_clock())
        return cls(vault, room, inbox(vault) / "s1.jsonl")

    def extractor(self) -> ModelExtractor:
        return model_extractor(self.vault, environ={KEY: "k"}, patience=self.room.time.patience)

    def say(self, first: Sequence[str] = FIRST, second: Sequence[str] = SECOND) -> list[int]:
        """Write the session: two segments, three hours apart. Gives the offsets at which they end."""
        begin = talk("s1", *first)
        later = Talk("s1", begin.began + timedelta(hours=3), (*first, *second))
        early, late = jsonl(rows(begin)), jsonl(rows(later, first=len(first)))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(early + (late if second else ""), encoding="utf-8")
        return [len(early.encode()), self.path.stat().st_size]

    def ingest(self) -> IngestReport:
        return ingest(self.vault, extractor=self.extractor())

    def retry(self) -> Retried:
        return retry(self.vault, extractor=self.extractor())

    def offset(self) -> int:
        """How far the session is merged, in bytes."""
        cursors = known_cursors(self.vault, IDENTITY, SessionKey("claude-code", "s1"))
        return max((cursor.offset for cursor in cursors), default=0)

    def entries(self) -> list[EntryView]:
        return list(list_entries(self.vault))

    def texts(self) -> str:
        """All entries, a line each."""
        return "\n".join(f"{each.type}: {each.text}" for each in self.entries())

    def sent(self) -> list[str]:
        """What was sent to the model, call by call."""
        return [call["messages"][-1]["content"] for call in self.room.calls()]
