"""Fenced code blocks in text, so that nothing inside one is taken for structure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)\Z", re.DOTALL)


def unfenced(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fenced code block. A fence that is never closed is no fence."""
    marks = [_FENCE.match(line) for line in lines]
    longest = {"`": 0, "~": 0}  # the longest closing fence below each line
    below: list[dict[str, int]] = []
    for mark in reversed(marks):
        below.append(longest)
        if mark is not None and not mark[2].strip():
            longest = {**longest, mark[1][0]: max(longest[mark[1][0]], len(mark[1]))}
    below.reverse()
    fence: str | None = None
    for line, mark, after in zip(lines, marks, below, strict=True):
        if fence is not None:
            yield line, True
            if mark is not None and mark[1].startswith(fence) and not mark[2].strip():
                fence = None
        elif mark is not None and after[mark[1][0]] >= len(mark[1]):
            fence = mark[1]
            yield line, True
        else:
            yield line, False
