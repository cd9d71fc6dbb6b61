"""A day in few tokens: the board and the salient sentences of all sessions of an identity, in one short call.

Every session still has its own merge commit with its own cursor, so that `why`, `undo` and taking a session off the
record work as ever. What salience leaves out is counted, in the commit and in the report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from memfs.errors import TranscriptError, UnsafePath
from memfs.extraction.redaction import redact_turn
from memfs.extraction.salience import find_salient, fit_salient
from memfs.services.commit import require_branch
from memfs.services.daily_run.compact_reading import Piece, PieceReader
from memfs.services.ingesting.candidates import Candidate
from memfs.services.ingesting.extracting import Extracted
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reports import SessionReport
from memfs.services.ingesting.runs import Batch, Run, project_of, read_batch
from memfs.services.ingesting.sessions import read_new_turns
from memfs.services.relaying.extraction import BoardDay, merge_board, unread_days

# What is read in one call, in characters of what is kept: about a third of the ceiling of a call.
MOST_CHARACTERS = 9000
# Of agents' batons, which prove nothing of a user, so many characters of a day are read.
CONTEXT = 600


@dataclass
class _Gathered:
    """What is asked for together: batches with their pieces, the transcripts that end among them, the board."""

    batches: list[tuple[Batch, Piece]] = field(default_factory=list)
    whole: list[Candidate] = field(default_factory=list)
    board: list[tuple[BoardDay, Piece]] = field(default_factory=list)

    @property
    def characters(self) -> int:
        return sum(piece.characters for _, piece in self.batches)

    def holds(self, message: str | None) -> bool:
        """Whether a message with an id of its own was brought by one of the batches already."""
        own = message is not None and message[:1] not in "@~"
        return own and any(message in batch.new.keys for batch, _ in self.batches)


class CompactDay:
    """The work on one identity: batches are gathered, asked for together, and merged each by itself."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reader = PieceReader(run.vault, run.extractor, run.identity)
        self._stuck: set[str] = set()
        self._ends: dict[str, dict[str, str]] = defaultdict(dict)

    def ingest(self, candidates: Sequence[Candidate], problems: list[str]) -> Iterator[SessionReport]:
        """Merge what is new in these transcripts; a report for each batch. ``problems`` get what cannot be read.

        Raises:
            ExtractionError: nothing of what was asked for last was merged, and none of its cursors moved.
        """
        gathered = _Gathered()
        for candidate in candidates:
            try:
                for batch in self._batches(candidate, gathered):
                    gathered.batches.append((batch, self._piece(batch)))
                    if gathered.characters >= MOST_CHARACTERS:
                        yield from self._merge(gathered)
                        gathered = _Gathered()
            except (TranscriptError, UnsafePath) as error:
                named = error.path == str(candidate.file.path)
                problems.append(str(error) if named else f"{candidate.file.path}: {error}")
                continue
            gathered.whole.append(candidate)
        gathered.board = [
            (day, self._board_piece(day, gathered))
            for day in unread_days(self._run.vault, self._run.identity)
        ]
        yield from self._merge(gathered)

    def _batches(self, candidate: Candidate, gathered: _Gathered) -> Iterator[Batch]:
        """The batches of a transcript, without turns that another one brought a moment ago."""
        off_record = False
        for new in read_new_turns(self._run.vault, self._run.identity, candidate.file, self._run.seen):
            off_record |= new.cursor.off_record
            fresh = tuple(turn for turn in new.turns if not gathered.holds(turn.id))
            batch = read_batch(candidate, replace(new, turns=fresh), off_record=off_record)
            off_record = batch.withheld.session_off
            yield batch

    def _piece(self, batch: Batch) -> Piece:
        run, file, session = self._run, batch.candidate.file, batch.new.session
        clean = [redact_turn(turn) for turn in batch.kept]
        salient = find_salient(clean)
        return Piece(
            source=str(batch.new.key),
            turns=tuple(replace(clean[each.position], text=each.text) for each in salient),
            policy=read_policy(run.vault, run.identity, session.memory_policy),
            said_at=run.now or datetime.fromtimestamp(file.stat.mtime_ns / 1e9, UTC),
            project=project_of(file, session),
            considered=sum(turn.role != "assistant" for turn in clean),
        )

    def _board_piece(self, day: BoardDay, gathered: _Gathered) -> Piece:
        """A day of the board, without what its turns tell themselves in this call."""
        told = {turn.id for _, piece in gathered.batches for turn in piece.turns}
        messages = {baton.id: baton.message for baton in day.batons}
        turns = [turn for turn in day.turns if (messages[turn.id or ""] or "") not in told]
        found = find_salient(turns, digests=True)
        context = fit_salient([each for each in found if turns[each.position].role == "assistant"], CONTEXT)
        salient = [each for each in found if turns[each.position].role != "assistant" or each in context]
        return Piece(
            source=day.source,
            turns=tuple(replace(turns[each.position], text=each.text) for each in salient),
            policy=read_policy(self._run.vault, self._run.identity),
            said_at=day.batons[0].time,
            considered=sum(turn.role != "assistant" for turn in turns),
        )

    def _merge(self, gathered: _Gathered) -> Iterator[SessionReport]:
        """Ask for what was gathered, and merge each batch with its part of the answer."""
        run = self._run
        require_branch(run.vault)  # a model is not asked for what cannot be committed now
        run.renew()
        pieces = [piece for _, piece in (*gathered.batches, *gathered.board)]
        answers = [_counted(*each) for each in zip(self._reader.read(pieces), pieces, strict=True)]
        for (batch, _), extracted in zip(gathered.batches, answers, strict=False):
            path = str(batch.candidate.file.path)
            if path in self._stuck:
                continue  # later turns wait for the earlier ones
            report, reasons = run.merge_batch(batch, replace(extracted, read=len(batch.kept)))
            if reasons:
                self._stuck.add(path)
                run.waiting += [f"{run.identity}/{reason}" for reason in reasons]
            self._ends[path] |= run.end_of(batch.new, off_record=report.off_record)
            if report.turns or report.problems or report.skipped_lines:
                yield report
        for candidate in gathered.whole:
            path = str(candidate.file.path)
            if path not in self._stuck:
                run.note_file(candidate, self._ends[path])
        for (day, _), extracted in zip(gathered.board, answers[len(gathered.batches) :], strict=True):
            yield merge_board(run, day, extracted)


def _counted(extracted: Extracted, piece: Piece) -> Extracted:
    """What a piece yielded, with the note of what was left out of it."""
    left_out = (piece.left_out,) if piece.left_out else ()
    return replace(extracted, dropped=(*extracted.dropped, *left_out))
