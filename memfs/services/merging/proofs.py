"""Proofs that go along: an entry that is accepted, moved or brought back keeps the evidence of its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.history.messages import EntryChange
    from memfs.services.opening import Vault


def with_proof(
    vault: Vault, changes: Iterable[EntryChange], *, was: Mapping[str, str] | None = None, until: str = ""
) -> tuple[EntryChange, ...]:
    """The trailers with the evidence that an earlier commit named for the same text.

    ``was``: the id that an entry had before; ``until``: the commit that is taken back, whose evidence and all
    later one does not count.
    """
    from memfs.history.provenance import ProvenanceIndex

    index = ProvenanceIndex(vault.layout.derived / "provenance", vault.repository)
    proven = []
    for change in changes:
        if change.source is None and change.action != "removed":
            found = index.find((was or {}).get(change.id, change.id))
            proofs = [each for each in takewhile(lambda e: e.commit != until, found) if each.source]
            if proofs:
                change = replace(change, source=proofs[-1].source, messages=proofs[-1].messages)
        proven.append(change)
    return tuple(proven)
