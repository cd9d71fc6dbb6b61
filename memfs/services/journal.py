"""Working memory: each batch of a conversation leaves its block in the journal of its day (spec 4.10).

A language model writes it where one extracts, else the offline summary. One that fails is told and written offline:
nothing ever waits for a summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from memfs.errors import LeaseLost, MemfsError
from memfs.extraction.model import ModelExtractor
from memfs.extraction.redaction import redact_session, redact_turn
from memfs.extraction.request import Request
from memfs.extraction.segments import local_time
from memfs.extraction.summary import (
    TITLE,
    Item,
    PlainSummariser,
    Summariser,
    Summary,
    SummaryRequest,
    shorten,
)
from memfs.markdown import parse_document
from memfs.memory.journal import JOURNAL, Line, Page
from memfs.memory.journal_block import JournalBlock
from memfs.memory.journal_pages import anchor_id, journal_document, read_block
from memfs.memory.trust import least
from memfs.model import Dropped, Evidence, Session, Tokens, Trust, Turn
from memfs.services.extracting import evidence_of

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.memory.policy import MemoryPolicy
    from memfs.services.opening import Vault
    from memfs.services.sessions import SessionKey


@dataclass(frozen=True, slots=True)
class Journal:
    """What a batch brings for the journal: a block for each of its days, what was left out, and what it cost."""

    blocks: tuple[JournalBlock, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation that a batch is of. ``said_at`` stands in for turns without a time."""

    identity: str
    key: SessionKey
    session: Session
    said_at: datetime
    project: str | None = None


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

    ``between`` is called before each question to a model. Secrets are redacted before anything is looked at.
    """
    if not policy.working_memory_enabled or not turns:
        return Journal()
    clean = [redact_turn(turn) for turn in turns]
    blocks: list[JournalBlock] = []
    dropped: list[Dropped] = []
    tokens = Tokens()
    for day, own in _by_day(vault, clean, talk.said_at):
        asked = _asked(vault, talk, day, own)
        summary, failed = _summarise(vault, extractor, asked, between)
        dropped += failed
        if summary is not None:
            tokens += summary.tokens
            dropped += summary.dropped
            blocks.append(_block(vault, talk, day, own, summary))
    return Journal(tuple(blocks), tuple(dropped), tokens)


def model_summariser(vault: Vault, extractor: Extractor, between: Callable[[], object]) -> Summariser | None:
    """What sums up with the model that extracts; None where none does, or settings say otherwise.

    Raises:
        ConfigError: the prompt cannot be used.
    """
    if vault.config.journal.writer == "rules" or not isinstance(extractor, ModelExtractor):
        return None
    from memfs.extraction.model.summaries import ModelSummariser
    from memfs.services.models import prompter

    return ModelSummariser(
        extractor.asker, prompter(vault, "journal"), vault.config.journal.characters, between
    )


def _summarise(
    vault: Vault, extractor: Extractor, asked: SummaryRequest, between: Callable[[], object]
) -> tuple[Summary | None, Sequence[Dropped]]:
    failed = []
    try:
        if summariser := model_summariser(vault, extractor, between):
            return summariser.summarise(asked), ()
    except LeaseLost:
        raise
    except MemfsError as error:
        failed.append(Dropped(JOURNAL, f"the model wrote no summary, so it is the offline one: {error}"))
    return PlainSummariser().summarise(asked), failed


def _by_day(vault: Vault, turns: Sequence[Turn], said_at: datetime) -> Iterator[tuple[date, list[Turn]]]:
    """The turns of each local day; one without a time goes with the one before."""
    days: dict[date, list[Turn]] = {}
    times = [local_time(turn, vault.zone) for turn in turns]
    first = next((time for time in times if time is not None), said_at.astimezone(vault.zone))
    day = first.date()
    for turn, time in zip(turns, times, strict=True):
        day = time.date() if time is not None else day
        days.setdefault(day, []).append(turn)
    yield from sorted(days.items())


def _asked(vault: Vault, talk: Talk, day: date, turns: Sequence[Turn]) -> SummaryRequest:
    state, lines = _standing(vault, talk, day)
    request = Request(
        turns=tuple(turns),
        now=_began(vault, talk, turns),
        language=vault.language,
        instructions=vault.config.extract.instructions,
        project=talk.project,
        identity=talk.identity,
    )
    session = redact_session(talk.session)
    title = shorten(session.title or "", TITLE)
    return SummaryRequest(request, title, state, lines, (session.cwd or "").rstrip("/"))


def _standing(vault: Vault, talk: Talk, day: date) -> tuple[str, tuple[Line, ...]]:
    """What the block says now."""
    path = vault.layout.document(talk.identity, journal_document(day))
    if not path.is_file():
        return "", ()
    document = parse_document(path.read_text(encoding="utf-8", errors="replace"))
    return read_block(document, anchor_id(talk.identity, day, str(talk.key))) or ("", ())


def _began(vault: Vault, talk: Talk, turns: Iterable[Turn]) -> datetime:
    times = (local_time(turn, vault.zone) for turn in turns)
    return next((time for time in times if time is not None), talk.said_at.astimezone(vault.zone))


def _block(vault: Vault, talk: Talk, day: date, turns: Sequence[Turn], summary: Summary) -> JournalBlock:
    timed = any(local_time(turn, vault.zone) is not None for turn in turns)
    whole = Page(
        title=summary.title,
        state=summary.state or summary.title,
        evidence=_evidence(vault, talk, turns[-1:], ()),
        lines=tuple(_line(vault, talk, turns, item) for item in summary.items),
        solved=summary.solved,
        whole=summary.whole,
    )
    said = "\n".join((summary.state, *(item.text for item in summary.items)))
    return JournalBlock(
        talk.identity,
        day,
        str(talk.key),
        f"{_began(vault, talk, turns):%H:%M}" if timed else "",
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
