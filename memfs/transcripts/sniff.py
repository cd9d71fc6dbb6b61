"""What the beginning of a file says of its format. Structure decides, never a name or a word."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from memfs.transcripts.lines import Malformed, parse_line

_ROWS = 400
# Files that lie beside transcripts and are none: temporary, locks, backups, conflict copies, metadata.
_BESIDE = re.compile(
    r"(?:\A\.|\A~|~\Z|\A#.*#\Z"
    r"|\.(?:tmp|temp|swp|swo|part|partial|crdownload|lock|lck|bak|backup|old|orig|rej)(?:[.-]?\d+)?\Z"
    r"|\.tmp-|\.unreadable-|\.corrupt(?:ed)?-?|sync-conflict|conflicted copy|\.meta\.json\Z|\.conflict\b"
    r"|\A(?:user|message_feedback|shared_conversations|model_comparisons|memories|projects|users)\.json\Z)",
    re.IGNORECASE,
)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_FIRST_LINES = 50  # that are looked at for the items of a list
_LIST = re.compile(rb"\[\s*(?:[{\[\]]|null\b|\Z)")
_DOCUMENT_KEYS = frozenset({"messages", "mapping", "chat_messages"})
# Lists inside an object whose members are messages.
_INNER = frozenset({"messages", "chat_messages", "conversation", "conversations", "turns"})


@dataclass(frozen=True, slots=True)
class Sketch:
    """The shape of a JSON document, from its beginning alone.

    ``items``: the objects of the list that the document is, or the one object. ``inner``: the objects in that
    object's list of messages. Values are kept where they are short strings, else they are None.
    """

    is_list: bool = False
    items: tuple[dict[str, Any], ...] = ()
    inner: tuple[dict[str, Any], ...] = ()


def ignored_name(name: str) -> bool:
    """Whether a file of this name is no transcript, whatever it holds; a watcher never opens it."""
    return _BESIDE.search(name) is not None


def layout(head: bytes) -> Literal["rows", "document", "text"]:
    """Whether a file is JSON line by line, one JSON document, or text."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if _LIST.match(first):
        line, _, rest = first.partition(b"\n")
        whole = _parses(line)
        return "document" if not (whole and rest.strip()) else ("rows" if json_rows(head) else "document")
    if not first.startswith(b"{"):
        return "rows" if json_rows(head) else "text"
    line, _, rest = first.partition(b"\n")
    if not _parses(line):
        return "rows" if json_rows(head) and not _is_listed(rest) else "document"
    if rest.strip():
        return "rows"
    row = parse_line(line)
    return "document" if _DOCUMENT_KEYS & row.keys() else "rows"


def _is_listed(rest: bytes) -> bool:
    """Whether lines hold the items of a list, as a document with a message a line has them: a comma ends each."""
    lines = (line.rstrip() for line in rest.split(b"\n", _FIRST_LINES)[:_FIRST_LINES])
    return any(line.startswith(b"{") and line.endswith(b",") and _parses(line[:-1]) for line in lines)


def is_begun(head: bytes) -> bool:
    """Whether this is the beginning of a first line of JSON, the rest of which is yet to come."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return first.startswith(b"{") and b"\n" not in first and not _parses(first)


def _parses(line: bytes) -> bool:
    try:
        parse_line(line)
    except Malformed:
        return False
    return True


@lru_cache(maxsize=1)
def json_rows(head: bytes) -> tuple[dict[str, Any], ...]:
    """The JSON objects that stand alone on one of the first lines."""
    rows = []
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", _ROWS)[:_ROWS]:
        if line.startswith(b"{"):
            try:
                rows.append(parse_line(line))
            except Malformed:
                continue
    return tuple(rows)


@dataclass(slots=True)
class _Level:
    """An object or list that the scan is inside of."""

    kind: bytes
    row: dict[str, Any] | None = None
    key: str | None = None
    has_value: bool = False


@dataclass(slots=True)
class _Scan:
    stack: list[_Level] = field(default_factory=list)
    is_list: bool = False
    items: list[dict[str, Any]] = field(default_factory=list)
    inner: list[dict[str, Any]] = field(default_factory=list)


@lru_cache(maxsize=1)
def sketch(head: bytes) -> Sketch:
    """The shape of a JSON document that may be cut off."""
    scan = _Scan()
    for found in _TOKEN.finditer(head):
        _step(scan, found[0])
    return Sketch(scan.is_list, tuple(scan.items), tuple(scan.inner))


def _step(scan: _Scan, token: bytes) -> None:
    stack = scan.stack
    if token in (b"{", b"["):
        _open_level(scan, token)
    elif token in (b"}", b"]"):
        if stack:
            stack.pop()
    elif stack and stack[-1].row is not None:
        _note(stack[-1], stack[-1].row, token)
    elif stack and token == b":":
        stack[-1].has_value = True
    elif stack and token == b",":
        stack[-1].has_value = False
    elif stack and stack[-1].kind == b"{" and not stack[-1].has_value:
        stack[-1].key = token[1:-1].decode("utf-8", "replace")


def _open_level(scan: _Scan, token: bytes) -> None:
    level = _Level(token)
    if token == b"{":
        level.row = _row_for(scan)
    elif not scan.stack:
        scan.is_list = True
    if scan.stack and (row := scan.stack[-1].row) is not None and (key := scan.stack[-1].key) is not None:
        row[key] = None
    scan.stack.append(level)


def _note(level: _Level, row: dict[str, Any], token: bytes) -> None:
    """A token inside an object whose keys matter."""
    if token == b":":
        level.has_value = True
    elif token == b",":
        level.has_value, level.key = False, None
    elif not level.has_value:
        level.key = token[1:-1].decode("utf-8", "replace")
    elif level.key is not None:
        text = token[1:-1].decode("utf-8", "replace") if token.startswith(b'"') else None
        row[level.key] = text if text is not None and len(text) < 200 else None


def _row_for(scan: _Scan) -> dict[str, Any] | None:
    """Where the keys of an object that opens here are noted, if they matter."""
    depth, stack = len(scan.stack), scan.stack
    if depth == 0 or (depth == 1 and scan.is_list):
        scan.items.append({})
        return scan.items[-1]
    root = 1 if scan.is_list else 0
    if depth == root + 2 and stack[-1].kind == b"[" and stack[root].key in _INNER:
        scan.inner.append({})
        return scan.inner[-1]
    return None
