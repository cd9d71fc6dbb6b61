"""Ingest: from transcripts to commits. The main job.

Per identity, under its lease, sessions in the order in which they began: new turns, extraction, one merge commit each.
A turn is merged once; a failure moves no cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import ExtractionError, LeaseLost, TranscriptError
from memfs.model import Cursor, Dropped, Session, Turn
from memfs.services.candidates import Candidate, find_candidates, find_unmerged
from memfs.services.commit import require_branch
from memfs.services.extracting import EARLIER_TURNS, Extracted, choose_extractor, extract_turns
from memfs.services.failing import Rounds
from memfs.services.kept import keep_copy
from memfs.services.merging import Merged, MergeWork, merge_settled
from memfs.services.policies import read_policy
from memfs.services.progress import move_cursors, take_pending
from memfs.services.reports import IngestReport, SessionReport, describe
from memfs.services.restoring import restore_seen
from memfs.services.reverts import absorb_reverts
from memfs.services.seen import SeenMessages, open_seen
from memfs.services.sessions import NewTurns, Part, cursor_place, first_part, read_new_turns
from memfs.services.sources import FROM_CWD, TranscriptFile, named_files
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
    from memfs.services.opening import Vault


Announce = Callable[[str], None]


def ingest(
    vault: Vault,
    paths: Sequence[Path] = (),
    *,
    identity: str | None = None,
    choice: str | None = None,
    files: Iterable[TranscriptFile] | None = None,
    announce: Announce | None = None,
    now: datetime | None = None,
    extractor: Extractor | None = None,
) -> IngestReport:
    """Merge what is new in ``paths``, or in all sources of the vault, into memory.

    ``choice`` is the backfill choice (``none``, ``30d``, ``all``) for new sources with many sessions; ``announce`` is
    told of each session as it is merged; ``now`` stands in for the day of turns that have no time; ``extractor``
    is another one than the settings name.

    Raises:
        InvalidRequest: it cannot be told which identity is meant.
        ConfigError, RepositoryBusy, VaultLocked.
    """
    extractor = extractor or choose_extractor(vault)
    if extractor is None:
        return IngestReport(waiting=("extraction is turned off (extract.model is empty)",))
    tell = announce or (lambda _: None)
    problems: list[str] = []
    waiting: list[str] = []
    if files is None:
        files = named_files(vault, paths, identity) if paths else find_unmerged(vault, choice, waiting)
    candidates = list(find_candidates(vault, files, identity, problems, strict=bool(paths)))
    sessions: list[SessionReport] = []
    absorb_reverts(vault)
    for name in sorted({candidate.identity for candidate in candidates}):
        own = sorted((c for c in candidates if c.identity == name), key=lambda c: (c.began, c.file.rel))
        _ingest_identity(vault, extractor, name, own, sessions, waiting, problems, tell, now)
    return IngestReport(tuple(sessions), tuple(dict.fromkeys(waiting)), tuple(dict.fromkeys(problems)))


def _ingest_identity(
    vault: Vault,
    extractor: Extractor,
    identity: str,
    candidates: Sequence[Candidate],
    sessions: list[SessionReport],
    waiting: list[str],
    problems: list[str],
    tell: Announce,
    now: datetime | None,
) -> None:
    def clock() -> float:
        return vault.clock().timestamp()

    lease = acquire_lease(vault.layout, identity, clock=clock)
    if isinstance(lease, Held):
        waiting.append(
            f"{identity}: another memfs process (pid {lease.pid} on {lease.host}) is working on it"
        )
        return
    try:
        with open_seen(vault.layout.derived) as seen:
            restore_seen(vault, identity, seen)
            for candidate in candidates:
                try:
                    for report in _ingest_file(vault, extractor, candidate, seen, lease, waiting, now):
                        sessions.append(report)
                        tell(describe(report, vault.language))
                except LeaseLost:
                    raise  # another worker has the identity: nothing more is written here
                except (TranscriptError, ExtractionError) as error:
                    problems.append(str(error))
                lease = _renewed(vault, lease, after=60.0)
        set_last_run(LocalState(vault.layout), identity, clock())
    finally:
        release_lease(vault.layout, lease)


def _renewed(vault: Vault, lease: Lease, *, after: float) -> Lease:
    """The lease, for a new term when more than ``after`` seconds of this one are over. Raises LeaseLost."""
    if vault.clock().timestamp() <= lease.expires - LEASE_SECONDS + after:
        return lease
    return renew_lease(vault.layout, lease, clock=lambda: vault.clock().timestamp())


def _ingest_file(
    vault: Vault,
    extractor: Extractor,
    candidate: Candidate,
    seen: SeenMessages,
    lease: Lease,
    waiting: list[str],
    now: datetime | None,
) -> Iterator[SessionReport]:
    earlier: list[Turn] = []
    off_record = False
    cursors: dict[str, str] = {}
    for new in read_new_turns(vault, candidate.identity, candidate.file, seen):
        off_record |= new.cursor.off_record
        report, reasons = _ingest_batch(
            vault, extractor, candidate, new, earlier, seen, lease, now, off_record=off_record
        )
        off_record = report.off_record
        if report.turns or report.problems or report.skipped_lines:
            yield report
        if reasons:
            waiting += [f"{candidate.identity}/{reason}" for reason in reasons]
            return  # later turns wait for these
        cursors[cursor_place(vault, candidate.identity, new.key)] = _rendered(new, off_record=off_record)
        earlier = [*earlier, *new.turns][-EARLIER_TURNS:]
    if cursors or candidate.session.subagent:
        seen.note_file(str(candidate.file.path), candidate.file.stat, cursors)


def _rendered(new: NewTurns, *, off_record: bool) -> str:
    from memfs.history.cursors import render_cursor

    return render_cursor(replace(new.cursor, off_record=off_record))


def _ingest_batch(
    vault: Vault,
    extractor: Extractor,
    candidate: Candidate,
    new: NewTurns,
    earlier: Sequence[Turn],
    seen: SeenMessages,
    lease: Lease,
    now: datetime | None,
    *,
    off_record: bool,
) -> tuple[SessionReport, tuple[str, ...]]:
    identity, file = candidate.identity, candidate.file
    kept, withheld = keep_turns(new.turns, new.session, session_off=off_record)
    cursor = replace(new.cursor, off_record=withheld.session_off)
    changed = datetime.fromtimestamp(file.stat.mtime_ns / 1e9, UTC)
    extracted = Extracted()
    part = Part(new.turns, new.keys, cursor)
    if kept:
        require_branch(vault)  # a model is not asked for what cannot be committed now
        extracted = extract_turns(
            vault,
            extractor,
            identity,
            kept,
            read_policy(vault, identity, new.session.memory_policy),
            source=str(new.key),
            said_at=now or changed,
            project=_project(file, new.session),
            earlier=earlier,
            now=now,
            failures=Rounds(vault, identity, new.key),
            between=lambda: _renewed(vault, lease, after=60.0),
        )
        if extracted.waiting:
            part = first_part(new, file, _place(new, kept[extracted.read]))
            kept = kept[: extracted.read]
    undone = withdraw(vault, identity, new.key) if withheld.whole else ()
    if kept and vault.config.transcripts.keep:
        keep_copy(vault, identity, new.key, new.session, kept)
    lease = _renewed(vault, lease, after=LEASE_SECONDS - DEADLINE_MARGIN)  # the extractor may have taken long
    work = MergeWork(
        identity,
        proposals=extracted.proposals,
        cursors=_moves(vault, identity, part.cursor, cursor),
        source=str(new.key),
        extractor=extractor.name,
        tokens=extracted.tokens,
        dropped=extracted.dropped,
        day=_day(vault, kept, candidate.began),
        lease=lease,
    )
    merged = merge_settled(vault, work)
    if not merged.waiting:
        move_cursors(vault, work, committed=merged.commit is not None)
        seen.add(identity, str(new.key), part.cursor.offset if part.cursor else 0, part.keys)
    waiting = (f"{new.key}: {extracted.waiting}",) if extracted.waiting else ()
    report = _report(identity, file, new, part, extracted, merged, withheld)
    return replace(report, undone=undone), (*merged.waiting, *waiting)


def _place(new: NewTurns, turn: Turn) -> int:
    """Where in the batch a kept turn stands."""
    return next(at for at, other in enumerate(new.turns) if other.id == turn.id)


def _moves(vault: Vault, identity: str, moved: Cursor | None, whole: Cursor) -> tuple[Cursor, ...]:
    """The cursors of a merge: where the session was read to, and what waits of others."""
    if moved is None:
        return take_pending(vault, identity, whole)
    return (replace(moved, off_record=whole.off_record), *take_pending(vault, identity, whole))


def _report(
    identity: str,
    file: TranscriptFile,
    new: NewTurns,
    part: Part,
    extracted: Extracted,
    merged: Merged,
    withheld: Withheld,
) -> SessionReport:
    refused = [
        Dropped(outcome.type, outcome.reason or outcome.action)
        for outcome in merged.outcomes
        if outcome.action in ("forgotten", "refused", "deferred")
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
        path=str(file.path),
    )


def _project(file: TranscriptFile, session: Session) -> str | None:
    if file.source.project == FROM_CWD or (file.source.project is None and session.cwd):
        return Path(session.cwd).name if session.cwd else None
    return file.source.project


def _day(vault: Vault, turns: Sequence[Turn], fallback: datetime) -> date:
    first = next((t for turn in turns if (t := turn_time(turn.timestamp, vault.zone)) is not None), fallback)
    return first.astimezone(vault.zone).date()
