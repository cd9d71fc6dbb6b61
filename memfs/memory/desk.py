"""The desk of one merge: documents laid open, the ledger beside them, edits that touch only their entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from memfs.errors import MemfsError
from memfs.markdown.document import Block, Document, parse_document
from memfs.memory.checks import check_edit, is_blank
from memfs.memory.ids import said_hash, written_hash
from memfs.memory.ledger import LedgerRecord, as_utc, parse_ledger, render_ledger
from memfs.memory.marks import Mark, blocks_entry, blocks_text, parse_marks, render_marks
from memfs.memory.snapshot import MergeResult, Outcome, Snapshot
from memfs.memory.views import suggestion_text

DELETED_LATER = "deleted later than this was said"
_ENTRY_KINDS = ("item", "paragraph")


class Desk:
    """One snapshot being changed. All changes stay here until ``result``.

    ``records``: the ledger record of each id. ``homes``: the document whose ledger holds it.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._texts: dict[str, str | None] = dict(snapshot.documents)
        self._parsed: dict[str, Document] = {}
        self._dirty: set[str] = set()
        self.problems: list[str] = []
        self.records: dict[str, LedgerRecord] = {}
        self.homes: dict[str, str] = {}
        self.marks = set(self._read_marks())
        self._first_marks = frozenset(self.marks)
        for home, text in snapshot.ledgers.items():
            self._read_ledger(home, text)

    # -- documents ------------------------------------------------------------------------------------------

    def text(self, path: str) -> str | None:
        """The document's text as it stands now; None where it does not exist."""
        return self._texts.get(path)

    def document(self, path: str) -> Document:
        """The document, read; one that does not exist reads as empty."""
        if path not in self._parsed:
            self._parsed[path] = parse_document(self._texts.get(path) or "")
        return self._parsed[path]

    def is_blank(self, path: str) -> bool:
        """Whether a document is missing or has nothing in it."""
        return is_blank(self._texts.get(path) or "")

    def edit(self, path: str, text: str, entries: Iterable[str]) -> None:
        """Take a new text for a document, provided that only these entries (ids) changed.

        Raises InvalidDocument, and changes nothing, for a text that touches any other byte or is empty.
        """
        before = self._texts.get(path) or ""
        check_edit(before, text, frozenset(entries))
        self._texts[path] = text
        self._parsed.pop(path, None)

    def put(self, path: str, text: str | None) -> None:
        """Take a text as it is, None for no document: for going back to an earlier version, byte for byte."""
        self._texts[path] = text
        self._parsed.pop(path, None)

    # -- entries --------------------------------------------------------------------------------------------

    def place(self, entry: str) -> str | None:
        """The document in which an entry of the ledger is looked for."""
        record = self.records.get(entry)
        if record is None:
            return None
        expected = record.at or self.homes[entry]
        if self.document(expected).find(entry) or entry not in self.snapshot.places:
            return expected
        return self.snapshot.places[entry]

    def owned(self, entry: str) -> tuple[str, Block] | None:
        """Where memfs's own entry stands: of copies the first whose hash fits, else the first.

        None: it is gone.
        """
        path = self.place(entry)
        if path is None:
            return None
        return self._pick(path, entry, self.records[entry])

    def _pick(self, path: str, entry: str, record: LedgerRecord) -> tuple[str, Block] | None:
        kinds = ("callout",) if entry.endswith("-q") else _ENTRY_KINDS
        found = [block for block in self.document(path).find(entry) if block.kind in kinds]
        if not found:
            return None
        return path, next((block for block in found if block_hash(block) == record.hash), found[0])

    def owned_in(self, path: str) -> Iterator[tuple[str, str, Block]]:
        """Id, document and block of memfs's entries whose home is that document, wherever they stand now."""
        for entry, home in self.homes.items():
            if home == path and entry in self.records and (found := self.owned(entry)):
                yield entry, *found

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """All or nothing: what was changed inside is taken back where an error is raised."""
        saved = dict(self._texts), set(self._dirty), dict(self.records), dict(self.homes), set(self.marks)
        try:
            yield
        except MemfsError:
            self._texts, self._dirty, self.records, self.homes, self.marks = saved
            self._parsed.clear()
            raise

    # -- ledger and marks -----------------------------------------------------------------------------------

    def record(self, home: str, record: LedgerRecord) -> None:
        """Note what memfs wrote of an entry."""
        if self.records.get(record.id) != record or self.homes.get(record.id) != home:
            self._dirty.update({home, self.homes.get(record.id, home)})
        self.records[record.id], self.homes[record.id] = record, home

    def drop(self, entry: str) -> None:
        """Forget that an entry is memfs's."""
        self._dirty.add(self.homes.pop(entry))
        del self.records[entry]

    def mark(self, *marks: Mark) -> None:
        """Add marks of what must not come back."""
        self.marks.update(marks)

    def unmark(self, marks: Iterable[Mark]) -> None:
        """Take marks away."""
        self.marks.difference_update(marks)

    def held_back(self, entry: str, said: str, evidence: datetime) -> str | None:
        """Why a mark holds an entry back that says this (``text_hash``); None when none does."""
        if blocks_text(self.marks, said):
            return "this text was deleted, rejected or undone"
        if blocks_entry(self.marks, entry, evidence):
            return DELETED_LATER
        return None

    # -- the end --------------------------------------------------------------------------------------------

    def result(self, outcomes: Iterable[Outcome] = ()) -> MergeResult:
        """All texts that differ from the snapshot."""
        documents = {
            path: text for path, text in self._texts.items() if text != self.snapshot.documents.get(path)
        }
        ledgers = {home: self.ledger(home) for home in sorted(self._dirty)}
        changed = {
            home: text for home, text in ledgers.items() if text != self.snapshot.ledgers.get(home, "")
        }
        marks = render_marks(self.marks) if self.marks != self._first_marks else None
        return MergeResult(documents, changed, marks, tuple(outcomes), tuple(self.problems))

    def ledger(self, home: str) -> str:
        """The ledger of a document as it stands now."""
        return render_ledger(self.records[entry] for entry, path in self.homes.items() if path == home)

    def _read_marks(self) -> tuple[Mark, ...]:
        marks, problems = parse_marks(self.snapshot.marks)
        self.problems += [f".forgotten: {problem}" for problem in problems]
        return marks

    def _read_ledger(self, home: str, text: str) -> None:
        records, problems = parse_ledger(text)
        self.problems += [f".ledger/{home}: {problem}" for problem in problems]
        several: dict[str, list[LedgerRecord]] = {}
        for record in records:
            several.setdefault(record.id, []).append(record)
        for entry, candidates in several.items():
            self.records[entry], self.homes[entry] = self._choose(home, candidates), home

    def _choose(self, home: str, candidates: list[LedgerRecord]) -> LedgerRecord:
        """Of several records of one id, after a branch merge: whose hash fits the disk, else the latest."""
        latest = max(candidates, key=lambda each: (as_utc(each.time), each.hash))
        if len(candidates) == 1:
            return latest
        places = dict.fromkeys(
            [*(each.at or home for each in candidates), self.snapshot.places.get(latest.id, home)]
        )
        on_disk = {block_hash(block) for path in places for block in self.document(path).find(latest.id)}
        fitting = [each for each in candidates if each.hash in on_disk]
        return max(fitting, key=lambda each: as_utc(each.time), default=latest)


def block_hash(block: Block) -> str:
    """The ``written_hash`` of what stands in a block; of a suggestion without its date."""
    return written_hash(suggestion_text(block) if block.kind == "callout" else block.text)


def says(record: LedgerRecord) -> str:
    """The hash of what a record's entry said, links aside."""
    return said_hash(record.hash)


def moved(record: LedgerRecord, home: str, path: str) -> LedgerRecord:
    """The record of an entry that stands in ``path`` now."""
    return replace(record, at=None if path == home else path)
