"""Status: what the vault is doing, what waits and why. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import HistoryError, MemfsError, RepositoryBusy, VaultError
from memfs.services.daily_run.runs import DailyStatus, daily_status
from memfs.services.hook_notes import told_failures
from memfs.services.ingesting.backfill import GUARDED_SESSIONS, is_chosen
from memfs.services.ingesting.reading import open_reader
from memfs.services.ingesting.reasons import told_reasons
from memfs.services.ingesting.seen import open_seen
from memfs.services.ingesting.sessions import is_merged, known_cursors, session_key
from memfs.services.ingesting.sources import INBOX, TranscriptFile, TranscriptSource, find_all
from memfs.services.learning.lessons import open_assignments
from memfs.services.merging.unwritable import find_obstacles
from memfs.services.relay import board_troubles
from memfs.vault.intents import read_intent
from memfs.vault.local import LocalState
from memfs.vault.records import Quarantine, backfill, last_run, pending_cursors, quarantined, tokens_used

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_DAY = 86400.0
# After how many days a client deletes its own transcripts, and how many days before that memfs warns.
DEADLINES = {"claude-code": 30}
_WARN_DAYS = 7


@dataclass(frozen=True, slots=True)
class IdentityStatus:
    """One identity: entries are not counted here, only its work."""

    identity: str
    last_run: float | None
    pending_cursors: int
    tokens_today: int


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source: how many transcripts it has, how many of them have turns that were not merged."""

    name: str
    root: str
    identity: str | None
    transcripts: int
    unmerged: int
    choice_needed: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a vault. ``busy`` says why nothing can be committed now; ``warnings`` what needs a person.

    ``reasons`` are why transcripts were not merged when they were last taken up; ``daily``: how the daily run does.
    """

    top: str
    branch: str | None
    commit: str | None
    busy: str | None
    extractor: str
    when: str
    identities: tuple[IdentityStatus, ...]
    sources: tuple[SourceStatus, ...]
    unfinished: bool
    quarantine: tuple[Quarantine, ...]
    locks: tuple[str, ...]
    warnings: tuple[str, ...]
    reasons: tuple[str, ...] = ()
    daily: DailyStatus | None = None


def status(vault: Vault) -> Status:
    """Look at the vault, its repository and its sources."""
    state = LocalState(vault.layout)
    branch, commit, busy = _head(vault)
    warnings = list(vault.registry.problems)
    if vault.config.extract.model == "rules" and vault.config.extract.instructions.strip():
        warnings.append("extract.instructions have no effect with the extractor rules")
    warnings += [f"local state {name} was damaged and begun anew" for name in state.damaged_records()]
    warnings += [
        f"nothing was learned from the cases of {each}: {each.reason} (memfs retry tries again)"
        for each in open_assignments(vault)
    ]
    warnings += told_failures(vault)
    sources = tuple(_source(vault, source, files, warnings) for source, files in _places(vault))
    warnings += [f"memfs does not write into {obstacle}" for obstacle in find_obstacles(vault)]
    warnings += [told for name in vault.identities() for told in board_troubles(vault, name)]
    day = vault.now().date().isoformat()
    return Status(
        top=str(vault.top),
        branch=branch,
        commit=commit,
        busy=busy,
        extractor=vault.config.extract.model or "off",
        when=vault.config.extract.when,
        identities=tuple(
            IdentityStatus(
                name, last_run(state, name), len(pending_cursors(state, name)), tokens_used(state, name, day)
            )
            for name in vault.identities()
        ),
        sources=sources,
        unfinished=_is_unfinished(vault, warnings),
        quarantine=quarantined(state),
        locks=tuple(f"{lock.path} ({lock.owner})" for lock in vault.repository.find_locks()),
        warnings=tuple(dict.fromkeys(warnings)),
        reasons=tuple(reason for reason in told_reasons(vault) if reason not in warnings),
        daily=daily_status(vault),
    )


def _is_unfinished(vault: Vault, warnings: list[str]) -> bool:
    """Whether a crash left a commit to be finished; a record of one that cannot be read is told."""
    try:
        return read_intent(vault.layout) is not None
    except VaultError as error:
        warnings.append(str(error))
        return True


def _head(vault: Vault) -> tuple[str | None, str | None, str | None]:
    from memfs.services.commit import require_branch

    try:
        head = require_branch(vault)
    except RepositoryBusy as error:
        head = vault.repository.head()
        return _short(head.ref), head.commit, str(error)
    except HistoryError as error:
        return None, None, str(error)
    return _short(head.ref), head.commit, None


def _short(ref: str | None) -> str | None:
    return ref.removeprefix("refs/heads/") if ref else None


def _places(vault: Vault) -> Iterator[tuple[TranscriptSource, Sequence[TranscriptFile]]]:
    """The sources with their files; an inbox only where no source before it lies around it and has its files."""
    covered: list[Path] = []
    for source, files in find_all(vault):
        root = source.root.resolve()
        if files or source.name != INBOX or not any(root.is_relative_to(other) for other in covered):
            covered.append(root)
            yield source, files


def _source(
    vault: Vault, source: TranscriptSource, files: Sequence[TranscriptFile], warnings: list[str]
) -> SourceStatus:
    if not source.root.exists():
        warnings.append(f"the source {source.name} is not there: {source.root}")
    with open_seen(vault.layout.derived) as seen:
        new = [file for file in files if not is_merged(vault, file, seen) and is_chosen(vault, file)]
    unmerged = {file: kind for file in new if (kind := _format(vault, file, warnings)) is not None}
    if source.name != INBOX:  # nobody but the person takes anything out of it
        _warn_of_deadlines(vault, source, unmerged, warnings)
    undecided = source.guarded and backfill(LocalState(vault.layout), source.name) is None
    return SourceStatus(
        source.name,
        str(source.root),
        source.identity,
        len(files),
        len(unmerged),
        undecided and len(files) > GUARDED_SESSIONS,
    )


def _format(vault: Vault, file: TranscriptFile, warnings: list[str]) -> str | None:
    """See `unmerged_format`; a file that cannot be read is told where it was put to be read."""
    try:
        return unmerged_format(vault, file)
    except MemfsError as error:
        if file.source.identity:
            warnings.append(str(error))
        return None


def unmerged_format(vault: Vault, file: TranscriptFile) -> str | None:
    """The format of a transcript with bytes behind its cursors (of every identity it may feed); None of any other.

    Raises:
        TranscriptError: it cannot be read.
    """
    with open_reader(file.path, me=file.source.me) as reader:
        if reader.session.subagent:
            return None
        key = session_key((reader.conversations or (reader,))[0], file)
        format = reader.format
    identities: Sequence[str] = (file.source.identity,) if file.source.identity else vault.identities()
    cursors = [cursor for name in identities for cursor in known_cursors(vault, name, key)]
    # A compressed transcript's cursor counts plain bytes: there the size it was read at tells.
    return None if any(file.stat.size in (cursor.offset, cursor.size) for cursor in cursors) else format


def _warn_of_deadlines(
    vault: Vault, source: TranscriptSource, files: Mapping[TranscriptFile, str], warnings: list[str]
) -> None:
    """Name unmerged transcripts that their client will soon delete; those it should have deleted are counted."""
    now = vault.clock().timestamp()
    past: Counter[str] = Counter()
    for file, client in files.items():
        age, days = (now - file.stat.mtime_ns / 1e9) / _DAY, DEADLINES.get(client)
        if days is not None and age > days:
            past[client] += 1
        elif days is not None and age > days - _WARN_DAYS:
            warnings.append(
                f"{file.path}: not merged yet, and {client} deletes it after {days} days (it is {age:.0f} days old)"
            )
    for client, count in past.items():
        warnings.append(
            f"{source.name}: transcripts not merged yet and older than the {DEADLINES[client]} days "
            f"after which {client} deletes them: {count}"
        )
