"""No operation is ever written to a place that the policy forbids: over twenty thousand random batches."""

from __future__ import annotations

import random
import re
from pathlib import PurePosixPath

import pytest

from memfs.memory.drafts import draft_entries
from memfs.memory.routing import route
from memfs.memory.types import MemoryType
from memfs.model import Dropped, Operation, Target
from tests.memory.conftest import REGISTRY
from tests.memory.random_batches import DAY, RandomBatch, random_batch

BATCHES = 20_000
SHARDS = 4
_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{at}" for name in ("com", "lpt") for at in range(10))}


def require_allowed(given: RandomBatch, op: Operation, target: Target) -> None:
    """The rules of the specification, said once more and apart from the code that is tested."""
    kind: MemoryType = REGISTRY.types[op.type]
    policy = given.policy
    assert kind.enabled
    assert policy.memory_types is None or op.type in policy.memory_types
    assert target.identity == given.batch.identity
    if target.peer is None:
        assert policy.self_enabled
        assert kind.self_enabled
        return
    assert policy.peer_enabled
    assert kind.peer_enabled
    assert kind.stage != "execution"
    assert target.peer in given.batch.allowed_peers
    assert target.peer not in (".", "..")
    assert "/" not in target.peer
    assert "\\" not in target.peer
    assert target.peer.count("@") <= 1
    assert target.peer.partition(".")[0].lower() not in _DEVICES


def require_inside(document: str, target: Target) -> None:
    """A document lies beneath the identity, among what is the target's, and its names are harmless."""
    path = PurePosixPath(document)
    assert not path.is_absolute()
    assert path.suffix == ".md"
    if target.peer is None:
        assert path.parts[0] != "peers"
    else:
        assert path.parts[:2] == ("peers", target.peer)
    for part in path.parts:
        assert part not in (".", "..")
        assert not part.startswith(".")
        assert not re.search(r"[\\\x00-\x1f:*?\"<>|\u202a-\u202e]", part)
        assert part.partition(".")[0].lower() not in _DEVICES
        assert len(part.encode()) <= 120


@pytest.mark.parametrize("shard", range(SHARDS))
def test_nothing_is_written_where_the_policy_forbids(shard: int) -> None:
    chance = random.Random(20261130 + shard)
    written = dropped = 0
    for _ in range(BATCHES // SHARDS):
        given = random_batch(chance, REGISTRY)
        for op in given.operations:
            targets = route(op, given.batch, given.policy, REGISTRY)
            if isinstance(targets, Dropped):
                dropped += 1
                continue
            for target in targets:
                require_allowed(given, op, target)
                drafts = draft_entries(
                    op, target, REGISTRY, given.evidence, language="en", today=DAY.date(), peer_name=op.peer
                )
                for draft in () if isinstance(drafts, Dropped) else drafts:
                    written += 1
                    require_inside(draft.document, target)
                    assert draft.peer == target.peer
                    assert draft.frontmatter.get("identity", target.identity) == target.identity
    assert written > BATCHES // SHARDS // 4  # else the property would say little
    assert dropped > BATCHES // SHARDS // 4
