"""The same through a real vault: random batches, routed, merged and committed, leave nothing where it must not be."""

from __future__ import annotations

import random
from pathlib import Path

from memfs.model import Operation
from memfs.services.ingesting.extracting import Proposal, route_operation
from memfs.services.merging.merges import MergeWork, merge_settled
from memfs.services.opening import Vault
from tests.memory.random_batches import DAY, RandomBatch, random_batch
from tests.services.lexical import fsck, hashes
from tests.services.vaults import IDENTITY, new_vault

BATCHES = 100


def proposals(vault: Vault, given: RandomBatch) -> list[Proposal]:
    return [
        item
        for op in given.operations
        for item in route_operation(vault, op, given.batch, given.policy, "claude-code/s", DAY)
        if isinstance(item, Proposal)
    ]


def allowed(vault: Vault, given: RandomBatch) -> list[Operation]:
    policy, types = given.policy, vault.registry.types
    return [
        op
        for op in given.operations
        if types[op.type].enabled and (policy.memory_types is None or op.type in policy.memory_types)
    ]


def test_random_batches_write_only_where_they_may(tmp_path: Path) -> None:
    vault = new_vault(tmp_path / "vault", IDENTITY, "writer")
    beside = sorted(path.name for path in tmp_path.iterdir())
    chance = random.Random(20261130)
    own = f"memories/{IDENTITY}/"
    commits = 0
    for _ in range(BATCHES):
        given = random_batch(chance, vault.registry, IDENTITY)
        before = hashes(vault.top)
        asked = proposals(vault, given)
        merged = merge_settled(vault, MergeWork(IDENTITY, proposals=tuple(asked), source="claude-code/s"))
        after = hashes(vault.top)
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        commits += merged.commit is not None
        assert all(path.startswith(own) for path in changed)
        inside = {path.removeprefix(own).removeprefix(".ledger/") for path in changed}
        if not given.policy.peer_enabled:
            assert not any(path.startswith("peers/") for path in inside)
        if not given.policy.self_enabled:
            assert all(path.startswith("peers/") or path == ".forgotten" for path in inside)
        if not allowed(vault, given):
            assert changed == set()
    assert commits > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == beside
    fsck(vault.top)
