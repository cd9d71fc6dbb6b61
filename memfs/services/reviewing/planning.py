"""Planning a review: which pairs are looked at, in rounds, until nothing new turns up; no vault is held meanwhile.

What one round unites may be like a third entry. So the rounds are played on a copy of the documents; then all of
them are done again under the vault's lock, where only what still stands as it stood is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memfs.memory.reviewing import Verdict, settle
from memfs.memory.snapshot import Outcome
from memfs.memory.standing import Pair, Standing, find_block, fuller_of, stand
from memfs.memory.uniting import Bench
from memfs.model import Dropped, Tokens
from memfs.services.reviewing.nominating import nominate
from memfs.services.reviewing.records import Seen

if TYPE_CHECKING:
    from memfs.extraction.model.pairing import PairReader
    from memfs.services.opening import Vault

ROUNDS = 12
MOST_PAIRS = 200


@dataclass
class Plan:
    """Rounds of pairs with what was said of them, and what reading them took.

    ``looked_at`` and ``judged`` are for the next review; ``left``: pairs that wait for it; ``waiting``: why.
    """

    rounds: list[Sequence[Pair]] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    refused: list[Dropped] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)
    left: int = 0
    waiting: str | None = None
    degraded: str | None = None
    looked_at: tuple[Standing, ...] = ()
    judged: set[str] = field(default_factory=set)
    nominated: set[str] = field(default_factory=set)

    def play(self, bench: Bench, waiting: Mapping[str, str]) -> list[Outcome]:
        """Do all rounds; documents that are ``waiting`` are left out, and so is what does not stand any more."""
        return [
            outcome for pairs in self.rounds for outcome in play_round(bench, pairs, self.verdicts, waiting)
        ]


def make_plan(
    vault: Vault, bench: Bench, seen: Seen, waiting: Mapping[str, str], reader: PairReader | None
) -> Plan:
    """Nominate, ask and play, until a round brings nothing. ``bench`` is a copy that is thrown away."""
    plan = Plan()
    for _ in range(ROUNDS):
        standing = [
            each
            for each in stand(bench.desk, bench.identity, vault.registry.types)
            if each.path not in waiting
        ]
        found = nominate(vault, bench.identity, standing, seen)
        plan.looked_at, plan.degraded = tuple(standing), found.degraded
        fresh = [pair for pair in found.pairs if pair.name not in plan.nominated]
        plan.nominated.update(pair.name for pair in fresh)
        known = [pair for pair in fresh if is_certain(pair) or reader is None]
        asked = [pair for pair in fresh if pair not in known and pair.name not in seen.judged]
        if reader is not None and asked:
            known += _ask(plan, reader, bench.identity, asked)
        seen = seen.after(standing, plan.judged, plan.nominated)
        ordered = [pair for pair in fresh if pair in known]
        plan.rounds.append(ordered)
        if not play_round(bench, ordered, plan.verdicts, waiting):
            break
    return plan


def play_round(
    bench: Bench, pairs: Sequence[Pair], verdicts: Mapping[str, Verdict], waiting: Mapping[str, str]
) -> list[Outcome]:
    """Settle the pairs, the likest first; one of whose entries no longer stands so is passed over."""
    outcomes: list[Outcome] = []
    for pair in pairs:
        both = (pair.first, pair.second)
        if all(each.path not in waiting and find_block(bench.desk, each) is not None for each in both):
            outcomes += settle(bench, pair, verdicts.get(pair.name))
    return outcomes


def is_certain(pair: Pair) -> bool:
    """Whether words alone decide: one says all that the other says, and one of them is memfs's to take out."""
    return fuller_of(pair) is not None and (pair.first.untouched or pair.second.untouched)


def _ask(plan: Plan, reader: PairReader, identity: str, pairs: Sequence[Pair]) -> list[Pair]:
    """Have pairs read; those with a verdict."""
    if plan.waiting is not None:
        plan.left += len(pairs)
        return []
    room = max(0, MOST_PAIRS - len(plan.judged))
    read = reader.read(identity, pairs[:room])
    plan.verdicts.update(read.verdicts)
    plan.refused += read.refused
    plan.tokens += read.tokens
    plan.waiting = read.waiting
    plan.judged |= read.names
    plan.left += len(pairs) - len(read.names)
    return [pair for pair in pairs if pair.name in read.verdicts]
