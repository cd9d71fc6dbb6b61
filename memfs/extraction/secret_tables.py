"""Secrets in Markdown tables whose heading names them: ``| user | password |`` over ``| ada | x |``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memfs.extraction.placeholders import placeholder
from memfs.extraction.secret_names import SECRET_NAME, kind_of
from memfs.extraction.secret_values import is_reference, looks_made_up

_RULE = re.compile(r"[ \t]{0,8}\|?[ \t:|-]{3,400}\s*")
_EDGES = " \t*_`\r\n"


def table_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Where such secrets are, each with its placeholder; one pass over the lines."""
    if "|" not in text:
        return
    secret_columns: dict[int, str] = {}
    before, start = "", 0
    for line in text.splitlines(keepends=True):
        if "|" not in line:
            secret_columns = {}
        elif "-" in line and _RULE.fullmatch(line):
            secret_columns = _named(before)
        elif secret_columns:
            yield from _in_row(line, start, secret_columns)
        before, start = line, start + len(line)


def _named(heading: str) -> dict[int, str]:
    """The kind of secret that each column of a heading holds."""
    names = enumerate(cell.strip(_EDGES).replace(" ", "_") for cell in heading.split("|"))
    return {at: kind_of(name) for at, name in names if len(name) < 80 and SECRET_NAME.fullmatch(name)}


def _in_row(line: str, start: int, columns: dict[int, str]) -> Iterator[tuple[int, int, str]]:
    for at, cell in enumerate(line.split("|")):
        bare = cell.strip(_EDGES)
        if at in columns and looks_made_up(bare) and not is_reference(bare):
            begin = start + cell.index(bare)
            yield begin, begin + len(bare), placeholder(columns[at])
        start += len(cell) + 1
