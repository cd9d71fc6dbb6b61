"""Secrets that are in the vault already: found by line, and replaced by placeholders.

What memfs wrote is mended when asked; what a person wrote only with their word for it. History keeps what was
committed: `purge` takes an entry out of it. Undo never brings a secret back (`services.undo`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memfs.errors import InvalidDocument
from memfs.extraction.locating import SecretLines, secret_lines, without_secrets
from memfs.markdown.document import parse_document
from memfs.memory.desk import Desk, block_hash
from memfs.memory.views import locate
from memfs.services.changing import homes_of
from memfs.services.commit import Transaction, open_transaction
from memfs.services.merging.merges import result_files
from memfs.services.merging.proofs import with_proof
from memfs.services.merging.snapshots import load_snapshot
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

BY_HAND = "it is in a line of yours"


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """Where a secret is, and what kind of one; never the secret.

    ``commit``: it is in this one's version of the file (the newest that has it). ``replaced``: a placeholder stands
    there now; else ``reason`` says why not.
    """

    path: str
    line: int
    kind: str
    by_hand: bool = False
    commit: str | None = None
    replaced: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Redaction:
    """The secrets in the Markdown of a vault, how many files were read, and the commit that replaced them."""

    found: tuple[FoundSecret, ...]
    files: int
    commit: str | None = None

    @property
    def left(self) -> tuple[FoundSecret, ...]:
        """Those that are still there."""
        return tuple(each for each in self.found if not each.replaced)


def scan_secrets(vault: Vault, *, history: bool = False) -> Redaction:
    """Find the secrets in the Markdown of the vault, and with ``history`` in the earlier versions of its files."""
    paths = sorted(scan_documents(vault.layout, ["**/*.md"]).documents)
    found = [each for path in paths for each in _found_in(vault, path)]
    if history:
        found += _found_before(vault, paths)
    return Redaction(tuple(found), len(paths))


def redact(vault: Vault, *, hand: bool = False) -> Redaction:
    """Put placeholders in the place of the secrets in memfs's own entries, and with ``hand`` in any line.

    One commit; what a person changed in these files and did not commit is in it, without its secrets, so that they
    are never committed. Nothing is done to a file that holds such a change with a secret unless ``hand`` is given.
    """
    scanned = scan_secrets(vault)
    if not scanned.found:
        return scanned
    with open_transaction(vault) as transaction:
        work = _Work(vault, transaction, hand, {})
        found = tuple(work.mend(dict.fromkeys(each.path for each in scanned.found)))
        commit = work.commit(found) if work.files else None
    return Redaction(found, scanned.files, commit)


def _found_in(vault: Vault, path: str) -> Iterator[FoundSecret]:
    try:
        text = (vault.top / path).read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        return
    parts = secret_lines(text)
    own = _own_lines(vault, path, text) if parts else frozenset[int]()
    for part in parts:
        by_hand = not own.issuperset(range(part.start, part.end))
        for line, kind in part.kinds:
            yield FoundSecret(path, line + 1, kind, by_hand)


def _own_lines(vault: Vault, path: str, text: str) -> frozenset[int]:
    """The lines (from 0) of memfs's entries in a document that stand as it wrote them."""
    from memfs.services.entries import ledger_records

    blocks = [block for block in parse_document(text).blocks if block.block_id]
    records = ledger_records(vault, path, [block.block_id or "" for block in blocks])
    own = (
        range(block.start, block.end)
        for block in blocks
        if (record := records.get(block.block_id or "")) and block_hash(block) == record.hash
    )
    return frozenset(line for lines in own for line in lines)


def _found_before(vault: Vault, paths: Iterable[str]) -> Iterator[FoundSecret]:
    """The secrets in versions of Markdown files other than those of now; of equal lines the newest commit."""
    from memfs.history.tracing import markdown_versions

    now = {path: (vault.top / path).read_bytes() for path in paths if (vault.top / path).is_file()}
    seen: set[tuple[str, str]] = set()
    for commit, path, data in markdown_versions(vault.repository):
        if now.get(path) == data:
            continue
        text = data.decode("utf-8", "surrogateescape")
        lines = text.splitlines()
        for part in secret_lines(text):
            if (path, lines[part.start]) not in seen:
                seen.add((path, lines[part.start]))
                yield from (FoundSecret(path, line + 1, kind, False, commit) for line, kind in part.kinds)


@dataclass(slots=True)
class _Work:
    vault: Vault
    transaction: Transaction
    hand: bool
    files: dict[str, bytes | None]

    def mend(self, paths: Iterable[str]) -> Iterator[FoundSecret]:
        """Work out the new texts; tell of each secret whether it goes."""
        names = tuple(paths)
        obstacles = self.transaction.obstacles(names)
        for path in names:
            text = (self.transaction.read(path) or b"").decode("utf-8", "surrogateescape")
            parts, own = secret_lines(text), _own_lines(self.vault, path, text)
            reason = obstacles.get(path) or self._cannot(path, text, parts, own)
            goes = [part for part in parts if not reason and (self.hand or _is_own(part, own))]
            if goes:
                self._put(path, without_secrets(text, goes))
            for part in parts:
                by_hand, replaced = not _is_own(part, own), part in goes
                why = None if replaced else reason or BY_HAND
                for line, kind in part.kinds:
                    yield FoundSecret(path, line + 1, kind, by_hand, None, replaced, why)

    def _cannot(self, path: str, text: str, parts: Iterable[SecretLines], own: frozenset[int]) -> str | None:
        try:
            parse_document(text).require_writable()
        except InvalidDocument as error:
            return error.message
        if not self.hand and any(not _is_own(part, own) for part in parts) and self._is_edited(path):
            return "a line of yours in this file holds a secret and is not committed yet"
        return None

    def _is_edited(self, path: str) -> bool:
        committed = self.transaction.blobs([path])[path]
        data = self.transaction.read(path) or b""
        return committed is None or not self.vault.repository.matches(path, data, committed[1])

    def _put(self, path: str, text: str) -> None:
        """Take a new text, and note in the ledger what memfs's entries in it say now."""
        place = locate(path, root=self.vault.layout.root)
        self.files[path] = text.encode("utf-8", "surrogateescape")
        if place is None:
            return
        now = (self.transaction.read(path) or b"").decode("utf-8", "surrogateescape")
        ids = [block.block_id for block in parse_document(now).blocks if block.block_id]
        homes = dict.fromkeys(home for entry in ids for home in homes_of(self.vault, place.identity, entry))
        snapshot = load_snapshot(
            self.vault, self.transaction, place.identity, (place.document, *homes)
        ).snapshot
        desk = Desk(snapshot)
        whole = {
            entry: found[1] for entry in ids if (found := desk.owned(entry)) and found[0] == place.document
        }
        desk.put(place.document, text)
        for entry, block in whole.items():
            if block_hash(block) == desk.records[entry].hash:
                at = _ordinal(now, entry, block.start)
                clean = desk.document(place.document).find(entry)[at]
                desk.record(desk.homes[entry], replace(desk.records[entry], hash=block_hash(clean)))
        self.files |= result_files(self.vault.layout, place.identity, desk.result()) | {
            path: self.files[path]
        }

    def commit(self, found: Iterable[FoundSecret]) -> str:
        """One commit of it all."""
        from memfs.history.messages import CommitMessage, EntryChange
        from memfs.history.subjects import action_subject

        counts: dict[str, int] = {}
        for each in found:
            counts[each.path] = counts.get(each.path, 0) + each.replaced
        what = ", ".join(f"{path} ({count})" for path, count in counts.items() if count)
        changes = with_proof(self.vault, (EntryChange(entry, "updated") for entry in self._entries()))
        message = CommitMessage(
            "redact", action_subject("redact", what, language=self.vault.language), entries=changes
        )
        return self.transaction.commit(self.files, message).commit

    def _entries(self) -> Iterator[str]:
        """The entries whose words change, by their lines in the ledgers."""
        for path, data in self.files.items():
            if "/.ledger/" in path:
                known = set((self.transaction.read(path) or b"").splitlines())
                yield from (
                    line.split()[0].decode() for line in (data or b"").splitlines() if line not in known
                )


def _ordinal(text: str, entry: str, start: int) -> int:
    """Which of the lines with an id begins at ``start``: copies keep their order when secrets go."""
    return [block.start for block in parse_document(text).find(entry)].index(start)


def _is_own(part: SecretLines, own: frozenset[int]) -> bool:
    return own.issuperset(range(part.start, part.end))
