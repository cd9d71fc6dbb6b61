"""From new turns to proposals: segments, redaction, the extractor, and where each operation belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memfs.errors import ConfigError
from memfs.extraction.redaction import redact_turn
from memfs.extraction.request import Extractor, Request
from memfs.extraction.segments import Segment, cut_segments
from memfs.memory.policy import MemoryPolicy, ordinary_types
from memfs.memory.routing import Batch, route, seen_peers
from memfs.model import Dropped, Evidence, Operation, Target, Tokens, Turn
from memfs.transcripts.times import turn_time

if TYPE_CHECKING:
    from memfs.services.opening import Vault

EARLIER_TURNS = 12


@dataclass(frozen=True, slots=True)
class Proposal:
    """An operation that may be written: where it goes and what proves it."""

    operation: Operation
    target: Target
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a batch of turns yields."""

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = Tokens()


def choose_extractor(vault: Vault) -> Extractor | None:
    """The extractor that ``extract.model`` names; None when extraction is off.

    Raises:
        ConfigError: nothing of that name can be used.
    """
    model = vault.config.extract.model
    if not model:
        return None
    if model == "rules":
        from memfs.extraction.rules import RulesExtractor

        return RulesExtractor()
    raise ConfigError(
        f"the extractor {model!r} cannot be used",
        key="extract.model",
        hint='set it to "rules", or to "" to turn extraction off',
    )


def extract_turns(
    vault: Vault,
    extractor: Extractor,
    identity: str,
    turns: Sequence[Turn],
    policy: MemoryPolicy,
    *,
    source: str,
    said_at: datetime,
    project: str | None = None,
    earlier: Sequence[Turn] = (),
    now: datetime | None = None,
) -> Extracted:
    """Extract what is worth keeping from ``turns`` (kept ones, in order) and route it.

    ``source`` names the session in the evidence; ``said_at`` stands in for turns without a time; ``earlier`` turns
    are context only. Secrets are redacted before the extractor sees anything.

    Raises:
        ExtractionError: the extractor failed; nothing may be recorded and the cursor stays.
    """
    types = ordinary_types(policy, vault.registry)
    if not types or not turns:
        return Extracted()
    clean = tuple(redact_turn(turn) for turn in turns)
    peers = seen_peers(clean) if policy.peer_enabled else frozenset()
    batch = Batch(clean, identity, peers)
    proposals: list[Proposal] = []
    dropped: list[Dropped] = []
    tokens = Tokens()
    context = [redact_turn(turn) for turn in earlier]
    for segment in cut_segments(clean, zone=vault.zone, earlier=context):
        request = Request(
            turns=segment.turns,
            context=segment.context,
            types=types,
            now=now or _segment_time(segment, vault, said_at),
            language=vault.language,
            instructions=vault.config.extract.instructions,
            project=project,
            identity=identity,
        )
        extraction = extractor.extract(request)
        tokens += extraction.tokens
        dropped += extraction.dropped
        for operation in extraction.operations:
            routed = _route(vault, _shift(operation, segment), batch, policy, source, said_at)
            proposals += [item for item in routed if isinstance(item, Proposal)]
            dropped += [item for item in routed if isinstance(item, Dropped)]
    return Extracted(tuple(proposals), tuple(dropped), tokens)


def _segment_time(segment: Segment, vault: Vault, said_at: datetime) -> datetime:
    times = (turn_time(turn.timestamp, vault.zone) for turn in segment.turns)
    first = next((time for time in times if time is not None), said_at)
    return first.astimezone(vault.zone)


def _shift(operation: Operation, segment: Segment) -> Operation:
    """Positions in the segment become positions in the batch."""
    start = segment.start
    return replace(
        operation,
        turns=tuple(at + start for at in operation.turns),
        ranges=tuple((first + start, last + start) for first, last in operation.ranges),
    )


def _route(
    vault: Vault, operation: Operation, batch: Batch, policy: MemoryPolicy, source: str, said_at: datetime
) -> Iterator[Proposal | Dropped]:
    if any(not 0 <= at < len(batch.turns) for at in operation.turns):
        yield Dropped(operation.type, "it names turns that are not in the batch")
        return
    proof = [batch.turns[at] for at in operation.turns]
    if not any(turn.role in ("user", "participant") for turn in proof):
        yield Dropped(operation.type, "no user turn proves it")
        return
    targets = route(operation, batch, policy, vault.registry)
    if isinstance(targets, Dropped):
        yield targets
        return
    evidence = _evidence(vault, proof, source, said_at)
    for target in targets:
        yield Proposal(operation, target, evidence)


def _evidence(vault: Vault, proof: Sequence[Turn], source: str, said_at: datetime) -> Evidence:
    times = [time for turn in proof if (time := turn_time(turn.timestamp, vault.zone)) is not None]
    messages = tuple(turn.id or f"@{turn.start}" for turn in proof)
    return Evidence(source, messages, max(times, default=said_at))
