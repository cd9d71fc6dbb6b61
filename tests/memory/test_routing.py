"""The routing table, a test per row; and that nothing lands where the policy forbids it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfs.memory.policy import MemoryPolicy, resolve_policy
from memfs.memory.routing import Batch, route, seen_peers
from memfs.memory.slugs import peer_id, safe_peer
from memfs.model import Dropped, Operation, Target, Turn
from tests.memory.conftest import REGISTRY

ME, ASSISTANT = Turn("user", "hello"), Turn("assistant", "hi")
BOB, EVE, MAY = (Turn("participant", "hey", peer=name) for name in ("bob", "eve", "May Lin"))
MIXED = (ME, BOB, ASSISTANT, EVE)
ALL = MemoryPolicy()
NO_SELF, NO_PEER = MemoryPolicy(self_enabled=False), MemoryPolicy(peer_enabled=False)


def routed(
    op: Operation,
    turns: tuple[Turn, ...] = MIXED,
    policy: MemoryPolicy = ALL,
    peers: tuple[str, ...] | None = None,
) -> object:
    allowed = seen_peers(turns) if peers is None else frozenset(peers)
    result = route(op, Batch(turns, "demo", allowed), policy, REGISTRY)
    return result.reason if isinstance(result, Dropped) else [target.peer for target in result]


def note(**rest: object) -> Operation:
    return Operation("notes", {"content": "x"}, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "op", "turns", "policy", "peers", "expected"),
    [
        ("peer_enabled false", Operation("cases", {}, peer="bob"), MIXED, ALL, None, [None]),
        ("peer_enabled false", Operation("cases", {}, ranges=((1, 1),)), MIXED, ALL, None, [None]),
        (
            "peer_enabled false, no self",
            Operation("cases", {}),
            MIXED,
            NO_SELF,
            None,
            "only disabled targets",
        ),
        ("execution", Operation("experiences", {}, peer="bob"), MIXED, ALL, None, [None]),
        ("ranges: self", note(ranges=((0, 0),)), MIXED, ALL, None, [None]),
        ("ranges: peer", note(ranges=((1, 2),)), MIXED, ALL, None, ["bob"]),
        ("ranges: each", note(ranges=((0, 1), (3, 3))), MIXED, ALL, None, [None, "bob", "eve"]),
        ("ranges before peer", note(ranges=((0, 0),), peer="eve"), MIXED, ALL, None, [None]),
        (
            "ranges: peer not allowed",
            note(ranges=((3, 3),)),
            MIXED,
            ALL,
            ("bob",),
            "the turns are of peers that are not allowed",
        ),
        ("ranges: one of two allowed", note(ranges=((1, 3),)), MIXED, ALL, ("bob",), ["bob"]),
        ("ranges: one of two enabled", note(ranges=((0, 1),)), MIXED, NO_PEER, None, [None]),
        ("range without user turn", note(ranges=((1, 1),)), (ME, ASSISTANT), ALL, None, [None]),
        ("range without user turn: peer", note(ranges=((1, 1),)), (BOB, ASSISTANT), ALL, None, ["bob"]),
        (
            "range without user turn: two owners",
            note(ranges=((2, 2),)),
            MIXED,
            ALL,
            None,
            "no user turn in the range, and no single owner",
        ),
        ("out of bounds", note(ranges=((0, 4),)), MIXED, ALL, None, "ranges out of bounds"),
        ("out of bounds", note(ranges=((-1, 0),)), MIXED, ALL, None, "ranges out of bounds"),
        ("reversed", note(ranges=((2, 1),)), MIXED, ALL, None, "ranges out of bounds"),
        ("safe and seen", note(peer="bob"), MIXED, ALL, None, ["bob"]),
        ("a name that is a slug", note(peer="May Lin"), (ME, MAY), ALL, None, ["may-lin"]),
        ("unseen", note(peer="mallory"), MIXED, ALL, None, "this peer was not seen in the batch"),
        ("unsafe", note(peer="../bob"), MIXED, ALL, None, "unsafe peer id"),
        ("unsafe: two @", note(peer="a@b@c"), MIXED, ALL, None, "unsafe peer id"),
        ("unsafe: device", note(peer="CON"), MIXED, ALL, None, "unsafe peer id"),
        ("empty peer", note(peer=""), MIXED, ALL, None, "unsafe peer id"),
        ("none: self", note(), MIXED, ALL, None, [None]),
        ("none: self off, one peer", note(), (ME, BOB), NO_SELF, None, ["bob"]),
        ("none: self off, two peers", note(), MIXED, NO_SELF, None, "only disabled targets"),
        ("none: self off, nobody", note(), (ME,), NO_SELF, None, "only disabled targets"),
        ("only disabled", note(peer="bob"), MIXED, NO_PEER, None, "only disabled targets"),
        ("only disabled", note(ranges=((1, 1),)), MIXED, NO_PEER, None, "only disabled targets"),
        (
            "type not allowed",
            note(),
            MIXED,
            MemoryPolicy(memory_types=("profile",)),
            None,
            "this memory type is not allowed",
        ),
        ("type off", Operation("soul", {}), MIXED, ALL, None, "this memory type is not allowed"),
        ("unknown type", Operation("nonsense", {}), MIXED, ALL, None, "unknown memory type"),
    ],
)
def test_row(
    row: str, op: Operation, turns: tuple[Turn, ...], policy: MemoryPolicy, peers: object, expected: object
) -> None:
    assert routed(op, turns, policy, peers) == expected, row  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["bob", "a.b_c-d", "x@example.org", "ou_12ab", "..."[:1] + "x"])
def test_safe_peers(name: str) -> None:
    assert safe_peer(name)
    assert peer_id("bob") == "bob"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "a b", "a@b@c", "con", "NUL.txt", "com1", "ünï", "a\n", "~"]
)
def test_unsafe_peers_get_a_slug(name: str) -> None:
    assert not safe_peer(name)
    assert safe_peer(peer_id(name)) or not peer_id(name).isascii()


NAMES = st.sampled_from(["bob", "eve", "May Lin", "../x", "CON", "", None, ".hidden", "a@b"])
TURNS = st.lists(
    st.builds(Turn, st.sampled_from(["user", "assistant", "participant"]), st.just("x"), peer=NAMES),
    max_size=6,
)
OPS = st.builds(
    Operation,
    st.sampled_from([*REGISTRY.types, "nonsense"]),
    st.just({}),
    peer=NAMES,
    ranges=st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), max_size=2).map(tuple),
)
POLICIES = st.builds(
    lambda mine, peers, types: resolve_policy(
        {"self": {"enabled": mine}, "peer": {"enabled": peers}, "memory_types": types},
        None,
        {},
        None,
        REGISTRY,
    ),
    st.booleans(),
    st.booleans(),
    st.none() | st.lists(st.sampled_from(sorted(REGISTRY.types)), max_size=4),
)


def _check_policy(op: Operation, turns: list[Turn], policy: MemoryPolicy, allowed: frozenset[str]) -> None:
    targets = route(op, Batch(turns, "demo", allowed), policy, REGISTRY)
    if isinstance(targets, Dropped):
        return
    memory_type = REGISTRY.types[op.type]
    assert targets
    assert memory_type.enabled
    assert policy.memory_types is None or op.type in policy.memory_types
    for target in targets:
        assert target == Target("demo", target.peer)
        assert policy.self_enabled if target.peer is None else policy.peer_enabled
        if target.peer is not None:
            assert target.peer in allowed
            assert memory_type.peer_enabled
            assert memory_type.stage == "user"
            assert (
                any(peer_id(turn.peer) == target.peer for turn in turns if turn.peer)
                or op.peer == target.peer
            )


@settings(max_examples=500)
@given(OPS, TURNS, POLICIES, st.frozensets(st.sampled_from(["bob", "eve", "may-lin", "a@b"])))
def test_nothing_lands_where_policy_forbids(
    op: Operation, turns: list[Turn], policy: MemoryPolicy, allowed: frozenset[str]
) -> None:
    _check_policy(op, turns, policy, allowed)


@pytest.mark.slow
@settings(max_examples=20_000, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(OPS, TURNS, POLICIES, st.frozensets(st.sampled_from(["bob", "eve", "may-lin", "a@b"])))
def test_nothing_lands_where_policy_forbids_in_20000_batches(
    op: Operation, turns: list[Turn], policy: MemoryPolicy, allowed: frozenset[str]
) -> None:
    _check_policy(op, turns, policy, allowed)
