"""Showing an entry or a document, now or as it was."""

from __future__ import annotations

import re
from datetime import datetime, time
from typing import TYPE_CHECKING

from memfs.errors import CommitNotFound, DocumentNotFound, EntryNotFound
from memfs.memory.views import raw_texts
from memfs.model import EntryView
from memfs.services.entries import find_entry, find_view

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


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
    from memfs.markdown.document import parse_document

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
        CommitNotFound: no such commit, nothing was committed yet, or it is neither date nor commit.
    """
    from memfs.history import log as history

    if _COMMIT.fullmatch(at.strip().lower()):
        return history.find_commit(vault.repository, at)
    try:
        moment = datetime.fromisoformat(at.strip())
    except ValueError:
        return _named_commit(vault, at)
    if len(at.strip()) <= len("2026-11-30"):  # a day means its end
        moment = datetime.combine(moment.date(), time.max)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=vault.zone)
    return history.commit_at(vault.repository, moment)


def _named_commit(vault: Vault, name: str) -> str:
    """The commit of a branch, a tag or another word of git's for one; what is none was perhaps meant as a date."""
    from memfs.history.log import find_commit

    try:
        return find_commit(vault.repository, name)
    except CommitNotFound as error:
        raise CommitNotFound(
            f"{name!r} was not understood: it is no date, and no commit, branch or tag is called so",
            hint="a day is written 2026-11-30, a moment 2026-11-30T10:30",
        ) from error


def find_document(vault: Vault, reference: str) -> tuple[str, str | None]:
    """The path of the document that a person names, and the entry in it when it is an entry that they name.

    Raises:
        EntryNotFound, DocumentNotFound: there is none.
    """
    return _resolve(vault, reference, None)


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
        raise DocumentNotFound(message, hint="the list of entries shows both") from error


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
    from memfs.services.committing.places import is_safe

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
