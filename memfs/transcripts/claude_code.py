"""Claude Code sessions: JSONL, one row per content block, bookkeeping rows in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memfs.model import Attachment
from memfs.transcripts.assemble import Assembler, OpenTurn
from memfs.transcripts.blocks import block_text, result_text, some_text
from memfs.transcripts.injected import without_client_text
from memfs.transcripts.jsonl import jsonl_reader
from memfs.transcripts.lines import Place, has_rounded_number, parse_exactly
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import json_rows
from memfs.transcripts.times import stamp

BOOKKEEPING = frozenset(
    {
        *(
            "queue-operation",
            "file-history-snapshot",
            "attachment",
            "system",
            "summary",
            "ai-title",
            "custom-title",
        ),
        *("last-prompt", "mode", "permission-mode", "progress", "agent-name", "agent-color", "agent-setting"),
        *(
            "pr-link",
            "tag",
            "saved_hook_context",
            "worktree-state",
            "content-replacement",
            "marble-origami-commit",
        ),
        *(
            "task-summary",
            "speculation-accept",
            "attribution-snapshot",
            "bridge-session",
            "started",
            "result",
        ),
    }
)
_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle", "summary": "summary"}
_MEDIA = frozenset({"image", "document", "file"})


class ClaudeCode:
    """Parser of Claude Code session files, subagents' included."""

    name = "claude-code"

    def recognise(self, head: bytes) -> bool:
        return any(is_claude_row(row) for row in json_rows(head))

    def open(self, source: Source) -> Reader:
        return jsonl_reader(self.name, source, ClaudeRows)


def is_claude_row(row: Any) -> bool:
    """Whether a JSON value is a row of a Claude Code session."""
    if not isinstance(row, dict):
        return False
    kind = some_text(row.get("type"))
    if kind in ("user", "assistant"):
        return "message" in row and ("uuid" in row or "sessionId" in row or "parentUuid" in row)
    if kind in BOOKKEEPING:
        return "sessionId" in row or "leafUuid" in row or "messageId" in row or "parentUuid" in row
    return False


class ClaudeRows:
    """Rows of one session, in order."""

    def __init__(self, progress: Progress, source: Source) -> None:
        self.turns = Assembler(progress, source.limits)
        self._progress = progress
        self._subagent: bool | None = progress.session.subagent if progress.session.id else None

    def prepare(self, _start: int, /) -> None:
        """Nothing in these files takes back what came before."""

    def row(self, row: Any, place: Place, line: bytes) -> str | None:
        if not isinstance(row, dict):
            return "no record"
        kind = some_text(row.get("type"))
        if kind in ("user", "assistant"):
            return self._message(row, kind, place, line)
        if kind in BOOKKEEPING:
            self._note(row, kind, place)
            return None
        return f"unknown record type {str(kind)[:40]}"

    def _note(self, row: dict[str, Any], kind: str, place: Place) -> None:
        queued = row.get("attachment")
        if kind == "attachment" and isinstance(queued, dict) and queued.get("type") == "queued_command":
            self._queued(row, queued, place)
        session = self._progress.session
        title = row.get(_TITLES.get(kind, ""))
        if isinstance(title, str) and title.strip() and (kind != "summary" or session.title is None):
            self._progress.session = replace(session, title=title.strip())

    def _queued(self, row: dict[str, Any], queued: dict[str, Any], place: Place) -> None:
        """What the user typed while a tool was running has no row of its own."""
        if queued.get("commandMode", "prompt") == "prompt" and row.get("isSidechain") is not True:
            self.turns.sidechain = False
            self._user(row, queued.get("prompt"), place)

    def _message(self, row: dict[str, Any], kind: str, place: Place, line: bytes) -> str | None:
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        if content is None:
            return "no content"
        sidechain = row.get("isSidechain") is True
        if self._subagent is None or not sidechain:
            self._subagent = sidechain  # only a file of nothing but sidechain rows is a subagent's
        self._describe(row, message)
        if sidechain and not self._subagent:
            self._progress.counts["sidechain_rows"] += 1
            return None
        self.turns.sidechain = sidechain
        if kind == "user":
            self._user(row, content, place)
        else:
            self._assistant(row, message, content, place, line)
        return None

    def _describe(self, row: dict[str, Any], message: Any) -> None:
        session = self._progress.session
        known = session.id is not None and session.cwd is not None and session.model is not None
        if known and session.subagent is self._subagent:
            return
        model = _model(message)
        self._progress.session = replace(
            session,
            id=session.id or some_text(row.get("sessionId")),
            cwd=session.cwd or some_text(row.get("cwd")),
            model=session.model or (model if model != "<synthetic>" else None),
            agent=some_text(row.get("agentId")) if self._subagent else None,
            subagent=bool(self._subagent),
        )

    def _user(self, row: dict[str, Any], content: Any, place: Place) -> None:
        blocks = content if isinstance(content, list) else [content]
        texts: list[str] = []
        media: list[Attachment] = []
        for block in blocks:
            kind = some_text(block.get("type")) if isinstance(block, dict) else None
            if kind == "tool_result":
                result = result_text(block.get("content"))
                self.turns.result(
                    some_text(block.get("tool_use_id")), result, block.get("is_error") is True, place
                )
            elif kind in _MEDIA:
                media.append(_attachment(block))
            elif (text := block_text(block)) is not None and (typed := without_client_text(text)):
                texts.append(typed)
        id = some_text(row.get("uuid"))
        if row.get("isMeta") is True or row.get("isCompactSummary") is True or not (texts or media):
            return
        if self.turns.was_seen(id):
            self._progress.counts["repeated_turns"] += 1
            return
        turn = self.turns.open("user", place, id=id, timestamp=stamp(row.get("timestamp")))
        turn.texts, turn.attachments = texts, media
        self._begin(turn)

    def _begin(self, turn: OpenTurn) -> None:
        if self._progress.session.started_at is None:
            self._progress.session = replace(self._progress.session, started_at=turn.timestamp)

    def _assistant(self, row: dict[str, Any], message: Any, content: Any, place: Place, line: bytes) -> None:
        if row.get("isApiErrorMessage") is True or _model(message) == "<synthetic>":
            return  # the client's own words, such as "No response requested."
        if has_rounded_number(content):
            content = parse_exactly(line)["message"]["content"]
        id = some_text(message.get("id") if isinstance(message, dict) else None) or some_text(row.get("uuid"))
        blocks = content if isinstance(content, list) else [content]
        turn = self.turns.find(id)
        if turn is None:
            if self.turns.was_seen(id):
                self._progress.counts["repeated_turns"] += 1
                return
            turn = self.turns.open("assistant", place, id=id, timestamp=stamp(row.get("timestamp")))
            self._begin(turn)
        turn.end = max(turn.end, place.end)
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                name = some_text(block.get("name")) or "unknown"
                self.turns.call(turn, some_text(block.get("id")), name, block.get("input"), place)
            elif (text := block_text(block)) is not None and text.strip():
                turn.put_text(text)
        if isinstance(message, dict) and message.get("stop_reason") in (
            "end_turn",
            "stop_sequence",
            "refusal",
        ):
            turn.complete = True


def _model(message: Any) -> str | None:
    return some_text(message.get("model")) if isinstance(message, dict) else None


def _attachment(block: dict[str, Any]) -> Attachment:
    source = block.get("source")
    about = source if isinstance(source, dict) else {}
    path = (
        block.get("title")
        or about.get("path")
        or about.get("url")
        or about.get("media_type")
        or block["type"]
    )
    return Attachment(str(path))
