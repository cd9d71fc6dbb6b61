"""Which files are to be archived: those that transcripts mention, and merged transcripts of sources that say so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import TranscriptError
from memfs.model import Session, Turn
from memfs.services.archiving.places import aside_name
from memfs.services.archiving.record import scan_mark, scanned_transcripts
from memfs.services.ingesting import backfill
from memfs.services.ingesting.candidates import Candidate, find_candidates
from memfs.services.ingesting.reading import INGEST_LIMITS, open_reader
from memfs.services.ingesting.seen import open_seen
from memfs.services.ingesting.sessions import BATCH_TURNS, is_merged
from memfs.services.ingesting.sources import FROM_CWD, TranscriptFile, find_all
from memfs.transcripts.mentions import Mention, asset_id, find_mentions, path_readings
from memfs.transcripts.privacy import keep_turns

if TYPE_CHECKING:
    from memfs.services.opening import Vault
    from memfs.transcripts.reader import Reader

_QUIET = 3600.0  # seconds after which a conversation counts as over, as for segments


@dataclass(frozen=True, slots=True)
class Found:
    """A file to archive. ``told``: metadata names it, not only the text; ``whole``: it is a merged transcript.

    ``path`` is absolute, its folder real. ``missing``: why no file was found under ``name``, ``tried`` in which places.
    """

    identity: str
    model: str | None
    name: str
    path: Path | None
    told: bool
    transcript: str
    whole: bool = False
    missing: str | None = None
    tried: tuple[Path, ...] = ()


@dataclass
class Finding:
    """What was found. ``marks`` are the transcripts that were looked through, to be noted when all is settled."""

    by_place: dict[tuple[str, Path | str], Found] = field(default_factory=dict)
    marks: dict[str, list[Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def files(self) -> tuple[Found, ...]:
        return tuple(self.by_place.values())

    def add(self, found: Found) -> None:
        """Add a file once per identity; known from metadata counts more than known from text."""
        key = found.identity, found.path or found.name
        known = self.by_place.get(key)
        self.by_place[key] = found if known is None else replace(known, told=known.told or found.told)


def find_files(vault: Vault, identity: str | None) -> Finding:
    """The files of an identity, or of all, that are not known to be settled."""
    finding = Finding()
    scanned = scanned_transcripts(vault)
    for source, files in find_all(vault):
        allowed, _ = backfill.allow(vault, source, files, None)
        if identity not in (None, source.identity) and source.identity not in (None, FROM_CWD):
            continue
        news = [file for file in allowed if scanned.get(str(file.path)) != scan_mark(vault, file.stat)]
        for candidate in find_candidates(vault, news, None, [], strict=False):  # ingest tells of others
            if identity in (None, candidate.identity):
                _look_through(vault, candidate, finding)
        if source.archive:
            _add_transcripts(vault, allowed, identity, finding)
    return finding


def _look_through(vault: Vault, candidate: Candidate, finding: Finding) -> None:
    """Add what a transcript mentions; one that cannot be read is told, and stops no other."""
    path = candidate.file.path
    try:
        with open_reader(path, me=candidate.file.source.me, limits=INGEST_LIMITS) as reader:
            for one in reader.conversations or (reader,):
                for mention in _mentions(one):
                    finding.add(_found(candidate, one.session, mention))
    except TranscriptError as error:
        finding.problems.append(str(error))
        return
    finding.marks[str(path)] = scan_mark(vault, candidate.file.stat)


def _mentions(reader: Reader) -> Iterable[Mention]:
    """What a conversation mentions on the record; nothing when the user put all of it off the record."""
    mentions: list[Mention] = []
    off = False
    for turns in _batches(reader):
        kept, withheld = keep_turns(turns, reader.session, session_off=off)
        off = withheld.session_off
        if withheld.whole:
            mentions.clear()
        for turn in kept:
            mentions += [mention for mention in find_mentions(turn) if any(map(_readable, mention.names))]
    return mentions


def _batches(reader: Reader) -> Iterator[Sequence[Turn]]:
    batch: list[Turn] = []
    for turn in reader:
        batch.append(turn)
        if len(batch) >= BATCH_TURNS:
            yield batch
            batch = []
    if batch:
        yield batch


def _readable(name: str) -> bool:
    """Whether a name can be that of a file here, and is no web address."""
    return bool(path_readings(name)) or asset_id(name) is not None


def _found(candidate: Candidate, session: Session, mention: Mention) -> Found:
    found = Found(
        candidate.identity, session.model, mention.names[-1], None, mention.told, str(candidate.file.path)
    )
    bases = _bases(candidate.file, session, told=mention.told)
    places = [
        Path(os.path.join(base, reading))
        for name in mention.names
        for reading in map(os.path.expanduser, path_readings(name))
        for base in (bases or [""])
        if bases or os.path.isabs(reading)
    ]
    packed = _packed(candidate.file.path.parent, mention) if mention.told else None
    place = packed or next((place for place in places if _lies(place)), None)
    if place is None:
        tried = tuple(dict.fromkeys(map(_with_real_folder, places)))
        return replace(found, missing="absent" if places else "no_folder", tried=tried)
    return replace(found, path=_with_real_folder(place))


def _with_real_folder(place: Path) -> Path:
    return Path(os.path.realpath(place.parent), place.name)


def _bases(file: TranscriptFile, session: Session, *, told: bool) -> list[str]:
    """The folders that a relative name counts from: the session's; for attachments also the transcript's own."""
    own = [str(file.path.parent)] if told else []
    return ([session.cwd] if session.cwd and os.path.isabs(session.cwd) else []) + own


def _packed(folder: Path, mention: Mention) -> Path | None:
    """A file that an export packed beside the transcript under its id (``file-abc....dat``)."""
    wanted = [id for name in mention.names if (id := asset_id(name))]
    for id in wanted:
        for place in sorted(folder.rglob(f"{id}*")):
            if place.name.partition(".")[0] == id or place.name.startswith((f"{id}-", f"{id}_")):
                return place
    return None


def _lies(place: Path) -> bool:
    """Whether something is there, or a crash left the original under its name aside."""
    try:
        return os.path.lexists(place) or os.path.lexists(place.with_name(aside_name(place)))
    except (OSError, ValueError):  # a name too long, or none at all
        return False


def _add_transcripts(
    vault: Vault, files: Iterable[TranscriptFile], identity: str | None, finding: Finding
) -> None:
    """The merged transcripts of a source with ``archive = true``, once their conversation is over."""
    before = vault.clock().timestamp() - _QUIET
    with open_seen(vault.layout.derived) as seen:
        merged = [f for f in files if f.stat.mtime_ns / 1e9 < before and is_merged(vault, f, seen)]
    for one in find_candidates(vault, merged, None, [], strict=False):
        if identity in (None, one.identity):
            place = _with_real_folder(one.file.path)
            found = Found(one.identity, one.session.model, str(place), place, True, str(place), whole=True)
            finding.by_place[one.identity, place] = found
