"""What nothing is ever extracted from, and that nothing of is kept.

Fails closed: in doubt a turn is withheld, and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memfs.model import Session, ToolCall, Turn
from memfs.transcripts.cues import (
    BACK_CUES,
    BACK_ON_CUES,
    NO_REQUEST_BEFORE,
    OWN_CALL_MARK,
    SESSION_CUES,
    TURN_CUES,
    WORDS,
)
from memfs.transcripts.injected import without_memory_blocks

Scope = Literal["turn", "back", "session", "resume"]

_PRIVATE_TAG = re.compile(r"<(/?)private(?:\s[^<>]*)?>", re.IGNORECASE)
_OWN_TOOLS = re.compile(r"(?:\A|[_.:/-])memfs(?:\Z|[_.:/-])", re.IGNORECASE)
_NAME = re.compile(r"\{([^{}?,0-9]+)(\?)?\}( ?)")
_BEFORE = re.compile(r"(?:\A|[^a-z' ])\s*([a-z' ]*)\Z", re.IGNORECASE)


def _any_of(cues: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_pattern(cue)})" for cue in cues), re.IGNORECASE)


def _pattern(cue: str) -> str:
    """A cue as a regular expression: names filled in, apostrophes and spaces of all kinds allowed."""
    filled = _NAME.sub(_words, cue)
    if cue.isascii() and "\\" not in cue:  # plain English
        filled = rf"\b{filled}\b"
    return filled.replace("'", "['’]").replace(" ", r"\s+")


def _words(name: re.Match[str]) -> str:
    """The alternatives that a name stands for; one that may be missing takes the space after it along."""
    words = "|".join(sorted(WORDS[name[1]], key=len, reverse=True))
    return rf"(?:(?:{words}){name[3]})?" if name[2] else rf"(?:{words}){name[3]}"


_TURN, _BACK = _any_of(TURN_CUES), _any_of(BACK_CUES)
_SESSION, _RESUME = _any_of(SESSION_CUES), _any_of(BACK_ON_CUES)


@dataclass(frozen=True, slots=True)
class Withheld:
    """How much was withheld, by reason. ``session_off``: the conversation is off the record as it ends.

    ``whole``: these turns put all of it off the record, also what was said before them.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    session_off: bool = False
    whole: bool = False

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def keep_turns(
    turns: Iterable[Turn], session: Session | None = None, *, session_off: bool = False
) -> tuple[tuple[Turn, ...], Withheld]:
    """The turns that may be extracted from and kept, and how much was withheld.

    Pass all turns of a conversation where they are at hand: a mark for the whole session holds for the turns
    before it too. ``session_off``: an earlier part of the conversation was put off the record.
    """
    listed = list(turns)
    counts: Counter[str] = Counter()
    if (session is not None and session.subagent) or any(_is_own_call(turn) for turn in listed):
        reason = "sidechain" if session is not None and session.subagent else "own_call"
        return (), Withheld({reason: len(listed)} if listed else {}, session_off)
    scopes = [_scope_of(turn) for turn in listed]
    dropped, off = _off_the_record(listed, scopes, session_off)
    kept: list[Turn] = []
    for number, turn in enumerate(listed):
        if number in dropped:
            counts["off_the_record"] += 1
        elif turn.sidechain:
            counts["sidechain"] += 1
        elif (clean := _clean_turn(turn, counts)) is not None:
            kept.append(clean)
    return tuple(kept), Withheld(dict(counts), off, "session" in scopes)


def _off_the_record(turns: list[Turn], scopes: list[Scope | None], off: bool) -> tuple[set[int], bool]:
    """The positions of turns that are off the record, and whether the conversation ends that way."""
    dropped: set[int] = set()
    whole = "session" in scopes
    off = off or whole
    with_answers = False
    asked: int | None = None  # the last turn of a person
    for number, (turn, scope) in enumerate(zip(turns, scopes, strict=True)):
        said_by_person = turn.role != "assistant"
        if scope == "resume":
            off = False
        elif scope == "session":
            off = True
        if said_by_person:
            with_answers = scope in ("turn", "back")
            if scope == "back" and asked is not None:
                dropped.update(range(asked, number))
            asked = number
        if off or with_answers:
            dropped.add(number)
    return dropped, off


def off_the_record(text: str) -> Scope | None:
    """What words put off the record: this turn, also the one before, or the session; or back on."""
    if _RESUME.search(text):
        return "resume"
    for pattern, scope in ((_SESSION, "session"), (_BACK, "back"), (_TURN, "turn")):
        for found in pattern.finditer(text):
            if "want you" in found[0].lower() or not _is_statement(text[: found.start()]):
                return scope  # type: ignore[return-value]
    return None


def _is_statement(before: str) -> bool:
    """Whether the words before a cue make it a statement (I don't remember this) and no request."""
    found = _BEFORE.search(before[-40:])
    words = " ".join(found[1].lower().split()) if found is not None else ""
    return any(words == subject or words.endswith(f" {subject}") for subject in NO_REQUEST_BEFORE)


def _scope_of(turn: Turn) -> Scope | None:
    return None if turn.role == "assistant" or not turn.text else off_the_record(turn.text)


def _is_own_call(turn: Turn) -> bool:
    return turn.role == "user" and OWN_CALL_MARK in turn.text


def _clean_turn(turn: Turn, counts: Counter[str]) -> Turn | None:
    text = _clean_text(turn.text, counts)
    calls = tuple(_clean_call(call, counts) for call in turn.tool_calls if not _is_own_tool(call, counts))
    files = tuple(
        replace(file, text=_clean_text(file.text, counts)) if file.text else file for file in turn.attachments
    )
    if not (text.strip() or calls or files):
        counts["empty"] += bool(turn.text.strip() or turn.tool_calls)
        return None
    if text == turn.text and calls == turn.tool_calls and files == turn.attachments:
        return turn
    return replace(turn, text=text, tool_calls=calls, attachments=files)


def _is_own_tool(call: ToolCall, counts: Counter[str]) -> bool:
    """Whether memory only came back through one of memfs's own tools."""
    own = _OWN_TOOLS.search(call.name) is not None
    counts["memory_tool"] += own
    return own


def _clean_call(call: ToolCall, counts: Counter[str]) -> ToolCall:
    arguments = _clean_value(call.arguments, counts)
    result = _clean_text(call.result, counts) if call.result is not None else None
    if arguments == call.arguments and result == call.result:
        return call
    return replace(call, arguments=arguments, result=result)


def _clean_value(value: Any, counts: Counter[str]) -> Any:
    if isinstance(value, str):
        return _clean_text(value, counts)
    if isinstance(value, list):
        return [_clean_value(item, counts) for item in value]
    if isinstance(value, dict):
        return {key: _clean_value(item, counts) for key, item in value.items()}
    return value


def _clean_text(text: str, counts: Counter[str]) -> str:
    if "<" not in text:
        return text
    text, blocks = without_memory_blocks(text)
    counts["memory_block"] += blocks
    text, spans = without_private(text)
    counts["private"] += spans
    return text


def without_private(text: str) -> tuple[str, int]:
    """The text without what stands in ``<private>...</private>``, and how many spans that was.

    Spans may nest; one never closed goes to the end of the text, one never opened begins at its start.
    """
    kept: list[str] = []
    depth = spans = end = 0
    for tag in _PRIVATE_TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                kept.append(text[end : tag.start()])
                spans += 1
            depth += 1
        elif depth == 0:
            kept.clear()
            spans += 1
        else:
            depth -= 1
        end = tag.end()
    if not spans:
        return text, 0
    if depth == 0:
        kept.append(text[end:])
    return "".join(kept).strip(), spans
