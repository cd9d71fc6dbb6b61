"""Batons as they stand: their lines, joined with what is known beside them and how far transcripts are merged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import tzinfo
from typing import TYPE_CHECKING

from memfs.markdown.escape import fold_line
from memfs.memory.board import Baton, BoardLine, parse_board
from memfs.memory.board_records import BatonRecord, BoardRecords
from memfs.memory.ids import text_hash
from memfs.services.relaying.files import BoardFiles

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def read_batons(vault: Vault, identity: str, files: BoardFiles) -> list[Baton]:
    """The batons of a board's files."""
    merged = find_merged(vault, identity, files.records)
    return join_batons(files.text or "", files.records, merged, vault.zone)


def join_batons(text: str, records: BoardRecords, merged: Collection[str], zone: tzinfo) -> list[Baton]:
    """The batons of a board's text; ``merged`` are ids of those whose turn lies behind its transcript's cursor."""
    return [_join(line, records.batons.get(line.id), line.id in merged, zone) for line in parse_board(text)]


def _join(line: BoardLine, record: BatonRecord | None, merged: bool, zone: tzinfo) -> Baton:
    """A line's own words count; a text that a person changed after it was read is unread again."""
    time = line.time.replace(tzinfo=zone)
    if record is not None:
        exact = record.moment.astimezone(zone)
        time = exact if exact.replace(tzinfo=None, fold=0) == line.time else time
    bootstrap = line.role == "bootstrap"
    return Baton(
        line.id,
        time,
        line.channel,
        line.sequence,
        "user" if line.role == "user" else "assistant",
        line.text,
        record.session if record else None,
        record.message if record else None,
        bootstrap,
        merged or (record is not None and record.read == text_hash(line.text)),
    )


def find_merged(vault: Vault, identity: str, records: BoardRecords) -> frozenset[str]:
    """The ids of batons whose turn was merged, as cursors and the notes of seen messages tell."""
    from memfs.extraction.redaction import redact_name
    from memfs.services.ingesting.restoring import restore_seen
    from memfs.services.ingesting.seen import open_seen
    from memfs.transcripts.message_ids import own_id

    told = {one.id: one for one in records.batons.values() if one.message}
    if not told:
        return frozenset()
    names = {
        id: {redact_name(name) for name in (one.message, own_id(one.message, one.session)) if name}
        for id, one in told.items()
    }
    with open_seen(vault.layout.derived) as seen:
        restore_seen(vault, identity, seen)
        known = seen.known(identity, [name for each in names.values() for name in each])
    return frozenset(id for id, each in names.items() if each & known)


def still_remembered(vault: Vault, identity: str, batons: Iterable[Baton]) -> list[Baton]:
    """The batons without those from memory that memory does not say any more: forgotten, changed, superseded."""
    listed = list(batons)
    if not any(baton.bootstrap for baton in listed):
        return listed
    texts = list(_remembered(vault, identity))
    return [
        baton for baton in listed if not baton.bootstrap or any(_begins(text, baton.text) for text in texts)
    ]


def _remembered(vault: Vault, identity: str) -> Iterator[str]:
    from memfs.services.entries import read_entries
    from memfs.vault.scan import scan_documents

    folder = vault.layout.rel(vault.layout.identity_dir(identity))
    for path in scan_documents(vault.layout, [f"{folder}/*.md"]).documents:
        for view in read_entries(vault, path):
            if view.status not in ("suggestion", "superseded"):
                yield fold_line(view.text)


def _begins(text: str, told: str) -> bool:
    """Whether a baton tells a text, or its beginning where it was too long."""
    return text == told or (told.endswith("…") and text.startswith(told[:-1]))
