"""Check: is everything sound? What is derived is mended; what is a person's is only reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memfs.errors import HistoryError, MemfsError, VaultLocked
from memfs.markdown import parse_document
from memfs.memory.ledger import parse_ledger
from memfs.memory.marks import parse_marks
from memfs.memory.views import locate
from memfs.services.commit import open_transaction
from memfs.services.recall import document_stats, open_index, refresh_index
from memfs.vault.intents import read_intent
from memfs.vault.local import LocalState
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

Level = Literal["error", "warning", "mended"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be (``mended``: it is again). ``path`` is relative to the vault."""

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
    findings = [*_unfinished(vault), *_repository(vault), *_types(vault)]
    scan = scan_documents(vault.layout)
    entries = 0
    for path in sorted(scan.documents):
        found, count = _document(vault, path)
        findings += found
        entries += count
    findings += [Finding("warning", "a copy made by a sync conflict; merge it by hand", path) for path in scan.conflicts]
    findings += [Finding("warning", reason, path) for path, reason in scan.skipped]
    findings += [
        Finding("warning", f"differs only in Unicode form from {', '.join(twins[1:])}", twins[0]) for twins in scan.twins
    ]
    findings += [*_records(vault), *_state(vault), *_derived(vault)]
    return Checked(tuple(findings), len(scan.documents), entries)


def _unfinished(vault: Vault) -> Iterator[Finding]:
    try:
        pending = read_intent(vault.layout) is not None
        with open_transaction(vault):
            pass
        if pending:
            yield Finding("mended", "a commit that a crash had interrupted was finished")
    except (HistoryError, VaultLocked) as error:
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
        yield Finding("warning", f"the repository's {name} runs a program under plain git (memfs never runs it)")


def _types(vault: Vault) -> Iterator[Finding]:
    yield from (Finding("error", problem) for problem in vault.registry.problems)


def _document(vault: Vault, path: str) -> tuple[list[Finding], int]:
    """What is wrong with one document, and how many entries of memfs's it has."""
    data = (vault.top / path).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return [Finding("error", "not UTF-8; memfs never writes into it", path, line)], 0
    document = parse_document(text)
    found = [
        Finding("error", problem.message, path, problem.line)
        for problem in {document.problem, document.frontmatter.problem}
        if problem is not None
    ]
    if locate(path, root=vault.layout.root) is None:
        return found, 0
    ids = [block.block_id for block in document.blocks if block.block_id]
    doubled = sorted({entry for entry in ids if ids.count(entry) > 1})
    found += [Finding("warning", f"the id {entry} stands twice; the copy counts as yours", path) for entry in doubled]
    return found, len(ids)


def _records(vault: Vault) -> Iterator[Finding]:
    """Ledgers, marks and cursors: lines that cannot be read are skipped by every command, and told here."""
    from memfs.history.cursors import parse_cursor

    for identity in vault.identities():
        folder = vault.layout.identity_dir(identity)
        readers = [(p, parse_ledger) for p in (folder / ".ledger").rglob("*") if p.is_file()]
        readers += [(p, parse_cursor) for p in (folder / ".cursors").rglob("*") if p.is_file()]  # type: ignore[misc]
        marks = vault.layout.forgotten_file(identity)
        if marks.is_file():
            readers.append((marks, parse_marks))  # type: ignore[arg-type]
        for path, parse in readers:
            _, problems = parse(path.read_text(encoding="utf-8", errors="replace"))
            yield from (Finding("warning", problem, vault.layout.rel(path)) for problem in problems)


def _state(vault: Vault) -> Iterator[Finding]:
    for name in LocalState(vault.layout).damaged_records():
        yield Finding("mended", f"local state {name} was damaged and begun anew")


def _derived(vault: Vault) -> Iterator[Finding]:
    """The index follows the files; one that is damaged or of another version is rebuilt."""
    from memfs.history.provenance import ProvenanceIndex

    index = open_index(vault)
    stale = index.stale(document_stats(vault))
    report = refresh_index(vault, index)
    if stale:
        yield Finding("mended", f"the search index lagged behind {len(stale.changed) + len(stale.gone)} files")
    yield from (Finding("warning", reason) for reason in report.degraded)
    yield from (Finding("warning", f"not indexed: {reason}", path) for path, reason in index.problems())
    ProvenanceIndex(vault.layout.derived / "provenance", vault.repository).rebuild()
