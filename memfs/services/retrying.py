"""Retry: what was set aside or failed is tried once more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memfs.errors import ExtractionError, TranscriptError
from memfs.extraction.model.extractor import ModelExtractor
from memfs.services.ingest import Announce, ingest
from memfs.services.ingesting.candidates import find_unmerged, identity_fed
from memfs.services.ingesting.extracting import choose_extractor, extract_turns
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader
from memfs.services.ingesting.reports import IngestReport
from memfs.services.ingesting.sessions import SessionKey, message_names, session_key
from memfs.services.ingesting.sources import TranscriptFile, find_transcripts, list_sources
from memfs.services.learning.lessons import Assignment, open_assignments
from memfs.services.learning.training import train
from memfs.services.merging.merges import MergeWork, merge_settled
from memfs.transcripts.privacy import keep_turns
from memfs.vault.local import LocalState
from memfs.vault.records import Quarantine, quarantined, release_quarantine

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.model import Session, Turn
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class Retried:
    """What a retry did: ranges that are merged now, those that failed again (with why), and an ordinary ingest.

    ``learned``: the cases that were learned from now; ``unlearned``: those on which training failed again, with why.
    """

    merged: tuple[Quarantine, ...]
    failed: tuple[tuple[Quarantine, str], ...]
    ingest: IngestReport
    learned: tuple[Assignment, ...] = ()
    unlearned: tuple[tuple[Assignment, str], ...] = ()


def retry(
    vault: Vault,
    *,
    identity: str | None = None,
    announce: Announce | None = None,
    extractor: Extractor | None = None,
) -> Retried:
    """Try the quarantined ranges again, then training, then everything not merged. Failures stay where they are.

    ``identity``: only what is its. ``extractor`` is another one than the settings name.

    Raises:
        InvalidRequest: no identity is called so.
    """
    if identity:
        vault.known_identity(identity)
    state = LocalState(vault.layout)
    extractor = extractor or choose_extractor(vault)
    merged, failed = [], []
    for item in quarantined(state):
        if identity is not None and item.identity != identity:
            continue
        try:
            reason = _retry_range(vault, extractor, item)
        except (ExtractionError, TranscriptError) as error:
            reason = str(error)
        if reason is None:
            release_quarantine(state, item)
            merged.append(item)
        else:
            failed.append((item, reason))
    state.update_record("failures", lambda record: record.clear())
    tried = [(each, _train_again(vault, extractor, each)) for each in _assignments(vault, identity)]
    return Retried(
        tuple(merged),
        tuple(failed),
        ingest(vault, files=_files_of(vault, identity), announce=announce, extractor=extractor),
        tuple(each for each, reason in tried if reason is None),
        tuple((each, reason) for each, reason in tried if reason is not None),
    )


def _files_of(vault: Vault, identity: str | None) -> list[TranscriptFile] | None:
    """The transcripts that feed an identity and are not merged; None for those of all."""
    if identity is None:
        return None
    return [file for file in find_unmerged(vault, None, []) if identity_fed(vault, file)[0] == identity]


def _assignments(vault: Vault, identity: str | None) -> list[Assignment]:
    return [each for each in open_assignments(vault) if identity in (None, each.identity)]


def _train_again(vault: Vault, extractor: Extractor | None, assignment: Assignment) -> str | None:
    """Learn from cases on which training failed; why it failed again, or None when it is done."""
    if not isinstance(extractor, ModelExtractor):
        return "it takes a language model"
    found = _find_session(vault, assignment.key)
    if found is None:
        return "its transcript is not there any more"
    session, turns = found
    kept = keep_turns(turns, session)[0]
    policy = read_policy(vault, assignment.identity, session.memory_policy)
    return train(vault, extractor, assignment, kept, policy).problem


def _retry_range(vault: Vault, extractor: Extractor | None, item: Quarantine) -> str | None:
    """Extract and merge one range; why it cannot be done, or None when it is done."""
    if extractor is None:
        return "extraction is turned off"
    key = SessionKey(item.source, item.session)
    found = _find_session(vault, key)
    if found is None:
        return "its transcript is not there any more"
    session, turns = found
    kept = tuple(turn for turn in keep_turns(turns, session)[0] if _within(turn, item))
    extracted = extract_turns(
        vault,
        extractor,
        item.identity,
        kept,
        read_policy(vault, item.identity, session.memory_policy),
        source=str(key),
        said_at=datetime.fromtimestamp(item.since, UTC),
    )
    merged = merge_settled(
        vault,
        MergeWork(
            item.identity,
            proposals=extracted.proposals,
            source=str(key),
            extractor=extractor.name,
            tokens=extracted.tokens,
            dropped=extracted.dropped,
        ),
    )
    return merged.waiting[0] if merged.waiting else None


def _find_session(vault: Vault, key: SessionKey) -> tuple[Session, list[Turn]] | None:
    """A session with all its turns: what is off the record may be said far from the range."""
    for source in list_sources(vault):
        for file in find_transcripts(vault, source):
            try:
                with open_reader(file.path, me=file.source.me, limits=INGEST_LIMITS) as reader:
                    for one in reader.conversations or (reader,):
                        if session_key(one, file) == key:
                            turns = list(one)
                            keys, _ = message_names(key, one.incremental, turns)
                            return one.session, [
                                replace(turn, id=own) for turn, own in zip(turns, keys, strict=True)
                            ]
            except TranscriptError:
                continue
    return None


def _within(turn: Turn, item: Quarantine) -> bool:
    return turn.id in item.messages if item.messages else item.start <= turn.start < item.end
