"""The frontmatter: where it lies, and what it says. The one splitter that all of memfs uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memfs.markdown.lines import BOM

_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that keeps a document from being written; ``line`` counts from 1 in the file."""

    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The header of a document.

    ``start`` and ``end`` are lines from 0, fences included, ``end`` exclusive; both 0 without a header.
    ``values`` holds texts, lists and mappings of texts: ``2026-05-26``, ``no`` and ``09111`` stay as typed,
    null is absent. With a ``problem`` there are no values.
    """

    present: bool = False
    start: int = 0
    end: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    problem: Problem | None = None

    def text(self, key: str) -> str | None:
        """The value of ``key`` when it is a text."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """The value of ``key`` as a list of texts; one text is a list of one."""
        value = self.values.get(key)
        if isinstance(value, str):
            return (value,)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def is_fence(text: str) -> bool:
    """True for ``---`` and blanks after it, nothing else."""
    return text.startswith("---") and not text[3:].strip(" \t")


def find_frontmatter(texts: Sequence[str]) -> int:
    """The line after the header of ``texts`` (lines without endings and BOM); 0 when there is none.

    Only a fence on the first line opens a header, and without a closing fence there is none.
    """
    if not texts or not is_fence(texts[0]):
        return 0
    for number in range(1, len(texts)):
        if is_fence(texts[number]):
            return number + 1
    return 0


def read_frontmatter(texts: Sequence[str]) -> Frontmatter:
    """Find and read the header; what cannot be read becomes its ``problem``."""
    end = find_frontmatter(texts)
    if not end:
        return Frontmatter()
    block = "".join(f"{text}\n" for text in texts[1 : end - 1])
    if not block.strip():
        return Frontmatter(present=True, end=end)
    if len(block.encode("utf-8", "surrogatepass")) > _MAX_BYTES:
        problem = Problem("the frontmatter is larger than 64 KiB", 1)
        return Frontmatter(present=True, end=end, problem=problem)
    # PyYAML is only imported for documents that have a header
    from memfs.markdown.yaml_text import UnreadableYaml, read_yaml

    try:
        return Frontmatter(present=True, end=end, values=read_yaml(block))
    except UnreadableYaml as error:
        problem = Problem(f"the frontmatter cannot be read: {error.message}", error.line + 1)
        return Frontmatter(present=True, end=end, problem=problem)


def without_bom(line: str) -> str:
    """A first line without its byte order mark."""
    return line.removeprefix(BOM)
