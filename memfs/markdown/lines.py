"""Lines of a document, byte for byte: where they end, how far they are indented."""

from __future__ import annotations

BOM = "\ufeff"


def split_lines(text: str) -> tuple[str, ...]:
    r"""Cut a text after each ``\n``; nothing else ends a line. Joined again it is the same text."""
    lines = text.split("\n")
    last = lines.pop()
    whole = [f"{line}\n" for line in lines]
    if last:
        whole.append(last)
    return tuple(whole)


def bare(line: str) -> str:
    r"""A line without its ``\n`` or ``\r\n``."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith("\n") else line


def ending(line: str) -> str:
    r"""``\r\n``, ``\n`` or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def is_blank(line: str) -> bool:
    """True for a line of spaces and tabs only."""
    return not line.strip(" \t\r\n")


def majority_ending(lines: tuple[str, ...]) -> str:
    """The line ending that most lines have."""
    crlf = sum(line.endswith("\r\n") for line in lines)
    lf = sum(line.endswith("\n") for line in lines) - crlf
    return "\r\n" if crlf > lf else "\n"


def indentation(text: str) -> tuple[int, int]:
    """Columns (tabs stop at multiples of 4) and characters of white space that a line begins with."""
    rest = text.lstrip(" ")
    if not rest.startswith("\t"):
        width = len(text) - len(rest)
        return width, width
    rest = text.lstrip(" \t")
    offset = len(text) - len(rest)
    return columns(text[:offset], 0), offset


def columns(blanks: str, start: int) -> int:
    """The column reached after ``blanks`` when they begin at column ``start``."""
    for blank in blanks:
        start += 4 - start % 4 if blank == "\t" else 1
    return start
