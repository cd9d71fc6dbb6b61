"""Stale saves: an editor that had the text from before a merge open, and saved over it.

Every change of the last merge is gone then, and the file differs elsewhere too: the person's edit. It is merged with
the text from before that merge as base, once. Exactly the earlier text is a person's decision and stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memfs.markdown.document import parse_document
from memfs.memory.texts import is_stale_save, merge_texts
from memfs.memory.views import is_suggestion, suggestion_text
from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.opening import Vault

_RECORD = "stale"
_KEPT = 200


def find_stale(vault: Vault, texts: Mapping[str, str], head: str | None) -> dict[str, str]:
    """Of documents (path in the vault -> text now) those that are stale saves, with their mended text."""
    from memfs.history.log import last_changes

    if head is None or not texts:
        return {}
    committed = vault.repository.read_blobs(head, list(texts))
    dirty = {p: t for p, t in texts.items() if (b := committed[p]) is not None and _decoded(b) != t}
    if not dirty:
        return {}
    mended_before = LocalState(vault.layout).read_record(_RECORD)
    found = {}
    for path, change in last_changes(vault.repository, list(dirty)).items():
        if change.message is None or change.kind == "hand" or mended_before.get(path) == change.commit:
            continue
        mended = _mend(vault, path, dirty[path], change)
        if mended is not None:
            found[path] = mended
    return found


def note_mended(vault: Vault, paths: Iterable[str], commit: str) -> None:
    """Note the commit that mended stale saves; its own changes are not brought back a second time."""

    def change(record: dict[str, str]) -> None:
        for path in paths:
            record[path] = commit
        for old in list(record)[:-_KEPT]:
            del record[old]

    LocalState(vault.layout).update_record(_RECORD, change)


def is_stale(before: str, after: str, now: str) -> bool:
    """Whether ``now`` was made from ``before`` by somebody who never saw the merge's ``after``."""
    return is_stale_save(before, after, now) and not _took_over(after, before, now)


def _took_over(after: str, before: str, now: str) -> bool:
    """Whether the person put a suggestion's text in the place of a line: then they did see the merge."""
    offered = {suggestion_text(block) for block in parse_document(after).blocks if is_suggestion(block)}
    old, new = (
        {b.text for b in parse_document(text).blocks if b.kind != "callout"} for text in (before, now)
    )
    return bool(offered & (new - old))


def _mend(vault: Vault, path: str, now: str, change: LogEntry) -> str | None:
    parent = change.parents[0] if change.parents else None
    blobs = vault.repository.read_blobs(change.commit, [path])
    after = _decoded(blobs[path] or b"")
    data = vault.repository.read_blob(parent, path) if parent else None
    if data is None:  # the merge made the document: an older save of it cannot be open anywhere
        return None
    before = _decoded(data)
    return merge_texts(before, now, after) if is_stale(before, after, now) else None


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
