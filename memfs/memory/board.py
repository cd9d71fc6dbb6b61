"""The relay board as text: one line a baton, among whatever else a person wrote. Pure: text in, text out.

``- 2026-11-30T10:30:00 feishu#012 user: text ^id``. The time is local; a reply has its question's number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memfs.errors import InvalidDocument
from memfs.markdown.document import Block, Document, parse_document
from memfs.markdown.edits import edit_lines, join_lines, remove_block
from memfs.markdown.escape import fold_line
from memfs.markdown.inserts import insert_item
from memfs.memory.ids import text_hash

BatonRole = Literal["user", "assistant"]
TITLES = {"en": "Relay board", "zh": "接力板"}
_LINE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)\s+(?P<channel>[^\s#]{1,80})#(?P<sequence>\d{1,9})\s+"
    r"(?P<role>user|assistant|bootstrap)[:：]\s*(?P<text>\S.*)",
    re.DOTALL,
)
_UNFIT_IN_CHANNEL = re.compile(r"[\s#:：^<>|`\\\[\]]+")


@dataclass(frozen=True, slots=True)
class Baton:
    """One thing that was said, for the next agent, in its writer's own words.

    ``sequence`` counts per channel, shared by a question and its reply. ``session`` and ``message`` name the turn it
    tells of. ``bootstrap``: drawn from durable memory, so never extracted from. ``done``: its turn was merged, or
    a successful extraction has read it. ``dropped``: why it was not put on the board; ``redacted``: without a secret
    that stood in it.
    """

    id: str
    time: datetime
    channel: str
    sequence: int
    role: BatonRole
    text: str
    session: str | None = None
    message: str | None = None
    bootstrap: bool = False
    done: bool = False
    dropped: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A baton as its line tells it; ``time`` has no zone. A line without an id goes by a hash of what it says."""

    id: str
    time: datetime
    channel: str
    sequence: int
    role: Literal["user", "assistant", "bootstrap"]
    text: str


def parse_board(text: str) -> tuple[BoardLine, ...]:
    """The batons of a board, in their order. Anything else on it is the person's."""
    return tuple(line for line, _ in _find_lines(parse_document(text)))


def find_problems(text: str) -> tuple[tuple[str, int], ...]:
    """What of a board cannot be read, each with its line: conflict markers, and batons whose line was damaged."""
    doc = parse_document(text)
    found = [] if doc.problem is None else [(doc.problem.message, doc.problem.line)]
    read = {block.start for _, block in _find_lines(doc)}
    for block in doc.blocks:
        if block.start not in read and (block.block_id or "").startswith("r-"):
            found.append(("it is a baton whose time, channel or role cannot be read", block.line))
    return tuple(found)


def is_conflicted(text: str) -> bool:
    """Whether a board must not be read from now: two versions of it stand in one file."""
    return parse_document(text).problem is not None


def render_line(line: BoardLine) -> str:
    """A baton's line: whatever its text holds, it stays one line and text."""
    time = line.time.replace(tzinfo=None).isoformat(timespec="seconds")
    return f"- {time} {line.channel}#{line.sequence:03d} {line.role}: {fold_line(line.text)} ^{line.id}"


def insert_lines(text: str | None, lines: Iterable[BoardLine], language: str = "en") -> str:
    """The board with more batons at its end (``text`` None: there is none yet). Those it has already stay.

    Raises:
        InvalidDocument: the file holds conflict markers or the like.
    """
    board = f"# {TITLES.get(language, TITLES['en'])}\n" if text is None else text
    known = {line.id for line in parse_board(board)}
    for line in lines:
        if line.id not in known:
            board = insert_item(parse_document(board), (), render_line(line))
    return board


def remove_lines(text: str, going: Mapping[str, str]) -> str:
    """The board without the batons ``going``, every other byte as it is. Raises InvalidDocument as `insert_lines`.

    It maps their ids to what they said when that was decided: one that says something else by now stays.
    """
    doc = parse_document(text)
    doc.require_writable()
    blocks = [block for line, block in _find_lines(doc) if going.get(line.id) == line.text]
    if not blocks:
        return text
    lines = edit_lines(doc)
    for block in reversed(blocks):
        del lines[block.start : block.end]
    result = join_lines(doc, lines)
    if _others(parse_document(result), ()) == _others(doc, blocks):
        return result
    return _remove_carefully(text, going)


def channel_name(name: str) -> str:
    """A channel's name as it stands in a line: one word of at most 40 characters; "" where nothing is left."""
    return _UNFIT_IN_CHANNEL.sub("-", fold_line(name)).strip("-")[:40]


def baton_id(*parts: object) -> str:
    """An id from what tells a baton from all others: the same parts give the same id."""
    return "r-" + text_hash("\x1f".join(str(part) for part in parts))[:13]


def _find_lines(doc: Document) -> list[tuple[BoardLine, Block]]:
    found: list[tuple[BoardLine, Block]] = []
    seen: set[str] = set()
    for block in doc.blocks:
        match = _LINE.fullmatch(block.text) if block.kind == "item" else None
        time = _time(match["time"]) if match else None
        if match is None or time is None:
            continue
        id = block.block_id or baton_id(block.text)
        if id in seen:  # a copied line is another baton
            id = baton_id(block.text, len(found))
        seen.add(id)
        said = " ".join(match["text"].split())
        role: Literal["user", "assistant", "bootstrap"] = match["role"]  # type: ignore[assignment]
        line = BoardLine(id, time, match["channel"], int(match["sequence"]), role, said)
        found.append((line, block))
    return found


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _remove_carefully(text: str, going: Mapping[str, str]) -> str:
    """One by one, where lines that stay would run together; a line that cannot go keeps its place."""
    for id in going:
        doc = parse_document(text)
        block = next((b for line, b in _find_lines(doc) if line.id == id and line.text == going[id]), None)
        if block is not None:
            with suppress(InvalidDocument):
                text = remove_block(doc, block)
    return text


def _others(doc: Document, without: Collection[Block]) -> list[tuple[str, str | None, str]]:
    return [(b.kind, b.block_id, b.text) for b in doc.blocks if b not in without]
