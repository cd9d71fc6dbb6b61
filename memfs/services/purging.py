"""Forget for good: the entry, and its text in every commit, copy and cache, with a proof."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import TranscriptError
from memfs.markdown import parse_document
from memfs.services.changing import forget
from memfs.services.commit import open_transaction
from memfs.services.entries import find_entry
from memfs.services.kept import kept_copy
from memfs.services.recall import open_index, refresh_index
from memfs.services.sessions import SessionKey
from memfs.vault.files import remove_file

if TYPE_CHECKING:
    from memfs.history.provenance import Provenance
    from memfs.services.opening import Vault


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

    Commits from its first appearance on get new ids; clones and remotes keep the old ones until they are replaced.

    Raises:
        EntryNotFound: no entry has this id.
        HistoryError: the text stands in another file of the vault too; the entry is forgotten, history is as it was.
    """
    from memfs.history.provenance import ProvenanceIndex
    from memfs.history.purge import purge_texts
    from memfs.services.audit import why

    place = find_entry(vault, reference)
    reasons = why(vault, reference).reasons
    texts = wordings(vault, place.id, place.path)
    forget(vault, reference)
    with open_transaction(vault):
        _drop_displaced(vault)
        purged = purge_texts(vault.repository, [text.encode() for text in texts])
    copies = [path for reason in reasons if (path := _purge_copy(vault, place.identity, reason.provenance))]
    ProvenanceIndex(vault.layout.derived / "provenance", vault.repository).rebuild()
    refresh_index(vault, open_index(vault, vectors=False))
    originals = {said.path for reason in reasons for said in reason.turns if said.path and not said.kept}
    return Forgotten(
        place.id, purged.moved, purged.objects, purged.left, tuple(dict.fromkeys(copies)), tuple(sorted(originals))
    )


def wordings(vault: Vault, entry: str, path: str) -> tuple[str, ...]:
    """Every text that an entry (or a suggestion for it) ever had, in all commits and now."""
    from memfs.history.log import read_log

    commits = [commit.commit for commit in read_log(vault.repository, paths=[path])]
    versions = [(vault.top / path).read_text(encoding="utf-8", errors="replace")]
    versions += [
        data.decode("utf-8", "replace")
        for commit in commits
        if (data := vault.repository.read_blob(commit, path)) is not None
    ]
    found: dict[str, None] = {}
    for text in versions:
        for block in parse_document(text).blocks:
            if block.block_id and block.block_id.removesuffix("-q").startswith(entry):
                found[block.text] = None
    return tuple(text for text in found if text.strip())


def _drop_displaced(vault: Vault) -> None:
    for path in vault.layout.displaced.glob("*"):
        remove_file(path)


def _purge_copy(vault: Vault, identity: str, provenance: Provenance) -> str | None:
    """Rewrite the kept copy of a session without the turns that proved the entry."""
    source, _, session = (provenance.source or "").partition("/")
    path = kept_copy(vault, identity, SessionKey(source, session)) if session else None
    if path is None or not path.is_file():
        return None
    _without_turns(path, frozenset(provenance.messages))
    return str(path)


def _without_turns(path: Path, messages: frozenset[str]) -> None:
    import zstandard

    from memfs.services.reading import open_reader
    from memfs.transcripts import render_neutral
    from memfs.vault.files import write_atomic

    try:
        with open_reader(path) as reader:
            turns = [turn for turn in reader if turn.id not in messages]
            data = render_neutral(turns, reader.session)
    except TranscriptError:
        remove_file(path)
        return
    write_atomic(path, zstandard.ZstdCompressor(level=9).compress(data))
