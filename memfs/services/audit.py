"""Questions to history: log, why, diff, and how something was at a moment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memfs.memory.ids import MEMFS_ID, superseded_id
from memfs.memory.views import raw_texts
from memfs.memory.wording import without_date
from memfs.model import EntryView
from memfs.services.entries import find_view
from memfs.services.saying import SaidTurn, said_turns

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.history.provenance import Provenance
    from memfs.services.opening import Vault

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_RECORDS = frozenset((".ledger", ".cursors", ".forgotten", ".gitignore", ".gitattributes"))


@dataclass(frozen=True, slots=True)
class Reason:
    """One commit that wrote an entry, and the turns it went by."""

    provenance: Provenance
    turns: tuple[SaidTurn, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """Where an entry comes from, newest first.

    Where its words are a person's, ``author`` and ``commit`` say whose and since when (None: not committed yet).
    Neither these nor reasons: the commit that tells is not in this clone.
    """

    entry: EntryView
    reasons: tuple[Reason, ...]
    author: str | None = None
    commit: str | None = None


def log(
    vault: Vault,
    *,
    identity: str | None = None,
    limit: int | None = 20,
    since: datetime | None = None,
    until: datetime | None = None,
    everything: bool = False,
) -> tuple[LogEntry, ...]:
    """The audit log, newest first: memfs's commits and hand edits; ``everything`` shows other commits too.

    Raises:
        InvalidRequest: no identity is called so.
    """
    from memfs.history.log import read_log

    if identity is not None:
        vault.known_identity(identity)
    entries = read_log(vault.repository, identity=identity, since=since, until=until)
    chosen = (entry for entry in entries if everything or entry.kind != "other")
    return tuple(entry for _, entry in zip(range(limit) if limit else entries, chosen, strict=False))


def why(vault: Vault, reference: str) -> Why:
    """Where an entry comes from: commits, sources and the turns themselves, from the transcript or its kept copy.

    Raises:
        EntryNotFound: no entry has this id.
    """
    view = find_view(vault, reference)
    found = reversed(_provenance(vault, view))
    reasons = tuple(Reason(each, tuple(said_turns(vault, view.identity, each))) for each in found)
    author, commit = _hand_commit(vault, view) if view.origin == "hand" else (None, None)
    return Why(view, reasons, author, commit)


def _provenance(vault: Vault, view: EntryView) -> Sequence[Provenance]:
    """What commits say of an entry; of a superseded decision those that wrote these words under its first id."""
    from memfs.history.provenance import ProvenanceIndex

    index = ProvenanceIndex(vault.layout.derived / "provenance", vault.repository)
    entry = view.id or ""
    base = entry.rpartition("-")[0]
    if not (entry.count("-") == 2 and not entry.endswith("-q") and MEMFS_ID.fullmatch(entry)):
        return index.find(entry)
    known = index.find(base)
    wrote = [each for each in known if _superseded_then(vault, view.path, base, each.commit) == entry]
    if wrote:
        return wrote
    # one merge brought it and superseded it: the first commit that has it at all
    return [each for each in known if entry in _texts_then(vault, view.path, each.commit)][:1]


def _texts_then(vault: Vault, path: str, commit: str) -> Mapping[str, str]:
    """The texts of a document's entries in a commit."""
    return raw_texts((vault.repository.read_blob(commit, path) or b"").decode("utf-8", "replace"))


def _superseded_then(vault: Vault, path: str, entry: str, commit: str) -> str | None:
    """The id that an entry as it stood in a commit gets when a later one replaces it."""
    text = _texts_then(vault, path, commit).get(entry)
    return None if text is None else superseded_id(entry, without_date(" ".join(text.split())))


def diff(vault: Vault, commit: str | None = None, *, until: str | None = None) -> str:
    """What a commit changed in memory (default: the last one of memfs), as a patch, without memfs's own records.

    Raises:
        CommitNotFound: no such commit.
    """
    from memfs.history.display import diff_text
    from memfs.history.log import find_commit, read_commit

    if commit is None:
        last = log(vault, limit=1)
        if not last:
            return ""
        entry = last[0]
    else:
        entry = read_commit(vault.repository, commit)
    old = entry.commit if until is not None else (entry.parents[0] if entry.parents else None)
    new = find_commit(vault.repository, until) if until is not None else entry.commit
    paths = _changed_memories(vault, old, new)
    return diff_text(vault.repository, old, new, paths) if paths else ""


def _changed_memories(vault: Vault, old: str | None, new: str) -> list[str]:
    """The files under ``memories/`` that two commits differ in, without memfs's own records."""
    from memfs.history.log import changed_blobs

    changed = changed_blobs(vault.repository, old, new, [vault.layout.rel(vault.layout.memories)])
    return [path for path in changed if not _RECORDS.intersection(path.split("/"))]


def _hand_commit(vault: Vault, view: EntryView) -> tuple[str | None, str | None]:
    """Who wrote the words of an entry as they are now, and the commit that brought them."""
    from memfs.history.tracing import line_author

    lines = (vault.top / view.path).read_bytes().decode("utf-8", "surrogateescape").splitlines()
    change = line_author(vault.repository, view.path, lines[view.line - 1])
    return (change.author, change.commit) if change else (None, None)
