"""Where an operation is written: the identity's own memory, a peer's, or nowhere (spec 4.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfs.memory.policy import MemoryPolicy
from memfs.memory.slugs import peer_id, safe_peer
from memfs.memory.types import MemoryType, Registry
from memfs.model import Dropped, Operation, Target, Turn

_USER_ROLES = ("user", "participant")


@dataclass(frozen=True, slots=True)
class Batch:
    """All turns after the cursor. ``allowed_peers``: the safe ids of the peers that may be written about.

    The ``ranges`` of an operation are positions in ``turns``, both ends inclusive.
    """

    turns: Sequence[Turn]
    identity: str
    allowed_peers: frozenset[str] = frozenset()


def seen_peers(turns: Sequence[Turn]) -> frozenset[str]:
    """The ids of all peers that said something or are named as who said it."""
    return frozenset(peer_id(turn.peer) for turn in turns if turn.peer)


def route(
    op: Operation, batch: Batch, policy: MemoryPolicy, registry: Registry
) -> tuple[Target, ...] | Dropped:
    """The targets of an operation by the first row of the routing table that fits, or why it goes nowhere."""
    memory_type = registry.types.get(op.type)
    if memory_type is None:
        return Dropped(op.type, "unknown memory type")
    if not policy.allows(memory_type):
        return Dropped(op.type, "this memory type is not allowed")
    owners = _owners(op, batch, memory_type, policy)
    if isinstance(owners, Dropped):
        return owners
    enabled = [owner for owner in owners if _enabled(owner, memory_type, policy)]
    if not enabled:
        return Dropped(op.type, "only disabled targets")
    return tuple(Target(batch.identity, owner) for owner in enabled)


def _owners(
    op: Operation, batch: Batch, memory_type: MemoryType, policy: MemoryPolicy
) -> Sequence[str | None] | Dropped:
    """Whose memory it is, enabled or not; None is the identity's own."""
    if not memory_type.peer_enabled or memory_type.stage == "execution":
        return (None,)
    if op.ranges:
        return _range_owners(op, batch)
    if op.peer is not None:
        return _named_peer(op, batch)
    if _enabled(None, memory_type, policy):
        return (None,)
    peers = [owner for owner in _batch_owners(batch.turns, batch) if owner is not None]
    return peers if len(peers) == 1 else (None,)


def _range_owners(op: Operation, batch: Batch) -> Sequence[str | None] | Dropped:
    size = len(batch.turns)
    if any(not 0 <= start <= end < size for start, end in op.ranges):
        return Dropped(op.type, "ranges out of bounds")
    positions = sorted({at for start, end in op.ranges for at in range(start, end + 1)})
    turns = [batch.turns[at] for at in positions]
    if any(turn.role in _USER_ROLES for turn in turns):
        owners = _batch_owners(turns, batch)
        return owners or Dropped(op.type, "the turns are of peers that are not allowed")
    owners = _batch_owners(batch.turns, batch)
    return owners if len(owners) == 1 else Dropped(op.type, "no user turn in the range, and no single owner")


def _named_peer(op: Operation, batch: Batch) -> Sequence[str | None] | Dropped:
    name = op.peer or ""
    if safe_peer(name):
        owner = peer_id(name)
        seen = owner in batch.allowed_peers
        return (owner,) if seen else Dropped(op.type, "this peer was not seen in the batch")
    # A name that is no safe id counts only where it is, letter for letter, the name of someone who spoke.
    spoke = any(turn.peer == name for turn in batch.turns)
    if name and spoke and peer_id(name) in batch.allowed_peers:
        return (peer_id(name),)
    return Dropped(op.type, "unsafe peer id")


def _batch_owners(turns: Sequence[Turn], batch: Batch) -> list[str | None]:
    """The owners of the user turns, in order of appearance; peers that are not allowed own nothing."""
    owners: dict[str | None, None] = {}
    for turn in turns:
        if turn.role not in _USER_ROLES:
            continue
        owner = peer_id(turn.peer) if turn.peer else None
        if owner is None or owner in batch.allowed_peers:
            owners[owner] = None
    return list(owners)


def _enabled(owner: str | None, memory_type: MemoryType, policy: MemoryPolicy) -> bool:
    if owner is None:
        return policy.self_enabled and memory_type.self_enabled
    return policy.peer_enabled and memory_type.peer_enabled
