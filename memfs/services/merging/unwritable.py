"""Documents that memfs reads but never writes into: why, and on which line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.markdown.document import parse_document
from memfs.memory.ledger import parse_ledger
from memfs.memory.views import locate
from memfs.services.committing.places import linked
from memfs.vault.scan import find_ids, scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

MISSING = "the document is missing; commit its removal, or put it back"
EMPTY = "the document is empty"


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
    found = [Obstacle(path, each.message, each.line) for each in problems if each is not None]
    if locate(path, root=vault.layout.root) is not None and (reason := linked(vault.top, path)):
        found.insert(0, Obstacle(path, reason))
    return Looked(text, tuple(found))


def find_obstacles(vault: Vault) -> Iterator[Obstacle]:
    """The documents of memory that memfs cannot write into."""
    folder = vault.layout.rel(vault.layout.memories)
    for path in sorted(scan_documents(vault.layout, [f"{folder}/**/*.md"]).documents):
        if locate(path, root=vault.layout.root) is not None:
            yield from look_at(vault, path).obstacles
    yield from find_missing(vault)


def find_missing(vault: Vault) -> Iterator[Obstacle]:
    """The documents that a person deleted whole, or emptied, and did not commit: what feeds them waits."""
    gone = {
        vault.layout.document_rel(identity, name): (name, ids)
        for identity in vault.identities()
        for name, ids in _recorded(vault, identity)
        if not _has_text(vault.layout.document(identity, name))
    }
    wanted = {entry for _, ids in gone.values() for entry in ids}
    if not wanted:
        return
    lost = wanted - find_ids(vault.layout, wanted).keys()
    committed = vault.repository.blob_ids(vault.repository.head().commit, list(gone))
    for path, (_, ids) in gone.items():
        if lost.isdisjoint(ids):
            continue
        if (vault.top / path).exists():
            yield Obstacle(path, EMPTY)
        elif committed[path] is not None:
            yield Obstacle(path, MISSING)


def _recorded(vault: Vault, identity: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The documents of an identity's ledgers, with the entries that are to stand there."""
    folder = vault.layout.identity_dir(identity) / ".ledger"
    for file in sorted(folder.rglob("*.md")):
        records, _ = parse_ledger(file.read_text(encoding="utf-8", errors="replace"))
        ids = frozenset(record.id for record in records if not record.at)
        if ids:
            yield file.relative_to(folder).as_posix(), ids


def _has_text(path: Path) -> bool:
    try:
        return bool(path.read_bytes().strip())
    except FileNotFoundError:
        return False
    except OSError:
        return True  # that it cannot be read is told by itself
