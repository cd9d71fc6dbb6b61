"""Working memory: each batch of a conversation leaves its block in the journal of its day (spec 4.10).

A language model writes it where one extracts, else the offline summary. One that fails is told and written offline:
nothing ever waits for a summary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from memfs.extraction.redaction import redact_turn
from memfs.extraction.segments import local_time
from memfs.extraction.summary import Item, Summary
from memfs.memory.journal import Line, Page
from memfs.memory.journal_block import JournalBlock
from memfs.memory.trust import least
from memfs.model import Dropped, Evidence, Tokens, Trust, Turn
from memfs.services.ingesting.extracting import evidence_of
from memfs.services.learning.summarising import Talk, began, by_day, request_of, summarise

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.memory.policy import MemoryPolicy
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class Journal:
    """What a batch brings for the journal: a block for each of its days, what was left out, and what it cost."""

    blocks: tuple[JournalBlock, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)


def write_journal(
    vault: Vault,
    extractor: Extractor,
    talk: Talk,
    turns: Sequence[Turn],
    policy: MemoryPolicy,
    *,
    between: Callable[[], object] = lambda: None,
) -> Journal:
    """The blocks for ``turns`` (kept ones, in order), to be merged with what was extracted of them.

    ``between`` is called before each question to a model. Secrets are redacted before anything is looked at, and
    where peers may not be remembered what they say is left out.
    """
    if not policy.working_memory_enabled or not turns:
        return Journal()
    clean = [redact_turn(turn) for turn in turns if policy.peer_enabled or not turn.peer]
    blocks: list[JournalBlock] = []
    dropped: list[Dropped] = []
    tokens = Tokens()
    for day, own in by_day(vault, clean, talk.said_at):
        asked = request_of(vault, talk, day, own)
        summary, failed = summarise(vault, extractor, asked, between)
        dropped += failed
        if summary is not None:
            tokens += summary.tokens
            dropped += summary.dropped
            blocks.append(_block(vault, talk, day, own, summary))
    return Journal(tuple(blocks), tuple(dropped), tokens)


def _block(vault: Vault, talk: Talk, day: date, turns: Sequence[Turn], summary: Summary) -> JournalBlock:
    timed = any(local_time(turn, vault.zone) is not None for turn in turns)
    quoted = [turns[at] for at in summary.state_turns]
    whole = Page(
        title=summary.title,
        state=summary.state,
        evidence=_evidence(vault, talk, quoted or turns[-1:], quoted),
        lines=tuple(_line(vault, talk, turns, item) for item in summary.items),
        solved=summary.solved,
        whole=summary.whole,
    )
    said = "\n".join((summary.state, *(item.text for item in summary.items)))
    return JournalBlock(
        talk.identity,
        day,
        str(talk.key),
        f"{began(vault, talk, turns):%H:%M}" if timed else "",
        whole,
        limit=vault.config.journal.lines,
        names=vault.names.mentioned(vault, talk.identity, said),
    )


def _line(vault: Vault, talk: Talk, turns: Sequence[Turn], item: Item) -> Line:
    proof = [turns[at] for at in item.turns]
    return Line(item.section, item.text, _evidence(vault, talk, proof or turns[-1:], proof))


def _evidence(vault: Vault, talk: Talk, turns: Sequence[Turn], said: Sequence[Turn]) -> Evidence:
    """What proves a line: ``turns``, and the trust of those who ``said`` it; where nobody did it is the agent's."""
    proof = evidence_of(vault, turns, str(talk.key), talk.said_at)
    return replace(proof, trust=least([_trust(turn) for turn in said] or ["agent"]))


def _trust(turn: Turn) -> Trust:
    if turn.role == "user" and not turn.peer:
        return "user"
    if turn.role in ("user", "participant"):
        return "peer"
    return "agent" if turn.role == "assistant" else "document"
