"""Content blocks: the many shapes in which clients store the text of a message."""

from __future__ import annotations

import json
from typing import Any

from memfs.transcripts.lines import Malformed, has_rounded_number, parse_exactly, parse_line

# Blocks whose text is what was said. Reasoning, images and calls are not among them.
TEXT_BLOCKS = frozenset({"text", "Text", "input_text", "output_text"})


def some_text(value: Any) -> str | None:
    """The value, if it is a text that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def block_text(block: Any) -> str | None:
    """The text of one block: a string, or an object of a text kind."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict):
        kind = some_text(block.get("type"))
        if (kind is None or kind in TEXT_BLOCKS) and isinstance(block.get("text"), str):
            return str(block["text"])
        if kind == "refusal" and isinstance(block.get("refusal"), str):
            return str(block["refusal"])
    return None


def joined_text(content: Any) -> str | None:
    """All text of a message's content, blocks joined with one LF; None where there is none."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for block in content if (text := block_text(block)) is not None)
    return block_text(content)


def result_text(content: Any) -> str | None:
    """The text of a tool's result: of blocks of any kind that have one; other objects as JSON."""
    if isinstance(content, list):
        texts = (item.get("text") if isinstance(item, dict) else item for item in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(content, dict):
        text = content.get("text")
        return text if isinstance(text, str) else json.dumps(content, ensure_ascii=False, default=str)
    return content if isinstance(content, str) else None


def parsed_arguments(arguments: Any) -> Any:
    """A call's arguments: parsed where they are JSON in a string, else as they are."""
    if not isinstance(arguments, str):
        return arguments
    try:
        data = arguments.encode("utf-8", "replace")
        parsed = parse_line(data)
        return parse_exactly(data) if has_rounded_number(parsed) else parsed
    except Malformed:
        return arguments
