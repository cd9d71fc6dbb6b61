"""Codex rollouts: what one item says, whichever of its three spellings it has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson

from memfs.model import Attachment, Role
from memfs.transcripts.blocks import joined_text, parsed_arguments, result_text, some_text

_EXIT = re.compile(r"\A(?:.*\n)?Process exited with code (-?\d+)")
_IMAGES = frozenset({"input_image", "image", "local_image", "LocalImage", "Image"})


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said."""

    role: Role
    text: str
    id: str | None = None
    attachments: tuple[Attachment, ...] = ()
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave back."""

    call: str | None
    text: str | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``result`` where the item carries it. ``final``: no result will follow."""

    id: str | None
    name: str
    arguments: Any
    result: Result | None = None
    final: bool = False


def read_item(item: dict[str, Any]) -> Message | Call | Result | None:
    """A ``response_item``'s payload, or the same item bare. None: nothing that was said or done."""
    kind = item.get("type")
    if kind == "message" or (kind is None and "role" in item):
        role = item.get("role")
        return _message(role, item) if role in ("user", "assistant") else None
    call = some_text(item.get("call_id")) or some_text(item.get("id"))
    if kind == "function_call":
        return Call(call, some_text(item.get("name")) or "unknown", parsed_arguments(item.get("arguments")))
    if kind == "custom_tool_call":
        return Call(call, some_text(item.get("name")) or "unknown", item.get("input"))
    if kind == "local_shell_call":
        return Call(call, "local_shell_call", item.get("action"))
    if kind == "web_search_call":
        return Call(call, "web_search", item.get("action"), final=True)
    if kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
        text = result_text(item.get("output"))
        return Result(call, text, _failed(text))
    return None


def read_completed(item: dict[str, Any]) -> Message | Call | None:
    """The item of an ``item_completed`` event (kinds in PascalCase)."""
    kind = item.get("type")
    id = some_text(item.get("id"))
    if kind in ("UserMessage", "AgentMessage"):
        return _message("user" if kind == "UserMessage" else "assistant", item)
    if kind == "CommandExecution":
        output = _first(item, "aggregated_output", "stdout", "formatted_output")
        output = output or some_text(item.get("stderr"))
        failed = item.get("exit_code") not in (0, None) or item.get("status") in ("failed", "declined")
        return Call(id, kind, {"command": item.get("command")}, Result(id, output, failed), final=True)
    if kind == "FileChange":
        failed = item.get("status") in ("failed", "declined")
        return Call(
            id, kind, {"changes": item.get("changes")}, Result(id, _first(item, "stdout"), failed), final=True
        )
    if kind == "McpToolCall":
        failed = item.get("error") is not None or item.get("status") == "failed"
        answer = result_text(item.get("error") or _content(item.get("result")))
        name = f"{item.get('server')}.{item.get('tool')}"
        return Call(id, name, parsed_arguments(item.get("arguments")), Result(id, answer, failed), final=True)
    if kind == "WebSearch":
        return Call(id, kind, {"query": item.get("query")}, final=True)
    return None


def _message(role: Role, item: dict[str, Any]) -> Message:
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    images = tuple(
        Attachment(str(block.get("path") or block.get("type")))
        for block in blocks
        if isinstance(block, dict) and some_text(block.get("type")) in _IMAGES
    )
    return Message(
        role, joined_text(content) or "", some_text(item.get("id")), images, some_text(item.get("phase"))
    )


def _content(result: Any) -> Any:
    return result.get("content", result) if isinstance(result, dict) else result


def _failed(output: str | None) -> bool:
    """Whether a tool's output tells of a failure: a process's exit code, or one in the output's metadata."""
    if not output:
        return False
    if output.startswith("{"):
        try:
            metadata = orjson.loads(output).get("metadata")
        except orjson.JSONDecodeError:
            return False
        return isinstance(metadata, dict) and metadata.get("exit_code") not in (0, None)
    found = _EXIT.match(output[:500])
    return found is not None and found[1] != "0"


def _first(item: dict[str, Any], *keys: str) -> str | None:
    return next((str(item[key]) for key in keys if isinstance(item.get(key), str)), None)
