"""A Gemini CLI session as its records leave it, and the turns in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memfs.model import Attachment, Turn
from memfs.transcripts.assemble import Assembler, OpenTurn
from memfs.transcripts.blocks import result_text, some_text
from memfs.transcripts.document_places import Places
from memfs.transcripts.injected import without_client_text
from memfs.transcripts.lines import Place
from memfs.transcripts.message_ids import own_id
from memfs.transcripts.reader import Progress, Source
from memfs.transcripts.times import stamp

_SAID = frozenset({"user", "gemini"})
TYPES = _SAID | {"info", "error", "warning"}
_COMMAND = re.compile(
    r"/(?:about|agents|auth|bug|chat|clear|commands|compress|copy|corgi|dir(?:ectory)?|docs|editor|extensions|footer|help"
    r"|hooks|ide|init|mcp|memory|model|permissions|plan|policies|privacy|profile|quit|exit|restore|resume|rewind"
    r"|settings|setup-github|shells|bashes|skills|stats|terminal-setup|theme|tools|upgrade|usage|vim)(?:\s.*)?\Z",
    re.DOTALL,
)


class GeminiLog:
    """The messages as they stand."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.told_is_known = False
        self._messages: dict[str, tuple[dict[str, Any], Place]] = {}
        self._told: frozenset[str] = frozenset()

    def note_told(self) -> None:
        """All that was said so far was given out by an earlier reading."""
        self._told = frozenset(id for id, (message, _) in self._messages.items() if _says_something(message))
        self.told_is_known = True

    def put(self, row: Any, place: Place, places: Places | None = None) -> str | None:
        """Take one record; the answer says why it was ignored. ``places``: of the messages, where it is a document."""
        if not isinstance(row, dict):
            return "no record"
        if "$rewindTo" in row:
            self._rewind(row["$rewindTo"])
        elif "$set" in row:
            if not isinstance(row["$set"], dict):
                return "update that is no object"
            self._describe(row["$set"], place)
        elif "sessionId" in row:
            self._describe(row, place, places)
        else:
            return self._message(row, place)
        return None

    def _message(self, row: Any, place: Place) -> str | None:
        if (
            not isinstance(row, dict)
            or not isinstance(row.get("id"), str)
            or some_text(row.get("type")) not in TYPES
        ):
            return "message without an id or a known type"
        first = self._messages.get(row["id"], (row, place))[1]
        self._messages[row["id"]] = (row, Place(first.start, place.end, first.line))
        return None

    def _rewind(self, id: Any) -> None:
        """Take back a message and all after it; an unknown one takes back everything, as the client does."""
        ids = list(self._messages)
        for gone in ids[ids.index(id) :] if isinstance(id, str) and id in self._messages else ids:
            del self._messages[gone]

    def _describe(self, row: dict[str, Any], place: Place, places: Places | None = None) -> None:
        session = self.progress.session
        self.progress.session = replace(
            session,
            id=session.id or some_text(row.get("sessionId")),
            title=some_text(row.get("summary")) or session.title,
            started_at=session.started_at or stamp(row.get("startTime")),
            subagent=session.subagent or row.get("kind") == "subagent",
        )
        messages = row.get("messages")
        for message in messages if isinstance(messages, list) else ():
            self._message(message, places.of(message) if places is not None else place)

    def turns(self, source: Source, start: int) -> Iterator[Turn]:
        """The turns, without those that an earlier reading has given out."""
        turns = Assembler(self.progress, source.limits, joiner="")
        turns.sidechain = self.progress.session.subagent
        settled = self.progress.settled
        for id, (message, place) in self._messages.items():
            if message["type"] in _SAID:
                turns.muted = "earlier_turns" if start and id in self._told else None
                self._take(message, place, turns)
        yield from turns.finish()
        del self.progress.counts["earlier_turns"]
        self.progress.settled = min(settled, self.progress.settled) if settled else 0

    def _take(self, message: dict[str, Any], place: Place, turns: Assembler) -> None:
        parts = _parts(message)
        text = "".join(
            part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")
        )
        if message["type"] == "user":
            text = without_client_text(text)
            text = "" if _COMMAND.match(text.strip()) else text
        for part in parts:
            if isinstance(answer := part.get("functionResponse"), dict):
                turns.result(
                    some_text(answer.get("id")), *_response(answer), place, some_text(answer.get("name"))
                )
        files = [Attachment(path) for part in parts if (path := _file(part)) is not None]
        calls = list(_calls(message, parts))
        if not (text.strip() or files or calls):
            if message["type"] == "gemini":
                self.progress.counts["empty_turns"] += 1
            return
        id = own_id(message["id"], self.progress.session.id)
        turn = turns.open(
            "user" if message["type"] == "user" else "assistant",
            place,
            id=id,
            timestamp=stamp(message.get("timestamp")),
        )
        turn.texts, turn.attachments = ([text] if text else []), files
        for call in calls:
            _add_call(turns, turn, call, place)


def _add_call(turns: Assembler, turn: OpenTurn, call: dict[str, Any], place: Place) -> None:
    made = turns.call(
        turn, some_text(call.get("id")), some_text(call.get("name")) or "unknown", call.get("args"), place
    )
    status = call.get("status")
    answer = _result(call.get("result"))
    if answer is not None:
        made.result, made.is_error = answer
        made.answered = True
    if status in ("error", "cancelled"):
        made.is_error = made.answered = True


def _says_something(message: dict[str, Any]) -> bool:
    parts = _parts(message)
    return any(isinstance(part.get("text"), str) and part["text"].strip() for part in parts) or any(
        True for _ in _calls(message, parts)
    )


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    listed = content if isinstance(content, list) else [content]
    return [
        {"text": part} if isinstance(part, str) else part for part in listed if isinstance(part, str | dict)
    ]


def _calls(message: dict[str, Any], parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        if isinstance(part.get("functionCall"), dict):
            yield part["functionCall"]
    listed = message.get("toolCalls")
    for call in listed if isinstance(listed, list) else ():
        if isinstance(call, dict):
            yield call


def _result(result: Any) -> tuple[str | None, bool] | None:
    """Text and failure of a tool call's stored result, None when there is none yet."""
    if result is None:
        return None
    for item in result if isinstance(result, list) else [result]:
        if isinstance(item, dict) and isinstance(item.get("functionResponse"), dict):
            return _response(item["functionResponse"])
    return result_text(result), False


def _response(answer: dict[str, Any]) -> tuple[str | None, bool]:
    response = answer.get("response")
    if isinstance(response, dict):
        if "error" in response and "output" not in response:
            return result_text(response["error"]), True
        return result_text(response.get("output", response)), False
    return result_text(response), False


def _file(part: dict[str, Any]) -> str | None:
    for key in ("fileData", "inlineData"):
        if isinstance(about := part.get(key), dict):
            return (
                some_text(about.get("fileUri"))
                or some_text(about.get("displayName"))
                or some_text(about.get("mimeType"))
                or key
            )
    return None
