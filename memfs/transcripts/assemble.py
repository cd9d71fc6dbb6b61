"""Records to turns: text blocks of one message joined, tool calls and their results put where they belong.

A turn leaves as soon as nothing can join it any more, so that memory stays small however long the file is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memfs.model import Attachment, Role, ToolCall, Turn
from memfs.transcripts.lines import Place
from memfs.transcripts.reader import Progress, ReadLimits

# A call without a result holds back at most so many later turns, and so many bytes of the file.
_WINDOW_TURNS = 200
_WINDOW_BYTES = 16 << 20


@dataclass(slots=True)
class OpenCall:
    """A tool call that may still get its result."""

    owner: OpenTurn
    id: str | None
    name: str
    arguments: Any
    result: str | None = None
    is_error: bool = False
    answered: bool = False

    def close(self) -> ToolCall:
        return ToolCall(self.id, self.name, self.arguments, self.result, self.is_error)


@dataclass(slots=True)
class OpenTurn:
    """A turn that may still grow."""

    role: Role
    id: str | None
    timestamp: str | None
    start: int
    end: int
    line: int | None
    texts: list[str] = field(default_factory=list)
    calls: list[OpenCall] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    speaker: str | None = None
    peer: str | None = None
    sidechain: bool = False
    phase: str | None = None
    muted: str | None = None  # why it is not given out: the name of a count
    complete: bool = False  # its client said that it is finished
    told: tuple[int, int] | None = None  # texts and calls that an earlier reading has given out

    def put_text(self, text: str) -> None:
        """Add a text block; a longer snapshot of the last block takes its place."""
        first_new = self.told[0] if self.told else 0
        if len(self.texts) > first_new and text.startswith(self.texts[-1]):
            self.texts[-1] = text
        elif not self.texts or text != self.texts[-1]:
            self.texts.append(text)

    def close(self, joiner: str) -> Turn | None:
        """The turn, or what is new of it; None when nothing is."""
        texts, calls = self.told or (0, 0)
        if self.told and len(self.texts) <= texts and len(self.calls) <= calls:
            return None
        return Turn(
            role=self.role,
            text=joiner.join(self.texts[texts:]),
            timestamp=self.timestamp,
            id=self.id,
            speaker=self.speaker,
            peer=self.peer,
            tool_calls=tuple(call.close() for call in self.calls[calls:]),
            attachments=tuple(self.attachments),
            start=self.start,
            end=self.end,
            line=self.line,
            sidechain=self.sidechain,
            phase=self.phase,
        )


class Assembler:
    """Holds the turns that may still grow; `ready` gives out those that cannot.

    ``muted`` and ``sidechain`` are put on every turn opened while they are set.
    """

    def __init__(self, progress: Progress, limits: ReadLimits, joiner: str = "\n") -> None:
        self.current: OpenTurn | None = None  # the assistant turn that a call would join
        self.muted: str | None = None
        self.sidechain = False
        self._progress = progress
        self._limits = limits
        self._joiner = joiner
        self._queue: deque[OpenTurn] = deque()
        self._by_id: dict[str, OpenTurn] = {}
        self._given: set[int] = set()
        self._calls: dict[str, OpenCall] = {}

    def open(
        self, role: Role, place: Place, *, id: str | None = None, timestamp: str | None = None
    ) -> OpenTurn:
        """A new turn at the end. The caller adds texts and attachments."""
        turn = OpenTurn(role, id, timestamp, place.start, place.end, place.line)
        turn.muted, turn.sidechain = self.muted, self.sidechain
        self._queue.append(turn)
        if id is not None:
            self._by_id[id] = turn
        self.current = turn if role == "assistant" else None
        return turn

    def say(self, role: Role, text: str, place: Place, **about: str | None) -> OpenTurn:
        """A new turn of one text."""
        turn = self.open(role, place, **about)
        if text:
            turn.texts.append(text)
        return turn

    def find(self, id: str | None) -> OpenTurn | None:
        """The turn of this message id, while it may still grow."""
        return self._by_id.get(id) if id is not None else None

    def was_seen(self, id: str | None) -> bool:
        """Whether a turn of this id is here or has left."""
        return id is not None and (id in self._by_id or hash(id) in self._given)

    def call(
        self,
        turn: OpenTurn | None,
        id: str | None,
        name: str,
        arguments: Any,
        place: Place,
        timestamp: str | None = None,
    ) -> OpenCall:
        """A tool call of ``turn``; None: of the nearest assistant turn, or of a new one with empty text."""
        turn = turn or self.current or self.open("assistant", place, timestamp=timestamp)
        turn.end = max(turn.end, place.end)
        known = self._calls.get(id) if id is not None else None
        if known is not None and known.owner is turn:
            known.arguments = self._cap(arguments)  # a later snapshot of the same call
            return known
        call = OpenCall(turn, id, name, self._cap(arguments))
        turn.calls.append(call)
        if id is not None:
            self._calls[id] = call
        return call

    def result(
        self, id: str | None, text: str | None, is_error: bool, place: Place, name: str | None = None
    ) -> None:
        """The result of a call, found by its id, or without one by its tool's name; else it is counted."""
        call = self._calls.get(id) if id is not None else self._unanswered(name)
        if call is None:
            self._progress.counts["orphan_results"] += 1
            return
        call.result, call.is_error, call.answered = self._cap(text), is_error, True
        call.owner.end = max(call.owner.end, place.end)

    def knows_call(self, id: str | None) -> bool:
        """Whether this call is already here (another copy of it was read)."""
        return id is not None and id in self._calls

    def _unanswered(self, name: str | None) -> OpenCall | None:
        calls = (call for turn in reversed(self._queue) for call in turn.calls)
        return next((call for call in calls if call.name == name and not call.answered), None)

    def _cap(self, value: Any) -> Any:
        longest = self._limits.tool_text
        if longest is None:
            return value
        if isinstance(value, str) and len(value) > longest:
            half = longest // 2
            left_out = len(value) - 2 * half
            return f"{value[:half]}\n[... {left_out} characters left out ...]\n{value[len(value) - half :]}"
        if isinstance(value, dict):
            return {key: self._cap(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._cap(item) for item in value]
        return value

    def ready(self) -> Iterator[Turn]:
        """Turns that nothing can join any more, oldest first."""
        while self._queue:
            turn = self._queue[0]
            full = len(self._queue) > _WINDOW_TURNS or self._queue[-1].end - turn.start > _WINDOW_BYTES
            if turn is self.current or not (full or all(call.answered for call in turn.calls)):
                return
            yield from self._leave()

    def finish(self) -> Iterator[Turn]:
        """All that is left. Sets how far the file is settled."""
        self._progress.settled = min([self._progress.consumed, *self._unsettled()])
        self.current = None
        while self._queue:
            yield from self._leave()

    def _unsettled(self) -> list[int]:
        """Starts of turns that later records may still join: no person has spoken after them."""
        starts: list[int] = []
        for turn in self._queue:
            if turn.role != "assistant":
                starts.clear()
            elif (turn is self.current and not turn.complete) or not all(
                call.answered for call in turn.calls
            ):
                starts.append(turn.start)
        return starts

    def _leave(self) -> Iterator[Turn]:
        turn = self._queue.popleft()
        for call in turn.calls:
            if call.id is not None and self._calls.get(call.id) is call:
                del self._calls[call.id]
        if turn.id is not None:
            self._given.add(hash(turn.id))
            if self._by_id.get(turn.id) is turn:
                del self._by_id[turn.id]
        if turn.muted is not None:
            self._progress.counts[turn.muted] += 1
        elif not (turn.texts or turn.calls or turn.attachments):
            self._progress.counts["empty_turns"] += 1
        elif (closed := turn.close(self._joiner)) is not None:
            yield closed

    def begin(self) -> None:
        """Everything so far was given out by an earlier reading: from here on, only what is new leaves."""
        for turn in self._queue:
            turn.told = (len(turn.texts), len(turn.calls))
