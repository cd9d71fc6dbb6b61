"""Secrets out of text, before a model, the disk or git sees it (spec 4.5).

Every pattern is linear: bounded repeats, no nested ones. A placeholder says what kind was there. Findings
name kinds only, never what was found. Redacting twice changes nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from memfs.extraction.placeholders import placeholder
from memfs.extraction.secret_disguise import plain_view
from memfs.extraction.secret_names import SECRET_NAME, kind_of
from memfs.extraction.secret_shapes import RULES
from memfs.extraction.secret_tables import table_secrets
from memfs.extraction.secret_values import is_reference
from memfs.model import Attachment, Session, ToolCall, Turn


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without secrets, and the kind of each one that was taken out."""

    text: str
    findings: tuple[str, ...] = ()


def redact_text(text: str) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted: <kind>]``."""
    findings: list[str] = []
    view = plain_view(text)
    keys = [(start, end, placeholder("private key")) for start, end in _private_keys(view.text)]
    findings += ["private key"] * len(keys)
    view.replace_spans(keys)
    lowered = view.text.lower()
    for needles, pattern, replacer in RULES:
        if not needles or any(needle in lowered for needle in needles):
            view.replace_all(pattern, replacer, findings)
    cells = list(table_secrets(view.text))
    findings += [new[len("[redacted: ") : -1] for _, _, new in cells]
    view.replace_spans(cells)
    return Redacted(view.written(), tuple(findings))


def redact_turn(turn: Turn) -> Turn:
    """The turn with secrets taken out of its text, its names, tool calls and attachments."""
    return replace(
        turn,
        text=redact_text(turn.text).text,
        speaker=_redact_value(turn.speaker),
        peer=_redact_value(turn.peer),
        tool_calls=tuple(_redact_call(call) for call in turn.tool_calls),
        attachments=tuple(_redact_attachment(item) for item in turn.attachments),
    )


def redact_session(session: Session) -> Session:
    """The session with secrets taken out of what it is called and where it was held."""
    return replace(
        session,
        id=redact_name(session.id) if session.id else session.id,
        title=_redact_value(session.title),
        cwd=_redact_value(session.cwd),
        channel=_redact_value(session.channel),
        parent=redact_name(session.parent) if session.parent else session.parent,
    )


_HARMLESS_NAME = re.compile(r"[0-9a-fA-F-]{1,64}|[A-Za-z0-9_-]{1,9}")


def redact_name(name: str) -> str:
    """A name that stands in files (session, message, path): as it is, or, had it a secret, with six digits of its hash.

    Two names stay two; so few digits tell nothing of the secret.
    """
    if _HARMLESS_NAME.fullmatch(name):
        return name
    redacted = redact_text(name)
    if not redacted.findings:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{_PLACEHOLDER.sub(_in_name, redacted.text)}-{digest}"


_PLACEHOLDER = re.compile(r"\[redacted: ([a-z ]{1,30})\]")


def _in_name(match: re.Match[str]) -> str:
    return "redacted-" + match[1].replace(" ", "-")


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
        return {_redact_value(key): _redact_member(str(key), item) for key, item in value.items()}
    return value


def _redact_member(key: str, value: Any) -> Any:
    if isinstance(value, str) and value and SECRET_NAME.fullmatch(key) and not is_reference(value):
        return placeholder(kind_of(key))
    return _redact_value(value)


_PEM_BEGIN = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d{1,2}:[^\r\n]{0,80}"
)
_PEM_END = re.compile(
    r"-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-(?:MAC|Hash): ?[0-9a-f]{20,128}"
)
_PEM_BODY = re.compile(
    r"(?:[ \t>]{0,8}(?:[A-Za-z0-9+/=]{16,128}|[A-Za-z-]{2,20}: [^\r\n]{0,80})?(?:\r?\n|\\n|\Z))*"
)


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Where whole blocks are; of one without its end line, the lines that look like its body."""
    begin, more_ends = _PEM_BEGIN.search(text), True
    while begin is not None:
        end = _PEM_END.search(text, begin.end()) if more_ends else None
        more_ends = end is not None  # looked for in vain once, never again: linear
        if end is not None:
            stop = end.end()
        else:
            body = _PEM_BODY.match(text, begin.end())
            stop = body.end() if body else begin.end()
            if text[stop - 1 : stop] == "\n" and stop > begin.end():
                stop -= 1
        yield begin.start(), stop
        begin = _PEM_BEGIN.search(text, stop)
