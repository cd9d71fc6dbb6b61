"""What the person did since the last merge: entries deleted, moved, suggestions rejected (spec 5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memfs.markdown.document import parse_document
from memfs.memory.desk import Desk, moved, says
from memfs.memory.ids import text_hash
from memfs.memory.ledger import parse_ledger
from memfs.memory.marks import Mark


def missing_ids(documents: Mapping[str, str | None], ledgers: Mapping[str, str]) -> tuple[str, ...]:
    """The ids that are not where their ledger says: to be looked for in the vault before a merge.

    What is found goes into ``Snapshot.places`` or ``outside``, what is not into ``deleted_at`` when it was
    deleted.
    """
    parsed = {path: parse_document(text or "") for path, text in documents.items()}
    missing: dict[str, None] = {}
    for home, text in ledgers.items():
        for record in parse_ledger(text)[0]:
            path = record.at or home
            if path not in parsed or not parsed[path].find(record.id):
                missing[record.id] = None
    return tuple(missing)


def notice_changes(desk: Desk, *, noticed: datetime) -> dict[str, str]:
    """Bring ledger and marks up to what the person did. Returns the documents to be deferred, and why.

    A moved entry's record follows; a deleted entry's id and text become marks; the text of a deleted
    suggestion is rejected. Entries of a document that is deferred, cannot be read, or is missing without a
    commit that says so, stay as they are. ``noticed`` dates deletions that the snapshot does not.
    """
    waiting = dict(desk.snapshot.deferred)
    for entry, home in sorted(desk.homes.items()):
        found = desk.owned(entry)
        if found:
            desk.record(home, moved(desk.records[entry], home, found[0]))
        elif home in waiting or entry in desk.snapshot.outside:
            continue
        elif not _is_gone(desk, entry, home):
            if desk.is_blank(home):
                waiting[home] = "the document is missing or empty, and no commit says that this was meant"
        else:
            _forget(desk, entry, desk.snapshot.deleted_at.get(entry, noticed))
    return waiting


def _is_gone(desk: Desk, entry: str, home: str) -> bool:
    path = desk.place(entry) or home
    if path in desk.snapshot.deferred or not desk.document(path).writable:
        return False
    return entry in desk.snapshot.deleted_at or not (desk.is_blank(path) or desk.is_blank(home))


def _forget(desk: Desk, entry: str, time: datetime) -> None:
    record = desk.records[entry]
    if entry.endswith("-q"):
        parent = desk.owned(entry.removesuffix("-q"))
        accepted = parent is not None and text_hash(parent[1].text) == says(record)
        if not accepted:
            desk.mark(Mark("text", says(record)))
    else:
        desk.mark(Mark("text", says(record)), Mark("entry", entry, time))
    desk.drop(entry)
