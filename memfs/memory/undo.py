"""Undo of one merge, entry by entry: what a person changed since then is kept (spec 6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from memfs.errors import InvalidDocument
from memfs.markdown.document import parse_document
from memfs.markdown.edits import remove_block, replace_block
from memfs.markdown.inserts import insert_item, insert_paragraph, remove_section
from memfs.memory.desk import Desk, block_hash, says
from memfs.memory.ids import text_hash
from memfs.memory.ledger import LedgerRecord
from memfs.memory.marks import Mark
from memfs.memory.snapshot import Action, MergeResult, Outcome, Snapshot
from memfs.memory.views import section_path
from memfs.memory.writing import lone_callout


@dataclass(frozen=True, slots=True)
class Version:
    """The documents and ledgers that a commit touched, as they were right before it or right after it."""

    documents: Mapping[str, str | None]
    ledgers: Mapping[str, str] = field(default_factory=dict)
    marks: str = ""


def undo_entries(
    snapshot: Snapshot,
    before: Version,
    after: Version,
    only: Collection[str] | None = None,
    *,
    moved: bool = False,
) -> MergeResult:
    """Take back what one commit did to the entries (``only`` these ids, with what is offered for them or superseded).

    Added entries go, updated ones say again what they said, removed ones return: as long as they stand as
    the commit left them; others are kept and reported. What goes is marked, so that the same evidence does
    not bring it back. A document that nobody touched since gets its earlier bytes back. ``moved``: the commit
    may have brought entries in a person's words, which go too where they stand as it left them.
    """
    undo = _Undo(Desk(snapshot), before, after, moved=moved)
    wanted = [entry for entry in undo.changed if only is None or entry in only or _first_id(entry) in only]
    outcomes = [undo.apply(entry) for entry in wanted]
    if wanted == undo.changed:
        undo.restore_documents()
    return undo.desk.result(each for each in outcomes if each is not None)


def undo_marks(snapshot: Snapshot, before: Version, after: Version) -> MergeResult:
    """The marks for a merge commit that the person took back with git; nothing else changes."""
    undo = _Undo(Desk(snapshot), before, after)
    for entry in undo.changed:
        undo.mark(entry)
    return undo.desk.result()


class _Undo:
    def __init__(self, desk: Desk, before: Version, after: Version, *, moved: bool = False) -> None:
        self.desk, self.before, self.after, self.moved = desk, before, after, moved
        self.old, self.new = _as_desk(before), _as_desk(after)
        known = {**self.old.records, **self.new.records}
        self.changed = sorted(
            entry for entry in known if self.old.records.get(entry) != self.new.records.get(entry)
        )

    def apply(self, entry: str) -> Outcome | None:
        was, became = self.old.records.get(entry), self.new.records.get(entry)
        try:
            return self._apply(entry, was, became)
        except InvalidDocument as error:
            return self._report(entry, "refused", error.message)

    def _apply(self, entry: str, was: LedgerRecord | None, became: LedgerRecord | None) -> Outcome | None:
        with self.desk.attempt():
            if was and became and (was.hash, was.box) == (became.hash, became.box):
                self._forget_time(entry, was, became)
                return None
            if became is None:
                return self._bring_back(entry, was) if was else None
            return self._take_back(entry, was, became)

    def _forget_time(self, entry: str, was: LedgerRecord, became: LedgerRecord) -> None:
        """The commit only noted newer evidence, or another place, for the same text."""
        if self.desk.records.get(entry) == became:
            self.desk.record(self.desk.homes[entry], replace(was, at=became.at))

    def _take_back(self, entry: str, was: LedgerRecord | None, became: LedgerRecord) -> Outcome:
        found = self.desk.owned(entry)
        known = self.desk.records.get(entry)
        if found is None or known is None:
            self.mark(entry)
            return self._report(entry, "unchanged", "it is gone already")
        path, block = found
        if known.hash != became.hash or block_hash(block) not in self._left(entry, was, became):
            return self._report(entry, "kept", "it was changed since")
        self.mark(entry)
        home = self.desk.homes[entry]
        if was is None:
            self.desk.edit(path, remove_block(self.desk.document(path), block), (entry,))
            self.desk.drop(entry)
            return self._report(entry, "removed", None, path)
        earlier = self.old.owned(entry)
        if earlier is not None:
            box = block.box if became.box == was.box else earlier[1].box
            text = " ".join(earlier[1].text.split())
            self.desk.edit(path, replace_block(self.desk.document(path), block, text, box=box), (entry,))
        self.desk.record(home, replace(was, at=known.at))
        return self._report(entry, "updated", None, path)

    def _left(self, entry: str, was: LedgerRecord | None, became: LedgerRecord) -> set[str]:
        """The hashes of an entry's text as the commit left it: memfs's words, or a person's that it moved."""
        moved = self.new.owned(entry) if self.moved and was is None else None
        return {became.hash} | ({block_hash(moved[1])} if moved else set())

    def _bring_back(self, entry: str, was: LedgerRecord) -> Outcome | None:
        """An entry that the commit took out (``forget``).

        One that the person had deleted before stays deleted.
        """
        earlier = self.old.owned(entry)
        if earlier is None or entry in self.desk.records:
            return None
        path, block = earlier
        document = self.desk.document(path)
        section = section_path(self.old.document(path), block)
        text = " ".join(block.text.split())
        if block.kind == "item":
            box = "" if block.box is None else f"[{block.box}] "
            changed = insert_item(document, section, f"- {box}{text} ^{entry}")
        elif block.kind == "callout":
            changed = lone_callout(document, section, entry, text)
        else:
            changed = insert_paragraph(document, section, f"{text} ^{entry}")
        self.desk.edit(path, changed, (entry,))
        self.desk.record(self.old.homes[entry], was)
        made = self.new.marks - self.old.marks
        self.desk.unmark(mark for mark in made if mark.value in (entry, says(was), text_hash(block.text)))
        return self._report(entry, "added", None, path)

    def mark(self, entry: str) -> None:
        """Keep what the commit wrote of an entry from coming back out of the same evidence."""
        was, became = self.old.records.get(entry), self.new.records.get(entry)
        if became is None or (was is not None and was.hash == became.hash):
            return
        if not _is_superseded(entry):
            self.desk.mark(Mark("text", says(became)))
        self.desk.mark(Mark("entry", entry, became.time))

    def restore_documents(self) -> None:
        """Exact bytes where nobody wrote since; else empty sections that the commit made go too."""
        for path, made in self.after.documents.items():
            now = self.desk.snapshot.documents.get(path)
            earlier = self.before.documents.get(path)
            if now == made and self._says_what(path, earlier):
                self.desk.put(path, earlier)
            elif now is not None and made is not None:
                self._tidy(path, earlier, made)

    def _says_what(self, path: str, earlier: str | None) -> bool:
        """Whether the document, its entries taken back, says what it said before.

        Not so where a hand edit came into the same commit (an amend, a squash), or where the person had moved the
        document away, so that the commit began it anew.
        """
        before, now = (
            {" ".join(block.text.split()) for block in document.blocks}
            for document in (parse_document(earlier or ""), self.desk.document(path))
        )
        return before == now

    def _tidy(self, path: str, earlier: str | None, made: str) -> None:
        before = {section.path for section in parse_document(earlier or "").sections}
        for section in parse_document(made).sections:
            if section.path and section.path not in before:
                text = remove_section(self.desk.document(path), section.path)
                self.desk.put(path, text)
        left = self.desk.document(path)
        own = {line.strip() for line in made.splitlines()}
        if earlier is None and not left.blocks and all(line.strip() in own for line in left.lines):
            self.desk.put(path, None)

    def _report(self, entry: str, action: Action, reason: str | None, path: str = "") -> Outcome:
        home = self.desk.homes.get(entry) or self.new.homes.get(entry) or self.old.homes.get(entry, "")
        return Outcome(entry, action, "", path or home, reason)


def _as_desk(version: Version) -> Desk:
    return Desk(Snapshot(version.documents, version.ledgers, version.marks))


def _first_id(entry: str) -> str:
    """The id of the entry that a suggestion or a superseded text belongs to."""
    return "-".join(entry.split("-")[:2])


def _is_superseded(entry: str) -> bool:
    return not entry.endswith("-q") and entry.count("-") == 2


__all__ = ["Version", "undo_entries", "undo_marks"]
