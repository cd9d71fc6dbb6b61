"""Entries as they stand in the vault now: listed with their origin, and found by id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import EntryNotFound
from memfs.markdown.document import parse_document
from memfs.memory.ids import MEMFS_ID, written_hash
from memfs.memory.journal_pages import journal_views
from memfs.memory.ledger import LedgerRecord, as_utc, parse_ledger
from memfs.memory.views import locate, view_entries
from memfs.model import EntryView, Origin, Trust
from memfs.services.committing.places import linked
from memfs.vault.scan import find_ids, scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """Where an entry stands: its identity and its document below ``memories/<identity>/``."""

    id: str
    identity: str
    document: str
    path: str


def list_entries(
    vault: Vault, *, identity: str | None = None, type: str | None = None, peer: str | None = None
) -> tuple[EntryView, ...]:
    """All entries, hand-written ones included, by path and line, with where each comes from.

    Suggestions are listed too, with the status ``suggestion``.
    """
    from memfs.history.provenance import ProvenanceIndex

    folder = vault.layout.rel(vault.layout.memories)
    pattern = f"{folder}/{identity}/**/*.md" if identity else f"{folder}/**/*.md"
    views = [
        view
        for path in sorted(scan_documents(vault.layout, [pattern]).documents)
        for view in read_entries(vault, path)
        if (type is None or view.type == type) and (peer is None or view.peer == peer)
    ]
    latest = ProvenanceIndex(vault.layout.derived / "provenance", vault.repository).latest()
    return tuple(with_provenance(views, latest))


def read_entries(vault: Vault, path: str, *, journal: bool = False) -> tuple[EntryView, ...]:
    """The entries of one document, with their origin by its ledger; of a ``journal`` its lines."""
    text = (vault.top / path).read_text(encoding="utf-8", errors="replace")
    return views_with_origin(vault, path, text, lambda ids: ledger_records(vault, path, ids), journal=journal)


def views_with_origin(
    vault: Vault,
    path: str,
    text: str,
    ledger: Callable[[Sequence[str]], Mapping[str, LedgerRecord]],
    *,
    journal: bool = False,
) -> tuple[EntryView, ...]:
    """The entries of a document's text; ``ledger`` tells what is known of some ids.

    ``journal``: the lines of working memory, which are listed nowhere, instead.
    """
    views = (journal_views if journal else view_entries)(path, text, root=vault.layout.root)
    if not views:
        return ()
    records = ledger([view.id for view in views if view.id])
    own, days = _own_lines(text, records), days_of(vault, records)
    return tuple(
        replace(
            view,
            origin=_origin(view, records, own),
            date=view.date or _day(view, own, days),
            trust=_trust(view, records, own),
        )
        for view in views
    )


def days_said(vault: Vault, path: str, ids: Collection[str]) -> Mapping[str, str]:
    """The day (ISO) on which each of memfs's entries in a document was said; those of a person's have none."""
    return days_of(vault, ledger_records(vault, path, ids))


def days_of(vault: Vault, records: Mapping[str, LedgerRecord]) -> Mapping[str, str]:
    """The day (ISO) that each record tells, in the vault's time zone."""
    return {
        entry: as_utc(each.time).astimezone(vault.zone).date().isoformat() for entry, each in records.items()
    }


def _day(view: EntryView, own: Mapping[str, tuple[int, bool]], days: Mapping[str, str]) -> str | None:
    """When an entry was said; the date of an action is when it is due."""
    here = view.id is not None and view.type != "actions" and own.get(view.id, (0, False))[0] == view.line
    return days.get(view.id or "") if here else None


def ledger_records(vault: Vault, path: str, ids: Iterable[str]) -> Mapping[str, LedgerRecord]:
    """What ledgers say of the entries of a document that are memfs's: written there, or moved there by a person."""
    place = locate(path, root=vault.layout.root)
    if place is None:
        return {}
    folder = vault.layout.identity_dir(place.identity) / ".ledger"
    found = _read_ledger(folder / place.document)
    strange = {entry for entry in ids if entry not in found and MEMFS_ID.fullmatch(entry)}
    for ledger in sorted(folder.rglob("*.md")) if strange else ():
        home = ledger.relative_to(folder).as_posix()
        for entry in strange & (records := _read_ledger(ledger)).keys():
            stands = vault.layout.document(place.identity, records[entry].at or home)
            if stands == vault.top / path or not _holds(stands, entry):
                found[entry] = records[entry]
    return found


def _read_ledger(file: Path) -> dict[str, LedgerRecord]:
    if not file.is_file():
        return {}
    records, _ = parse_ledger(file.read_text(encoding="utf-8", errors="replace"))
    return {record.id: record for record in records}


def _holds(document: Path, entry: str) -> bool:
    """Whether an entry's line is in its own document: then another with its id is a copy, and the person's."""
    return document.is_file() and f"^{entry}" in document.read_text(encoding="utf-8", errors="replace")


def _own_lines(text: str, records: Mapping[str, LedgerRecord]) -> Mapping[str, tuple[int, bool]]:
    """Where each entry of memfs's stands (of copies the first that fits, else the first), and if it is as written."""
    found: dict[str, tuple[int, bool]] = {}
    for block in parse_document(text).blocks:
        record = records.get(block.block_id or "")
        if record is not None and not found.get(record.id, (0, False))[1]:
            fits = block.kind == "callout" or written_hash(block.text) == record.hash
            if fits or record.id not in found:
                found[record.id] = block.line, fits
    return found


def _origin(
    view: EntryView, records: Mapping[str, LedgerRecord], own: Mapping[str, tuple[int, bool]]
) -> Origin:
    """Memfs's own as long as the text is what it wrote; a person's edit, or copy, makes it theirs."""
    return records[view.id].origin if view.id and own.get(view.id) == (view.line, True) else "hand"


def _trust(
    view: EntryView, records: Mapping[str, LedgerRecord], own: Mapping[str, tuple[int, bool]]
) -> Trust:
    """As the ledger says, while the text is what memfs wrote; what a person wrote is the user's."""
    return records[view.id].trust if view.id and own.get(view.id) == (view.line, True) else "user"


def with_provenance(
    views: Iterable[EntryView], latest: Mapping[str, tuple[str, str | None]]
) -> Iterator[EntryView]:
    """Views with the source and commit that last wrote them. ``latest``: id -> (commit, source)."""
    for view in views:
        commit, source = latest.get(view.id or "", (None, None))
        yield replace(view, commit=commit, source=source) if commit else view


def find_entry(vault: Vault, reference: str) -> EntryPlace:
    """The entry that a person names, with or without ``^``.

    Raises:
        EntryNotFound: no document under ``memories/`` has the id.
    """
    entry = reference.strip().removeprefix("^")
    found = find_ids(vault.layout, [entry]).get(entry, ()) if entry else ()
    places = [
        EntryPlace(entry, place.identity, place.document, path)
        for path in found
        if (place := locate(path, root=vault.layout.root)) is not None
    ]
    if not places:
        where = f": it stands in {found[0]}, outside of memories" if found else ""
        message = f"no entry has the id {entry or reference!r}{where}"
        raise EntryNotFound(message, hint="the list of entries shows the ids")
    places = [place for place in places if linked(vault.top, place.path) is None] or places
    own = [place for place in places if entry in ledger_records(vault, place.path, [entry])]
    return (own or places)[0]


def find_view(vault: Vault, reference: str) -> EntryView:
    """The entry that a person names, as it is listed."""
    from memfs.history.provenance import ProvenanceIndex

    place = find_entry(vault, reference)
    listed = read_entries(vault, place.path) or read_entries(vault, place.path, journal=True)
    views = [view for view in listed if view.id == place.id]
    if not views:
        raise EntryNotFound(
            f"no entry {place.id}", path=place.path, hint="its line is no list item or paragraph"
        )
    latest = ProvenanceIndex(vault.layout.derived / "provenance", vault.repository).latest()
    return next(iter(with_provenance(views, latest)))
