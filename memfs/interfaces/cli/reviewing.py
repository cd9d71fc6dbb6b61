"""The command that tidies what is remembered: review."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.parameters import identity_option

if TYPE_CHECKING:
    from memfs.services.review import IdentityReview, ReviewReport


@command(
    examples="""
    memfs review
    memfs review --identity coding-assistant
    memfs review --json
    """
)
@identity_option("Only this identity's memory; else each one's.")
def review_command(call: Call, identity: str | None) -> int:
    """Tidy memory: what says the same, contradicts itself, is stale or over.

    With a language model set, entries of memfs's that say the same become one, and a later one takes the place of
    what it contradicts. Without, memfs offers its wording under the entry: memfs accept, memfs reject. What you wrote
    or edited is never rewritten. Open tasks without news for 45 days are marked, and what is over is archived. Each
    identity's review is one commit: memfs undo takes it back. The exit code is 10 when something waits.
    """
    from memfs.interfaces.shapes.tending import review_json

    report = call.memory.review(identity=identity, announce=call.note)
    call.answer(review_json(report), lambda: _lines(call, report))
    for problem in report.problems:
        call.note(call.remark("problem", problem))
    for one in report.identities:
        _note_rest(call, one)
    waits = report.problems or any(one.waiting or one.left for one in report.identities)
    return WAITING if waits else DONE


def _lines(call: Call, report: ReviewReport) -> Iterator[str]:
    from memfs.services.reviewing.words import WORDS, counted

    sums = {name: sum(getattr(one, name) for one in report.identities) for name in WORDS}
    done = counted(sums, "zh" if call.language == "zh" else "en")
    yield call.text("reviewed", done=done) if done else call.text("nothing_to_review")
    if sums["suggested"]:
        yield call.text("see_suggestions")


def _note_rest(call: Call, one: IdentityReview) -> None:
    """What was not done, and why."""
    for entry, reason in one.kept:
        call.note(call.text("left_alone", id=entry, reason=reason))
    for item in one.refused:
        call.note(call.text("dropped_line", type=item.type, reason=item.reason))
    for reason in one.waiting:
        call.note(call.remark("waiting", f"{one.identity}: {reason}"))
    if one.left:
        call.note(call.text("pairs_left", identity=one.identity, n=one.left))
    if one.degraded:
        call.note(call.text("degraded", reason=one.degraded))
