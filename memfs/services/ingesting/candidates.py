"""Which transcripts an ingest takes up, and whose memory each of them feeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest, TranscriptError, UnknownFormat, UnsafePath
from memfs.model import Session
from memfs.services.ingesting import backfill
from memfs.services.ingesting.seen import open_seen
from memfs.services.ingesting.sessions import is_merged
from memfs.services.ingesting.sources import FROM_CWD, TranscriptFile, find_all
from memfs.transcripts.times import turn_time

if TYPE_CHECKING:
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class Candidate:
    """A transcript with the identity it feeds and when its session began."""

    file: TranscriptFile
    identity: str
    session: Session
    began: datetime


def find_unmerged(
    vault: Vault, choice: str | None, waiting: list[str], left_out: list[TranscriptFile] | None = None
) -> Iterator[TranscriptFile]:
    """The files of all sources, without those that are known to be merged as they lie.

    ``left_out`` gets those that are not merged and that the choice leaves out.
    """
    with open_seen(vault.layout.derived) as seen:
        for source, found in find_all(vault):
            allowed, reason = backfill.allow(vault, source, found, choice)
            if reason:
                waiting.append(reason)
            yield from [file for file in allowed if not is_merged(vault, file, seen)]
            if left_out is not None and not reason:
                chosen = {file.path for file in allowed}
                rest = (file for file in found if file.path not in chosen)
                left_out += [file for file in rest if not is_merged(vault, file, seen)]


def find_candidates(
    vault: Vault,
    files: Iterable[TranscriptFile],
    identity: str | None,
    problems: list[str],
    *,
    strict: bool,
) -> Iterator[Candidate]:
    from memfs.services.ingesting.reading import open_reader

    for file in files:
        try:
            with open_reader(file.path, me=file.source.me) as reader:
                session = reader.conversations[0].session if reader.conversations else reader.session
        except UnknownFormat as error:
            if strict or file.source.identity or identity:
                problems.append(str(error))
            continue
        except TranscriptError as error:
            problems.append(str(error))
            continue
        changed = datetime.fromtimestamp(file.stat.mtime_ns / 1e9, UTC)
        began = turn_time(session.started_at, vault.zone) or changed
        try:
            name = _identity_of(vault, file, session, identity, insist=strict)
        except (InvalidRequest, UnsafePath):
            if strict:
                raise
            problems.append(
                f"{file.path}: it cannot be told whose memory it feeds; set identity for its source"
            )
            continue
        yield Candidate(file, name, session, began)


def _identity_of(
    vault: Vault, file: TranscriptFile, session: Session, identity: str | None, *, insist: bool
) -> str:
    """Whose memory a transcript feeds; ``identity`` is for those that neither source nor transcript tells of.

    With ``insist`` (it was named together with ``identity``) it is for all.
    """
    from memfs.vault.paths import safe_name, slug

    said = (identity if insist else None) or file.source.identity
    if said == FROM_CWD:
        said = slug(Path(session.cwd).name) if session.cwd else None
    said = said or (slug(session.identity) if session.identity else identity)
    return safe_name(said) if said else vault.choose_identity(None)


def identity_fed(vault: Vault, file: TranscriptFile) -> tuple[str | None, str | None]:
    """Whose memory a transcript feeds, read from its beginning; else None and why not."""
    problems: list[str] = []
    found = next(find_candidates(vault, [file], None, problems, strict=False), None)
    return (found.identity if found else None), (problems[0] if problems else None)
