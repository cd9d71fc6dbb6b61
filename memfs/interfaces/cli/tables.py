"""Rows in columns: plain where a program reads, fitted to the window on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence


def table_lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table. On a terminal long cells are wrapped; elsewhere each row is one line."""
    if sys.stdout.isatty():
        yield from _fitted(headings, rows)
        return
    from memfs.interfaces.cli.printing import width

    sizes = [max(width(cell) for cell in column) for column in zip(headings, *rows, strict=True)]
    for row in (headings, *rows):
        cells = (cell + " " * (size - width(cell)) for cell, size in zip(row, sizes, strict=True))
        yield "  ".join(cells).rstrip()


def _fitted(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    with console.capture() as captured:
        console.print(table)
    yield from captured.get().rstrip("\n").splitlines()
