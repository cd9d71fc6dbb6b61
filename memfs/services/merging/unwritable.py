"""Documents that memfs reads but never writes into: why, and on which line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.markdown import parse_document
from memfs.memory.views import locate
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What keeps memfs from writing into a document. ``path`` is relative to the vault."""

    path: str
    reason: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Looked:
    """A document's text ("" where it cannot be read) and its obstacles."""

    text: str
    obstacles: tuple[Obstacle, ...] = ()


def look_at(vault: Vault, path: str) -> Looked:
    """Read a document and say what keeps memfs from writing into it."""
    try:
        data = (vault.top / path).read_bytes()
    except OSError as error:
        return Looked("", (Obstacle(path, f"cannot be read: {error.strerror}"),))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Looked("", (Obstacle(path, "not UTF-8; memfs never writes into it", line),))
    document = parse_document(text)
    problems = dict.fromkeys((document.problem, document.frontmatter.problem))
    return Looked(
        text, tuple(Obstacle(path, each.message, each.line) for each in problems if each is not None)
    )


def find_obstacles(vault: Vault) -> Iterator[Obstacle]:
    """The documents of memory that memfs cannot write into."""
    folder = vault.layout.rel(vault.layout.memories)
    for path in sorted(scan_documents(vault.layout, [f"{folder}/**/*.md"]).documents):
        if locate(path, root=vault.layout.root) is not None:
            yield from look_at(vault, path).obstacles
