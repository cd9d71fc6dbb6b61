"""memfs as a Python library: what is found and read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from memfs.interfaces.days import day_of

if TYPE_CHECKING:
    from memfs.memory.types import Registry
    from memfs.model import EntryView
    from memfs.search.context import Context
    from memfs.services.finding.linking import Links
    from memfs.services.opening import Vault
    from memfs.services.recall import Found


class Recalling:
    """What is found and read."""

    vault: Vault

    def list(
        self, *, identity: str | None = None, type: str | None = None, peer: str | None = None
    ) -> tuple[EntryView, ...]:
        """All entries, hand-written ones and suggestions included.

        InvalidRequest where no identity or type is called so; a type that only a document names counts too.
        """
        from memfs.memory.slugs import peer_id
        from memfs.services.entries import list_entries

        self._check_identity(identity)
        entries = list_entries(self.vault, identity=identity, type=type, peer=peer_id(peer) if peer else None)
        if not entries:
            self._check_type(type)
        return entries

    def show(self, reference: str, *, at: str | None = None) -> str:
        """An entry's lines or a document's text, now or ``at`` a date or commit."""
        from memfs.services.showing import show

        return show(self.vault, reference, at=at)

    def search(
        self,
        query: str,
        *,
        identity: str | None = None,
        type: str | None = None,
        peer: str | None = None,
        tag: str | None = None,
        path: str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        at: str | None = None,
        limit: int = 10,
        sessions: bool | None = None,
        announce: Callable[[str], object] | None = None,
        indexing: Callable[[str], object] | None = None,
    ) -> Found:
        """Find memories by words and meaning; ``identity`` limits it to what that identity may see.

        ``at`` a date or commit: memory as it was then. ``sessions``: also the turns of conversations; None: only where
        memory has nothing and `search.sessions` is on. Days may be ISO strings. InvalidRequest where one is none, or no
        identity or type is called so.
        """
        from memfs.memory.slugs import peer_id
        from memfs.services.recall import search

        first, last = day_of(since), day_of(until)

        self._check_identity(identity)
        found = search(
            self.vault,
            query,
            identity=identity,
            type=type,
            peer=peer_id(peer) if peer else None,
            tag=tag,
            path=path,
            since=first,
            until=last,
            at=at,
            limit=limit,
            sessions=sessions,
            announce=announce,
            indexing=indexing,
        )
        if not found.hits:
            self._check_type(type)
        return found

    def similar(self, reference: str, *, identity: str | None = None, limit: int = 10) -> Found:
        """The entries nearest to one in words and meaning; ``identity`` limits it to what that identity may see."""
        from memfs.services.finding.similar import similar

        self._check_identity(identity)
        return similar(self.vault, reference, identity=identity, limit=limit)

    def links(self, reference: str | None = None, *, identity: str | None = None) -> Links:
        """The links out of an entry or document and back to it; without one, what is broken, and orphans."""
        from memfs.services.finding.linking import links

        self._check_identity(identity)
        return links(self.vault, reference, identity=identity)

    def context(
        self, message: str = "", *, identity: str | None = None, budget: int | None = None
    ) -> Context:
        """What an agent should read before it begins, or answers ``message``; ``budget`` in tokens."""
        from memfs.services.context import DEFAULT_BUDGET, context

        room = DEFAULT_BUDGET if budget is None else budget
        return context(self.vault, message, identity=identity, budget=room)

    def types(self) -> Registry:
        """The memory types, built-in ones and the vault's own."""
        return self.vault.registry

    def _check_identity(self, identity: str | None) -> None:
        if identity:
            self.vault.known_identity(identity)

    def _check_type(self, type: str | None) -> None:
        from memfs.errors import InvalidRequest
        from memfs.services.entries import list_entries

        known = self.vault.registry.types
        if type and type not in known and not list_entries(self.vault, type=type):
            raise InvalidRequest(f"no memory type {type!r}", hint=f"one of {', '.join(known)}")
