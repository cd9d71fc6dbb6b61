"""Where the objects of a JSON document begin: the line of each, as an editor counts them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memfs.transcripts.lines import Place

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{\n]', re.DOTALL)


class Places:
    """The places of the objects of one document; it is only asked while the document is held."""

    def __init__(self, lines: Mapping[int, int]) -> None:
        self._lines = lines

    def of(self, item: Any) -> Place:
        """Where an object of the document begins: its line where that is known, and no offsets."""
        return Place(0, 0, self._lines.get(id(item)))


NO_PLACES = Places({})


def find_places(data: bytes, document: Any) -> Places:
    """The places in a document that was parsed from ``data``. What stands on one line has none to tell apart."""
    if b"\n" not in data.strip():
        return NO_PLACES
    lines = list(_lines_of_objects(data))
    objects = list(_objects(document))
    if len(lines) != len(objects):  # a key that is there twice, or an encoding of its own
        return NO_PLACES
    return Places({id(item): line for item, line in zip(objects, lines, strict=True)})


def _lines_of_objects(data: bytes) -> Iterator[int]:
    line = 1
    for token in _TOKEN.finditer(data):
        start = data[token.start()]
        if start == 0x0A:
            line += 1
        elif start == 0x7B:
            yield line


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in the order in which they begin; without recursion, since documents nest as they like."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))
