"""Memory policy: what may be remembered, of whom, in which types (spec 4.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memfs.errors import ConfigError
from memfs.memory.registry import nearest
from memfs.memory.types import MemoryType, Registry

_SWITCHES = {"self": "self_enabled", "peer": "peer_enabled", "working_memory": "working_memory_enabled"}
_FLAT = {"memory_self": "self", "memory_peer": "peer", "memory_working": "working_memory"}
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """What may be remembered.

    ``memory_types`` None: all enabled types; else only these names, for self and peers.
    """

    self_enabled: bool = True
    peer_enabled: bool = True
    working_memory_enabled: bool = True
    memory_types: tuple[str, ...] | None = None

    def allows(self, memory_type: MemoryType) -> bool:
        """Whether a type may be written at all."""
        return memory_type.enabled and (self.memory_types is None or memory_type.name in self.memory_types)


def resolve_policy(
    call: Mapping[str, Any] | None,
    session: Mapping[str, Any] | None,
    identity_frontmatter: Mapping[str, Any],
    config: Mapping[str, Any] | None,
    registry: Registry,
) -> MemoryPolicy:
    """The policy that holds: this call > session metadata > identity.md > memfs.toml > defaults.

    ``call``, ``session`` and ``config`` have the shape of ``memory_policy``; ``identity_frontmatter`` has
    the flat keys ``memory_self``, ``memory_peer``, ``memory_working``, ``memory_types``. Session metadata
    may only narrow. Raises ConfigError for unknown keys and types, naming the nearest right one.
    """
    policy = _override(MemoryPolicy(), _parse(config, "memory_policy", registry))
    policy = _override(policy, _parse(_unflatten(identity_frontmatter), "identity.md", registry))
    policy = _narrow(policy, _parse(session, "session memory_policy", registry))
    policy = _override(policy, _parse(call, "memory_policy", registry))
    return replace(policy, memory_types=_expand(policy.memory_types, registry))


def ordinary_types(policy: MemoryPolicy, registry: Registry) -> tuple[MemoryType, ...]:
    """The types that ordinary extraction may use: allowed, of stage ``user``, with a target that is enabled.

    Empty: it does not run.
    """
    return tuple(
        each
        for each in registry.enabled()
        if each.stage == "user" and policy.allows(each) and _has_target(each, policy)
    )


def _has_target(memory_type: MemoryType, policy: MemoryPolicy) -> bool:
    mine = policy.self_enabled and memory_type.self_enabled
    return mine or (policy.peer_enabled and memory_type.peer_enabled)


def execution_types(policy: MemoryPolicy, registry: Registry, *, cases: int) -> tuple[MemoryType, ...]:
    """The types derived from cases: none unless ordinary extraction of this batch yielded a case."""
    if cases < 1 or not policy.self_enabled:
        return ()
    return tuple(each for each in registry.enabled() if each.stage == "execution" and policy.allows(each))


def _expand(names: tuple[str, ...] | None, registry: Registry) -> tuple[str, ...] | None:
    """``experiences`` beside an ordinary type brings what it is made from: cases and trajectories."""
    if names is None or "experiences" not in names:
        return names
    ordinary = any(registry.types[name].stage == "user" for name in names if name in registry.types)
    brought = [name for name in ("cases", "trajectories") if name in registry.types and name not in names]
    return (*names, *brought) if ordinary else names


def _override(policy: MemoryPolicy, values: Mapping[str, Any]) -> MemoryPolicy:
    return replace(policy, **values)


def _narrow(policy: MemoryPolicy, values: Mapping[str, Any]) -> MemoryPolicy:
    narrowed: dict[str, Any] = {
        name: getattr(policy, name) and value for name, value in values.items() if name != "memory_types"
    }
    wanted = values.get("memory_types")
    if wanted is not None:
        allowed = policy.memory_types
        narrowed["memory_types"] = tuple(name for name in wanted if allowed is None or name in allowed)
    return replace(policy, **narrowed)


def _parse(values: Mapping[str, Any] | None, where: str, registry: Registry) -> Mapping[str, Any]:
    """The attributes of MemoryPolicy that these settings set."""
    parsed: dict[str, Any] = {}
    allowed = (*_SWITCHES, "memory_types")
    for key, value in (values or {}).items():
        if key in _SWITCHES:
            parsed[_SWITCHES[key]] = _switch(value, f"{where}.{key}")
        elif key == "memory_types":
            parsed["memory_types"] = _types(value, f"{where}.{key}", registry)
        else:
            raise ConfigError(
                f"unknown key {key!r} in {where}", key=f"{where}.{key}", hint=nearest(str(key), allowed)
            )
    return {name: value for name, value in parsed.items() if value is not None or name == "memory_types"}


def _switch(value: Any, key: str) -> bool | None:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key} is a table with the one key enabled", key=key, hint="{ enabled = true }")
    for name in value:
        if name != "enabled":
            raise ConfigError(
                f"unknown key {name!r} in {key}", key=f"{key}.{name}", hint="did you mean enabled?"
            )
    enabled = value.get("enabled")
    if enabled is not None and not isinstance(enabled, bool):
        raise ConfigError(f"{key}.enabled is true or false", key=f"{key}.enabled")
    return enabled


def _types(value: Any, key: str, registry: Registry) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ConfigError(f"{key} is a list of memory types, or left out for all", key=key)
    names = tuple(dict.fromkeys(value))
    for name in names:
        if name not in registry.types:
            raise ConfigError(
                f"unknown memory type {name!r}", key=key, hint=nearest(str(name), registry.types)
            )
    return names


def _unflatten(frontmatter: Mapping[str, Any]) -> Mapping[str, Any]:
    """The policy keys of identity.md, shaped as ``memory_policy``; other ``memory_...`` keys are errors."""
    values: dict[str, Any] = {}
    for key, value in frontmatter.items():
        if key in _FLAT:
            values[_FLAT[key]] = {"enabled": _flag(value, key)}
        elif key == "memory_types":
            values[key] = [value] if isinstance(value, str) else value
        elif key.startswith("memory_"):
            hint = nearest(key, (*_FLAT, "memory_types"))
            raise ConfigError(f"unknown key {key!r} in identity.md", key=key, path="identity.md", hint=hint)
    return values


def _flag(value: Any, key: str) -> bool:
    """Frontmatter scalars are read as text, so the words of YAML count."""
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise ConfigError(f"{key} is true or false", key=key, path="identity.md")
    return _WORDS[word]
