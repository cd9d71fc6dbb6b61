"""Turns as numbered lines of a prompt. What a turn says is indented below its head, so it can forge no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from memfs.extraction.segments import local_time
from memfs.model import ToolCall, Turn

# The assistant's words and tool results are context only: as much as helps to understand.
ASSISTANT_CHARACTERS = 1000
TOOL_CHARACTERS = 300
CALL_CHARACTERS = 120
CONTEXT_CHARACTERS = 400
_TOOLS_SHOWN = 6
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?。！？；;])\s*"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One numbered turn, or a part of one; ``position`` is the turn's in its request.

    ``day``: what stands above it, where the line before has another.
    """

    position: int
    text: str
    tokens: int
    day: str = ""


def turn_lines(
    turn: Turn,
    position: int,
    *,
    zone: tzinfo | None,
    count: Callable[[str], int],
    longest: int,
    tools: bool = False,
) -> Iterator[Line]:
    """The turn as one line, or, where it has more than ``longest`` tokens, as parts that each name the speaker.

    None at all for a turn that says nothing. ``tools``: what succeeded is named too.
    """
    said = _said(turn, tools=tools)
    parts = _split(said, count, longest) if said else []
    for number, part in enumerate(parts, 1):
        which = f" (part {number} of {len(parts)})" if len(parts) > 1 else ""
        text = f"[{position + 1}]{which} {_head(turn, zone)}: {_below(part)}"
        yield Line(position, text, count(text) + 1)


def brief_lines(
    turns: Sequence[Turn], *, now: datetime, count: Callable[[str], int], longest: int
) -> Iterator[Line]:
    """The turns as short lines: a number and what was said, the speaker where it is not the user, each day once.

    White space is folded, so that no turn can begin a line.
    """
    before = ""
    for position, turn in enumerate(turns):
        said = (local_time(turn, now.tzinfo) if now.tzinfo else None) or now
        day = f"{said:%Y-%m-%d %A}"
        who = "" if turn.role == "user" and not turn.peer else f"{_name(turn.speaker or turn.role)}: "
        for part in _split(" ".join(turn.text.split()), count, longest):
            text = f"{position + 1} {who}{part}"
            yield Line(position, text, count(text) + 1 + (count(day) + 1) * (day != before), day)
            before = day


def with_days(lines: Sequence[Line]) -> list[str]:
    """The texts of lines, each day named above its first."""
    texts, day = [], ""
    for line in lines:
        texts.append(line.text if line.day == day else f"{line.day}\n{line.text}")
        day = line.day
    return texts


def context_line(turn: Turn, zone: tzinfo | None) -> str:
    """A turn from before the segment: for understanding, without a number."""
    return f"[before] {_head(turn, zone)}: {_below(_clip(turn.text, CONTEXT_CHARACTERS))}"


def _head(turn: Turn, zone: tzinfo | None) -> str:
    time = local_time(turn, zone) if zone is not None else None
    who = turn.role if turn.speaker is None else f"{turn.role} {_name(turn.speaker)}"
    return f"{time:%Y-%m-%d %H:%M} {who}" if time else who


def _name(speaker: str) -> str:
    """A speaker's name without what would end the head of its line."""
    return " ".join(re.sub(r"[\[\]:：\n\r]", " ", speaker).split())[:60]


def _said(turn: Turn, *, tools: bool) -> str:
    text = turn.text.strip()
    if turn.role == "assistant":
        text = _clip(text, ASSISTANT_CHARACTERS)
    failed = [call for call in turn.tool_calls if call.is_error][:_TOOLS_SHOWN]
    notes = [f"(tool {call.name}: {_asked(call)})" for call in turn.tool_calls[:_TOOLS_SHOWN] if tools]
    notes += [f"(tool {call.name} failed: {_clip(call.result or '', TOOL_CHARACTERS)})" for call in failed]
    notes += [f"(attachment: {each.path})" for each in turn.attachments[:_TOOLS_SHOWN]]
    return "\n".join(part for part in (text, *notes) if part)


def _asked(call: ToolCall) -> str:
    """What a tool was called with, in short."""
    given = call.arguments
    values = given.values() if isinstance(given, dict) else [given]
    return _clip(" ".join(" ".join(str(value).split()) for value in values), CALL_CHARACTERS)


def _below(text: str) -> str:
    return "\n    ".join(text.splitlines())


def _clip(text: str, characters: int) -> str:
    """The head and the tail of a text, with a mark for what is left out between them."""
    if len(text) <= characters:
        return text
    head, tail = characters * 2 // 3, characters // 3
    return f"{text[:head]} [... {len(text) - head - tail} characters left out ...] {text[-tail:]}"


def _split(text: str, count: Callable[[str], int], longest: int) -> list[str]:
    """The text in parts of at most ``longest`` tokens, cut at the widest break there is."""
    if count(text) <= longest:
        return [text]
    middle = len(text) // 2
    cut = next((at for pattern in _BREAKS if (at := _nearest(pattern, text, middle))), middle)
    return [*_split(text[:cut], count, longest), *_split(text[cut:].lstrip(), count, longest)]


def _nearest(pattern: re.Pattern[str], text: str, middle: int) -> int | None:
    """The break nearest to the middle; none in the outer quarters, so that parts shrink fast."""
    ends = [found.end() for found in pattern.finditer(text, len(text) // 4, len(text) * 3 // 4)]
    return min(ends, key=lambda at: abs(at - middle), default=None)
