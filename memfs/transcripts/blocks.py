"""Content blocks: the many shapes in which clients store the text of a message."""

from __future__ import annotations

from typing import Any

import orjson

from memfs.transcripts.lines import Malformed, has_rounded_number, parse_exactly, parse_line

# Blocks whose text is what was said. Reasoning, images and calls are not among them.
TEXT_BLOCKS = frozenset({"text", "Text", "input_text", "output_text", "summary_text", None})


def block_text(block: Any) -> str | None:
    """The text of one block: a string, or an object of a text kind."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict):
        if block.get("type") in TEXT_BLOCKS and isinstance(block.get("text"), str):
            return str(block["text"])
        if block.get("type") == "refusal" and isinstance(block.get("refusal"), str):
            return str(block["refusal"])
    return None


def joined_text(content: Any) -> str | None:
    """All text of a message's or tool result's content, blocks joined with one LF; None where there is none."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [text for block in content if (text := block_text(block)) is not None]
        return "\n".join(texts)
    if isinstance(content, dict):
        text = block_text(content)
        return text if text is not None else orjson.dumps(content).decode()
    return None


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
