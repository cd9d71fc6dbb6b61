"""memfs as a Python library: open a vault, and every use case under the name it has on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfs.config import Config
    from memfs.history.log import LogEntry
    from memfs.memory.types import Registry
    from memfs.model import EntryView, FieldValue
    from memfs.search.context import Context
    from memfs.search.index import UpdateReport
    from memfs.services.audit import Why
    from memfs.services.changing import Changed
    from memfs.services.checking import Checked
    from memfs.services.dryrun import DryRun, Estimate
    from memfs.services.opening import Vault
    from memfs.services.purging import Forgotten
    from memfs.services.recall import Found
    from memfs.services.reports import IngestReport
    from memfs.services.retrying import Retried
    from memfs.services.status import Status
    from memfs.services.undo import Undone


def open_memory(path: Path | str | None = None) -> Memory:
    """Open a vault: the one at ``path``, else that of ``MEMFS_VAULT``, else that around the current folder.

    Raises:
        VaultError: there is no vault there.
        ConfigError: its settings cannot be used.
    """
    from memfs.services.opening import open_vault

    return Memory(open_vault(Path(path).expanduser() if path else None))


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of one vault. Methods are the commands; each raises errors of `memfs.errors` only.

    ``identity`` is always the agent role that is meant; with a single one in the vault it may be left out.
    An entry is named by its block id, with or without ``^``.
    """

    vault: Vault

    # --- remember

    def ingest(
        self,
        paths: Sequence[Path | str] = (),
        *,
        identity: str | None = None,
        backfill: str | None = None,
        announce: Callable[[str], None] | None = None,
    ) -> IngestReport:
        """Merge what is new in ``paths``, or in all sources of the vault.

        ``backfill`` (``none``, ``30d``, ``all``) says how much of a new source's past is read; ``announce``
        is told of each session as it is merged.
        """
        from memfs.services.ingest import ingest

        files = [Path(path) for path in paths]
        return ingest(self.vault, files, identity=identity, choice=backfill, announce=announce)

    def remember(
        self,
        text: str,
        *,
        identity: str | None = None,
        type: str = "notes",
        peer: str | None = None,
        fields: Mapping[str, FieldValue] | None = None,
    ) -> Changed:
        """Keep ``text`` as an entry; ``fields`` are those of the memory ``type``."""
        from memfs.services.changing import remember

        return remember(self.vault, text, identity=identity, type=type, peer=peer, fields=fields)

    def retry(self, *, identity: str | None = None, announce: Callable[[str], None] | None = None) -> Retried:
        """Try what was set aside once more, then whatever else is not merged."""
        from memfs.services.retrying import retry

        return retry(self.vault, identity=identity, announce=announce)

    def transcript(self, path: Path | str, *, me: Sequence[str] = ()) -> Any:
        """How a transcript (a file, or a folder that is one) is read.

        ``me`` are the user's names in a group chat.
        """
        from memfs.services.dryrun import read_transcript

        return read_transcript(Path(path), me=me)

    def extract(
        self,
        path: Path | str,
        *,
        identity: str | None = None,
        now: datetime | None = None,
        me: Sequence[str] = (),
    ) -> DryRun:
        """What would be remembered of a transcript; nothing is written.

        ``now`` is where relative dates count from.
        """
        from memfs.services.dryrun import extract

        moment = now.replace(tzinfo=self.vault.zone) if now and now.tzinfo is None else now
        return extract(self.vault, Path(path), identity=identity, now=moment, me=me)

    def estimate(self, path: Path | str, *, me: Sequence[str] = ()) -> Estimate:
        """What extraction of a transcript would cost."""
        from memfs.services.dryrun import estimate

        return estimate(self.vault, Path(path), me=me)

    # --- recall

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
        from memfs.services.audit import show

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
        since: date | None = None,
        until: date | None = None,
        limit: int = 10,
    ) -> Found:
        """Find memories by words and meaning; ``identity`` limits it to what that identity may see.

        InvalidRequest where no identity or type is called so.
        """
        from memfs.memory.slugs import peer_id
        from memfs.services.recall import search

        self._check_identity(identity)
        found = search(
            self.vault,
            query,
            identity=identity,
            type=type,
            peer=peer_id(peer) if peer else None,
            tag=tag,
            path=path,
            since=since,
            until=until,
            limit=limit,
        )
        if not found.hits:
            self._check_type(type)
        return found

    def context(
        self, message: str = "", *, identity: str | None = None, budget: int | None = None
    ) -> Context:
        """What an agent should read before it begins, or answers ``message``; ``budget`` in tokens."""
        from memfs.services.recall import DEFAULT_BUDGET, context

        room = DEFAULT_BUDGET if budget is None else budget
        return context(self.vault, message, identity=identity, budget=room)

    def types(self) -> Registry:
        """The memory types, built-in ones and the vault's own."""
        return self.vault.registry

    # --- correct

    def forget(self, entry: str) -> Changed:
        """Take an entry out, and keep it from coming back."""
        from memfs.services.changing import forget

        return forget(self.vault, entry)

    def purge(self, entry: str) -> Forgotten:
        """Forget an entry for good: out of every commit, copy and cache, with proof. History is rewritten."""
        from memfs.services.purging import purge

        return purge(self.vault, entry)

    def move(self, entry: str, to: str) -> Changed:
        """Move an entry to the identity ``to``."""
        from memfs.services.changing import move

        return move(self.vault, entry, to)

    def accept(self, entry: str) -> Changed:
        """Put the wording that is offered for an entry in its place."""
        from memfs.services.changing import accept

        return accept(self.vault, entry)

    def reject(self, entry: str) -> Changed:
        """Take the wording that is offered for an entry away."""
        from memfs.services.changing import reject

        return reject(self.vault, entry)

    def undo(self, commit: str) -> Undone:
        """Take back what one commit of memfs did."""
        from memfs.services.undo import undo

        return undo(self.vault, commit)

    # --- ask

    def log(
        self,
        *,
        identity: str | None = None,
        limit: int | None = 20,
        since: date | None = None,
        until: date | None = None,
        everything: bool = False,
    ) -> tuple[LogEntry, ...]:
        """The audit log, newest first. A day as ``until`` is included."""
        from memfs.services.audit import log

        return log(
            self.vault,
            identity=identity,
            limit=limit,
            since=self._moment(since, time.min),
            until=self._moment(until, time.max),
            everything=everything,
        )

    def why(self, entry: str) -> Why:
        """Where an entry comes from: commits, sources, and the turns themselves."""
        from memfs.services.audit import why

        return why(self.vault, entry)

    def diff(self, commit: str | None = None, *, until: str | None = None) -> str:
        """What a commit (default: the last one of memfs) changed in memory, as a patch."""
        from memfs.services.audit import diff

        return diff(self.vault, commit, until=until)

    # --- keep well

    def status(self) -> Status:
        """How the vault does: what its identities and sources are at, what waits, what needs a person."""
        from memfs.services.status import status

        return status(self.vault)

    def check(self) -> Checked:
        """Verify vault, repository and index; what is derived is mended, what is a person's only reported."""
        from memfs.services.checking import check

        return check(self.vault)

    def reindex(self) -> UpdateReport:
        """Build the search index anew."""
        from memfs.services.recall import reindex

        return reindex(self.vault)

    def config(self) -> Config:
        """The settings as they are in force."""
        return self.vault.config

    def set_config(self, key: str, value: str | None, *, local: bool = False) -> Path:
        """Set ``key`` in ``memfs.toml`` (``local``: ``memfs.local.toml``), or remove it (None).

        It counts when the vault is opened anew.
        """
        from memfs.config.changing import set_setting

        return set_setting(self.vault.layout.config.parent, key, value, local=local)

    def _check_identity(self, identity: str | None) -> None:
        from memfs.errors import InvalidRequest

        known = self.vault.identities()
        if identity and identity not in known:
            hint = f"one of {', '.join(known)}" if known else "memfs init --identity ID makes one"
            raise InvalidRequest(f"no identity is called {identity}", hint=hint)

    def _check_type(self, type: str | None) -> None:
        from memfs.errors import InvalidRequest
        from memfs.services.entries import list_entries

        known = self.vault.registry.types
        if type and type not in known and not list_entries(self.vault, type=type):
            raise InvalidRequest(f"no memory type {type!r}", hint=f"one of {', '.join(known)}")

    def _moment(self, day: date | None, at: time) -> datetime | None:
        if day is None:
            return None
        moment = day if isinstance(day, datetime) else datetime.combine(day, at)
        return (moment if moment.tzinfo else moment.replace(tzinfo=self.vault.zone)).astimezone(UTC)
