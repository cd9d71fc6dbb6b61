"""What a review knows of earlier ones: what was looked at, so that nothing is asked twice, and what was taken back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memfs.memory.ids import text_hash
from memfs.memory.standing import Standing
from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.services.opening import Vault

_RECORD = "review"
_UNDONE = re.compile(r"\b([0-9a-f]{8})\b")


@dataclass(frozen=True, slots=True)
class Seen:
    """``entries``: marks of entries that were compared by meaning with all others; ``judged``: names of pairs that a
    model judged. Losing this costs looking and asking once more."""

    entries: frozenset[str] = frozenset()
    judged: frozenset[str] = frozenset()

    def after(
        self, standing: Iterable[Standing], judged: Collection[str], nominated: Collection[str]
    ) -> Seen:
        """What is known after a review; pairs that are nominated no more are forgotten."""
        known = (self.judged | frozenset(judged)) & (frozenset(nominated) | frozenset(judged))
        return Seen(frozenset(entry_mark(each) for each in standing), known)


def entry_mark(each: Standing) -> str:
    """Names an entry with what it says."""
    return text_hash(f"{each.handle} {each.text}")


def read_seen(vault: Vault, identity: str) -> Seen:
    """What earlier reviews of an identity looked at."""
    record = LocalState(vault.layout).read_record(_RECORD).get(identity, {})
    same = record.get("with") == _engine(vault)
    return Seen(
        frozenset(record.get("entries", ())) if same else frozenset(), frozenset(record.get("judged", ()))
    )


def write_seen(vault: Vault, identity: str, seen: Seen) -> None:
    """Keep what this review looked at."""

    def change(record: dict[str, Any]) -> None:
        record[identity] = {
            "with": _engine(vault),
            "entries": sorted(seen.entries),
            "judged": sorted(seen.judged),
        }

    LocalState(vault.layout).update_record(_RECORD, change)


def _engine(vault: Vault) -> str:
    settings = vault.config.embeddings
    return f"{settings.engine} {settings.model}"


def spared_entries(vault: Vault, identity: str) -> frozenset[str]:
    """The entries whose review a person took back, by ``memfs undo`` or ``git revert``: they are left alone."""
    from memfs.history.log import read_log

    log = read_log(vault.repository, identity=identity, kinds=("review", "undo"))
    reviews = [entry for entry in log if entry.kind == "review"]
    if not reviews:
        return frozenset()
    undone = [found for entry in log if entry.kind == "undo" for found in _UNDONE.findall(entry.subject)]
    reverts = read_log(vault.repository, after=reviews[-1].commit, kinds=("revert",))
    undone += [name for entry in reverts for name in entry.reverts]
    return frozenset(
        change.id
        for entry in reviews
        if _is_undone(entry, undone)
        for change in (entry.message.entries if entry.message else ())
        if not change.id.endswith("-q")
    )


def _is_undone(entry: LogEntry, undone: Iterable[str]) -> bool:
    return any(entry.commit.startswith(name) for name in undone)
