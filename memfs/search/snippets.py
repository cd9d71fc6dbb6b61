"""The part of a text that shows why it was found, with the places of the words asked for. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memfs.search.analysis import analyse

_WIDTH = 200


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text on one line; ``highlights`` are character ranges in it, in order, end exclusive."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


def make_snippet(text: str, terms: Collection[str], width: int = _WIDTH) -> Snippet:
    """Cut the stretch of about ``width`` characters that holds most of ``terms`` out of ``text``."""
    flat = "".join(" " if char.isspace() else char for char in text)  # one character for one: places stay
    ranges = _merge(sorted((term.start, term.end) for term in analyse(flat) if term.text in terms))
    start, end = _window(flat, ranges, width)
    start += len(flat[start:end]) - len(flat[start:end].lstrip())
    end = start + len(flat[start:end].rstrip())
    before, after = "…" * (start > 0), "…" * (end < len(flat.rstrip()))
    shift = len(before) - start
    shown = tuple((max(a, start) + shift, min(b, end) + shift) for a, b in ranges if a < end and b > start)
    return Snippet(f"{before}{flat[start:end]}{after}", shown)


def _merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in ranges:
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _window(text: str, ranges: list[tuple[int, int]], width: int) -> tuple[int, int]:
    if len(text) <= width + width // 4:
        return 0, len(text)
    best, most = 0, -1
    for start, _ in ranges:
        inside = sum(min(b, start + width) - a for a, b in ranges if start <= a < start + width)
        if inside > most:
            best, most = start, inside
    start = max(0, min(best - width // 6, len(text) - width))
    if start and (blank := text.find(" ", start, start + 20)) != -1 and blank < best:
        start = blank + 1
    end = min(len(text), start + width)
    if end < len(text) and (blank := text.rfind(" ", end - 20, end)) > start:
        end = blank
    return start, end
