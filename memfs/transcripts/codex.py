"""Codex rollouts: JSONL of {timestamp, type, payload}, each message in up to three copies."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from memfs.model import Role
from memfs.transcripts.assemble import Assembler
from memfs.transcripts.blocks import some_text
from memfs.transcripts.codex_items import Call, Message, Result, read_completed, read_item
from memfs.transcripts.injected import without_client_text
from memfs.transcripts.jsonl import feed_rows, jsonl_reader
from memfs.transcripts.lines import Place, contains
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import json_rows
from memfs.transcripts.times import stamp

_ROW_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ITEM_TYPES = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "custom_tool_call"),
        *("custom_tool_call_output", "local_shell_call", "local_shell_call_output", "web_search_call"),
    }
)
_COPIES = 64  # a copy of a message follows within so many messages


class Codex:
    """Parser of Codex rollouts, plain and compressed, forks and subagents included."""

    name = "codex"

    def recognise(self, head: bytes) -> bool:
        return any(is_codex_row(row) for row in json_rows(head))

    def open(self, source: Source) -> Reader:
        return jsonl_reader(self.name, source, CodexRows)


def is_codex_row(row: Any) -> bool:
    """Whether a JSON value is a row of a rollout."""
    if not isinstance(row, dict):
        return False
    if isinstance(row.get("payload"), dict):
        return some_text(row.get("type")) in _ROW_TYPES
    # Rollouts of early 2025 begin with a bare header, and their items are not wrapped.
    return "instructions" in row and "id" in row and "timestamp" in row and "role" not in row


@dataclass(slots=True)
class _Said:
    """A message, and which of its copies were read."""

    role: Role
    text: str
    copies: set[str]


class CodexRows:
    """Rows of one rollout, in order.

    A message is stored as a response item, an event, a completed item, or as several of these: the first
    copy makes the turn. A fork begins with the turns of its parent; those have ids older than the
    thread's own (UUIDv7), whatever else stands between them.
    """

    def __init__(self, progress: Progress, source: Source) -> None:
        self.turns = Assembler(progress, source.limits)
        self.undone: list[tuple[int, int]] = []  # byte ranges that a rollback took back
        self._progress = progress
        self._source = source
        self._said: deque[_Said] = deque(maxlen=_COPIES)
        self._asked: list[int] = []  # where the user's turns start
        self._forked = progress.session.parent is not None
        self._turn: str | None = None

    def prepare(self, start: int, /) -> None:
        """Find out what rollbacks take back, in a pass of its own; they are rare, so looked for first."""
        if contains(self._source.stream, b"thread_rolled_back", start):
            first = CodexRows(Progress(session=self._progress.session), self._source)
            feed_rows(self._source, first, start, None)
            self.undone = first.undone

    def row(self, row: Any, place: Place, _line: bytes, /) -> str | None:
        if not isinstance(row, dict):
            return "no record"
        kind, payload = some_text(row.get("type")), row.get("payload")
        if not isinstance(payload, dict):
            if kind in _ITEM_TYPES:
                kind, payload = "response_item", row
            elif is_codex_row(row):
                kind, payload = "session_meta", row
            else:
                return None if "record_type" in row else "no payload"
        self._follow(payload, place)
        timestamp = stamp(row.get("timestamp"))
        if kind == "response_item":
            self._item(read_item(payload), kind, place, timestamp)
        elif kind == "event_msg":
            self._event(payload, place, timestamp)
        elif kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context":
            self._context(payload)
        elif kind != "compacted":
            return f"unknown record type {str(kind)[:40]}"
        return None

    def _follow(self, payload: dict[str, Any], place: Place) -> None:
        """Note whose turn this is, and mute it when it is a parent's or was taken back."""
        passed = payload.get("internal_chat_message_metadata_passthrough")
        turn = payload.get("turn_id") or (passed.get("turn_id") if isinstance(passed, dict) else None)
        if isinstance(turn, str):
            self._turn = turn
        self.turns.sidechain = self._progress.session.subagent
        if any(start <= place.start < end for start, end in self.undone):
            self.turns.muted = "rolled_back_turns"
        else:
            self.turns.muted = "inherited_turns" if self._inherited() else None

    def _inherited(self) -> bool:
        if not self._forked:
            return False
        turn, thread = born(self._turn), born(self._progress.session.id)
        return turn is not None and thread is not None and turn < thread

    def _meta(self, payload: dict[str, Any]) -> None:
        session, id = self._progress.session, payload.get("id")
        if session.id is not None:
            self._forked = self._forked or id != session.id  # a second header: history of a parent follows
            return
        source = payload.get("source")
        subagent = payload.get("thread_source") == "subagent" or (
            isinstance(source, dict) and "subagent" in source
        )
        parent = some_text(payload.get("parent_thread_id")) or some_text(payload.get("forked_from_id"))
        self._forked = parent is not None
        self._progress.session = replace(
            session,
            id=some_text(id) or some_text(payload.get("session_id")),
            cwd=some_text(payload.get("cwd")),
            started_at=stamp(payload.get("timestamp")),
            parent=parent,
            subagent=subagent,
        )

    def _context(self, payload: dict[str, Any]) -> None:
        session = self._progress.session
        if session.model is None or session.cwd is None:
            model, cwd = some_text(payload.get("model")), some_text(payload.get("cwd"))
            self._progress.session = replace(session, model=session.model or model, cwd=session.cwd or cwd)

    def _event(self, payload: dict[str, Any], place: Place, timestamp: str | None) -> None:
        kind = payload.get("type")
        text = payload.get("message")
        if kind == "user_message" and isinstance(text, str):
            self._item(Message("user", text), "event", place, timestamp)
        elif kind == "agent_message" and isinstance(text, str):
            self._item(
                Message("assistant", text, phase=some_text(payload.get("phase"))), "event", place, timestamp
            )
        elif kind == "item_completed" and isinstance(item := payload.get("item"), dict):
            self._item(read_completed(item), "completed", place, timestamp)
        elif kind in ("task_complete", "turn_complete") and self.turns.current is not None:
            self.turns.current.complete = True
        elif (
            kind == "thread_rolled_back" and isinstance(turns := payload.get("num_turns"), int) and turns > 0
        ):
            self._roll_back(turns, place)

    def _roll_back(self, turns: int, place: Place) -> None:
        gone, self._asked = self._asked[-turns:], self._asked[:-turns]
        if gone:
            self.undone.append((gone[0], place.start))
        self.turns.current = None

    def _item(
        self, item: Message | Call | Result | None, copy: str, place: Place, timestamp: str | None
    ) -> None:
        if isinstance(item, Message):
            self._message(item, copy, place, timestamp)
        elif isinstance(item, Result):
            self.turns.result(item.call, item.text, item.is_error, place)
        elif isinstance(item, Call) and not self.turns.knows_call(item.id):
            call = self.turns.call(None, item.id, item.name, item.arguments, place, timestamp)
            call.answered = item.final
            if item.result is not None:
                self.turns.result(item.id, item.result.text, item.result.is_error, place)

    def _message(self, message: Message, copy: str, place: Place, timestamp: str | None) -> None:
        text = without_client_text(message.text) if message.role == "user" else message.text
        if not (text or message.attachments) or self._is_copy(message.role, text, copy):
            return
        turn = self.turns.say(message.role, text, place, id=message.id, timestamp=timestamp)
        turn.attachments.extend(message.attachments)
        turn.phase = message.phase
        if message.role == "user":
            self._asked.append(place.start)

    def _is_copy(self, role: Role, text: str, copy: str) -> bool:
        """Whether another copy of this message made its turn already."""
        for said in reversed(self._said):
            if said.role == role and said.text == text and copy not in said.copies:
                said.copies.add(copy)
                return True
        self._said.append(_Said(role, text, {copy}))
        return False


def born(id: str | None) -> int | None:
    """The milliseconds since 1970 in a UUID of version 7, None for any other id."""
    if id is None or len(id) != 36 or id[14] != "7":
        return None
    try:
        return int(id.replace("-", "")[:12], 16)
    except ValueError:
        return None
