"""What an agent's memory tool does to the text of a file: pure, with the answers that models are used to.

The commands and the meaning of their answers are those of Anthropic's memory tool, ``memory_20250818``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memfs.errors import InvalidRequest

MAX_LINES = 999_999
_WIDTH = len(str(MAX_LINES))
_AROUND = 2  # lines of context on each side of a change


def number_lines(text: str, view_range: Sequence[int] | None = None) -> str:
    """The lines of ``text`` with their numbers; ``view_range`` (first, last; -1: to the end) chooses some.

    Raises:
        InvalidRequest: the range is none, or the file has too many lines.
    """
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise InvalidRequest(f"exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = 1, len(lines)
    if view_range is not None:
        if len(view_range) != 2:
            raise InvalidRequest(
                f"Invalid `view_range` parameter: {list(view_range)}. It needs two line numbers."
            )
        first, last = (
            max(1, view_range[0]),
            len(lines) if view_range[1] == -1 else min(view_range[1], len(lines)),
        )
        if first > last:
            raise InvalidRequest(
                f"Invalid `view_range` parameter: {list(view_range)}. The file has {len(lines)} lines."
            )
    return _numbered(lines, first, last)


def replace_once(text: str, old: str, new: str, name: str) -> tuple[str, str]:
    """``text`` with its one ``old`` replaced, and the lines around the change.

    Raises:
        InvalidRequest: ``old`` is empty, not there, or there more than once.
    """
    if not old:
        raise InvalidRequest("No replacement was performed, old_str is empty.")
    count = text.count(old)
    if count == 0:
        raise InvalidRequest(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {name}."
        )
    if count > 1:
        places = ", ".join(str(line) for line in dict.fromkeys(_lines_of(text, old)))
        raise InvalidRequest(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {places}. "
            "Please ensure it is unique"
        )
    line = text[: text.index(old)].count("\n") + 1
    changed = text.replace(old, new)
    lines = changed.split("\n")
    return changed, _numbered(lines, max(1, line - _AROUND), min(len(lines), line + _AROUND))


def insert_after(text: str, line: int, new: str) -> str:
    """``text`` with ``new`` as lines of its own behind line ``line`` (0: at the beginning).

    Raises:
        InvalidRequest: there is no such line.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise InvalidRequest(
            f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
        )
    return "\n".join([*lines[:line], new.removesuffix("\n"), *lines[line:]]) + "\n"


def _lines_of(text: str, part: str) -> Iterable[int]:
    at = text.find(part)
    while at != -1:
        yield text.count("\n", 0, at) + 1
        at = text.find(part, at + 1)


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(f"{at:>{_WIDTH}}\t{lines[at - 1]}" for at in range(first, last + 1))
