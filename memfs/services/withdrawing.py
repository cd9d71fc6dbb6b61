"""Everything that came from a source, taken back in one commit; and a conversation put off the record (spec 3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memfs.errors import CommitNotFound, EntryNotFound
from memfs.memory.desk import Desk, block_hash
from memfs.memory.ids import superseded_id
from memfs.memory.merge import MergeResult, Outcome, Snapshot
from memfs.memory.removal import remove_entry
from memfs.memory.undo import Version, undo_entries
from memfs.memory.views import raw_texts
from memfs.memory.wording import without_date
from memfs.services.commit import Transaction, open_transaction
from memfs.services.committing.secrets import require_no_secrets
from memfs.services.ingesting.kept import kept_copy
from memfs.services.ingesting.sessions import SessionKey
from memfs.services.merging.merges import entry_changes, result_files
from memfs.services.merging.snapshots import load_snapshot
from memfs.services.undo import Undone, base_of, touched, version_at

if TYPE_CHECKING:
    from memfs.history.log import LogEntry
    from memfs.history.messages import EntryChange
    from memfs.history.provenance import ProvenanceIndex
    from memfs.services.opening import Vault

_TAKEN_BACK_OTHERWISE = frozenset(
    ("hand", "init", "cursor", "undo", "forget", "reject", "edit", "agent", "agent-undo", "redact")
)


def take_back(vault: Vault, source: str, *, identity: str | None = None) -> Undone:
    """Take back all entries that a source proves, and what it changed in others, in one commit that can be undone.

    ``source`` is a session as `why` names it (``claude-code/5e55...``), or the part before the slash for all of its
    sessions. Marks keep the same evidence from bringing anything back. What a person, or another source, changed
    since is kept and reported.

    Raises:
        EntryNotFound: nothing came from there.
        InvalidRequest: a secret would come back with what stood there before.
    """
    from memfs.history.log import read_log
    from memfs.history.messages import CommitMessage
    from memfs.history.provenance import ProvenanceIndex
    from memfs.history.subjects import action_subject

    wanted = _matcher(source)
    index = ProvenanceIndex(vault.layout.derived / "provenance", vault.repository)
    latest = {entry for entry, (_, from_) in index.latest().items() if wanted(from_)}
    with open_transaction(vault) as transaction:
        parts = list(_parts(read_log(vault.repository, identity=None), wanted))
        if not parts and not latest:
            raise EntryNotFound(
                f"nothing came from {source}", hint="where an entry comes from names its source"
            )
        work = _Work(vault, transaction, parts, latest)
        names = vault.identities() if identity is None else (identity,)
        found = {name: work.of(name) for name in names}
        results = {name: result for name, result in found.items() if result.changed}
        files = {
            p: d
            for name, result in results.items()
            for p, d in result_files(vault.layout, name, result).items()
        }
        outcomes = tuple(_told(work, found, _moves(read_log(vault.repository, identity=None))))
        commit = None
        if files:
            message = CommitMessage(
                "undo",
                action_subject("undo", source, language=vault.language),
                identity=next(iter(results)) if len(results) == 1 else None,
                entries=tuple(_proven(index, entry_changes(outcomes), wanted)),
            )
            require_no_secrets(transaction, files)
            commit = transaction.commit(files, message).commit
    return Undone(source, commit, outcomes)


def withdraw(vault: Vault, identity: str, key: SessionKey) -> tuple[str, ...]:
    """Take back what came of a session, and remove its kept copy. Returns the commits that did it, if any had to.

    Hand edits in what it brought stay. Idempotent.
    """
    commit = None
    with suppress(EntryNotFound):
        commit = take_back(vault, str(key), identity=identity).commit
    kept_copy(vault, identity, key).unlink(missing_ok=True)
    return (commit,) if commit else ()


def _matcher(source: str) -> Callable[[str | None], bool]:
    named = source.strip().rstrip("/")
    return lambda said: said is not None and (said == named or said.startswith(f"{named}/"))


@dataclass(frozen=True, slots=True)
class _Part:
    """What a commit did by evidence of the source: to all its entries (None), or to these."""

    entry: LogEntry
    only: frozenset[str] | None


def _parts(log: Iterable[LogEntry], wanted: Callable[[str | None], bool]) -> Iterator[_Part]:
    """The commits that have a part in it, newest first."""
    for entry in log:
        told = entry.message
        if told is None or entry.kind in _TAKEN_BACK_OTHERWISE:
            continue
        ids = {change.id for change in told.entries if wanted(change.source or told.source)}
        if ids:
            yield _Part(entry, None if len(ids) == len(told.entries) else frozenset(ids))


@dataclass(slots=True)
class _Work:
    """One withdrawal under way; ``latest``: the entries whose words were last proved by the source."""

    vault: Vault
    transaction: Transaction
    parts: Collection[_Part]
    latest: Collection[str]
    _touched: dict[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def of(self, identity: str) -> MergeResult:
        """What changes in an identity's memory: commit by commit, then what no commit that is here tells of."""
        documents = dict.fromkeys(name for part in self.parts for name in self.documents(part, identity))
        documents |= dict.fromkeys(self._homes(identity))
        if not documents:
            return MergeResult({}, {}, None)
        first = load_snapshot(self.vault, self.transaction, identity, documents).snapshot
        now, outcomes, past = first, dict[str, Outcome](), set[str]()
        for part in self.parts:
            if names := self.documents(part, identity):
                with suppress(CommitNotFound):  # a shallow clone: what it wrote is removed below
                    wrote = version_at(self.vault, part.entry.commit, identity, names)
                    before = version_at(self.vault, base_of(self.vault, part.entry), identity, names)
                    now = _after(now, undo_entries(now, before, wrote, part.only), outcomes)
                    past.update(_superseded_later(part, wrote))
        for entry in self._left(first, now, {*self.latest, *past}):
            now = _after(now, remove_entry(now, entry, time=Desk(now).records[entry].time), outcomes)
        return _difference(first, now, outcomes.values())

    def documents(self, part: _Part, identity: str) -> tuple[str, ...]:
        """The identity's documents that a commit touched."""
        commit = part.entry.commit
        if commit not in self._touched:
            self._touched[commit] = {}
            with suppress(CommitNotFound):
                self._touched[commit] = touched(self.vault, part.entry)
        return self._touched[commit].get(identity, ())

    def _homes(self, identity: str) -> Iterator[str]:
        """The documents whose ledgers hold an entry that the source proved last."""
        folder = self.vault.layout.identity_dir(identity) / ".ledger"
        for file in sorted(folder.rglob("*.md")) if self.latest else ():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            if any(line.partition(" ")[0] in self.latest for line in lines):
                yield file.relative_to(folder).as_posix()

    def _left(self, first: Snapshot, now: Snapshot, from_there: Collection[str]) -> Iterator[str]:
        """Entries that no commit taken back told of, and that say what it said: squashed, or superseded since."""
        before, desk = Desk(first), Desk(now)
        for entry in sorted(set(desk.records) & set(from_there)):
            found, record = desk.owned(entry), desk.records[entry]
            if found is not None and record == before.records[entry] and block_hash(found[1]) == record.hash:
                yield entry


def _moves(log: Iterable[LogEntry]) -> Mapping[str, str]:
    """The new ids of entries that were moved to another identity, by their old ones."""
    told = (entry.message.entries for entry in log if entry.kind == "move" and entry.message)
    ids = ({change.action: change.id for change in changes} for changes in told)
    return {pair["removed"]: pair["added"] for pair in ids if pair.keys() >= {"removed", "added"}}


def _told(work: _Work, results: Mapping[str, MergeResult], moved: Mapping[str, str]) -> Iterator[Outcome]:
    """What became of the entries; one that was changed and moved is told where it is now, and not as gone.

    Where nothing changes in an identity's memory, only what is kept of the source is worth telling.
    """
    kept = {each.id for result in results.values() for each in result.outcomes if each.action == "kept"}
    arrived = set(moved.values())
    for identity, result in results.items():
        for outcome in result.outcomes:
            if outcome.action == "unchanged" and moved.get(outcome.id) in kept:
                continue
            if not result.changed and not (outcome.action == "kept" and outcome.id in work.latest):
                continue
            if outcome.action == "kept" and outcome.id in arrived:
                place = work.vault.layout.document_rel(identity, outcome.document)
                outcome = replace(outcome, reason=f"{outcome.reason}; it is in {place} now")
            yield outcome


def _superseded_later(part: _Part, wrote: Version) -> Iterator[str]:
    """The ids that the entries of a commit have where another source has superseded them since."""
    told = part.entry.message
    changed = part.only or {change.id for change in (told.entries if told else ())}
    for text in wrote.documents.values():
        for entry, said in raw_texts(text or "").items():
            if entry in changed:
                yield superseded_id(entry, without_date(" ".join(said.split())))


def _after(now: Snapshot, result: MergeResult, outcomes: dict[str, Outcome]) -> Snapshot:
    """The snapshot with a result in it; of each entry the last word on it that changed something is kept."""
    for outcome in result.outcomes:
        if outcome.action in ("removed", "updated", "added") or outcome.id not in outcomes:
            outcomes[outcome.id] = outcome
    return replace(
        now,
        documents={**now.documents, **result.documents},
        ledgers={**now.ledgers, **result.ledgers},
        marks=now.marks if result.marks is None else result.marks,
    )


def _difference(first: Snapshot, last: Snapshot, outcomes: Iterable[Outcome]) -> MergeResult:
    return MergeResult(
        {path: text for path, text in last.documents.items() if text != first.documents.get(path)},
        {home: text for home, text in last.ledgers.items() if text != first.ledgers.get(home, "")},
        None if last.marks == first.marks else last.marks,
        tuple(outcomes),
    )


def _proven(
    index: ProvenanceIndex, changes: Iterable[EntryChange], wanted: Callable[[str | None], bool]
) -> Iterator[EntryChange]:
    """The trailers; an entry that says again what it said before has the evidence of then."""
    for change in changes:
        proofs = [] if change.action == "removed" else index.find(change.id)
        proof = next((each for each in reversed(proofs) if each.source and not wanted(each.source)), None)
        yield change if proof is None else replace(change, source=proof.source, messages=proof.messages)
