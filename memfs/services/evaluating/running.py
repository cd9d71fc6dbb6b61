"""One labelled conversation on its way to entries, as in a merge into an empty memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import ExtractionError, InvalidAnswer
from memfs.memory.drafts import draft_entries
from memfs.memory.plain import reader_text
from memfs.model import Draft, Dropped, Tokens, Turn
from memfs.services.evaluating.labels import Entry, Label, Prediction, find_transcript
from memfs.services.ingesting.extracting import Extracted, Proposal, extract_turns
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reading import open_reader
from memfs.transcripts.privacy import keep_turns

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.services.opening import Vault

Announce = Callable[[str], None]
_NOBODY = "evaluation"  # an identity that no vault has: a memory with nothing in it


def predicted(draft: Draft, fields: Mapping[str, object], peer: str | None) -> Entry:
    """A draft as a reader of the vault sees it: its text with the heading or title it stands under.

    ``fields`` are those of its operation, ``peer`` the name that the operation gives.
    """
    around = {
        "preferences": draft.section[-1:],
        **dict.fromkeys(("projects", "entities", "events"), (draft.title,)),
    }
    said = {
        "field": draft.field,
        "status": fields.get("status"),
        "priority": fields.get("priority"),
        "date": fields.get("due") if draft.type == "actions" else fields.get("date"),
    }
    text = ": ".join((*around.get(draft.type, ()), reader_text(draft.text)))
    return Entry(draft.type, text, peer or "", {name: str(value) for name, value in said.items() if value})


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one conversation; ``failed``: why segments of it could not be read."""

    prediction: Prediction
    tokens: Tokens
    seconds: float
    turns: int
    offered: int
    dropped: int
    failed: tuple[str, ...]


class _Noted:
    """Notes segments whose answer cannot be read and goes on behind them; a model that is away ends it all."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def set_aside(self, turns: Sequence[Turn], error: ExtractionError) -> Dropped:
        """Raises the error where it is about the model and not about an answer."""
        if not isinstance(error, InvalidAnswer):
            raise error
        self.reasons.append(f"{len(turns)} turns: {error}")
        return Dropped("turns", str(error))

    def passed(self, turns: Sequence[Turn]) -> None:
        """Nothing to note."""


def run_one(vault: Vault, extractor: Extractor, folder: Path, label: Label, announce: Announce | None) -> Ran:
    """Extract one labelled conversation, as into an empty memory.

    Raises:
        ModelUnavailable, TranscriptError, InvalidRequest, ConfigError.
    """
    began = time.perf_counter()
    now = label.now or vault.now()
    there = (
        vault if now.tzinfo is None else replace(vault, zone=now.tzinfo)
    )  # where the conversation took place
    found: list[Extracted] = []
    noted, turns = _Noted(), 0
    with open_reader(find_transcript(folder, label)) as reader:
        for one in reader.conversations or (reader,):
            kept, _ = keep_turns(list(one), one.session)
            turns += len(kept)
            found.append(_extract(there, extractor, label, kept, now, noted))
    said = [each for extracted in found for each in extracted.proposals]
    sure = [each for each in said if not each.operation.inferred]
    entries, refused = _entries(there, sure, now)
    tokens = sum((each.tokens for each in found), Tokens())
    seconds = time.perf_counter() - began
    if announce is not None:
        announce(f"{label.id}: {'; '.join(noted.reasons) or len(entries)} ({seconds:.1f} s)")
    return Ran(
        Prediction(label.id, tuple(entries), tokens.input + tokens.output),
        tokens,
        seconds,
        turns,
        len(said) - len(sure),
        refused + sum(len(each.dropped) for each in found) - len(noted.reasons),
        tuple(noted.reasons),
    )


def _extract(
    vault: Vault, extractor: Extractor, label: Label, turns: Sequence[Turn], now: datetime, noted: _Noted
) -> Extracted:
    source = f"{_NOBODY}/{label.id}"
    policy = read_policy(vault, _NOBODY)
    return extract_turns(
        vault, extractor, _NOBODY, turns, policy, source=source, said_at=now, now=now, failures=noted
    )


def _entries(vault: Vault, proposals: Sequence[Proposal], now: datetime) -> tuple[list[Entry], int]:
    entries: list[Entry] = []
    refused = 0
    for each in proposals:
        made = draft_entries(
            each.operation,
            each.target,
            vault.registry,
            each.evidence,
            language="en",
            today=now.date(),
        )
        if isinstance(made, Dropped):
            refused += 1
        else:
            whose = each.operation.peer or each.target.peer
            entries += [predicted(draft, each.operation.fields, whose) for draft in made]
    return entries, refused
