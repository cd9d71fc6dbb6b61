"""What a summariser is asked for the journal: the turns of each day, and the block as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from memfs.errors import LeaseLost, MemfsError
from memfs.extraction.model.extractor import ModelExtractor
from memfs.extraction.redaction import redact_session
from memfs.extraction.request import Request
from memfs.extraction.segments import local_time
from memfs.extraction.summary import TITLE, PlainSummariser, Summariser, Summary, SummaryRequest, shorten
from memfs.markdown.document import parse_document
from memfs.memory.journal import JOURNAL, Line
from memfs.memory.journal_pages import anchor_id, journal_document, read_block
from memfs.model import Dropped, Session, Turn

if TYPE_CHECKING:
    from memfs.extraction.model.prompts import Page
    from memfs.extraction.request import Extractor
    from memfs.memory.policy import MemoryPolicy
    from memfs.services.ingesting.sessions import SessionKey
    from memfs.services.opening import Vault

_BLANK: Mapping[str, object] = {"title": "", "state": "", "block": {}}


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation that a batch is of. ``said_at`` stands in for turns without a time."""

    identity: str
    key: SessionKey
    session: Session
    said_at: datetime
    project: str | None = None


def model_summariser(vault: Vault, extractor: Extractor, between: Callable[[], object]) -> Summariser | None:
    """What sums up with the model that extracts; None where none does, or settings say otherwise.

    Raises:
        ConfigError: the prompt cannot be used.
    """
    if vault.config.journal.writer == "rules" or not isinstance(extractor, ModelExtractor):
        return None
    from memfs.extraction.model.summaries import ModelSummariser
    from memfs.services.ingesting.models import prompter

    return ModelSummariser(
        extractor.asker, prompter(vault, "journal"), vault.config.journal.characters, between
    )


def summarise(
    vault: Vault, extractor: Extractor, asked: SummaryRequest, between: Callable[[], object]
) -> tuple[Summary | None, Sequence[Dropped]]:
    """The summary, by the model or else offline, and why the model's failed. None where there is nothing to say.

    Raises:
        LeaseLost: another worker has the identity.
    """
    failed = []
    try:
        if summariser := model_summariser(vault, extractor, between):
            return summariser.summarise(asked), ()
    except LeaseLost:
        raise
    except MemfsError as error:
        failed.append(Dropped(JOURNAL, f"the model wrote no summary, so it is the offline one: {error}"))
    return PlainSummariser().summarise(asked), failed


def by_day(vault: Vault, turns: Sequence[Turn], said_at: datetime) -> Iterator[tuple[date, list[Turn]]]:
    """The turns of each local day; one without a time goes with the one before."""
    days: dict[date, list[Turn]] = {}
    times = [local_time(turn, vault.zone) for turn in turns]
    first = next((time for time in times if time is not None), said_at.astimezone(vault.zone))
    day = first.date()
    for turn, time in zip(turns, times, strict=True):
        day = time.date() if time is not None else day
        days.setdefault(day, []).append(turn)
    yield from sorted(days.items())


def request_of(vault: Vault, talk: Talk, day: date, turns: Sequence[Turn]) -> SummaryRequest:
    """What is asked of the ``turns`` of one day (redacted)."""
    state, lines = _standing(vault, talk, day)
    request = Request(
        turns=tuple(turns),
        now=began(vault, talk, turns),
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


def began(vault: Vault, talk: Talk, turns: Iterable[Turn]) -> datetime:
    """When the first of these turns was said, in the vault's zone."""
    times = (local_time(turn, vault.zone) for turn in turns)
    return next((time for time in times if time is not None), talk.said_at.astimezone(vault.zone))


def summary_pages(
    vault: Vault, identity: str, turns: Sequence[Turn], policy: MemoryPolicy, said_at: datetime
) -> Iterator[Page]:
    """The questions that a model would be asked for the journal of ``turns`` (redacted), were there no block yet."""
    from memfs.services.ingesting.models import prompter
    from memfs.services.ingesting.sessions import SessionKey

    if not policy.working_memory_enabled or vault.config.journal.writer == "rules" or not turns:
        return
    talk = Talk(identity, SessionKey("", ""), Session(), said_at)
    for day, own in by_day(vault, turns, said_at):
        yield from prompter(vault, "journal").pages(request_of(vault, talk, day, own).request, lambda: _BLANK)
