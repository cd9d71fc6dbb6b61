"""A transcript as JSON: what ``memfs transcript`` prints."""

from __future__ import annotations

from typing import Any

from memfs.model import Session, ToolCall, Turn
from memfs.transcripts.folder import Folder
from memfs.transcripts.reader import Reader

# Counts that are part of the picture even when they are 0.
_COUNTS = {
    "codex": ("inherited_turns", "rolled_back_turns"),
    "chatgpt-export": ("inactive_branch_messages",),
}
_INTERNAL = frozenset({"skipped", "ignored"})


def transcript_json(reader: Reader | Folder) -> dict[str, Any]:
    """The format, session, turns and whatever was noted of a transcript. Reads it to its end.

    A folder is like its transcript if it has one, else it has a list of them; it also names ignored files.
    """
    if isinstance(reader, Folder):
        reports = [transcript_json(one) for one in reader]
        whole = reports[0] if len(reports) == 1 else {"format": None, "transcripts": reports}
        return whole | {"ignored_files": list(reader.ignored)}
    if reader.conversations:
        conversations = [_conversation(one) for one in reader.conversations]
        return {"format": reader.format, "conversations": conversations, **_problems(reader)}
    turns = [turn_json(turn) for turn in reader]
    report: dict[str, Any] = {"format": reader.format, "session": session_json(reader.session)}
    if reader.incremental:
        report["consumed_bytes"] = reader.consumed
        report["settled_bytes"] = reader.settled
        report["pending_tail"] = reader.pending_tail
    if reader.restarted:
        report["truncated_or_replaced"] = True
    if reader.progress.system is not None:
        report["system"] = reader.progress.system
    report["turns"] = turns
    report["malformed_lines"] = [line.line for line in reader.skipped]
    report["skipped_lines"] = [line.line for line in reader.ignored]
    return report | _counts(reader) | _problems(reader)


def _conversation(reader: Reader) -> dict[str, Any]:
    session = reader.session
    turns = [turn_json(turn) for turn in reader]
    about = {"id": session.id, "title": session.title, "started_at": session.started_at}
    return about | _counts(reader) | {"turns": turns}


def _counts(reader: Reader) -> dict[str, int]:
    counts = {name: reader.counts[name] for name in _COUNTS.get(reader.format, ())}
    return counts | {name: count for name, count in reader.counts.items() if count and name not in _INTERNAL}


def _problems(reader: Reader) -> dict[str, list[str]]:
    return {"problems": list(reader.problems)} if reader.problems else {}


def session_json(session: Session) -> dict[str, Any]:
    """A session; what it does not say is left out, apart from the four that every format may have."""
    about: dict[str, Any] = {
        "id": session.id,
        "cwd": session.cwd,
        "title": session.title,
        "started_at": session.started_at,
    }
    more = {
        "identity": session.identity,
        "model": session.model,
        "channel": session.channel,
        "parent_id": session.parent,
        "agent_id": session.agent,
        "is_subagent": session.subagent or None,
        "memory_policy": session.memory_policy,
    }
    return about | {key: value for key, value in more.items() if value is not None}


def turn_json(turn: Turn) -> dict[str, Any]:
    """A turn: its four fields always, the rest where it has them."""
    row: dict[str, Any] = {
        "role": turn.role,
        "text": turn.text,
        "timestamp": turn.timestamp,
        "tool_calls": [_call_json(call) for call in turn.tool_calls],
    }
    more = {
        "message_id": turn.id,
        "speaker": turn.speaker,
        "peer": turn.peer,
        "attachments": len(turn.attachments) or None,
        "files": [file.path for file in turn.attachments] or None,
        "from_attachment": True if _from_attachment(turn) else None,
        "origin": "parent-agent" if turn.sidechain and turn.role == "user" else None,
        "phase": turn.phase,
        "line": turn.line,
    }
    return row | {key: value for key, value in more.items() if value is not None}


def _from_attachment(turn: Turn) -> bool:
    """Whether the turn's words are an attachment's."""
    return bool(turn.text) and any(turn.text == file.text for file in turn.attachments)


def _call_json(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "is_error": call.is_error,
    }
