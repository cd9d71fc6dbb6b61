"""OpenAI-style messages, in a document or one a line: Chat Completions and Responses items, mixed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from memfs.model import Attachment, Role, Turn
from memfs.transcripts.assemble import Assembler, OpenTurn
from memfs.transcripts.blocks import block_text, joined_text, parsed_arguments, result_text, some_text
from memfs.transcripts.document_places import Places
from memfs.transcripts.injected import without_client_text
from memfs.transcripts.lines import Place
from memfs.transcripts.reader import Progress, Source
from memfs.transcripts.times import stamp

ROLES: dict[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "model": "assistant"}
_APART = frozenset({"system", "developer"})
_ITEMS = frozenset({"function_call", "function_call_output", "reasoning"})
_REASONING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>\s*|\Z)", re.DOTALL | re.IGNORECASE)
_MEDIA = frozenset(
    {"image_url", "input_image", "image", "file", "input_file", "input_audio", "audio", "document"}
)


def is_message(row: Any) -> bool:
    """Whether a JSON value is a message: a known role, and content, calls or parts with it."""
    if not isinstance(row, dict) or not isinstance(role := row.get("role"), str):
        return False
    if role.lower() not in ROLES.keys() | _APART | {"tool", "function"}:
        return False
    return "content" in row or "tool_calls" in row or "function_call" in row


class MessageRows:
    """Messages, in order, whatever file they come from."""

    def __init__(self, progress: Progress, source: Source) -> None:
        self.turns = Assembler(progress, source.limits)
        self._progress = progress
        self._me = frozenset(source.me)
        self._hidden: list[str] = [progress.system] if progress.system else []

    def prepare(self, _start: int, /) -> None:
        """Nothing in these files takes back what came before."""

    def row(self, row: Any, place: Place, _line: bytes, /) -> str | None:
        if isinstance(row, dict) and isinstance(row.get("messages"), list) and "role" not in row:
            reasons = [reason for item in row["messages"] if (reason := self.take(item, place))]
            return reasons[0] if reasons else None
        return self.take(row, place)

    def take(self, item: Any, place: Place) -> str | None:
        """One message; the answer says why it was ignored."""
        reason = self._take(item, place)
        if reason is not None:
            self._progress.counts["skipped_items"] += 1
        return reason

    def _take(self, item: Any, place: Place) -> str | None:
        if not isinstance(item, dict):
            return "no message"
        if some_text(item.get("type")) in _ITEMS:
            return self._item(item, place)
        role = item.get("role")
        role = role.lower() if isinstance(role, str) else None
        if role in _APART:
            self._keep_apart(joined_text(item.get("content")))
        elif role in ("tool", "function"):
            self._tool(item, place)
        elif role in ROLES:
            return self._message(item, ROLES[role], place)
        else:
            return "unknown role"
        return None

    def _keep_apart(self, text: str | None) -> None:
        if text and text not in self._hidden:
            self._hidden.append(text)
            self._progress.system = "\n".join(self._hidden)

    def _item(self, item: dict[str, Any], place: Place) -> str | None:
        id = some_text(item.get("call_id"))
        if item["type"] == "function_call":
            name = some_text(item.get("name")) or "unknown"
            self.turns.call(None, id, name, parsed_arguments(item.get("arguments")), place)
        elif item["type"] == "function_call_output":
            self.turns.result(id, result_text(item.get("output")), False, place)
        return None

    def _tool(self, item: dict[str, Any], place: Place) -> None:
        id, name = some_text(item.get("tool_call_id")), some_text(item.get("name"))
        is_error = item.get("is_error") is True
        self.turns.result(id, result_text(item.get("content")), is_error, place, name)

    def _message(self, item: dict[str, Any], role: Role, place: Place) -> str | None:
        content = item.get("content")
        if not isinstance(content, str | list | dict) and not (
            item.get("tool_calls") or item.get("function_call")
        ):
            return "no content"
        text, media = read_content(content)
        text = without_client_text(text) if role == "user" else _REASONING.sub("", text, count=1)
        calls = list(self.calls_of(item))
        if not (text.strip() or media or calls):
            return None
        id = some_text(item.get("id"))
        if self.turns.was_seen(id):
            self._progress.counts["repeated_turns"] += 1
            return None
        turn = self.turns.say(role, text, place, id=id, timestamp=timestamp_of(item))
        turn.attachments.extend(media)
        for call_id, name, arguments in calls:
            self.turns.call(turn, call_id, name, arguments, place)
        self.describe(turn, item)
        return None

    def calls_of(self, item: dict[str, Any]) -> Iterator[tuple[str | None, str, Any]]:
        """Id, tool and arguments of each call of a message."""
        listed = item.get("tool_calls")
        for call in listed if isinstance(listed, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                name = some_text(function.get("name")) or "unknown"
                yield some_text(call.get("id")), name, parsed_arguments(function.get("arguments"))
        single = item.get("function_call")
        if isinstance(single, dict):
            yield None, some_text(single.get("name")) or "unknown", parsed_arguments(single.get("arguments"))

    def describe(self, turn: OpenTurn, item: dict[str, Any]) -> None:
        """Who said it: a named user is another person, unless the name is the user's own."""
        name = some_text(item.get("name"))
        if name is not None:
            turn.speaker = name
            if turn.role == "user" and name not in self._me:
                turn.peer = name
        session = self._progress.session
        if session.started_at is None and turn.timestamp is not None:
            self._progress.session = replace(session, started_at=turn.timestamp)


def read_content(content: Any) -> tuple[str, list[Attachment]]:
    """The text and the attachments of a message's content."""
    if not isinstance(content, list):
        return joined_text(content) or "", []
    texts = [text for block in content if (text := block_text(block)) is not None]
    media = [
        Attachment(_media_path(block))
        for block in content
        if isinstance(block, dict) and some_text(block.get("type")) in _MEDIA
    ]
    return "\n".join(texts), media


def _media_path(block: dict[str, Any]) -> str:
    about = block.get(block["type"])
    about = about if isinstance(about, dict) else block
    path = next(
        (about[key] for key in ("filename", "path", "url", "file_id") if isinstance(about.get(key), str)),
        None,
    )
    return str(block["type"]) if path is None or path.startswith("data:") else path


def timestamp_of(item: dict[str, Any]) -> str | None:
    """A message's timestamp, under any of its usual names."""
    keys = ("timestamp", "created_at", "createdAt", "create_time", "created", "time", "date")
    return next((found for key in keys if (found := stamp(item.get(key))) is not None), None)


def document_turns(rows: MessageRows, items: Iterable[Any], places: Places) -> Iterator[Turn]:
    """The turns of messages that are not lines of a file."""
    for item in items:
        rows.take(item, places.of(item))
    yield from rows.turns.finish()


def messages_in(document: Any, keys: Sequence[str] = ("messages",)) -> list[Any] | None:
    """The list of messages of a document, None if it has none."""
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        return next((document[key] for key in keys if isinstance(document.get(key), list)), None)
    return None
