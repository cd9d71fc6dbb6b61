"""How far a memory is to be trusted: as far as the least trusted of its sources. Pure.

``user`` the user said it, wrote it or accepted it; ``peer`` somebody else in the conversation said it; ``agent``
the agent found it out itself; ``document`` it stands in a page, a file or a quotation that somebody brought along.
"""

from __future__ import annotations

from collections.abc import Iterable

from memfs.model import Trust

# The least trusted first.
LEVELS: tuple[Trust, ...] = ("document", "agent", "peer", "user")


def least(levels: Iterable[Trust]) -> Trust:
    """The least of some levels; nothing to go by is as little as there is."""
    return min(levels, key=LEVELS.index, default=LEVELS[0])


def greatest(levels: Iterable[Trust]) -> Trust:
    """The greatest of some levels."""
    return max(levels, key=LEVELS.index)


def is_less(trust: Trust, other: Trust) -> bool:
    """Whether one is trusted less than the other."""
    return LEVELS.index(trust) < LEVELS.index(other)
