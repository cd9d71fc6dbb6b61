"""Questions to history: log, why, diff, and how something was at a moment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import TYPE_CHECKING

from memfs.errors import DocumentNotFound, EntryNotFound, TranscriptError
from memfs.memory.ids import MEMFS_ID, superseded_id
from memfs.memory.views import raw_texts
from memfs.memory.wording import without_date
from memfs.model import EntryView, Turn
from memfs.services.entries import find_entry, find_view
from memfs.services.kept import kept_copy
from memfs.services.reading import open_reader
from memfs.services.sessions import SessionKey, known_cursors, message_names
from memfs.services.sources import list_sources

if TYPE_CHECKING:
    from pathlib import Path

    from memfs.history.log import LogEntry
    from memfs.history.provenance import Provenance
    from memfs.services.opening import Vault

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_RECORDS = frozenset((".ledger", ".cursors", ".forgotten", ".gitignore", ".gitattributes"))


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn that proves an entry, and the file it was read from (None: no copy of it is left)."""

    message: str
    turn: Turn | None
    path: str | None
    kept: bool = False


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
    """The audit log, newest first: memfs's commits and hand edits; ``everything`` shows other commits too."""
    from memfs.history.log import read_log

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
    return [
        each for each in index.find(base) if _superseded_then(vault, view.path, base, each.commit) == entry
    ]


def _superseded_then(vault: Vault, path: str, entry: str, commit: str) -> str | None:
    """The id that an entry as it stood in a commit gets when a later one replaces it."""
    data = vault.repository.read_blob(commit, path)
    text = raw_texts((data or b"").decode("utf-8", "replace")).get(entry)
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


def show(vault: Vault, reference: str, *, at: str | None = None) -> str:
    """An entry's lines or a document's text, now or as it was ``at`` a date or commit.

    Raises:
        EntryNotFound, DocumentNotFound: there is none.
        CommitNotFound: no such commit, or nothing was committed yet.
    """
    path, entry = _resolve(vault, reference, at)
    text = _read(vault, path, at)
    if entry is None:
        return text
    from memfs.markdown import parse_document

    blocks = parse_document(text).find(entry)
    if not blocks:
        raise EntryNotFound(f"no entry {entry} in {path}" + (f" at {at}" if at else ""))
    lines = text.splitlines(keepends=True)
    return "".join("".join(lines[block.start : block.end]) for block in blocks)


def show_entry(vault: Vault, reference: str) -> EntryView | None:
    """The entry as it is listed, when ``reference`` names one; None when it names a document."""
    try:
        return find_view(vault, reference)
    except EntryNotFound:
        return None


def commit_at(vault: Vault, at: str) -> str:
    """The commit that a date, a moment or a commit's name stands for.

    Raises:
        CommitNotFound, InvalidRequest.
    """
    from memfs.history import log as history

    if _COMMIT.fullmatch(at.strip().lower()):
        return history.find_commit(vault.repository, at)
    try:
        moment = datetime.fromisoformat(at.strip())
    except ValueError:
        return history.find_commit(vault.repository, at)
    if len(at.strip()) <= len("2026-11-30"):  # a day means its end
        moment = datetime.combine(moment.date(), time.max)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=vault.zone)
    return history.commit_at(vault.repository, moment)


def _resolve(vault: Vault, reference: str, at: str | None) -> tuple[str, str | None]:
    """The path that is meant, and the entry in it (None: the whole document)."""
    name = reference.strip()
    candidates = [name, f"{name}.md"]
    for identity in vault.identities():
        folder = vault.layout.rel(vault.layout.identity_dir(identity))
        candidates += [f"{folder}/{name}", f"{folder}/{name}.md"]
    if "/" in name or name.endswith(".md") or not name.lstrip("^").startswith("m-"):
        for candidate in candidates:
            if _exists(vault, candidate, at):
                return candidate, None
    if name.endswith(".md") or "/" in name:
        raise DocumentNotFound("no such document" + (f" at {at}" if at else ""), path=name)
    entry = name.removeprefix("^")
    try:
        if at is None:
            return find_entry(vault, name).path, entry
        return _find_then(vault, entry, commit_at(vault, at)), entry
    except EntryNotFound as error:
        if entry.startswith("m-"):
            raise
        then = f" at {at}" if at else ""
        message = f"no document is called {name}.md{then}, and no entry has the id {name}"
        raise DocumentNotFound(message, hint="memfs list shows both") from error


def _find_then(vault: Vault, entry: str, commit: str) -> str:
    """The document that held an entry in a commit."""
    from memfs.history.display import documents_at

    paths = [
        path
        for path in documents_at(vault.repository, commit, vault.layout.rel(vault.layout.memories))
        if path.endswith(".md") and "/.ledger/" not in path
    ]
    for path, data in vault.repository.read_blobs(commit, paths).items():
        if data is not None and entry in raw_texts(data.decode("utf-8", "replace")):
            return path
    raise EntryNotFound(f"no entry {entry} at {commit[:8]}")


def _exists(vault: Vault, path: str, at: str | None) -> bool:
    from memfs.history.tracing import name_at
    from memfs.services.places import is_safe

    if not is_safe(vault.top, path):
        return False
    if at is None:
        return (vault.top / path).is_file()
    return name_at(vault.repository, commit_at(vault, at), path) is not None


def _read(vault: Vault, path: str, at: str | None) -> str:
    if at is None:
        return (vault.top / path).read_text(encoding="utf-8", errors="replace")
    from memfs.history.tracing import name_at

    commit = commit_at(vault, at)
    name = name_at(vault.repository, commit, path)
    data = vault.repository.read_blob(commit, name) if name else None
    if data is None:
        raise DocumentNotFound(f"no such document at {at}", path=path)
    return data.decode("utf-8", "replace")


def _hand_commit(vault: Vault, view: EntryView) -> tuple[str | None, str | None]:
    """Who wrote the words of an entry as they are now, and the commit that brought them."""
    from memfs.history.tracing import line_author

    lines = (vault.top / view.path).read_bytes().decode("utf-8", "surrogateescape").splitlines()
    change = line_author(vault.repository, view.path, lines[view.line - 1])
    return (change.author, change.commit) if change else (None, None)


def said_turns(vault: Vault, identity: str, provenance: Provenance) -> Iterator[SaidTurn]:
    """The turns that a commit went by, as far as a copy of them is left."""
    wanted = dict.fromkeys(provenance.messages)
    source, _, session = (provenance.source or "").partition("/")
    if source and session:
        key = SessionKey(source, session)
        for name in dict.fromkeys(
            (identity, *vault.identities())
        ):  # it may have been moved here from another
            for path, kept in _copies(vault, name, key):
                yield from _turns_in(path, kept, key, wanted)
                if not wanted:
                    return
    yield from (SaidTurn(message, None, None) for message in wanted)


def _turns_in(path: Path, kept: bool, key: SessionKey, wanted: dict[str, None]) -> Iterator[SaidTurn]:
    """The wanted turns of one file; they are taken off the list."""
    try:
        with open_reader(path) as reader:
            for one in reader.conversations or (reader,):
                turns = list(one)
                names = [turn.id for turn in turns] if kept else message_names(key, one.incremental, turns)[0]
                for name, turn in zip(names, turns, strict=True):
                    if name in wanted:
                        del wanted[name]
                        yield SaidTurn(name, turn, str(path), kept)
    except TranscriptError:
        return


def _copies(vault: Vault, identity: str, key: SessionKey) -> Iterator[tuple[Path, bool]]:
    """The files that may hold a session: the transcript where its cursors say, then the kept copy (True)."""
    for cursor in known_cursors(vault, identity, key):
        for source in list_sources(vault):
            path = source.root if source.root.is_file() else source.root / (cursor.path or "")
            if cursor.path and path.is_file():
                yield path, False
    copy = kept_copy(vault, identity, key)
    if copy.is_file():
        yield copy, True
