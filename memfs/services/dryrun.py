"""Looking without touching: the parse of a transcript, and what extraction would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import TranscriptError
from memfs.memory.drafts import draft_entries
from memfs.memory.plain import reader_text
from memfs.model import Draft, Dropped, Tokens, Turn
from memfs.services.extracting import Proposal, choose_extractor, extract_turns
from memfs.services.policies import read_policy
from memfs.services.reading import open_reader, open_whole_folder
from memfs.transcripts import transcript_json
from memfs.transcripts.privacy import keep_turns

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
    """What extraction of a transcript would cost; all 0 for the offline extractor but the turns."""

    turns: int
    calls: int
    tokens: Tokens
    price: float | None


def read_transcript(path: Path, *, me: Sequence[str] = ()) -> dict[str, Any]:
    """The parse of a transcript in the shape that docs/transcripts.md describes; a folder that is one counts as one.

    Raises:
        TranscriptError, UnknownFormat.
    """
    if path.is_dir():
        with open_whole_folder(path, me=tuple(me)) as folder:
            if not folder.readers:
                raise TranscriptError("no file of this folder is a conversation in any known format", path=str(path))
            return transcript_json(folder)
    with open_reader(path, me=tuple(me)) as reader:
        return transcript_json(reader)


def extract(
    vault: Vault, path: Path, *, identity: str | None = None, now: datetime | None = None, me: Sequence[str] = ()
) -> DryRun:
    """What would be remembered of a transcript. Nothing is written and no cursor moves.

    ``now`` is the moment that relative dates count from; without it each turn's own time.

    Raises:
        TranscriptError, UnknownFormat, ConfigError, ExtractionError.
    """
    extractor = choose_extractor(vault)
    proposals: list[Proposal] = []
    dropped: list[Dropped] = []
    tokens, count = Tokens(), 0
    with open_reader(path, me=tuple(me)) as reader:
        for one in reader.conversations or (reader,):
            turns, _ = keep_turns(list(one), one.session)
            count += len(turns)
            if extractor is None:
                continue
            found = extract_turns(
                vault,
                extractor,
                identity or _any_identity(vault),
                turns,
                read_policy(vault, identity or _any_identity(vault), one.session.memory_policy),
                source=f"{one.format}/{one.session.id or path.name}",
                said_at=now or datetime.fromtimestamp(path.stat().st_mtime, UTC),
                now=now,
            )
            proposals += found.proposals
            dropped += found.dropped
            tokens += found.tokens
    texts, refused = _texts(vault, proposals)
    return DryRun(tuple(texts), (*dropped, *refused), tokens, count)


def estimate(vault: Vault, path: Path, *, me: Sequence[str] = ()) -> Estimate:
    """How many turns, calls and tokens extraction of a transcript would take, and its price where known."""
    from memfs.extraction.segments import cut_segments

    turns: list[Turn] = []
    with open_reader(path, me=tuple(me)) as reader:
        for one in reader.conversations or (reader,):
            turns += keep_turns(list(one), one.session)[0]
    calls = len(cut_segments(turns, zone=vault.zone))
    if vault.config.extract.model in ("", "rules"):
        return Estimate(len(turns), 0, Tokens(), 0.0)
    return Estimate(len(turns), calls, Tokens(), None)


def _texts(
    vault: Vault, proposals: Sequence[Proposal]
) -> tuple[list[tuple[Proposal, str]], list[Dropped]]:
    texts: list[tuple[Proposal, str]] = []
    refused: list[Dropped] = []
    for proposal in proposals:
        made = draft_entries(
            proposal.operation,
            proposal.target,
            vault.registry,
            proposal.evidence,
            language=vault.language,
            today=proposal.evidence.time.astimezone(vault.zone).date(),
        )
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
