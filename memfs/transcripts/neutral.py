"""memfs's own JSONL, which anything can write; kept copies and pushed turns are in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import orjson

from memfs.model import Attachment, Role, Session, ToolCall, Turn
from memfs.transcripts.assemble import Assembler, OpenTurn
from memfs.transcripts.blocks import joined_text, result_text, some_text
from memfs.transcripts.injected import without_client_text
from memfs.transcripts.jsonl import jsonl_reader
from memfs.transcripts.lines import Place, has_rounded_number, parse_exactly
from memfs.transcripts.message_ids import own_id
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import json_rows
from memfs.transcripts.times import stamp

VERSION = 1
_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "participant": "participant",
    "document": "document",
}
_SESSION_KEYS = ("title", "cwd", "identity", "model", "channel", "parent", "agent")


def is_neutral_row(row: Any) -> bool:
    """Whether a JSON value is the header, or a turn with its text under ``text``."""
    if not isinstance(row, dict):
        return False
    if isinstance(row.get("memfs"), int):
        return True
    return some_text(row.get("role")) in _ROLES and isinstance(row.get("text"), str) and "content" not in row


class Neutral:
    """Parser of the neutral format."""

    name = "neutral"

    def recognise(self, head: bytes) -> bool:
        return any(map(is_neutral_row, json_rows(head)))

    def open(self, source: Source) -> Reader:
        return jsonl_reader(self.name, source, NeutralRows)


class NeutralRows:
    """Rows of one session, in order."""

    def __init__(self, progress: Progress, source: Source) -> None:
        self.turns = Assembler(progress, source.limits)
        self._progress = progress
        self._me = frozenset(source.me)

    def prepare(self, _start: int, /) -> None:
        """Nothing in these files takes back what came before."""

    def row(self, row: Any, place: Place, line: bytes) -> str | None:
        if not isinstance(row, dict):
            return "no record"
        if "memfs" in row:
            self._header(row)
            return None
        role = _ROLES.get(str(row.get("role")).lower())
        if role is None:
            return None if row.get("role") in ("system", "developer", "bootstrap") else "unknown role"
        if has_rounded_number(row.get("tool_calls")):
            row = parse_exactly(line)
        self._turn(row, role, place)
        return None

    def _header(self, row: dict[str, Any]) -> None:
        session = self._progress.session
        given = {key: row[key] for key in _SESSION_KEYS if isinstance(row.get(key), str) and row[key]}
        policy = row.get("memory_policy")
        self._progress.session = replace(
            session,
            id=some_text(row.get("session")) or session.id,
            started_at=stamp(row.get("started_at")) or session.started_at,
            memory_policy=policy if isinstance(policy, dict) else session.memory_policy,
            subagent=row.get("subagent") is True or session.subagent,
            **given,
        )

    def _turn(self, row: dict[str, Any], role: Role, place: Place) -> None:
        text = joined_text(row.get("text")) or ""
        if role == "user":
            text = without_client_text(text)
        id = own_id(row.get("id"), self._progress.session.id)
        if self.turns.was_seen(id):
            self._progress.counts["repeated_turns"] += 1
            return
        self.turns.sidechain = row.get("sidechain") is True or self._progress.session.subagent
        turn = self.turns.say(role, text, place, id=id, timestamp=stamp(row.get("timestamp")))
        self._speaker(turn, row)
        turn.attachments.extend(_attachments(row.get("attachments")))
        calls = row.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._call(turn, call, place)
        if turn.role == "assistant":
            turn.complete = True  # a row is a whole turn
        if self._progress.session.started_at is None:
            self._progress.session = replace(self._progress.session, started_at=turn.timestamp)

    def _speaker(self, turn: OpenTurn, row: dict[str, Any]) -> None:
        turn.speaker, turn.peer = some_text(row.get("speaker")), some_text(row.get("peer"))
        if self._me & {turn.speaker, turn.peer}:
            turn.role, turn.peer = "user", None
        elif turn.role == "participant" and turn.peer is None:
            turn.peer = turn.speaker

    def _call(self, turn: OpenTurn, call: dict[str, Any], place: Place) -> None:
        name = some_text(call.get("name")) or "unknown"
        made = self.turns.call(turn, some_text(call.get("id")), name, call.get("arguments"), place)
        made.answered = True
        if call.get("result") is not None:
            made.result = result_text(call["result"])
            made.is_error = call.get("is_error") is True


def _attachments(listed: Any) -> Iterable[Attachment]:
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, str):
            yield Attachment(item)
        elif isinstance(item, dict) and isinstance(item.get("path"), str):
            yield Attachment(item["path"], some_text(item.get("text")))


def render_header(session: Session) -> bytes:
    """The first line of a neutral file."""
    row: dict[str, Any] = {"memfs": VERSION, "session": session.id, "started_at": session.started_at}
    row |= {key: getattr(session, key) for key in _SESSION_KEYS}
    row |= {"memory_policy": session.memory_policy, "subagent": session.subagent or None}
    return _line(row)


def render_turn(turn: Turn) -> bytes:
    """One turn as a line. A turn without an id gets ``@`` and its offset in the file it came from."""
    id = turn.id or f"@{turn.start}"
    row: dict[str, Any] = {"id": id, "role": turn.role, "text": turn.text, "timestamp": turn.timestamp}
    row |= {"speaker": turn.speaker, "peer": turn.peer, "sidechain": turn.sidechain or None}
    row["tool_calls"] = [_render_call(call) for call in turn.tool_calls] or None
    row["attachments"] = [
        {"path": file.path} if file.text is None else {"path": file.path, "text": file.text}
        for file in turn.attachments
    ] or None
    return _line(row)


def _render_call(call: ToolCall) -> dict[str, Any]:
    row = {"id": call.id, "name": call.name, "arguments": call.arguments, "result": call.result}
    return {key: value for key, value in row.items() if value is not None} | (
        {"is_error": True} if call.is_error else {}
    )


def _line(row: dict[str, Any]) -> bytes:
    kept = {key: value for key, value in row.items() if value is not None}
    try:
        return orjson.dumps(kept, default=str, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(kept, default=str, ensure_ascii=False).encode() + b"\n"


def render_neutral(turns: Iterable[Turn], session: Session) -> bytes:
    """A whole neutral file; reading it gives the same turns and session."""
    return render_header(session) + b"".join(map(render_turn, turns))
