"""Conversations written down in Markdown: role headings, callouts, or bold labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memfs.markdown.frontmatter import find_frontmatter, read_frontmatter
from memfs.model import Role, Session, Turn
from memfs.transcripts.documents import head_text, read_text, whole_reader
from memfs.transcripts.fences import unfenced
from memfs.transcripts.message_ids import with_ids
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import layout
from memfs.transcripts.speakers import is_surely_role, read_label, role_of
from memfs.transcripts.times import loose_stamp, stamp

_HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<label>.*[^ \t#\n]|[ \t#])[ \t#]*\Z")
_CALLOUT = re.compile(r">[ \t]?\[!(?P<kind>[\w-]+)\][+-]?[ \t]+(?P<label>.*[^ \t\n]|[ \t])[ \t]*\Z")
_LABEL = re.compile(
    r"(?:\*\*|__)(?P<label>[^*_\n]{1,40}?)(?:[:：](?:\*\*|__)|(?:\*\*|__)[:：])[ \t]*(?P<text>.*)\Z"
)
_SEPARATOR = re.compile(r"(?<!\s)\s*\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line that begins a turn."""

    role: Role
    speaker: str
    timestamp: str | None
    level: int
    text: str


class MarkdownChat:
    """Parser of Markdown conversations."""

    name = "markdown-chat"

    def recognise(self, head: bytes) -> bool:
        text = head_text(head) if layout(head) == "text" else None
        return text is not None and _style_of(_body(text)) is not None

    def open(self, source: Source) -> Reader:
        text = read_text(source)
        body = _body(text)
        style = _style_of(body) or "heading"
        progress = Progress(session=Session(title=_title(text, body)))
        turns = list(with_ids(_turns(body, style, text.count("\n") + 1 - len(body))))
        stamped = next((turn.timestamp for turn in turns if turn.timestamp), None)
        progress.session = replace(progress.session, started_at=stamped)
        return whole_reader(self.name, source, progress, lambda: turns)


def _body(text: str) -> list[str]:
    """The lines below the frontmatter."""
    lines = text.split("\n")
    return lines[find_frontmatter(lines) :]


def _title(text: str, body: list[str]) -> str | None:
    title = read_frontmatter(text.split("\n")).text("title")
    if title is not None and title.strip():
        return title.strip()
    first = next((line for line in body if line.strip()), "")
    heading = _HEADING.match(first)
    return heading["label"] if heading is not None and _mark(first, "heading") is None else None


def _style_of(body: list[str]) -> str | None:
    """The style of the role marks, when they make a conversation: a user among them, and at least two."""
    for style in ("heading", "callout", "label"):
        marks = [mark for _, mark in _marked(body, style) if mark is not None]
        roles = {mark.role for mark in marks}
        if len(marks) >= 2 and "user" in roles and (len(roles) > 1 or style == "callout"):
            return style
    return "heading" if _has_begun(body) else None


def _has_begun(body: list[str]) -> bool:
    """Whether a conversation begins here in which nobody has answered yet.

    All role headings are the user's, no other heading stands beside or above them; and each has its time, or the
    first begins the text and can be nothing but a role ("You" and "Question" could be chapters).
    """
    lines = list(_marked(body, "heading"))
    marks = [mark for _, mark in lines if mark is not None]
    if not marks or any(mark.role != "user" for mark in marks):
        return False
    first = next(number for number, (_, mark) in enumerate(lines) if mark is not None)
    chapters = (
        found
        for (line, (_, fenced)), (_, mark) in zip(zip(body, unfenced(body), strict=True), lines, strict=True)
        if not fenced and mark is None and (found := _HEADING.match(line)) is not None
    )
    level = marks[0].level
    above = [line for line, _ in lines[:first] if line.strip()]
    titled = len(above) == 1 and _HEADING.match(above[0]) is not None
    beside = sum(len(found["marks"]) <= level for found in chapters)
    if beside > titled:
        return False
    return all(mark.timestamp for mark in marks) or (
        (titled or not above) and is_surely_role(marks[0].speaker)
    )


def _marked(body: list[str], style: str) -> Iterator[tuple[str, _Mark | None]]:
    """The lines, each with the mark that it is. Role headings count at the level of the first only."""
    level = _level_of(body) if style == "heading" else None
    flat = [_unquoted(line) for line in body] if style == "callout" else body
    for line, (_, fenced) in zip(body, unfenced(flat), strict=True):
        mark = None if fenced else _mark(line, style)
        if mark is not None and style == "heading":
            mark = mark if mark.level == level else None
        yield line, mark


def _level_of(body: list[str]) -> int | None:
    """The level of role headings: the first one's, unless that is a title which names a role ("# Gemini 3").

    Such a title stands alone at its level, with nothing between it and the first heading of a turn.
    """
    marks = [
        (number, mark)
        for number, (line, (_, fenced)) in enumerate(zip(body, unfenced(body), strict=True))
        if not fenced and (mark := _mark(line, "heading")) is not None
    ]
    if not marks:
        return None
    level = marks[0][1].level
    if len(marks) > 1 and marks[1][1].level > level and all(mark.level != level for _, mark in marks[1:]):
        between = body[marks[0][0] + 1 : marks[1][0]]
        if not any(line.strip() for line in between):
            return marks[1][1].level
    return level


def _mark(line: str, style: str) -> _Mark | None:
    pattern = {"heading": _HEADING, "callout": _CALLOUT, "label": _LABEL}[style]
    found = pattern.match(line)
    if found is None:
        return None
    name, when = read_label(found["label"])
    role = role_of(name)
    if role is None:
        return None
    timestamp = (loose_stamp(when) or stamp(when.strip())) if when is not None else None
    parts = found.groupdict()
    return _Mark(role, name, timestamp, len(parts.get("marks") or ""), parts.get("text") or "")


def _turns(body: list[str], style: str, above: int) -> Iterator[Turn]:
    """The turns of the lines of ``body``, which begins below so many lines; each is where its mark is."""
    mark: _Mark | None = None
    lines: list[str] = []
    at = above
    for number, (line, found) in enumerate(_marked(body, style), above + 1):
        if found is None:
            lines.append(line)
            continue
        yield from _turn(mark, lines, style, at)
        mark, lines, at = found, [found.text], number
    yield from _turn(mark, lines, style, at)


def _turn(mark: _Mark | None, lines: list[str], style: str, at: int) -> Iterator[Turn]:
    """The turn of a mark and the lines below it; what stands above the first mark is no turn."""
    if mark is None:
        return
    if style == "callout":
        lines = [_unquoted(line) for line in lines if line.startswith(">")]
    text = _SEPARATOR.sub("", "\n".join(lines).strip("\n").rstrip()).strip()
    if text:
        yield Turn(mark.role, text, mark.timestamp, speaker=mark.speaker, line=at)


def _unquoted(line: str) -> str:
    """The line without one level of quotation."""
    return line[2:] if line.startswith("> ") else line.removeprefix(">")
