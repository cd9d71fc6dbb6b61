"""Long free prose in pieces: whole paragraphs together, cut only where one is too long. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_CHARS = 1200


def split_prose(text: str, limit: int = MAX_CHARS) -> Iterator[tuple[int, str]]:
    """Yield (lines before it, piece) of a long text: whole paragraphs up to ``limit`` characters together.

    A paragraph longer than that is cut between lines, then sentences; a table repeats its header.
    """
    piece, start = "", 0
    for paragraph in _paragraphs(text, limit):
        if piece.strip() and len(piece) + len(paragraph.text) > limit:
            yield start, piece.strip("\n")
            piece = ""
        if not piece:
            start = paragraph.line
        piece += paragraph.text
    if piece.strip():
        yield start, piece.strip("\n")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    line: int
    text: str


def _paragraphs(text: str, limit: int) -> Iterator[_Paragraph]:
    line = 0
    for part in re.findall(r"(?:[^\n]*\S[^\n]*(?:\n|$))+(?:[^\S\n]*(?:\n|$))*|(?:[^\S\n]*\n)+", text):
        yield from _cut(part, line, limit) if len(part) > limit else [_Paragraph(line, part)]
        line += part.count("\n")


def _cut(paragraph: str, line: int, limit: int) -> Iterator[_Paragraph]:
    lines = paragraph.splitlines(keepends=True)
    table = len(lines) > 2 and lines[0].lstrip().startswith("|") and set(lines[1].strip()) <= set("|:- ")
    header = "".join(lines[:2]) if table else ""
    piece, start = "", line
    for number, row in enumerate(lines):
        if piece and len(piece) + len(row) > limit:
            yield _Paragraph(start, piece)
            piece, start = header if number > 1 else "", line + number
        if len(row) > limit and not table:
            yield from (_Paragraph(line + number, part) for part in _sentences(row, limit))
            start = line + number + 1
        else:
            piece += row
    if piece:
        yield _Paragraph(start, piece)


def _sentences(row: str, limit: int) -> Iterator[str]:
    piece = ""
    for sentence in re.findall(r".+?(?:[.!?](?=\s)\s*|[。！？]|$)", row, flags=re.DOTALL):
        if piece and len(piece) + len(sentence) > limit:
            yield piece
            piece = ""
        piece += sentence
        while len(piece) > limit:
            yield piece[:limit]
            piece = piece[limit:]
    if piece:
        yield piece
