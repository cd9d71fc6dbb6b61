"""From new turns to proposals: segments, redaction, the extractor, and where each operation belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memfs.errors import ExtractionError, LeaseLost
from memfs.extraction.corrections import REACH
from memfs.extraction.model.judging import AGENT_TAG
from memfs.extraction.redaction import redact_turn
from memfs.extraction.request import Extractor, Request
from memfs.extraction.segments import MAX_TOKENS, Segment, cut_segments
from memfs.extraction.sources import proof_trust
from memfs.memory.policy import MemoryPolicy, ordinary_types
from memfs.memory.routing import Batch, route, seen_peers
from memfs.model import Dropped, Evidence, Extraction, Operation, Target, Tokens, Turn
from memfs.transcripts.times import turn_time

if TYPE_CHECKING:
    from memfs.memory.types import MemoryType
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
    """What a batch of turns yields.

    ``read``: how many of its turns, from the first on, are done with; the rest has to be tried again, and
    ``waiting`` says why.
    """

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    read: int = 0
    waiting: str | None = None


class Failures(Protocol):
    """What becomes of turns that the extractor could not make anything of."""

    def set_aside(self, turns: Sequence[Turn], error: ExtractionError) -> Dropped | None:
        """The note of it, when the turns are set aside and the rest is read; None: stop before them."""
        ...

    def passed(self, turns: Sequence[Turn]) -> None:
        """These turns were read."""
        ...


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
    from memfs.services.ingesting.models import model_extractor

    return model_extractor(vault)


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
    failures: Failures | None = None,
    between: Callable[[], object] = lambda: None,
) -> Extracted:
    """Extract what is worth keeping from ``turns`` (kept ones, in order) and route it.

    ``source`` names the session in the evidence; ``said_at`` stands in for turns without a time; ``earlier`` turns
    are context only. Secrets are redacted before the extractor sees anything. ``between`` is called before each
    segment.

    Raises:
        ExtractionError: the extractor failed, and no ``failures`` are there to decide what becomes of it.
    """
    types = ordinary_types(policy, vault.registry)
    if not types or not turns:
        return Extracted(read=len(turns))
    clean = tuple(redact_turn(turn) for turn in turns)
    peers = seen_peers(clean) if policy.peer_enabled else frozenset()
    if not policy.self_enabled and not peers:
        return Extracted(read=len(turns))  # there is nobody that anything may be remembered of
    found = _Findings(vault, Batch(clean, identity, peers), policy, source, said_at)
    for segment in plan_segments(vault, clean, earlier):
        between()
        request = make_request(
            vault, identity, segment, types, project, now or _segment_time(segment, vault, said_at)
        )
        if (
            extractor.name == "rules"
        ):  # they look at nothing but the turns, and what they made of those before
            request = replace(request, found=found.before(segment))
        else:
            request = _with_known(vault, request)
        try:
            extraction = extractor.extract(request)
        except LeaseLost:
            raise
        except ExtractionError as error:
            if failures is None:
                raise
            aside = failures.set_aside(segment.turns, error)
            if aside is None:
                return found.extracted(segment.start, str(error))
            found.dropped.append(aside)
            continue
        if failures:
            failures.passed(segment.turns)
        found.take(extraction, segment)
    return found.extracted(len(clean))


def plan_segments(vault: Vault, turns: Sequence[Turn], earlier: Sequence[Turn] = ()) -> list[Segment]:
    """The segments of redacted turns, no longer than a model's call may be."""
    longest = min(MAX_TOKENS, vault.config.extract.max_tokens_per_call)
    return cut_segments(
        turns, zone=vault.zone, max_tokens=longest, earlier=[redact_turn(turn) for turn in earlier]
    )


def make_request(
    vault: Vault,
    identity: str,
    segment: Segment,
    types: Sequence[MemoryType],
    project: str | None,
    now: datetime,
) -> Request:
    """What an extractor is asked of a segment; ``existing`` is empty still."""
    return Request(
        turns=segment.turns,
        context=segment.context,
        types=tuple(types),
        now=now.astimezone(vault.zone),
        language=vault.language,
        instructions=vault.config.extract.instructions,
        project=project,
        identity=identity,
    )


def _with_known(vault: Vault, request: Request) -> Request:
    from memfs.services.ingesting.known import known_entries

    if not vault.layout.identity_dir(request.identity).is_dir():
        return request  # outside of any vault, or an identity with no memory yet
    return replace(request, existing=known_entries(vault, request.identity, request.turns))


@dataclass(slots=True)
class _Findings:
    """What came of a batch so far."""

    vault: Vault
    batch: Batch
    policy: MemoryPolicy
    source: str
    said_at: datetime
    proposals: list[Proposal] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)

    def before(self, segment: Segment) -> tuple[Operation, ...]:
        """The operations that a correction in ``segment`` reaches, with turns that count back from it."""
        return tuple(_shift(each, -segment.start) for each in self._within(segment))

    def _within(self, segment: Segment) -> list[Operation]:
        """Operations of the turns just before ``segment``, each once, however many places it goes to."""
        near: list[Operation] = []
        for each in self.proposals:
            operation = each.operation
            if operation.turns and operation.turns[-1] >= segment.start - REACH and operation not in near:
                near.append(operation)
        return near

    def take(self, extraction: Extraction, segment: Segment) -> None:
        """Route the operations of a segment, and drop those of earlier ones that it takes back."""
        self.tokens += extraction.tokens
        self.dropped += extraction.dropped
        if extraction.withdrawn:
            within = self._within(segment)
            gone = [within[at] for at in extraction.withdrawn if not _follows(within[at], extraction)]
            self.proposals = [each for each in self.proposals if each.operation not in gone]
            self.dropped += [Dropped(each.type, "later words take it back") for each in gone]
        for operation in extraction.operations:
            moved = _shift(operation, segment.start)
            routed = list(
                route_operation(self.vault, moved, self.batch, self.policy, self.source, self.said_at)
            )
            self.proposals += [item for item in routed if isinstance(item, Proposal)]
            self.dropped += [item for item in routed if isinstance(item, Dropped)]

    def extracted(self, read: int, waiting: str | None = None) -> Extracted:
        """All of it, with ``read`` turns done."""
        return Extracted(tuple(self.proposals), tuple(self.dropped), self.tokens, read, waiting)


def _segment_time(segment: Segment, vault: Vault, said_at: datetime) -> datetime:
    times = (turn_time(turn.timestamp, vault.zone) for turn in segment.turns)
    first = next((time for time in times if time is not None), said_at)
    return first.astimezone(vault.zone)


def _follows(old: Operation, extraction: Extraction) -> bool:
    """Whether a new decision is on the topic of an old one: then the merge keeps the old one as superseded."""
    topic = old.fields.get("topic") if old.type == "decisions" else None
    return topic is not None and any(
        new.type == old.type and new.fields.get("topic") == topic for new in extraction.operations
    )


def _shift(operation: Operation, start: int) -> Operation:
    """Positions in a segment that begins at ``start`` become positions in the batch."""
    return replace(
        operation,
        turns=tuple(at + start for at in operation.turns),
        ranges=tuple((first + start, last + start) for first, last in operation.ranges),
    )


def route_operation(
    vault: Vault, operation: Operation, batch: Batch, policy: MemoryPolicy, source: str, said_at: datetime
) -> Iterator[Proposal | Dropped]:
    """A proposal for each place an operation of ``batch`` goes to, or why there is none; see `extract_turns`."""
    if any(not 0 <= at < len(batch.turns) for at in operation.turns):
        yield Dropped(operation.type, "it names turns that are not in the batch")
        return
    proof = [batch.turns[at] for at in operation.turns]
    if not any(turn.role in ("user", "participant") for turn in proof) and not _agents_own(operation):
        yield Dropped(operation.type, "no user turn proves it")
        return
    targets = route(operation, batch, policy, vault.registry)
    if isinstance(targets, Dropped):
        yield targets
        return
    trust = proof_trust(operation, proof)
    if trust == "document":  # nobody vouches for it: it is offered, however loudly it asks to be remembered
        operation = replace(operation, inferred=True, insist=False)
    evidence = replace(evidence_of(vault, proof, source, said_at), trust=trust)
    for target in targets:
        yield Proposal(operation, target, evidence)


def _agents_own(operation: Operation) -> bool:
    """Whether it is a pitfall that the agent learned, and says so."""
    tags = operation.fields.get("tags", ())
    return operation.type == "notes" and isinstance(tags, tuple) and AGENT_TAG in tags


def evidence_of(vault: Vault, proof: Sequence[Turn], source: str, said_at: datetime) -> Evidence:
    """What proves something: these turns of a session; ``said_at`` stands in for their time."""
    times = [time for turn in proof if (time := turn_time(turn.timestamp, vault.zone)) is not None]
    messages = tuple(turn.id or f"@{turn.start}" for turn in proof)
    return Evidence(source, messages, max(times, default=said_at))
