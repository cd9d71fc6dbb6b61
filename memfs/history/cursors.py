"""Cursor files: how far a transcript has been merged. Pure.

One JSON record a line, so that git's union merge of two branches keeps both; of several records the furthest
counts whose hashes fit the transcript as it is now.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

from memfs.model import Cursor

WINDOW = 64 * 1024  # bytes hashed at the start, and before the offset


def render_cursor(*cursors: Cursor) -> str:
    """The text of a cursor file; records sorted, one a line."""
    return "".join(sorted({f"{_record(cursor)}\n" for cursor in cursors}))


def parse_cursor(text: str) -> tuple[tuple[Cursor, ...], tuple[str, ...]]:
    """The records of a cursor file, and what is wrong with lines that could not be read."""
    cursors: list[Cursor] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                cursors.append(_cursor(json.loads(line)))
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                problems.append(f"line {number}: not a cursor record: {error}")
    return tuple(dict.fromkeys(cursors)), tuple(problems)


def choose_cursor(cursors: Iterable[Cursor], fits: Callable[[Cursor], bool]) -> Cursor | None:
    """The furthest record that fits the transcript; None means: read it from the start."""
    ordered = sorted(cursors, key=lambda cursor: (cursor.offset, cursor.size, _record(cursor)), reverse=True)
    return next((cursor for cursor in ordered if fits(cursor)), None)


def cursor_fits(cursor: Cursor, size: int, head: str, tail: str) -> bool:
    """Whether a transcript of ``size`` bytes still has what was read before the cursor's offset.

    ``head`` and ``tail`` are `prefix_hashes` of the transcript at the cursor's offset.
    """
    return size >= cursor.offset and (head, tail) == (cursor.head, cursor.tail)


def windows(offset: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The byte ranges (start, end) whose hashes a cursor at ``offset`` holds: first and last 64 KiB."""
    return (0, min(offset, WINDOW)), (max(0, offset - WINDOW), offset)


def prefix_hashes(read: Callable[[int, int], bytes], offset: int) -> tuple[str, str]:
    """SHA-256 of both windows before ``offset``; ``read(start, end)`` gives the bytes of the transcript."""
    first, last = windows(offset)
    return hashlib.sha256(read(*first)).hexdigest(), hashlib.sha256(read(*last)).hexdigest()


def cursor_note(cursor: Cursor) -> str:
    """The trailer's short form, for the log: ``<offset> of <size> bytes, last message <id>``."""
    last = f", last message {cursor.message_id}" if cursor.message_id else ""
    return f"{cursor.offset} of {cursor.size} bytes{last}"


def _record(cursor: Cursor) -> str:
    values: dict[str, Any] = {
        "source": cursor.source,
        "session": cursor.session,
        "offset": cursor.offset,
        "message": cursor.message_id,
        "size": cursor.size,
        "head": cursor.head,
        "tail": cursor.tail,
        "path": cursor.path,
        "off_record": cursor.off_record or None,
    }
    return json.dumps({key: value for key, value in values.items() if value is not None}, ensure_ascii=True)


def _cursor(record: Any) -> Cursor:
    if not isinstance(record, dict):
        raise TypeError("not an object")
    return Cursor(
        source=_text(record["source"]),
        session=_text(record["session"]),
        offset=_size(record["offset"]),
        message_id=_optional(record.get("message")),
        size=_size(record["size"]),
        head=_text(record["head"]),
        tail=_text(record["tail"]),
        path=_optional(record.get("path")),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _optional(value: Any) -> str | None:
    return None if value is None else _text(value)


def _size(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} is not a size")
    return value
