"""What a caller may reach: the whole memory (the owner), or one identity's. HTTP and MCP go through here.

An identity sees its own memory, what its identity.md ``reads``, and the person's notes, as in a search. It changes
only its own. What is not here is the owner's alone: `Reach.whole` gives it, or refuses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from memfs.errors import CommitNotFound, EntryNotFound, NotPermitted, UnsafePath
from memfs.interfaces.library import Memory

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.model import EntryView, FieldValue, Trust, Turn
    from memfs.search.context import Context
    from memfs.services.audit import Why
    from memfs.services.changing import Changed
    from memfs.services.finding.linking import Links
    from memfs.services.recall import Found
    from memfs.services.relay import Baton, BatonRole, Board
    from memfs.services.status import Status
    from memfs.services.turns import Pushed
    from memfs.services.undo import Undone


@dataclass(frozen=True)
class Reach:
    """A vault's memory as a caller may use it; ``identity`` None: the owner, who reaches all of it."""

    memory: Memory
    identity: str | None = None

    def whole(self) -> Memory:
        """The whole memory. Raises NotPermitted unless the caller is the owner."""
        if self.identity is not None:
            raise NotPermitted("only the owner's token may do this")
        return self.memory

    def narrowed(self, identity: str | None) -> Reach:
        """The same, limited to an identity. Raises NotPermitted where it is limited to another already."""
        return self if identity is None else replace(self, identity=self.own(identity))

    def own(self, asked: str | None) -> str | None:
        """The identity that is meant; for an owner who names none, None. Raises NotPermitted for another's."""
        if self.identity is None or asked in (None, "", self.identity):
            return self.identity or asked or None
        raise NotPermitted(f"this token sees only {self.identity}")

    def identities(self) -> tuple[str, ...]:
        """The identities that the caller may use."""
        known = self.memory.vault.identities()
        return known if self.identity is None else tuple(name for name in known if name == self.identity)

    # -- reading --------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        identity: str | None = None,
        type: str | None = None,
        peer: str | None = None,
        tag: str | None = None,
        path: str | None = None,
        since: date | None = None,
        until: date | None = None,
        at: str | None = None,
        limit: int = 10,
        sessions: bool | None = None,
    ) -> Found:
        return self.memory.search(
            query,
            identity=self.own(identity),
            type=type,
            peer=peer,
            tag=tag,
            path=path,
            since=since,
            until=until,
            at=at,
            limit=limit,
            sessions=sessions,
        )

    def similar(self, reference: str, *, identity: str | None = None, limit: int = 10) -> Found:
        self.entry(reference)
        return self.memory.similar(reference, identity=self.own(identity), limit=limit)

    def links(self, reference: str | None = None, *, identity: str | None = None) -> Links:
        return self.memory.links(reference, identity=self.own(identity))

    def context(
        self, message: str = "", *, identity: str | None = None, budget: int | None = None
    ) -> Context:
        return self.memory.context(message, identity=self.own(identity), budget=budget)

    def list(
        self, *, identity: str | None = None, type: str | None = None, peer: str | None = None
    ) -> tuple[EntryView, ...]:
        return self.memory.list(identity=self.own(identity), type=type, peer=peer)

    def entry(self, reference: str) -> EntryView:
        """One entry as it is listed. Raises EntryNotFound, also where the caller may not see it."""
        from memfs.services.entries import find_view

        view = find_view(self.memory.vault, reference)
        self._require(view.identity, reference, self._readable())
        return view

    def show(self, reference: str, *, at: str | None = None) -> str:
        """An entry's lines or a document's text, as `Memory.show`; the past is the owner's alone."""
        if self.identity is None:
            return self.memory.show(reference, at=at)
        if at is not None:
            raise NotPermitted("only the owner's token may look into the past")
        return self.memory.show(self._visible_reference(reference))

    def why(self, entry: str) -> Why:
        """Where an entry comes from; what another identity's commits and turns say of it is left out."""
        self._require_entry(entry)
        found = self.memory.why(entry)
        if self.identity is None:
            return found
        return replace(found, reasons=tuple(r for r in found.reasons if self._is_own(r.provenance.commit)))

    def log(
        self,
        *,
        identity: str | None = None,
        limit: int | None = 20,
        since: date | None = None,
        until: date | None = None,
    ) -> tuple[LogEntry, ...]:
        return self.memory.log(identity=self.own(identity), limit=limit, since=since, until=until)

    def diff(self, commit: str | None = None) -> str:
        """What a commit changed; for an identity one that changed only its memory, else CommitNotFound."""
        if self.identity is not None:
            last = None if commit else next(iter(self.log(limit=1)), None)
            commit = commit or (last.commit if last else None)
            if commit is None:
                return ""
            self._require_commit(commit)
        return self.memory.diff(commit)

    def status(self) -> Status:
        """How the vault does; for an identity only what concerns it."""
        found = self.memory.status()
        if self.identity is None:
            return found
        return replace(
            found,
            identities=tuple(one for one in found.identities if one.identity == self.identity),
            sources=tuple(one for one in found.sources if one.identity == self.identity),
            quarantine=tuple(one for one in found.quarantine if one.identity == self.identity),
            locks=(),
            warnings=(),
            reasons=(),
        )

    # -- changing -------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        identity: str | None = None,
        type: str = "notes",
        peer: str | None = None,
        fields: Mapping[str, FieldValue] | None = None,
        trust: Trust = "user",
    ) -> Changed:
        """Keep a text; what a caller with an identity's token says counts as an agent's words at most."""
        level = "agent" if self.identity is not None and trust == "user" else trust
        return self.memory.remember(
            text, identity=self.own(identity), type=type, peer=peer, fields=fields, trust=level
        )

    def edit(self, entry: str, text: str) -> Changed:
        self._require_entry(entry)
        return self.memory.edit(entry, text)

    def forget(self, entry: str) -> Changed:
        self._require_entry(entry)
        return self.memory.forget(entry)

    def accept(self, entry: str) -> Changed:
        self._require_entry(entry)
        return self.memory.accept(entry)

    def reject(self, entry: str) -> Changed:
        self._require_entry(entry)
        return self.memory.reject(entry)

    def undo(self, commit: str) -> Undone:
        self._require_commit(commit)
        return self.memory.undo(commit)

    def push(
        self,
        session: str,
        turns: Sequence[Turn],
        *,
        identity: str | None = None,
        channel: str | None = None,
        model: str | None = None,
    ) -> Pushed:
        return self.memory.push(session, turns, identity=self.own(identity), channel=channel, model=model)

    def relay_add(
        self,
        text: str,
        *,
        channel: str,
        identity: str | None = None,
        role: BatonRole = "assistant",
        session: str | None = None,
        message: str | None = None,
        reply_to: str | None = None,
    ) -> Baton:
        return self.memory.relay_add(
            text,
            channel=channel,
            identity=self.own(identity),
            role=role,
            session=session,
            message=message,
            reply_to=reply_to,
        )

    def relay_show(self, *, identity: str | None = None) -> Board:
        return self.memory.relay_show(identity=self.own(identity))

    # -- what may be reached --------------------------------------------------------------------------------

    def _readable(self) -> tuple[str, ...]:
        from memfs.services.recall import visible

        return () if self.identity is None else visible(self.memory.vault, self.identity)

    def _require(self, identity: str, reference: str, allowed: Sequence[str]) -> None:
        if self.identity is not None and identity not in allowed:
            raise _unknown(reference)

    def _require_entry(self, reference: str) -> None:
        """An entry that is changed, or whose history is told, is the identity's own."""
        from memfs.services.entries import find_entry

        if self.identity is not None:
            entry = reference.strip().removesuffix("-q")
            self._require(find_entry(self.memory.vault, entry).identity, reference, (self.identity,))

    def _require_commit(self, name: str) -> None:
        """A commit that changed nothing but the identity's own memory."""
        from memfs.history.log import changed_blobs, read_commit

        if self.identity is None:
            return
        vault = self.memory.vault
        entry = read_commit(vault.repository, name)
        own = f"{vault.layout.rel(vault.layout.identity_dir(self.identity))}/"
        changed = changed_blobs(vault.repository, next(iter(entry.parents), None), entry.commit)
        if not all(path.startswith(own) for path in changed):
            raise CommitNotFound(f"no commit {name} of {self.identity} alone")

    def _is_own(self, commit: str) -> bool:
        try:
            self._require_commit(commit)
        except CommitNotFound:
            return False
        return True

    def _visible_reference(self, reference: str) -> str:
        """The entry or document that is meant, if the identity sees it: else it is as if it were not there."""
        from memfs.memory.views import locate
        from memfs.services.entries import find_entry
        from memfs.vault.scan import scan_documents

        vault, allowed = self.memory.vault, self._readable()
        name = reference.strip().strip("/")
        own = vault.layout.rel(vault.layout.identity_dir(self.identity or ""))
        documents = scan_documents(vault.layout, vault.config.search.include).documents
        for path in (name, f"{name}.md", f"{own}/{name}", f"{own}/{name}.md"):
            place = locate(path, root=vault.layout.root) if path in documents else None
            if path in documents and (place.identity if place else "") in allowed:
                return path
        try:
            entry = find_entry(vault, name)
        except (EntryNotFound, UnsafePath) as error:
            raise _unknown(name) from error
        self._require(entry.identity, name, allowed)
        return entry.id


def _unknown(reference: str) -> EntryNotFound:
    """What is told of an entry that is not there, and of one that the caller may not know of."""
    entry = reference.strip().removeprefix("^")
    return EntryNotFound(f"no entry has the id {entry!r}", hint="the list of entries shows the ids")
