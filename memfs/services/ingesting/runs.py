"""One identity's part of an ingest: under its lease, session by session, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.model import Cursor, Dropped, Session, Turn
from memfs.services.commit import require_branch
from memfs.services.ingesting.candidates import Candidate
from memfs.services.ingesting.extracting import EARLIER_TURNS, Extracted, extract_turns
from memfs.services.ingesting.failing import Rounds
from memfs.services.ingesting.kept import keep_copy
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.progress import move_cursors, take_pending
from memfs.services.ingesting.reports import SessionReport
from memfs.services.ingesting.restoring import restore_seen
from memfs.services.ingesting.seen import SeenMessages, open_seen
from memfs.services.ingesting.sessions import NewTurns, Part, cursor_place, first_part, read_new_turns
from memfs.services.ingesting.settled import standing_cursors
from memfs.services.ingesting.sources import FROM_CWD, TranscriptFile
from memfs.services.learning.journal import Journal, write_journal
from memfs.services.learning.summarising import Talk
from memfs.services.learning.training import CASES, Trained, assign, train
from memfs.services.merging.merges import Merged, MergeWork, merge_settled
from memfs.services.withdrawing import withdraw
from memfs.transcripts.privacy import Withheld, keep_turns
from memfs.transcripts.times import turn_time
from memfs.vault.leases import (
    DEADLINE_MARGIN,
    LEASE_SECONDS,
    Held,
    Lease,
    acquire_lease,
    release_lease,
    renew_lease,
)
from memfs.vault.local import LocalState
from memfs.vault.records import set_last_run

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.memory.policy import MemoryPolicy
    from memfs.services.opening import Vault

_TERM_USED = 60.0  # seconds of a lease after which it is renewed between two pieces of work


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as it was read: what may be remembered of it (``kept``), and where it ends."""

    candidate: Candidate
    new: NewTurns
    kept: tuple[Turn, ...]
    withheld: Withheld
    cursor: Cursor


def read_batch(candidate: Candidate, new: NewTurns, *, off_record: bool) -> Batch:
    """What of a batch may be remembered; ``off_record``: its session was put off the record before."""
    kept, withheld = keep_turns(new.turns, new.session, session_off=off_record)
    return Batch(candidate, new, kept, withheld, replace(new.cursor, off_record=withheld.session_off))


@dataclass
class Run:
    """The work on one identity. ``waiting`` collects what has to be tried again, and why.

    ``summed_by``: what sums conversations up, where that is not the extractor. ``policy``: what this call allows, in
    the shape of ``memory_policy``; it goes before all others.
    """

    vault: Vault
    extractor: Extractor
    identity: str
    seen: SeenMessages
    lease: Lease
    now: datetime | None
    waiting: list[str] = field(default_factory=list)
    summed_by: Extractor | None = None
    policy: Mapping[str, Any] | None = None

    def ingest_file(self, candidate: Candidate) -> Iterator[SessionReport]:
        """Merge what is new in one transcript; a report for each batch that held something.

        Raises:
            TranscriptError, ExtractionError: this transcript failed; its cursor has not moved.
            LeaseLost: another worker has the identity; nothing more may be written.
        """
        earlier: list[Turn] = []
        off_record = False
        cursors: dict[str, str] = {}
        for new in read_new_turns(self.vault, self.identity, candidate.file, self.seen):
            off_record |= new.cursor.off_record
            report, reasons = self._ingest_batch(candidate, new, earlier, off_record=off_record)
            off_record = report.off_record
            if report.turns or report.problems or report.skipped_lines:
                yield report
            if reasons:
                self.waiting += [f"{self.identity}/{reason}" for reason in reasons]
                return  # later turns wait for these
            cursors |= self.end_of(new, off_record=off_record)
            earlier = [*earlier, *new.turns][-EARLIER_TURNS:]
        self.note_file(candidate, cursors)

    def renew(self, after: float = _TERM_USED) -> None:
        """Begin a new term of the lease when more than ``after`` seconds of this one are over. Raises LeaseLost."""
        now = self.vault.clock().timestamp()
        if now > self.lease.expires - LEASE_SECONDS + after:
            self.lease = renew_lease(self.vault.layout, self.lease, clock=lambda: now)

    def _ingest_batch(
        self, candidate: Candidate, new: NewTurns, earlier: Sequence[Turn], *, off_record: bool
    ) -> tuple[SessionReport, tuple[str, ...]]:
        """Extract and merge one batch; its report, and what of it has to wait."""
        batch = read_batch(candidate, new, off_record=off_record)
        extracted = self._extract(candidate, new, batch.kept, earlier) if batch.kept else Extracted()
        return self.merge_batch(batch, extracted)

    def merge_batch(self, batch: Batch, extracted: Extracted) -> tuple[SessionReport, tuple[str, ...]]:
        """Merge what was extracted of a batch, with its cursor; its report, and what of it has to wait."""
        vault, identity, new, kept = self.vault, self.identity, batch.new, batch.kept
        part = Part(new.turns, new.keys, batch.cursor)
        if extracted.waiting:
            part = first_part(new, batch.candidate.file, _place(new, kept[extracted.read]))
            kept = kept[: extracted.read]
        undone = withdraw(vault, identity, new.key) if batch.withheld.whole else ()
        if kept and vault.config.transcripts.keep:
            keep_copy(vault, identity, new.key, new.session, kept)
        journal = self._journal(batch, kept)
        extracted = replace(
            extracted,
            dropped=(*extracted.dropped, *journal.dropped),
            tokens=extracted.tokens + journal.tokens,
        )
        self.renew(LEASE_SECONDS - DEADLINE_MARGIN)  # the extractor may have taken long
        work = MergeWork(
            identity,
            proposals=extracted.proposals,
            changes=journal.blocks,
            cursors=_moves(vault, identity, part.cursor, batch.cursor),
            source=str(new.key),
            extractor=self.extractor.name,
            tokens=extracted.tokens,
            dropped=extracted.dropped,
            day=_day(vault, kept, batch.candidate.began),
            lease=self.lease,
        )
        merged = merge_settled(vault, work)
        if not merged.waiting:
            move_cursors(vault, work, committed=merged.commit is not None)
            self.seen.add(identity, str(new.key), part.cursor.offset if part.cursor else 0, part.keys)
        waiting = (f"{new.key}: {extracted.waiting}",) if extracted.waiting else ()
        waiting = (*merged.waiting, *waiting)
        report = replace(_report(identity, batch, part, extracted, merged), undone=undone, waiting=waiting)
        if not merged.waiting:
            report = _with_training(report, self._train(batch, kept, extracted, merged))
        return report, waiting

    def _train(self, batch: Batch, turns: Sequence[Turn], extracted: Extracted, merged: Merged) -> Trained:
        """Learn from the cases that a batch yielded, unless all of them were forgotten before."""
        vault, key = self.vault, batch.new.key
        if all(outcome.action == "forgotten" for outcome in merged.outcomes if outcome.type == CASES):
            return Trained()
        assignment = assign(vault, self.identity, key, turns, extracted.proposals)
        if assignment is None:
            return Trained()
        policy = self.policy_of(batch.new.session)
        return train(
            vault,
            self.summed_by or self.extractor,
            assignment,
            turns,
            policy,
            day=_day(vault, turns, batch.candidate.began),
            project=project_of(batch.candidate.file, batch.new.session),
            renewed=self.renewed,
        )

    def policy_of(self, session: Session) -> MemoryPolicy:
        """What may be remembered of a session. Raises ConfigError for a policy with a mistake in it."""
        return read_policy(self.vault, self.identity, session.memory_policy, self.policy)

    def renewed(self) -> Lease:
        """The lease, good for as long as a question to a model may take."""
        self.renew()
        return self.lease

    def _journal(self, batch: Batch, turns: Sequence[Turn]) -> Journal:
        """The working memory of what was read of a batch."""
        return write_journal(
            self.vault,
            self.summed_by or self.extractor,
            self._talk(batch),
            turns,
            self.policy_of(batch.new.session),
            between=self.renew,
        )

    def _talk(self, batch: Batch) -> Talk:
        file, session = batch.candidate.file, batch.new.session
        said_at = self.now or datetime.fromtimestamp(file.stat.mtime_ns / 1e9, UTC)
        return Talk(self.identity, batch.new.key, session, said_at, project_of(file, session))

    def note_file(self, candidate: Candidate, cursors: Mapping[str, str]) -> None:
        """Note that a transcript is merged as it lies, and the cursors (place -> text) that say so.

        Without new ones, those that said before that nothing in it is new.
        """
        file = candidate.file
        standing = cursors or standing_cursors(self.vault, self.identity, file)
        if standing is not None:
            self.seen.note_file(str(file.path), file.stat, standing)

    def end_of(self, new: NewTurns, *, off_record: bool) -> dict[str, str]:
        """The cursor behind a batch: its place and text."""
        from memfs.history.cursors import render_cursor

        place = cursor_place(self.vault, self.identity, new.key)
        return {place: render_cursor(replace(new.cursor, off_record=off_record))}

    def _extract(
        self, candidate: Candidate, new: NewTurns, kept: Sequence[Turn], earlier: Sequence[Turn]
    ) -> Extracted:
        require_branch(self.vault)  # a model is not asked for what cannot be committed now
        changed = datetime.fromtimestamp(candidate.file.stat.mtime_ns / 1e9, UTC)
        return extract_turns(
            self.vault,
            self.extractor,
            self.identity,
            kept,
            self.policy_of(new.session),
            source=str(new.key),
            said_at=self.now or changed,
            project=project_of(candidate.file, new.session),
            earlier=earlier,
            now=self.now,
            failures=Rounds(self.vault, self.identity, new.key),
            between=self.renew,
        )


@contextmanager
def open_run(
    vault: Vault,
    extractor: Extractor,
    identity: str,
    now: datetime | None,
    policy: Mapping[str, Any] | None = None,
) -> Iterator[Run | Held]:
    """The work on an identity under its lease; `Held` when another worker has it."""

    def clock() -> float:
        return vault.clock().timestamp()

    lease = acquire_lease(vault.layout, identity, clock=clock)
    if isinstance(lease, Held):
        yield lease
        return
    try:
        with open_seen(vault.layout.derived) as seen:
            restore_seen(vault, identity, seen)
            run = Run(vault, extractor, identity, seen, lease, now, policy=policy)
            yield run
            lease = run.lease
        set_last_run(LocalState(vault.layout), identity, clock())
    finally:
        release_lease(vault.layout, lease)


def _place(new: NewTurns, turn: Turn) -> int:
    """Where in the batch a kept turn stands."""
    return next(at for at, other in enumerate(new.turns) if other.id == turn.id)


def _moves(vault: Vault, identity: str, moved: Cursor | None, whole: Cursor) -> tuple[Cursor, ...]:
    """The cursors of a merge: where the session was read to, and what waits of others."""
    if moved is None:
        return take_pending(vault, identity, whole)
    return (replace(moved, off_record=whole.off_record), *take_pending(vault, identity, whole))


def _with_training(report: SessionReport, trained: Trained) -> SessionReport:
    return replace(
        report,
        trained=trained.entries,
        dropped=(*report.dropped, *trained.dropped),
        tokens=report.tokens + trained.tokens,
        problems=(*report.problems, *((trained.problem,) if trained.problem else ())),
    )


def _report(identity: str, batch: Batch, part: Part, extracted: Extracted, merged: Merged) -> SessionReport:
    new, withheld = batch.new, batch.withheld
    refused = [
        Dropped(outcome.type, outcome.reason or outcome.action)
        for outcome in merged.outcomes
        if outcome.action == "forgotten"  # what is refused or deferred waits with its document
    ]
    return SessionReport(
        source=new.key.source,
        session=new.key.session,
        identity=identity,
        turns=len(part.turns),
        added=merged.count("added"),
        updated=merged.count("updated"),
        superseded=merged.count("superseded"),
        kept=merged.count("kept", "suggested"),
        dropped=(*extracted.dropped, *merged.dropped, *refused),
        skipped_lines=new.skipped,
        commit=merged.commit,
        problems=new.problems,
        withheld=withheld.total,
        off_record=withheld.session_off,
        tokens=extracted.tokens,
        path=str(batch.candidate.file.path),
    )


def project_of(file: TranscriptFile, session: Session) -> str | None:
    """What a transcript is about, as its source or its working directory says."""
    if file.source.project == FROM_CWD or (file.source.project is None and session.cwd):
        return Path(session.cwd).name if session.cwd else None
    return file.source.project


def _day(vault: Vault, turns: Sequence[Turn], fallback: datetime) -> date:
    first = next((t for turn in turns if (t := turn_time(turn.timestamp, vault.zone)) is not None), fallback)
    return first.astimezone(vault.zone).date()
