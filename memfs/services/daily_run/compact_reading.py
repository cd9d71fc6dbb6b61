"""One short call for several sources: what of its answer belongs to which, with its evidence there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memfs.extraction.request import Request
from memfs.extraction.segments import local_time
from memfs.memory.policy import MemoryPolicy, ordinary_types
from memfs.memory.routing import Batch, seen_peers
from memfs.model import Dropped, Extraction, Operation, Turn
from memfs.services.ingesting.extracting import Extracted, Proposal, route_operation
from memfs.services.ingesting.known import brief_entries

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.memory.types import MemoryType
    from memfs.services.opening import Vault

# The types that the short prompt asks for.
TYPES = ("profile", "projects", "preferences", "decisions", "actions", "events", "entities", "notes")


@dataclass(frozen=True, slots=True)
class Piece:
    """What is read of one source: salient turns, or batons. ``source`` is what its evidence is called.

    ``turns`` are cut to their salient sentences; ``considered`` counts the users' turns that salience looked at.
    """

    source: str
    turns: tuple[Turn, ...]
    policy: MemoryPolicy
    said_at: datetime
    project: str | None = None
    considered: int = 0

    @property
    def left_out(self) -> Dropped | None:
        """The note of what salience left out; None when there is nothing."""
        count = self.considered - sum(turn.role != "assistant" for turn in self.turns)
        reason = (
            f"{count} of {self.considered} of the users' were left out as not salient (daily.mode = compact)"
        )
        return Dropped("turns", reason) if count > 0 else None

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return sum(len(turn.text) for turn in self.turns)


class PieceReader:
    """Asks an extractor (of the prompt ``daily``) for the pieces of one identity."""

    def __init__(self, vault: Vault, extractor: Extractor, identity: str) -> None:
        self._vault, self._extractor, self._identity = vault, extractor, identity

    def read(self, pieces: Sequence[Piece]) -> tuple[Extracted, ...]:
        """What each piece yields, in their order. One call for all whose policies are the same.

        Tokens, and what was dropped before it was known whose it is, are told with the first of them.

        Raises:
            ExtractionError: there is no answer, or none that can be read.
        """
        found = [Extracted()] * len(pieces)
        places = [place for place, piece in enumerate(pieces) if piece.turns]
        for policy in _distinct([pieces[place].policy for place in places]):
            own = [place for place in places if pieces[place].policy == policy]
            types = [each for each in ordinary_types(policy, self._vault.registry) if each.name in TYPES]
            if types:
                for place, extracted in zip(own, self._ask([pieces[p] for p in own], types), strict=True):
                    found[place] = extracted
        return tuple(found)

    def _ask(self, pieces: Sequence[Piece], types: Sequence[MemoryType]) -> list[Extracted]:
        turns = [turn for piece in pieces for turn in _named(piece, len(pieces))]
        owners = [number for number, piece in enumerate(pieces) for _ in piece.turns]
        existing, known = brief_entries(self._vault, self._identity, turns)
        said = local_time(turns[0], self._vault.zone) or pieces[0].said_at.astimezone(self._vault.zone)
        request = Request(
            turns=tuple(turns),
            types=tuple(types),
            now=said,
            existing=existing,
            known=known,
            language=self._vault.language,
            instructions=self._vault.config.extract.instructions,
            project=pieces[0].project if len(pieces) == 1 else None,
            identity=self._identity,
        )
        return self._share(self._extractor.extract(request), pieces, turns, owners)

    def _share(
        self, extraction: Extraction, pieces: Sequence[Piece], turns: Sequence[Turn], owners: Sequence[int]
    ) -> list[Extracted]:
        """The operations by the piece that proves them, routed."""
        policy = pieces[0].policy
        peers = seen_peers(turns) if policy.peer_enabled else frozenset()
        spoken = Batch(tuple(turns), self._identity, peers)
        found = [Extracted() for _ in pieces]
        found[0] = replace(found[0], tokens=extraction.tokens, dropped=extraction.dropped)
        for operation in extraction.operations:
            owner = owners[_last_proof(operation, turns)]
            own = _within(operation, owner, owners)
            piece = pieces[owner]
            for routed in route_operation(self._vault, own, spoken, policy, piece.source, piece.said_at):
                found[owner] = _with(found[owner], routed)
        return found


def _named(piece: Piece, of: int) -> tuple[Turn, ...]:
    """The turns of a piece; where it is one of several, its project stands before the first."""
    if of == 1 or not piece.project or not piece.turns:
        return piece.turns
    first = piece.turns[0]
    return (replace(first, text=f"({piece.project}) {first.text}"), *piece.turns[1:])


def _last_proof(operation: Operation, turns: Sequence[Turn]) -> int:
    """The last turn of a user that an operation names; else the last turn."""
    users = [at for at in operation.turns if turns[at].role != "assistant"]
    return max(users or operation.turns, default=len(turns) - 1)


def _within(operation: Operation, owner: int, owners: Sequence[int]) -> Operation:
    """An operation with the part of its proof that one piece holds: evidence has one source."""
    return replace(
        operation,
        turns=tuple(at for at in operation.turns if owners[at] == owner),
        ranges=tuple(span for span in operation.ranges if {owners[span[0]], owners[span[1]]} == {owner}),
    )


def _with(extracted: Extracted, routed: Proposal | Dropped) -> Extracted:
    if isinstance(routed, Proposal):
        return replace(extracted, proposals=(*extracted.proposals, routed))
    return replace(extracted, dropped=(*extracted.dropped, routed))


def _distinct(policies: Sequence[MemoryPolicy]) -> list[MemoryPolicy]:
    """Each policy once, in order."""
    return [policy for at, policy in enumerate(policies) if policy not in policies[:at]]
