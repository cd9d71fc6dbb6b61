"""The relay board as evidence: what of it no extraction has read yet, by day, and its merge.

Evidence from the board has the source ``relay/<day>`` and the batons' ids as messages. A baton that was read is
done, and leaves the board as the board's own rules say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from memfs.model import Turn
from memfs.services.commit import require_branch
from memfs.services.ingesting.extracting import Extracted, extract_turns
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reports import SessionReport
from memfs.services.merging.merges import MergeWork, merge_settled
from memfs.services.relay import Baton, settle_relay, unread_batons

if TYPE_CHECKING:
    from memfs.services.ingesting.runs import Run
    from memfs.services.opening import Vault

SOURCE = "relay"


@dataclass(frozen=True, slots=True)
class BoardDay:
    """The unread batons of one local day."""

    day: date
    batons: tuple[Baton, ...]

    @property
    def source(self) -> str:
        """What its evidence is called."""
        return f"{SOURCE}/{self.day.isoformat()}"

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The batons as turns: a user's prove, an agent's are context and the source of pitfalls."""
        return tuple(
            Turn(baton.role, baton.text, baton.time.isoformat(), id=baton.id) for baton in self.batons
        )


def unread_days(vault: Vault, identity: str) -> tuple[BoardDay, ...]:
    """What is unread on an identity's board, the oldest day first."""
    days: dict[date, list[Baton]] = defaultdict(list)
    for baton in unread_batons(vault, identity):
        days[baton.time.astimezone(vault.zone).date()].append(baton)
    return tuple(BoardDay(day, tuple(days[day])) for day in sorted(days))


def read_board(run: Run) -> Iterator[SessionReport]:
    """Extract and merge what is unread on the board of the run's identity, day by day.

    Raises:
        ExtractionError: a day could not be read; it stays on the board, unread.
    """
    for day in unread_days(run.vault, run.identity):
        require_branch(run.vault)
        turns = day.turns
        extracted = extract_turns(
            run.vault,
            run.extractor,
            run.identity,
            turns,
            read_policy(run.vault, run.identity),
            source=day.source,
            said_at=day.batons[0].time,
            between=run.renew,
        )
        yield merge_board(run, day, extracted)


def merge_board(run: Run, day: BoardDay, extracted: Extracted) -> SessionReport:
    """Merge what was made of a day of the board; its batons are done when all of it is written."""
    run.renew()
    work = MergeWork(
        run.identity,
        proposals=extracted.proposals,
        source=day.source,
        extractor=run.extractor.name,
        tokens=extracted.tokens,
        dropped=extracted.dropped,
        day=day.day,
        lease=run.lease,
    )
    merged = merge_settled(run.vault, work)
    if merged.waiting:
        run.waiting += [f"{run.identity}/{reason}" for reason in merged.waiting]
    else:
        read = {baton.id: baton.text for baton in day.batons}
        settle_relay(run.vault, run.identity, read=read, wrote=False)  # the run clears, once it is over
    return SessionReport(
        source=SOURCE,
        session=day.day.isoformat(),
        identity=run.identity,
        turns=len(day.batons),
        added=merged.count("added"),
        updated=merged.count("updated"),
        superseded=merged.count("superseded"),
        kept=merged.count("kept", "suggested"),
        dropped=(*extracted.dropped, *merged.dropped),
        commit=merged.commit,
        tokens=extracted.tokens,
    )
