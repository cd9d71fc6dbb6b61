"""Forget for good: the entry, and its text in every commit, copy and cache, with a proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import EntryNotFound, TranscriptError
from memfs.markdown.document import parse_document
from memfs.memory.ids import MEMFS_ID
from memfs.memory.views import suggestion_text
from memfs.memory.wording import unstruck
from memfs.services.changing import forget
from memfs.services.commit import open_transaction
from memfs.services.entries import list_entries
from memfs.services.finding.indexing import drop_indexes, open_index, refresh_index
from memfs.services.ingesting.kept import kept_copy
from memfs.services.ingesting.sessions import SessionKey
from memfs.services.relay import purge_relay
from memfs.vault.displaced import list_displaced
from memfs.vault.files import remove_file

if TYPE_CHECKING:
    from memfs.history.provenance import Provenance, ProvenanceIndex
    from memfs.services.opening import Vault

_NAME = re.compile(r"[A-Za-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a purge did: the entry, the branches and tags whose commits changed, and the proof.

    ``objects`` were searched afterwards and ``left`` still hold the text (none, when it succeeded); ``copies`` are kept
    transcripts from which the proving turns were taken; ``transcripts`` the originals, which memfs does not change.
    """

    id: str
    moved: tuple[str, ...]
    objects: int
    left: tuple[str, ...]
    copies: tuple[str, ...]
    transcripts: tuple[str, ...]


def purge(vault: Vault, reference: str) -> Forgotten:
    """Forget an entry and take every wording it ever had out of history, kept copies and caches.

    What offers or superseded it goes too. One that was forgotten before is purged all the same. Commits from its first
    appearance on get new ids; clones and remotes keep the old ones until they are replaced.

    Raises:
        EntryNotFound: no entry has or had this id.
        HistoryError: the repository cannot be rewritten; or the text stands in another file of the vault too: then the
            entry is forgotten, and history is as it was.
    """
    from memfs.history.provenance import ProvenanceIndex
    from memfs.history.purge import purge_texts, require_rewritable

    entry = reference.strip().removeprefix("^")
    require_rewritable(vault.repository)
    index = ProvenanceIndex(vault.layout.derived / "provenance", vault.repository)
    proofs = [*_proofs(vault, index, entry), *index.find(f"{entry}-q")]
    originals = {path for proof in proofs for path in _originals(vault, proof)}
    _forget_all(vault, entry)
    texts = [text.encode("utf-8", "surrogateescape") for text in wordings(vault, entry)]
    if not texts:
        raise EntryNotFound(f"no entry has or had the id {entry!r}", hint="the list of entries shows the ids")
    purge_relay(vault, [text.decode("utf-8", "surrogateescape") for text in texts])
    with open_transaction(vault):
        _drop_displaced(vault, texts)
        purged = purge_texts(vault.repository, texts)
    copies = [path for proof in proofs for path in _purge_copies(vault, proof)]
    index.rebuild()
    drop_indexes(vault)
    refresh_index(vault, open_index(vault))
    return Forgotten(
        entry,
        purged.moved,
        purged.objects,
        purged.left,
        tuple(dict.fromkeys(copies)),
        tuple(sorted(originals)),
    )


def _proofs(vault: Vault, index: ProvenanceIndex, entry: str) -> Sequence[Provenance]:
    from memfs.services.audit import why

    try:
        return [reason.provenance for reason in why(vault, entry).reasons]
    except EntryNotFound:
        return index.find(entry)


def _forget_all(vault: Vault, entry: str) -> None:
    """Forget an entry with the decisions that it superseded; what is gone already is gone."""
    if not entry:
        return
    for each in (*_superseded(vault, entry), entry):
        with suppress(EntryNotFound):
            forget(vault, each)


def _superseded(vault: Vault, entry: str) -> list[str]:
    """The ids of the decisions that an entry superseded."""
    return [
        view.id for view in list_entries(vault) if view.id and view.id != entry and _belongs(view.id, entry)
    ]


def _belongs(block_id: str, entry: str) -> bool:
    """Whether a line is the entry, offered for it, or superseded by it."""
    own = block_id.removesuffix("-q")
    return own == entry or (MEMFS_ID.fullmatch(own) is not None and own.rpartition("-")[0] == entry)


def wordings(vault: Vault, entry: str) -> tuple[str, ...]:
    """Every text that an entry (or a suggestion for it) ever had in the commits of all branches and tags."""
    from memfs.history.purge import PLACEHOLDER
    from memfs.history.tracing import versions_with_id

    found: dict[str, None] = {}
    for data in versions_with_id(vault.repository, entry) if _NAME.fullmatch(entry) else ():
        for block in parse_document(data.decode("utf-8", "surrogateescape")).blocks:
            if block.block_id and _belongs(block.block_id, entry):
                said = suggestion_text(block) if block.kind == "callout" else unstruck(block.text)
                found.update(dict.fromkeys(line.strip() for line in said.split("\n")))
    return tuple(text for text in found if text and text.encode() != PLACEHOLDER)


def _originals(vault: Vault, proof: Provenance) -> Iterator[str]:
    """The transcripts, not memfs's to change, that hold the proving turns."""
    from memfs.services.saying import said_turns

    for identity in vault.identities()[:1]:  # it looks in all of them
        yield from (said.path for said in said_turns(vault, identity, proof) if said.path and not said.kept)


def _drop_displaced(vault: Vault, texts: Sequence[bytes]) -> None:
    for kept in list_displaced(vault.layout):
        place = Path(kept.place)
        if place.is_file() and any(text in place.read_bytes() for text in texts):
            remove_file(place)
            remove_file(vault.layout.displaced / f"{kept.name}.json")


def _purge_copies(vault: Vault, provenance: Provenance) -> Iterator[str]:
    """Rewrite the kept copies of a session without the turns that proved the entry."""
    source, _, session = (provenance.source or "").partition("/")
    for identity in vault.identities() if session else ():
        path = kept_copy(vault, identity, SessionKey(source, session))
        if path.is_file():
            _without_turns(path, frozenset(provenance.messages))
            yield str(path)


def _without_turns(path: Path, messages: frozenset[str]) -> None:
    import zstandard

    from memfs.services.ingesting.reading import open_reader
    from memfs.transcripts.neutral import render_neutral
    from memfs.vault.files import write_atomic

    try:
        with open_reader(path) as reader:
            turns = [turn for turn in reader if turn.id not in messages]
            data = render_neutral(turns, reader.session)
    except TranscriptError:
        remove_file(path)
        return
    write_atomic(path, zstandard.ZstdCompressor(level=9).compress(data))
