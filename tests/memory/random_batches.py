"""Random batches: turns of many speakers, a policy from all its layers, and operations that ask for anything."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memfs.memory.policy import MemoryPolicy, resolve_policy
from memfs.memory.routing import Batch, seen_peers
from memfs.memory.types import Registry
from memfs.model import Evidence, Operation, Turn

PEERS = (
    "bob",
    "eve",
    "May Lin",
    "李雷",
    "a@b.example",
    "../writer",
    "..",
    ".git",
    "CON",
    "nul.md",
    "x/y",
    "a\\b",
    "-",
    "é",
)
ROLES = ("user", "user", "assistant", "participant", "document")
_PLAIN = ("PostgreSQL", "the ledger", "weekly", "李雷的项目", "2026-03-01", "identity", "x" * 300)
_PATHS = (
    *(
        "../../outside",
        "..",
        ".",
        ".git/hooks/pre-commit",
        "/etc/passwd",
        "CON",
        "NUL.md",
        "a/b",
        "a\\b",
        "%2e%2e",
    ),
    *("peers/eve", "peers/eve/notes", "../peers/eve", ".ledger/notes.md", ".forgotten"),
)
_MARKUP = (
    *("\u202edm.x", "name\nwith line", "# head", "---", "^m-aaaaaaaaaaaaa", "{{ name }}", "{project}"),
)
WORDS = (*_PLAIN, *_PATHS, *_MARKUP)
DAY = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class RandomBatch:
    """A batch, the policy that holds for it, and what is asked."""

    batch: Batch
    policy: MemoryPolicy
    operations: tuple[Operation, ...]
    evidence: Evidence


def random_batch(chance: random.Random, registry: Registry, identity: str = "demo") -> RandomBatch:
    """One of them."""
    turns = tuple(_turn(chance) for _ in range(chance.randint(1, 6)))
    policy = resolve_policy(
        *(_layer(chance, registry) for _ in range(2)), {}, _layer(chance, registry), registry
    )
    allowed = seen_peers(turns) if policy.peer_enabled else frozenset[str]()
    batch = Batch(turns, identity, allowed)
    operations = tuple(_operation(chance, registry, len(turns)) for _ in range(chance.randint(1, 5)))
    return RandomBatch(batch, policy, operations, Evidence("claude-code/s", ("m1",), DAY))


def _turn(chance: random.Random) -> Turn:
    peer = chance.choice(PEERS) if chance.random() < 0.5 else None
    return Turn(chance.choice(ROLES), "hello", id="m1", peer=peer)  # type: ignore[arg-type]


def _layer(chance: random.Random, registry: Registry) -> Mapping[str, Any] | None:
    if chance.random() < 0.4:
        return None
    layer: dict[str, Any] = {}
    for switch in ("self", "peer", "working_memory"):
        if chance.random() < 0.5:
            layer[switch] = {"enabled": chance.random() < 0.5}
    if chance.random() < 0.5:
        layer["memory_types"] = chance.sample(sorted(registry.types), chance.randint(0, 6))
    return layer


def _operation(chance: random.Random, registry: Registry, size: int) -> Operation:
    name = chance.choice(sorted(registry.types))
    fields = {
        field.name: chance.randint(-3, 9)
        if field.kind == "number"
        else tuple(chance.choices(WORDS, k=2))
        if field.kind == "list"
        else chance.choice(WORDS)
        for field in registry.types[name].fields
        if chance.random() < 0.8
    }
    ranges = tuple(
        (chance.randint(-1, size), chance.randint(-1, size + 1))
        for _ in range(chance.choice((0, 0, 0, 1, 2)))
    )
    peer = chance.choice((*PEERS, "nobody", "")) if chance.random() < 0.4 else None
    return Operation(name, fields, (0,), peer=peer, ranges=ranges)
