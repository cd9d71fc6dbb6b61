"""The gate: whether an identity's transcripts may be extracted now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.daemon.wording import Notice, notice
from memfs.errors import MemfsError
from memfs.services.commit import require_branch
from memfs.services.ingesting.policies import read_policy

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def find_obstacle(vault: Vault, identity: str) -> Notice | None:
    """Why nothing is extracted for the identity now; None when the gate is open. Costs no model call."""
    extract = vault.config.extract
    if not extract.model:
        return notice("off")
    if extract.when == "daily":
        return notice("daily")
    try:
        policy = read_policy(vault, identity)
        require_branch(vault)
    except (MemfsError, OSError) as error:
        return notice("problem", reason=str(error))
    allowed = policy.self_enabled or policy.peer_enabled or policy.working_memory_enabled
    return None if allowed else notice("policy")
