"""Small builders of transcripts, so that a test shows only what matters to it."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from memfs.model import Turn
from memfs.transcripts.opening import open_transcript
from memfs.transcripts.reader import Reader, ReadLimits

SESSION = "5e551011-0000-4000-8000-0000000000a1"


def jsonl(*rows: Any) -> bytes:
    """Rows as lines; bytes are put in as they are."""
    return b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)


def opened(
    data: bytes, *, start: int = 0, me: Sequence[str] = (), limits: ReadLimits | None = None, name: str = "a"
) -> Reader:
    return open_transcript(io.BytesIO(data), name=name, start=start, me=me, limits=limits)


def read(data: bytes, *, start: int = 0, me: Sequence[str] = ()) -> tuple[Reader, list[Turn]]:
    reader = opened(data, start=start, me=me)
    return reader, list(reader)


def said(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """Role and text of each turn."""
    return [(turn.role, turn.text) for turn in turns]


def user(uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    """A row of a Claude Code session, said by the user."""
    at = more.pop("timestamp", "2026-03-01T09:00:00.000Z")
    row = {"type": "user", "uuid": uuid, "sessionId": SESSION, "cwd": "/proj", "isSidechain": False}
    return {**row, "timestamp": at, "message": {"role": "user", "content": content}, **more}


def assistant(uuid: str, message: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    """A row of a Claude Code session with blocks of the answer ``message``."""
    row = {"type": "assistant", "uuid": uuid, "sessionId": SESSION, "isSidechain": False}
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    answer = {"id": message, "role": "assistant", "model": "claude-x-1", "content": content}
    return {**row, "timestamp": "2026-03-01T09:00:01.000Z", "message": answer, **more}


def tool_use(id: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def tool_result(id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    """A row of a Codex rollout."""
    return {"timestamp": "2026-09-02T09:00:00.000Z", "type": kind, "payload": payload}


def codex_item(role: str, text: str, **more: Any) -> dict[str, Any]:
    block = "input_text" if role == "user" else "output_text"
    content = [{"type": block, "text": text}]
    return codex("response_item", type="message", role=role, content=content, **more)


def codex_event(kind: str, **payload: Any) -> dict[str, Any]:
    return codex("event_msg", type=kind, **payload)
