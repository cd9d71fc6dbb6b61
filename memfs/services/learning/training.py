"""Training: from the cases of a batch to trajectories, experiences and skills, in a commit of their own (spec 4.8).

Only a batch whose ordinary extraction yielded a case is trained on, as soon as it is merged; its cursor has moved by
then and never goes back. It takes a language model. What fails is kept with its reason until `memfs retry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from memfs.errors import LeaseLost, MemfsError
from memfs.extraction.model.extractor import ModelExtractor
from memfs.extraction.redaction import redact_turn
from memfs.extraction.request import Request
from memfs.memory.policy import execution_types
from memfs.memory.retiring import Retirement
from memfs.memory.routing import Batch, route
from memfs.memory.trust import least
from memfs.memory.views import view_entries
from memfs.model import Dropped, Evidence, Operation, Tokens, Turn
from memfs.services.ingesting.extracting import Proposal, plan_segments
from memfs.services.learning.lessons import Assignment, drop_assignment, note_assignment
from memfs.services.merging.merges import MergeWork, merge_settled
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.extraction.model.training import Learned, Lesson, ModelTrainer
    from memfs.extraction.request import Extractor
    from memfs.memory.policy import MemoryPolicy
    from memfs.memory.types import MemoryType
    from memfs.services.ingesting.sessions import SessionKey
    from memfs.services.opening import Vault
    from memfs.vault.leases import Lease

CASES = "cases"
KIND = "training"
_KNOWN = 15
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of it: how many entries were written, in which commit. ``problem``: why there was no training."""

    entries: int = 0
    commit: str | None = None
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    problem: str | None = None


def assign(
    vault: Vault, identity: str, key: SessionKey, turns: Sequence[Turn], proposals: Iterable[Proposal]
) -> Assignment | None:
    """What is to be learned from a batch; None where its extraction yielded no case.

    The work on a case is the segments of ``turns`` in which it is proved.
    """
    cases = [each for each in proposals if each.operation.type == CASES]
    if not cases:
        return None
    proofs = tuple(dict.fromkeys(message for case in cases for message in case.evidence.messages))
    names = [turn.id or f"@{turn.start}" for turn in turns]
    worked: list[str] = []
    for segment in plan_segments(vault, turns):
        own = names[segment.start : segment.start + len(segment.turns)]
        worked += own if set(own) & set(proofs) else []
    time = max(case.evidence.time for case in cases)
    words = _case_words(case.operation for case in cases)
    trust = least(("agent", *(case.evidence.trust for case in cases)))  # what is learned is the agent's own
    proof = Evidence(str(key), proofs, time, trust)
    return Assignment(identity, key, tuple(words), proof, tuple(worked))


def train(
    vault: Vault,
    extractor: Extractor,
    assignment: Assignment,
    turns: Sequence[Turn],
    policy: MemoryPolicy,
    *,
    day: date | None = None,
    project: str | None = None,
    renewed: Callable[[], Lease | None] = lambda: None,
) -> Trained:
    """Learn from the cases of a batch, and commit what was learned. A failure is kept, and told.

    ``turns`` are the kept turns of the session; ``renewed`` gives the lease to work under, in a new term.

    Raises:
        LeaseLost: another worker has the identity.
    """
    types = execution_types(policy, vault.registry, cases=len(assignment.cases))
    if not types or not isinstance(extractor, ModelExtractor):
        return Trained()
    try:
        trainer = _trainer(vault, extractor, renewed)
        lesson = _lesson(vault, assignment, turns, types, project, peers=policy.peer_enabled)
        learned = trainer.train(lesson)
        trained = _merge(vault, extractor, assignment, learned, policy, day, renewed())
    except LeaseLost:
        raise
    except MemfsError as error:
        note_assignment(vault, replace(assignment, reason=str(error)))
        return Trained(problem=f"nothing was learned from the cases: {error} (memfs retry tries again)")
    drop_assignment(vault, assignment)
    return trained


def _trainer(vault: Vault, extractor: ModelExtractor, between: Callable[[], object]) -> ModelTrainer:
    from memfs.extraction.model.training import ModelTrainer
    from memfs.services.ingesting.models import prompter

    return ModelTrainer(extractor.asker, lambda stage: prompter(vault, stage), between)


def _lesson(
    vault: Vault,
    assignment: Assignment,
    turns: Sequence[Turn],
    types: tuple[MemoryType, ...],
    project: str | None,
    *,
    peers: bool,
) -> Lesson:
    from memfs.extraction.model.training import Lesson

    wanted = set(assignment.messages)
    work = (turn for turn in turns if (turn.id or f"@{turn.start}") in wanted)
    request = Request(
        turns=tuple(redact_turn(turn) for turn in work if peers or not turn.peer),
        now=assignment.evidence.time.astimezone(vault.zone),
        language=vault.language,
        instructions=vault.config.extract.instructions,
        project=project,
        identity=assignment.identity,
    )
    known = {each.name: tuple(_known(vault, assignment, each.name)) for each in types}
    return Lesson(request, assignment.cases, types, known)


def _known(vault: Vault, assignment: Assignment, type_name: str) -> Iterator[str]:
    """The identity's own entries of a type that share most words with the cases, as ``name: text``."""
    from memfs.extraction.model.words import content_words

    said = content_words("\n".join(assignment.cases))
    folder = vault.layout.rel(vault.layout.identity_dir(assignment.identity))
    found: dict[str, int] = {}
    for path in sorted(scan_documents(vault.layout, [f"{folder}/{type_name}/**/*.md"]).documents):
        text = (vault.top / path).read_text(encoding="utf-8", errors="replace")
        for view in view_entries(path, text, root=vault.layout.root):
            if view.status is None and view.field in (None, "content"):
                found[view.text[:_LONGEST]] = len(content_words(view.text) & said)
    yield from sorted(found, key=lambda text: (-found[text], text))[:_KNOWN]


def _merge(
    vault: Vault,
    extractor: ModelExtractor,
    assignment: Assignment,
    learned: Learned,
    policy: MemoryPolicy,
    day: date | None,
    lease: Lease | None,
) -> Trained:
    proposals: list[Proposal] = []
    dropped = list(learned.dropped)
    retired: list[Retirement] = []
    nobody = Batch((), assignment.identity)
    for operation in learned.operations:
        targets = route(operation, nobody, policy, vault.registry)
        if isinstance(targets, Dropped):
            dropped.append(targets)
            continue
        proposals += [Proposal(operation, target, assignment.evidence) for target in targets]
        if replaced := operation.fields.get("supersedes"):
            retired.append(Retirement(assignment.identity, str(replaced), assignment.evidence))
    work = MergeWork(
        assignment.identity,
        kind=KIND,
        proposals=tuple(proposals),
        changes=tuple(retired),
        source=str(assignment.key),
        extractor=extractor.name,
        tokens=learned.tokens,
        dropped=tuple(dropped),
        day=day,
        lease=lease,
    )
    merged = merge_settled(vault, work)
    if merged.waiting:
        raise MemfsError("; ".join(merged.waiting))
    count = merged.count("added", "updated", "superseded")
    return Trained(count, merged.commit, (*dropped, *merged.dropped), learned.tokens)


def _case_words(operations: Iterable[Operation]) -> Iterator[str]:
    """Each case in a line; what was said of one in several operations is put together."""
    told: dict[str, list[str]] = {}
    for operation in operations:
        name = str(operation.fields.get("name", ""))
        parts = (f"{field}: {value}" for field, value in operation.fields.items() if field != "name")
        told.setdefault(name, []).extend(part for part in parts if part not in told.get(name, ()))
    yield from (f"{name}: {'; '.join(parts)}" for name, parts in told.items())
