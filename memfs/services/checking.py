"""Check: is everything sound? What is derived is mended; what is a person's is only reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memfs.errors import MemfsError, RepositoryBusy, VaultLocked
from memfs.markdown.document import parse_document
from memfs.memory.ledger import parse_ledger
from memfs.memory.marks import parse_marks
from memfs.memory.views import locate
from memfs.services.commit import open_transaction
from memfs.services.finding.indexing import open_index, refresh_index
from memfs.services.merging.unwritable import Obstacle, find_missing, look_at
from memfs.services.relay import board_troubles
from memfs.vault.intents import read_intent
from memfs.vault.local import LocalState
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

Level = Literal["error", "warning", "mended", "note"]
_NAMED = 5  # orphans
_BROKEN = {
    "no_document": "no such note or file",
    "no_heading": "no such heading there",
    "no_block": "no such block there",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be (``mended``: it is again; ``note``: it may be meant so).

    ``path`` is relative to the vault.
    """

    level: Level
    message: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found; ``documents`` and ``entries`` say how much it looked at."""

    findings: tuple[Finding, ...]
    documents: int
    entries: int

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong that memfs could not mend."""
        return not any(finding.level == "error" for finding in self.findings)


def check(vault: Vault) -> Checked:
    """Verify vault, repository, intent log, records and index; finish what a crash left, rebuild what is derived."""
    if not vault.layout.memories.is_dir():
        place = vault.layout.rel(vault.layout.memories)
        return Checked(
            (Finding("error", "the folder of all memory is missing; put it back, or memfs init", place),),
            0,
            0,
        )
    scan = scan_documents(vault.layout)
    documents = {path: look_at(vault, path) for path in sorted(scan.documents)}
    findings = [*_unfinished(vault), *_guarded(_repository(vault)), *_types(vault)]
    for looked in documents.values():
        findings += _unwritable(vault, looked.obstacles)
    findings += _guarded(_missing(vault))
    places = _ids(vault, {path: looked.text for path, looked in documents.items()})
    findings += _copies(places)
    findings += [
        Finding("warning", "a copy made by a sync conflict; merge it by hand", path)
        for path in scan.conflicts
    ]
    findings += [Finding("warning", reason, path) for path, reason in scan.skipped]
    findings += [
        Finding("warning", f"differs only in Unicode form from {', '.join(twins[1:])}", twins[0])
        for twins in scan.twins
    ]
    findings += [
        *_records(vault),
        *_boards(vault),
        *_guarded(_state(vault)),
        *_guarded(_derived(vault, _paths(findings))),
    ]
    findings += _guarded(_links(vault))
    return Checked(tuple(findings), len(documents), sum(map(len, places.values())))


def _guarded(findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings; where looking itself fails, that is one."""
    try:
        yield from findings
    except MemfsError as error:
        yield Finding("error", str(error))


def _unfinished(vault: Vault) -> Iterator[Finding]:
    try:
        pending = read_intent(vault.layout) is not None
        with open_transaction(vault):
            pass
        if pending:
            yield Finding("mended", "a commit that a crash had interrupted was finished")
    except (RepositoryBusy, VaultLocked) as error:
        yield Finding("warning", str(error))
    except MemfsError as error:
        yield Finding("error", str(error))


def _repository(vault: Vault) -> Iterator[Finding]:
    from memfs.history.display import risky_settings

    for line in vault.repository.verify():
        yield Finding("error", f"git fsck: {line}")
    for lock in vault.repository.find_locks():
        yield Finding("warning", "a git lock; remove it if no git is running", str(lock.path))
    for name in risky_settings(vault.repository):
        yield Finding(
            "warning", f"the repository's {name} runs a program under plain git (memfs never runs it)"
        )


def _types(vault: Vault) -> Iterator[Finding]:
    yield from (Finding("error", problem) for problem in vault.registry.problems)


def _unwritable(vault: Vault, obstacles: Sequence[Obstacle]) -> Iterator[Finding]:
    """What keeps memfs from writing: an error in a document of memory; other notes it only reads."""
    for each in obstacles:
        own = locate(each.path, root=vault.layout.root) is not None
        yield Finding("error" if own else "warning", each.reason, each.path, each.line)


def _missing(vault: Vault) -> Iterator[Finding]:
    """Documents deleted whole and not committed: like one that cannot be written, they make memory wait."""
    yield from (Finding("error", each.reason, each.path) for each in find_missing(vault))


def _ids(vault: Vault, texts: Mapping[str, str]) -> Mapping[str, list[tuple[str, int]]]:
    """Where each id of an entry stands: documents under memories, and lines."""
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, text in texts.items():
        if "^" in text and locate(path, root=vault.layout.root) is not None:
            for block in parse_document(text).blocks:
                if block.block_id:
                    places[block.block_id].append((path, block.line))
    return places


def _copies(places: Mapping[str, Sequence[tuple[str, int]]]) -> Iterator[Finding]:
    """Ids that stand more than once: one of the lines is memfs's, the other a person's copy."""
    for entry, found in sorted(places.items()):
        (first, line), *others = found
        for path, here in others:
            where = f"line {line}" if path == first else f"{first}, line {line}"
            yield Finding(
                "warning", f"the id {entry} stands in {where} too; a copy counts as yours", path, here
            )


def _records(vault: Vault) -> Iterator[Finding]:
    """Ledgers, marks and cursors: lines that cannot be read are skipped by every command, and told here."""
    from memfs.history.cursors import parse_cursor

    for identity in vault.identities():
        folder = vault.layout.identity_dir(identity)
        readers: list[tuple[Path, Callable[[str], tuple[object, Sequence[str]]]]] = []
        readers += [(p, parse_ledger) for p in sorted((folder / ".ledger").rglob("*")) if p.is_file()]
        readers += [(p, parse_cursor) for p in sorted((folder / ".cursors").rglob("*")) if p.is_file()]
        marks = vault.layout.forgotten_file(identity)
        readers += [(marks, parse_marks)] if marks.is_file() else []
        for path, parse in readers:
            _, problems = parse(path.read_text(encoding="utf-8", errors="replace"))
            yield from (Finding("warning", problem, vault.layout.rel(path)) for problem in problems)


def _boards(vault: Vault) -> Iterator[Finding]:
    """Relay boards: what cannot be read of them is handed to no agent."""
    for identity in vault.identities():
        yield from (Finding("warning", told) for told in board_troubles(vault, identity))


def _state(vault: Vault) -> Iterator[Finding]:
    for name in LocalState(vault.layout).mend_records():
        yield Finding("mended", f"local state {name} was damaged and begun anew")


def _links(vault: Vault) -> Iterator[Finding]:
    """Links that lead nowhere, and notes that nothing links to."""
    from memfs.services.finding.linking import LinkGraph

    graph = LinkGraph(vault)
    for link in graph.broken():
        yield Finding("warning", f"the link to {link.target}: {_BROKEN[link.state]}", link.path, link.line)
    if orphans := list(graph.orphans()):
        named = ", ".join(orphans[:_NAMED]) + ", ..." * (len(orphans) > _NAMED)
        yield Finding("note", f"no link leads to these notes, nor from them ({len(orphans)}): {named}")


def _paths(findings: Sequence[Finding]) -> frozenset[str]:
    return frozenset(finding.path for finding in findings if finding.path is not None)


def _derived(vault: Vault, named: frozenset[str]) -> Iterator[Finding]:
    """The index follows the files; one that is damaged or of another version is rebuilt.

    Files that are ``named`` already are not named again for not being in it.
    """
    from memfs.history.provenance import ProvenanceIndex

    index = open_index(vault)
    sound = index.verify()
    report = refresh_index(vault, index)
    if not sound:
        yield Finding("mended", "the search index was damaged and is built anew")
    yield from (Finding("warning", reason) for reason in report.degraded)
    left_out = [(path, reason) for path, reason in index.problems() if path not in named]
    yield from (Finding("warning", f"not indexed: {reason}", path) for path, reason in left_out)
    ProvenanceIndex(vault.layout.derived / "provenance", vault.repository).rebuild()
