"""Ids for messages whose format has none, or only small numbers.

A message is merged once, whatever file it is met in again; so its id must be the same in a longer copy of the
conversation, and another one in another conversation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memfs.model import Turn

_SHORTEST = 8  # shorter ids ("1", "m2") are only unique within their session


def own_id(id: object, session: str | None) -> str | None:
    """The id a message carries; a short one is made unique by its session, or is None without one."""
    if isinstance(id, int) and not isinstance(id, bool):
        id = str(id)
    if not isinstance(id, str) or not id:
        return None
    if len(id) >= _SHORTEST or id.startswith("@") or (session and id.startswith(f"{session}:")):
        return id  # one that has its session already comes from a kept copy
    return f"{session}:{id}" if session else None


def with_ids(turns: Iterable[Turn], session: str | None = None) -> Iterator[Turn]:
    """The turns, each with an id: its own, a hash of what was said and when, or of all said so far."""
    chain = session or ""
    seen: dict[str, int] = {}
    for turn in turns:
        said = f"{turn.role}\0{turn.speaker or ''}\0{turn.timestamp or ''}\0{turn.text}"
        chain = _hash(f"{chain}\0{said}")
        if turn.id is not None:
            yield turn
            continue
        id = _hash(f"{session or ''}\0{said}") if turn.timestamp is not None else chain
        seen[id] = seen.get(id, 0) + 1
        yield replace(turn, id=f"h-{id}" if seen[id] == 1 else f"h-{id}.{seen[id]}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]
