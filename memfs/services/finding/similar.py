"""Entries that say nearly what another one says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.errors import EntryNotFound
from memfs.services.entries import find_view
from memfs.services.recall import Found, look_up, visible

if TYPE_CHECKING:
    from memfs.search.index import SearchIndex
    from memfs.search.searching import SearchResult
    from memfs.services.opening import Vault


def similar(vault: Vault, reference: str, *, identity: str | None = None, limit: int = 10) -> Found:
    """The entries and notes nearest to an entry in words and meaning, the nearest first; itself not among them.

    ``identity`` limits it to what that identity may see, the entry itself too.

    Raises:
        EntryNotFound: no entry that may be seen has this id.
    """
    from memfs.search.lexicon import Filters

    entry = find_view(vault, reference)
    seen = visible(vault, identity) if identity else None
    if seen is not None and entry.identity not in seen:
        raise EntryNotFound(f"no entry has the id {entry.id}", hint="the list of entries shows the ids")
    filters = Filters(seen, without=entry.id)

    def ask(index: SearchIndex) -> SearchResult:
        return index.search(entry.text, filters, limit, today=vault.now().date())

    return Found(*look_up(vault, ask))
