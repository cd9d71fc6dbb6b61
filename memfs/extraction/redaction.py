"""Secrets out of text, before a model, the disk or git sees it (spec 4.5).

Every pattern is linear: bounded repeats, no nested ones. A placeholder says what kind was there. Findings
name kinds only, never what was found. Redacting twice changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from memfs.extraction.placeholders import placeholder, recording
from memfs.extraction.secret_names import SECRET_NAME, is_reference, kind_of
from memfs.extraction.secret_shapes import RULES
from memfs.model import Attachment, ToolCall, Turn


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without secrets, and the kind of each one that was taken out."""

    text: str
    findings: tuple[str, ...] = ()


def redact_text(text: str) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted: <kind>]``."""
    findings: list[str] = []
    text = _redact_private_keys(text, findings)
    for needles, pattern, replacer in RULES:
        if not needles or any(needle in text for needle in needles):
            text = pattern.sub(recording(replacer, findings), text)
    return Redacted(text, tuple(findings))


def redact_turn(turn: Turn) -> Turn:
    """The turn with secrets taken out of its text, tool calls and attachments."""
    return replace(
        turn,
        text=redact_text(turn.text).text,
        tool_calls=tuple(_redact_call(call) for call in turn.tool_calls),
        attachments=tuple(_redact_attachment(item) for item in turn.attachments),
    )


def _redact_call(call: ToolCall) -> ToolCall:
    result = None if call.result is None else redact_text(call.result).text
    return replace(call, arguments=_redact_value(call.arguments), result=result)


def _redact_attachment(item: Attachment) -> Attachment:
    text = None if item.text is None else redact_text(item.text).text
    return replace(item, path=redact_text(item.path).text, text=text)


def _redact_value(value: Any) -> Any:
    """Tool arguments: strings anywhere in them; a value under a secret's name goes whatever it looks like."""
    if isinstance(value, str):
        return redact_text(value).text
    if isinstance(value, list | tuple):
        return [_redact_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _redact_member(str(key), item) for key, item in value.items()}
    return value


def _redact_member(key: str, value: Any) -> Any:
    if isinstance(value, str) and value and SECRET_NAME.fullmatch(key) and not is_reference(value):
        return placeholder(kind_of(key))
    return _redact_value(value)


_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(
    r"(?:[ \t>]{0,8}(?:[A-Za-z0-9+/=]{16,128}|[A-Za-z-]{2,20}: [^\r\n]{0,80})?(?:\r?\n|\\n|\Z))*"
)


def _redact_private_keys(text: str, findings: list[str]) -> str:
    """Whole blocks; of one without its end line, the lines that look like its body."""
    begin = _PEM_BEGIN.search(text)
    if begin is None:
        return text
    parts, position, more_ends = [], 0, True
    while begin is not None:
        end = _PEM_END.search(text, begin.end()) if more_ends else None
        more_ends = end is not None  # looked for in vain once, never again: linear
        if end is not None:
            stop = end.end()
        else:
            body = _PEM_BODY.match(text, begin.end())
            stop = body.end() if body else begin.end()
        parts += [text[position : begin.start()], placeholder("private key")]
        if end is None and text[stop - 1 : stop] == "\n" and stop > begin.end():
            stop -= 1
        findings.append("private key")
        position = stop
        begin = _PEM_BEGIN.search(text, position)
    return "".join(parts) + text[position:]
