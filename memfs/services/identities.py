"""Which identity is meant: one that is named must be there, so that a typing mistake makes no second memory."""

from __future__ import annotations

from collections.abc import Sequence

from memfs.errors import InvalidRequest


def unknown_identity(name: str, known: Sequence[str]) -> InvalidRequest:
    """The refusal of a name that no identity has: the known ones, nearest first, and how to make one."""
    make = f"init with the identity {name}"
    there = ", ".join(_nearest_first(name, known))
    hint = f"one of {there}; {make} makes a new one" if there else f"{make} makes it"
    return InvalidRequest(f"no identity is called {name}", hint=hint)


def _nearest_first(name: str, known: Sequence[str]) -> list[str]:
    from difflib import SequenceMatcher

    def distance(other: str) -> float:
        return -SequenceMatcher(None, name.lower(), other.lower()).ratio()

    return sorted(known, key=distance)
