"""The memory policy that holds for an identity now: its file, the settings, what a session says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memfs.markdown.document import parse_document
from memfs.memory.policy import MemoryPolicy, resolve_policy

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def read_policy(
    vault: Vault,
    identity: str,
    session: Mapping[str, Any] | None = None,
    call: Mapping[str, Any] | None = None,
) -> MemoryPolicy:
    """Resolve the policy: this call > session > identity.md > settings > defaults; a session may only narrow.

    Raises:
        ConfigError: an unknown key or type, with the nearest right one.
    """
    settings = vault.config.memory_policy
    configured = {
        "self": {"enabled": settings.self_enabled},
        "peer": {"enabled": settings.peer_enabled},
        "working_memory": {"enabled": settings.working_memory_enabled},
        "memory_types": None if settings.memory_types is None else list(settings.memory_types),
    }
    return resolve_policy(call, session, read_identity(vault, identity), configured, vault.registry)


def check_policy(vault: Vault, call: Mapping[str, Any] | None) -> None:
    """Raise ConfigError for an unknown key or type in a call's policy, whether or not anything is read under it."""
    resolve_policy(call, None, {}, None, vault.registry)


def read_identity(vault: Vault, identity: str) -> Mapping[str, Any]:
    """The frontmatter of ``identity.md``; empty when there is none."""
    path = vault.layout.document(identity, "identity.md")
    if not path.is_file():
        return {}
    return parse_document(path.read_text(encoding="utf-8", errors="replace")).frontmatter.values
