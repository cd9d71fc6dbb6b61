"""LobsterAI/cowork messages: role and content, with the agent's role, model and channel on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson

from memfs.model import Attachment
from memfs.transcripts.assemble import OpenTurn
from memfs.transcripts.blocks import some_text
from memfs.transcripts.documents import read_placed, whole_reader
from memfs.transcripts.jsonl import jsonl_reader
from memfs.transcripts.lines import Place
from memfs.transcripts.message_ids import own_id, with_ids
from memfs.transcripts.messages import MessageRows, document_turns, messages_in
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import json_rows, layout, sketch

_ABOUT = ("agentRoleKey", "agent_role_key", "modelId", "model_id", "channel", "channel_hint")
_ROLES = frozenset({"user", "assistant", "system", "tool", "tool_use", "tool_result"})


def is_cowork_message(row: Any) -> bool:
    """Whether a JSON value is a message with an agent's role, model or channel, or with cowork metadata."""
    if not isinstance(row, dict) or "content" not in row:
        return False
    role = row.get("role") or row.get("type")
    if not isinstance(role, str) or role not in _ROLES:
        return False
    if any(key in row for key in _ABOUT):
        return True
    metadata = _metadata(row)
    return "file_path" in metadata or any(
        key in metadata for key in ("attachments", "toolUseId", "isThinking")
    )


class Cowork:
    """Messages as a document, a list, or one a line."""

    name = "cowork"

    def recognise(self, head: bytes) -> bool:
        kind = layout(head)
        if kind == "rows":
            return any(map(is_cowork_message, json_rows(head)))
        if kind == "text":
            return False
        shape = sketch(head)
        rows = shape.items if shape.is_list else shape.inner
        about = () if shape.is_list else shape.items
        named = any(key in row for row in about for key in _ABOUT)
        return any(
            is_cowork_message(row) or _has_metadata(row) or (named and "content" in row) for row in rows
        )

    def open(self, source: Source) -> Reader:
        source.stream.seek(0)
        if layout(source.stream.read(1 << 20)) == "rows":
            return jsonl_reader(self.name, source, CoworkRows)
        progress = Progress()
        document, places = read_placed(source)
        rows = CoworkRows(progress, source)
        if isinstance(document, dict):
            rows.about(document)
        turns = list(with_ids(document_turns(rows, messages_in(document) or [], places), progress.session.id))
        return whole_reader(self.name, source, progress, lambda: turns)


def _has_metadata(row: dict[str, Any]) -> bool:
    """In a sketch nested values are only known to be there."""
    return some_text(row.get("role")) in _ROLES and "content" in row and "metadata" in row


class CoworkRows(MessageRows):
    """Cowork messages, in order. The first agent's role is the identity of the session."""

    def take(self, item: Any, place: Place) -> str | None:
        if not isinstance(item, dict):
            return super().take(item, place)
        self.about(item)
        metadata = _metadata(item)
        kind = item.get("role") or item.get("type")
        if kind == "bootstrap" or metadata.get("isThinking") is True:
            return None
        if kind in ("tool_use", "tool_result"):
            self._tool_step(kind, item, metadata, place)
            return None
        id = own_id(item.get("id"), self._progress.session.id)
        return super().take({**item, "role": kind, "id": id, "metadata": metadata}, place)

    def about(self, item: dict[str, Any]) -> None:
        """Note what a message, or the document around the messages, says of the session."""
        session = self._progress.session
        found = replace(
            session,
            id=session.id or _first(item, "session_id", "sessionId", "conversation_id"),
            identity=session.identity or _first(item, "agentRoleKey", "agent_role_key"),
            model=session.model or _first(item, "modelId", "model_id"),
            channel=session.channel or _first(item, "channel", "channel_hint"),
            cwd=session.cwd or _first(item, "cwd", "workingDirectory", "working_directory"),
            title=session.title or _first(item, "title"),
        )
        if found != session:
            self._progress.session = found

    def _tool_step(self, kind: str, item: dict[str, Any], metadata: dict[str, Any], place: Place) -> None:
        id = _first(metadata, "toolUseId", "tool_use_id")
        if kind == "tool_use":
            name = _first(metadata, "toolName", "tool_name") or "unknown"
            self.turns.call(None, id, name, metadata.get("toolInput"), place)
        else:
            text = _first(metadata, "toolResult") or _first(item, "content")
            self.turns.result(id, text, metadata.get("isError") is True, place)

    def describe(self, turn: OpenTurn, item: dict[str, Any]) -> None:
        super().describe(turn, item)
        turn.attachments.extend(_files(item["metadata"]))


def _files(metadata: dict[str, Any]) -> Iterator[Attachment]:
    if (path := _first(metadata, "file_path")) is not None:
        yield Attachment(path)
    attachments = metadata.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else ():
        if isinstance(attachment, dict) and (path := _first(attachment, "path", "file_path")) is not None:
            yield Attachment(path)


def _metadata(item: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a message; databases keep it as JSON in a string."""
    metadata = item.get("metadata")
    if isinstance(metadata, str):
        try:
            metadata = orjson.loads(metadata)
        except orjson.JSONDecodeError:
            return {}
    return metadata if isinstance(metadata, dict) else {}


def _first(item: dict[str, Any], *keys: str) -> str | None:
    return next((item[key] for key in keys if isinstance(item.get(key), str) and item[key]), None)
