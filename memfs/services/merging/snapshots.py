"""An identity's memory as it is on disk now, with all that a merge must know of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.memory.merge import Snapshot, missing_ids
from memfs.services.commit import Transaction
from memfs.services.merging.stale import find_stale
from memfs.services.merging.unwritable import EMPTY, MISSING
from memfs.vault.layout import Layout
from memfs.vault.scan import find_ids

if TYPE_CHECKING:
    from memfs.services.opening import Vault

UNSETTLED_SECONDS = 2.0
SAVED_JUST_NOW = "the document was saved a moment ago"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A snapshot; for how many seconds a document saved just now is still to be left alone; and, by path in the
    vault, the stale saves that were mended (their mended text is in the snapshot)."""

    snapshot: Snapshot
    unsettled: float = 0.0
    mended: Mapping[str, str] = field(default_factory=dict)


def load_snapshot(vault: Vault, transaction: Transaction, identity: str, documents: Iterable[str]) -> Loaded:
    """Read an identity's documents with their ledgers, wherever a person moved their entries."""
    layout = vault.layout
    names = tuple(dict.fromkeys(documents))
    ledgers = {name: read_text(transaction, ledger_path(layout, identity, name)) or "" for name in names}
    texts = {name: read_text(transaction, layout.document_rel(identity, name)) for name in names}
    for moved in _moved_documents(ledgers):
        texts.setdefault(moved, read_text(transaction, layout.document_rel(identity, moved)))
    mended = _mend_stale(vault, transaction, identity, texts)
    missing = missing_ids(texts, ledgers)
    places, outside = _find_missing(vault, identity, missing)
    for place in places.values():
        texts.setdefault(place, read_text(transaction, layout.document_rel(identity, place)))
    gone = [entry for entry in missing if entry not in places and entry not in outside]
    obstacles = _obstacles(vault, transaction, identity, texts)
    deferred, unsettled = _unsettled(vault, transaction, identity, ledgers, texts, gone)
    snapshot = Snapshot(
        documents=texts,
        ledgers=ledgers,
        marks=read_text(transaction, layout.rel(layout.forgotten_file(identity))) or "",
        places=places,
        outside=frozenset(outside),
        deleted_at=_deletion_times(vault, transaction, identity, ledgers, gone),
        deferred={**deferred, **obstacles},
    )
    return Loaded(
        snapshot, max([unsettled, *(_unsettled_for(vault, transaction, path) for path in mended)]), mended
    )


def _mend_stale(
    vault: Vault, transaction: Transaction, identity: str, texts: dict[str, str | None]
) -> dict[str, str]:
    """Put mended texts in the place of stale saves."""
    names = {vault.layout.document_rel(identity, name): name for name, text in texts.items() if text}
    now = {path: texts[name] or "" for path, name in names.items()}
    mended = find_stale(vault, now, transaction.head.commit)
    for path, text in mended.items():
        texts[names[path]] = text
    return mended


def _unsettled_for(vault: Vault, transaction: Transaction, path: str) -> float:
    """For how many seconds a file is still to be left alone, because it was saved just now."""
    age = vault.clock().timestamp() - transaction.states[path].mtime_ns / 1e9
    return UNSETTLED_SECONDS - age if 0 <= age < UNSETTLED_SECONDS else 0.0


def read_text(transaction: Transaction, path: str) -> str | None:
    """A file's text; one that is not UTF-8 reads with escapes, which keeps it from ever being written."""
    data = transaction.read(path)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def ledger_path(layout: Layout, identity: str, document: str) -> str:
    return layout.rel(layout.ledger_file(identity, document))


def _moved_documents(ledgers: Mapping[str, str]) -> Iterable[str]:
    from memfs.memory.ledger import parse_ledger

    for text in ledgers.values():
        yield from (record.at for record in parse_ledger(text)[0] if record.at)


def _find_missing(
    vault: Vault, identity: str, missing: Sequence[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Where ids stand that are not where their ledger says: in the identity's documents, or only outside of them."""
    if not missing:
        return {}, ()
    prefix = vault.layout.rel(vault.layout.identity_dir(identity)) + "/"
    places: dict[str, str] = {}
    outside = []
    for entry, paths in find_ids(vault.layout, missing).items():
        inside = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
        if inside:
            places[entry] = inside[0]
        else:
            outside.append(entry)
    return places, tuple(outside)


def _obstacles(
    vault: Vault, transaction: Transaction, identity: str, texts: Mapping[str, str | None]
) -> dict[str, str]:
    paths = {vault.layout.document_rel(identity, name): name for name in texts}
    found = {paths[path]: reason for path, reason in transaction.obstacles(paths).items()}
    for name, text in texts.items():
        if text is not None and any("\udc80" <= char <= "\udcff" for char in text):
            found[name] = "the document is not UTF-8, so memfs does not write into it"
        if _in_another_repository(vault, vault.layout.document(identity, name)):
            found[name] = "its folder is a git repository of its own"
    return found


def _in_another_repository(vault: Vault, path: Path) -> bool:
    """Whether a folder between the vault's top and a document is a repository (a submodule, a clone)."""
    inner = (folder for folder in path.parents if vault.top in folder.parents)
    return any(os.path.lexists(folder / ".git") for folder in inner)


def _unsettled(
    vault: Vault,
    transaction: Transaction,
    identity: str,
    ledgers: Mapping[str, str],
    texts: Mapping[str, str | None],
    gone: Sequence[str],
) -> tuple[dict[str, str], float]:
    """Documents in which entries are missing that may only seem so: gone, empty, or saved a moment ago."""
    deferred: dict[str, str] = {}
    wait = 0.0
    if not gone:
        return deferred, wait
    for name, ledger in ledgers.items():
        if not any(entry in ledger for entry in gone):
            continue
        path = vault.layout.document_rel(identity, name)
        fresh, text = _unsettled_for(vault, transaction, path), texts[name]
        if text is None and _is_committed(transaction, path):
            deferred[name] = MISSING
        elif text is not None and not text.strip():
            deferred[name] = EMPTY
        elif text is not None and fresh:
            deferred[name] = SAVED_JUST_NOW
            wait = max(wait, fresh)
    return deferred, wait


def _is_committed(transaction: Transaction, path: str) -> bool:
    return transaction.blobs([path])[path] is not None


def _deletion_times(
    vault: Vault,
    transaction: Transaction,
    identity: str,
    ledgers: Mapping[str, str],
    gone: Sequence[str],
) -> dict[str, datetime]:
    """When each entry was deleted: the person's commit that lacks it, else when its document was last saved."""
    from memfs.history.log import last_changes

    times: dict[str, datetime] = {}
    for name, ledger in ledgers.items():
        lost = [entry for entry in gone if entry in ledger]
        if not lost:
            continue
        path = vault.layout.document_rel(identity, name)
        state = transaction.states[path]
        blob = transaction.blobs([path])[path]
        clean = state.data is None or (
            blob is not None and vault.repository.matches(path, state.data, blob[1])
        )
        change = last_changes(vault.repository, [path]).get(path) if clean else None
        moment = change.time if change else datetime.fromtimestamp(state.mtime_ns / 1e9, UTC)
        times.update(dict.fromkeys(lost, moment))
    return times
