"""The memory policy: what is set where, what may only narrow, and which mistakes are named."""

from __future__ import annotations

from typing import Any

import pytest

from memfs.errors import ConfigError
from memfs.memory.policy import MemoryPolicy, execution_types, ordinary_types, resolve_policy
from tests.memory.conftest import REGISTRY

ON, OFF = {"enabled": True}, {"enabled": False}


def resolved(call: Any = None, session: Any = None, identity: Any = None, config: Any = None) -> MemoryPolicy:
    return resolve_policy(call, session, identity or {}, config, REGISTRY)


def names(types: Any) -> set[str]:
    return {each.name for each in types}


@pytest.mark.parametrize(
    ("call", "session", "identity", "config", "expected"),
    [
        (None, None, None, None, MemoryPolicy(True, True, True, None)),
        (None, None, None, {"self": OFF}, MemoryPolicy(self_enabled=False)),
        (None, None, {"memory_self": "true"}, {"self": OFF}, MemoryPolicy()),
        (None, None, {"memory_peer": "no", "tags": ["x"]}, None, MemoryPolicy(peer_enabled=False)),
        (None, None, {"memory_working": "off"}, None, MemoryPolicy(working_memory_enabled=False)),
        (None, None, {"memory_types": ["notes"]}, None, MemoryPolicy(memory_types=("notes",))),
        (None, {"self": ON}, {"memory_self": "false"}, None, MemoryPolicy(self_enabled=False)),
        (None, {"peer": OFF}, None, {"peer": ON}, MemoryPolicy(peer_enabled=False)),
        (
            None,
            {"memory_types": ["notes", "actions"]},
            {"memory_types": ["notes", "profile"]},
            None,
            MemoryPolicy(memory_types=("notes",)),
        ),
        (None, {"memory_types": ["notes"]}, None, None, MemoryPolicy(memory_types=("notes",))),
        (
            None,
            {"memory_types": None},
            None,
            {"memory_types": ["notes"]},
            MemoryPolicy(memory_types=("notes",)),
        ),
        ({"self": ON}, {"self": OFF}, {"memory_self": "no"}, {"self": OFF}, MemoryPolicy()),
        ({"memory_types": None}, None, None, {"memory_types": ["notes"]}, MemoryPolicy()),
        ({"memory_types": []}, None, None, None, MemoryPolicy(memory_types=())),
        ({"working_memory": OFF}, None, None, None, MemoryPolicy(working_memory_enabled=False)),
    ],
)
def test_who_wins(call: Any, session: Any, identity: Any, config: Any, expected: MemoryPolicy) -> None:
    assert resolved(call, session, identity, config) == expected


@pytest.mark.parametrize(
    ("where", "value", "nearest"),
    [
        ("call", {"slef": ON}, "self"),
        ("session", {"working_memry": ON}, "working_memory"),
        ("config", {"memory_type": ["notes"]}, "memory_types"),
        ("call", {"memory_types": ["note"]}, "notes"),
        ("call", {"memory_types": ["prefernces"]}, "preferences"),
        ("identity", {"memory_typs": ["notes"]}, "memory_types"),
        ("identity", {"memory_types": ["desicions"]}, "decisions"),
        ("call", {"self": {"enable": True}}, "enabled"),
        ("call", {"self": True}, "enabled"),
    ],
)
def test_mistakes_name_the_nearest_right_word(where: str, value: Any, nearest: str) -> None:
    with pytest.raises(ConfigError) as raised:
        resolved(**{where: value})
    assert nearest in str(raised.value)
    assert raised.value.hint
    assert raised.value.key


@pytest.mark.parametrize(
    "value",
    [{"self": {"enabled": "yes"}}, {"memory_types": "notes"}, {"memory_types": 3}, {"memory_types": [""]}],
)
def test_wrong_shapes_are_errors(value: Any) -> None:
    with pytest.raises(ConfigError):
        resolved(value)


def test_a_flag_in_identity_md_has_to_be_one() -> None:
    with pytest.raises(ConfigError, match="memory_self"):
        resolved(identity={"memory_self": "perhaps"})


def test_experiences_bring_what_they_are_made_from() -> None:
    widened = resolved({"memory_types": ["notes", "experiences"]}).memory_types
    assert widened == ("notes", "experiences", "cases", "trajectories")


def test_a_list_of_execution_types_runs_no_ordinary_extraction() -> None:
    policy = resolved({"memory_types": ["experiences", "trajectories"]})
    assert policy.memory_types == ("experiences", "trajectories")
    assert ordinary_types(policy, REGISTRY) == ()


def test_ordinary_extraction_sees_only_enabled_types_of_stage_user() -> None:
    seen = names(ordinary_types(MemoryPolicy(), REGISTRY))
    assert {"profile", "preferences", "projects", "decisions", "actions", "notes", "cases"} <= seen
    assert not seen & {"trajectories", "experiences", "skills", "soul", "tools"}


def test_execution_types_need_a_case_and_self_memory() -> None:
    assert names(execution_types(MemoryPolicy(), REGISTRY, cases=1)) == {"trajectories", "experiences"}
    assert execution_types(MemoryPolicy(), REGISTRY, cases=0) == ()
    assert execution_types(MemoryPolicy(self_enabled=False), REGISTRY, cases=3) == ()
    assert execution_types(MemoryPolicy(memory_types=("notes",)), REGISTRY, cases=1) == ()


def test_what_has_no_enabled_target_is_not_asked_for() -> None:
    everything = {"profile", "preferences", "projects", "decisions", "actions", "notes", "entities", "events"}
    peers_only = names(ordinary_types(MemoryPolicy(self_enabled=False), REGISTRY))
    assert peers_only == everything, "cases and identity are never a peer's"
    self_only = names(ordinary_types(MemoryPolicy(peer_enabled=False), REGISTRY))
    assert self_only == everything | {"cases", "identity"}
    assert ordinary_types(MemoryPolicy(self_enabled=False, peer_enabled=False), REGISTRY) == ()


@pytest.mark.parametrize("listed", [("soul",), ("tools",), ("skills",)])
def test_a_type_that_is_off_is_not_switched_on_by_a_list(listed: tuple[str, ...]) -> None:
    policy = resolved({"memory_types": list(listed)})
    assert policy.memory_types == listed
    assert ordinary_types(policy, REGISTRY) == ()
    assert execution_types(policy, REGISTRY, cases=1) == ()


@pytest.mark.parametrize(
    ("listed", "ordinary", "execution"),
    [
        (["experiences"], set(), {"experiences"}),
        (["trajectories", "experiences"], set(), {"trajectories", "experiences"}),
        (["cases"], {"cases"}, set()),
        (["cases", "trajectories"], {"cases"}, {"trajectories"}),
        (["notes", "experiences"], {"notes", "cases"}, {"trajectories", "experiences"}),
        (["notes", "trajectories"], {"notes"}, {"trajectories"}),
        (["experiences", "cases"], {"cases"}, {"trajectories", "experiences"}),
    ],
)
def test_what_a_list_extracts_and_trains(listed: list[str], ordinary: set[str], execution: set[str]) -> None:
    policy = resolved({"memory_types": listed})
    assert names(ordinary_types(policy, REGISTRY)) == ordinary
    assert names(execution_types(policy, REGISTRY, cases=1)) == execution


@pytest.mark.parametrize("where", ["session", "identity", "config"])
def test_a_session_may_only_narrow_what_is_wider(where: str) -> None:
    """Whatever the wider place forbids stays forbidden; only a call may open it again."""
    forbidding: dict[str, Any] = {
        "identity": {
            "memory_self": "no",
            "memory_peer": "no",
            "memory_working": "no",
            "memory_types": ["notes"],
        },
        "config": {"self": OFF, "peer": OFF, "working_memory": OFF, "memory_types": ["notes"]},
    }
    opening = {"self": ON, "peer": ON, "working_memory": ON, "memory_types": ["notes", "profile"]}
    if where == "session":
        assert resolved(session={"self": OFF}, call={"self": ON}).self_enabled
        return
    policy = resolved(session=opening, **{where: forbidding[where]})
    assert policy == MemoryPolicy(False, False, False, ("notes",))
    assert resolved(call=opening, session={"self": OFF}, **{where: forbidding[where]}) == MemoryPolicy(
        memory_types=("notes", "profile")
    )
