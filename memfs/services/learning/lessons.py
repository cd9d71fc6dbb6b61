"""Cases that are still to be learned from: what training failed on, kept in local state until a retry succeeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memfs.model import Evidence
from memfs.services.ingesting.sessions import SessionKey
from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_RECORD = "training"


@dataclass(frozen=True, slots=True)
class Assignment:
    """The cases of one batch: in words, what proves them, and the messages of the work on them.

    ``reason``: why the last training on them failed, empty before there was one.
    """

    identity: str
    key: SessionKey
    cases: tuple[str, ...]
    evidence: Evidence
    messages: tuple[str, ...]
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.identity}: {self.key}"


def note_assignment(vault: Vault, assignment: Assignment) -> None:
    """Keep it to be tried again."""
    told = {**asdict(assignment), "evidence": _told(assignment.evidence)}
    LocalState(vault.layout).update_record(_RECORD, lambda record: record.update({_place(assignment): told}))


def drop_assignment(vault: Vault, assignment: Assignment) -> None:
    """It is done."""
    place, state = _place(assignment), LocalState(vault.layout)
    if place in state.read_record(_RECORD):
        state.update_record(_RECORD, lambda record: record.pop(place, None))


def open_assignments(vault: Vault) -> Iterator[Assignment]:
    """What is kept, in order."""
    for _, told in sorted(LocalState(vault.layout).read_record(_RECORD).items()):
        proof = told["evidence"]
        yield Assignment(
            identity=told["identity"],
            key=SessionKey(**told["key"]),
            cases=tuple(told["cases"]),
            evidence=Evidence(
                proof["source"],
                tuple(proof["messages"]),
                datetime.fromisoformat(proof["time"]),
                proof["trust"],
            ),
            messages=tuple(told["messages"]),
            reason=told["reason"],
        )


def _told(evidence: Evidence) -> dict[str, Any]:
    return {**asdict(evidence), "time": evidence.time.isoformat()}


def _place(assignment: Assignment) -> str:
    return json.dumps([assignment.identity, *asdict(assignment.key).values(), assignment.messages[:1]])
