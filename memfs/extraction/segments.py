"""A batch of turns cut into segments: at long silences, by number of turns, by tokens (spec 4.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from memfs.model import Turn
from memfs.transcripts.times import turn_time

MAX_TURNS = 40
MAX_TOKENS = 6000
SILENCE = timedelta(hours=1)
CONTEXT_TURNS = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive turns for one call. ``start`` is the position of the first one in the batch.

    ``context`` are up to four user turns from before the segment: for understanding only, never evidence.
    """

    start: int
    turns: tuple[Turn, ...]
    context: tuple[Turn, ...] = ()


def estimate_tokens(text: str) -> int:
    """A rough count of tokens: four Latin letters make one, a CJK character is one."""
    wide = sum(1 for char in text if char > "\u2e7f")
    return wide + (len(text) - wide + 3) // 4


def cut_segments(
    turns: Sequence[Turn],
    *,
    zone: tzinfo,
    max_turns: int = MAX_TURNS,
    max_tokens: int = MAX_TOKENS,
    silence: timedelta = SILENCE,
    earlier: Sequence[Turn] = (),
) -> list[Segment]:
    """Cut ``turns`` so that each lies in exactly one segment, in order.

    Times without an offset are read in ``zone``. A turn longer than ``max_tokens`` is a segment of its own.
    ``earlier`` are turns from before the batch, which may serve as context.
    """
    before = list(earlier)
    segments = []
    for start, end in _cuts(turns, zone, max(1, max_turns), max(1, max_tokens), silence):
        context = tuple(turn for turn in (before + list(turns[:start])) if turn.role == "user")[
            -CONTEXT_TURNS:
        ]
        segments.append(Segment(start, tuple(turns[start:end]), context))
    return segments


def local_time(turn: Turn, zone: tzinfo) -> datetime | None:
    """When the turn was said, in ``zone``; None without a readable timestamp."""
    time = turn_time(turn.timestamp, zone)
    return time.astimezone(zone) if time is not None else None


def _cuts(
    turns: Sequence[Turn], zone: tzinfo, max_turns: int, max_tokens: int, silence: timedelta
) -> Iterator[tuple[int, int]]:
    start, tokens, last = 0, 0, None
    for position, turn in enumerate(turns):
        size = estimate_tokens(turn.text)
        time = local_time(turn, zone)
        silent = time is not None and last is not None and time - last > silence
        full = position - start >= max_turns or tokens + size > max_tokens
        if position > start and (silent or full):
            yield start, position
            start, tokens = position, 0
        tokens += size
        last = time or last
    if start < len(turns):
        yield start, len(turns)
