"""Lines of a growing file: byte offsets, LF only, an unfinished last line waits."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import orjson

from memfs.transcripts.decoding import decode_line

CHUNK = 4 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_BOM = b"\xef\xbb\xbf"
_LARGEST = 2**63


class Place(NamedTuple):
    """Where a record is: byte offsets (``end`` exclusive, LF included) and line number from 1, if known."""

    start: int
    end: int
    line: int | None


class Malformed(ValueError):
    """A whole line that is no JSON."""


class Lines:
    """The whole lines of ``stream`` from ``start`` on; inside a line, reading begins after the next LF.

    Iterate once. ``consumed`` is the offset after the last LF; ``tail`` whether bytes follow it.
    Lines longer than ``longest`` bytes come out as None.
    """

    def __init__(self, stream: BinaryIO, start: int, longest: int) -> None:
        self._stream = stream
        self._start = start
        self._longest = longest
        self._before: int | None = 0 if start == 0 else None
        self.consumed = start
        self.tail = False
        self._count = 0

    def __iter__(self) -> Iterator[tuple[Place, bytes | None]]:
        offset = self._start
        in_line = offset > 0 and not self._follows_lf(offset)
        for raw in self._split(offset):
            end = offset + raw[1]
            self._count += 1
            if in_line:
                in_line = False
            else:
                line = self._count if self._before == 0 else None
                yield Place(offset, end, line), raw[0]
            offset = self.consumed = end

    def number(self) -> int:
        """The number, from 1, of the line that came out last. First asked, it counts those before."""
        if self._before is None:
            position = self._stream.tell()
            self._stream.seek(0)
            left, self._before = self._start, 0
            while left and (chunk := self._stream.read(min(CHUNK, left))):
                self._before += chunk.count(b"\n")
                left -= len(chunk)
            self._stream.seek(position)
        return self._before + self._count

    def _follows_lf(self, offset: int) -> bool:
        self._stream.seek(offset - 1)
        return self._stream.read(1) == b"\n"

    def _split(self, offset: int) -> Iterator[tuple[bytes | None, int]]:
        """Whole lines without their LF, each with its length in bytes including it."""
        self._stream.seek(offset)
        pieces: list[bytes] = []
        held = 0
        while chunk := self._stream.read(CHUNK):
            first, *rest = chunk.split(b"\n")
            if rest:
                last = rest.pop()
                yield self._join(pieces, held, first), held + len(first) + 1
                for line in rest:
                    yield (line if len(line) <= self._longest else None), len(line) + 1
                pieces, held = [], 0
            else:
                last = first
            held += len(last)
            if held <= self._longest:
                pieces.append(last)
            else:
                pieces.clear()  # too long: only its length matters from here on
        self.tail = held > 0

    def _join(self, pieces: list[bytes], held: int, end: bytes) -> bytes | None:
        if held + len(end) > self._longest:
            return None
        return b"".join((*pieces, end)) if pieces else end


def size_of(stream: BinaryIO) -> int:
    """The length of a stream in bytes."""
    return stream.seek(0, io.SEEK_END)


def contains(stream: BinaryIO, word: bytes, start: int) -> bool:
    """Whether a word is anywhere in the stream from ``start`` on."""
    stream.seek(start)
    end = b""
    while chunk := stream.read(CHUNK):
        if word in end + chunk[: len(word)] or word in chunk:
            return True
        end = chunk[-len(word) :]
    return False


def parse_line(line: bytes) -> Any:
    """The JSON value of a line, or Malformed. Lone surrogates and stray bytes become U+FFFD."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return parse_exactly(line)


def parse_exactly(line: bytes) -> Any:
    """As `parse_line`, but slower, and with integers of any size as they are."""
    if line.startswith(_BOM):
        line = line[len(_BOM) :]
    if b"\0" in line and not line.strip(b"\0\r\n\t "):
        raise Malformed("NUL bytes")
    try:
        return _without_surrogates(json.loads(decode_line(line)))
    except RecursionError as error:
        raise Malformed("nested too deeply") from error
    except ValueError as error:
        raise Malformed("not JSON") from error


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def has_rounded_number(value: Any) -> bool:
    """Whether the fast parser may have rounded an integer of more than 64 bits in ``value``."""
    if isinstance(value, float):
        return abs(value) >= _LARGEST
    if isinstance(value, list):
        return any(map(has_rounded_number, value))
    if isinstance(value, dict):
        return any(map(has_rounded_number, value.values()))
    return False
