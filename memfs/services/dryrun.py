"""Looking without touching: the parse of a transcript, and what extraction would make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import TranscriptError
from memfs.extraction.model.extractor import EXPECTED_ANSWER
from memfs.extraction.model.names import parse_name
from memfs.extraction.model.prices import price
from memfs.extraction.model.prompts import Page
from memfs.extraction.redaction import redact_turn
from memfs.memory.plain import reader_text
from memfs.memory.policy import ordinary_types
from memfs.model import Draft, Dropped, Session, Tokens, Turn
from memfs.services.ingesting.extracting import (
    Proposal,
    choose_extractor,
    extract_turns,
    make_request,
    plan_segments,
)
from memfs.services.ingesting.models import prompter
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reading import open_reader, open_whole_folder
from memfs.services.learning.summarising import summary_pages
from memfs.services.merging.drafting import draft_proposals
from memfs.transcripts.privacy import keep_turns
from memfs.transcripts.report import transcript_json

if TYPE_CHECKING:
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class DryRun:
    """What extraction would propose: proposals with the text of their entries, what was dropped, and tokens."""

    proposals: tuple[tuple[Proposal, str], ...]
    dropped: tuple[Dropped, ...]
    tokens: Tokens
    turns: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What extraction of a transcript would cost; all 0 for the offline extractor but the turns.

    ``tokens`` are those of the prompts, counted, and of the answers, guessed. ``price`` in US dollars; None where
    it is not known.
    """

    turns: int
    calls: int
    tokens: Tokens
    price: float | None


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation of a transcript with those of its turns that may be extracted from."""

    format: str
    session: Session
    turns: tuple[Turn, ...]


def read_transcript(path: Path, *, me: Sequence[str] = ()) -> dict[str, Any]:
    """The parse of a transcript in the shape that docs/transcripts.md describes; a folder that is one counts as one.

    Raises:
        TranscriptError, UnknownFormat.
    """
    if path.is_dir():
        report = transcript_json(open_whole_folder(path, me=tuple(me)))
        if report.get("transcripts") == []:
            raise TranscriptError(
                "no file of this folder is a conversation in any known format", path=str(path)
            )
        return report
    with open_reader(path, me=tuple(me)) as reader:
        return transcript_json(reader)


def extract(
    vault: Vault,
    path: Path,
    *,
    identity: str | None = None,
    now: datetime | None = None,
    me: Sequence[str] = (),
    policy: Mapping[str, Any] | None = None,
) -> DryRun:
    """What would be remembered of a transcript. Nothing is written and no cursor moves.

    ``now`` is the moment that relative dates count from; without it each turn's own time. ``policy``: as in `ingest`.

    Raises:
        TranscriptError, UnknownFormat, ConfigError, ExtractionError.
    """
    extractor = choose_extractor(vault)
    proposals: list[Proposal] = []
    dropped: list[Dropped] = []
    tokens, count = Tokens(), 0
    name = identity or _any_identity(vault)
    for talk in _talks(path, me):
        count += len(talk.turns)
        if extractor is None:
            continue
        found = extract_turns(
            vault,
            extractor,
            name,
            talk.turns,
            read_policy(vault, name, talk.session.memory_policy, policy),
            source=f"{talk.format}/{talk.session.id or path.name}",
            said_at=now or datetime.fromtimestamp(path.stat().st_mtime, UTC),
            now=now,
        )
        proposals += found.proposals
        dropped += found.dropped
        tokens += found.tokens
    texts, refused = _texts(vault, proposals)
    return DryRun(tuple(texts), (*dropped, *refused), tokens, count)


def estimate(vault: Vault, path: Path, *, identity: str | None = None, me: Sequence[str] = ()) -> Estimate:
    """How many turns, calls and tokens extraction of a transcript would take, and its price where known.

    Nothing is sent and no key is needed.

    Raises:
        TranscriptError, UnknownFormat, ConfigError.
    """
    talks = list(_talks(path, me))
    count = sum(len(talk.turns) for talk in talks)
    settings = vault.config.extract
    if settings.model in ("", "rules"):
        return Estimate(count, 0, Tokens(), 0.0)
    pages = list(_pages(vault, identity or _any_identity(vault), talks))
    tokens = Tokens(sum(page.tokens for page in pages), len(pages) * EXPECTED_ANSWER)
    cost = price(parse_name(settings.model), tokens, elsewhere=bool(settings.base_url))
    return Estimate(count, len(pages), tokens, cost)


def _talks(path: Path, me: Sequence[str]) -> Iterator[_Talk]:
    with open_reader(path, me=tuple(me)) as reader:
        for one in reader.conversations or (reader,):
            yield _Talk(one.format, one.session, tuple(keep_turns(list(one), one.session)[0]))


def _pages(vault: Vault, identity: str, talks: Sequence[_Talk]) -> Iterator[Page]:
    """The calls that extraction and the journal would make now; those of training depend on what is found."""
    prompts = prompter(vault)
    for talk in talks:
        policy = read_policy(vault, identity, talk.session.memory_policy)
        types = ordinary_types(policy, vault.registry)
        turns = [redact_turn(turn) for turn in talk.turns]
        for segment in plan_segments(vault, turns) if types else ():
            yield from prompts.pages(make_request(vault, identity, segment, types, None, vault.now()))
        yield from summary_pages(vault, identity, turns, policy, vault.now())


def _texts(vault: Vault, proposals: Sequence[Proposal]) -> tuple[list[tuple[Proposal, str]], list[Dropped]]:
    texts: list[tuple[Proposal, str]] = []
    refused: list[Dropped] = []
    for proposal, made in draft_proposals(vault, proposals):
        if isinstance(made, Dropped):
            refused.append(made)
        else:
            texts.append((proposal, " · ".join(_shown(draft) for draft in made)))
    return texts, refused


def _shown(draft: Draft) -> str:
    """An entry as a reader of the vault sees it, what stands around it included."""
    text = reader_text(draft.text)
    around = draft.section[-1] if draft.type == "preferences" and draft.section else None
    if draft.type in ("projects", "entities", "events", "cases"):
        around = draft.title
    return f"{around}: {text}" if around and not text.startswith(around) else text


def _any_identity(vault: Vault) -> str:
    return next(iter(vault.identities()), "assistant")
