"""The backfill guard: a new source with many old sessions extracts nothing until the person chooses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest, MemfsError
from memfs.model import Stat
from memfs.services.ingesting.sources import TranscriptFile, TranscriptSource
from memfs.vault.local import LocalState
from memfs.vault.records import backfill, set_backfill

if TYPE_CHECKING:
    from memfs.services.opening import Vault

GUARDED_SESSIONS = 20
CHOICES = ("none", "30d", "all")
_DAY = 86400.0
_TAIL = 256 * 1024  # bytes; the last turn stands there but for huge tool results
# Of a transcript's bytes about one in twelve is something a user or assistant said; four bytes make a token.
_BYTES_PER_TOKEN = 48


def allow(
    vault: Vault, source: TranscriptSource, files: Sequence[TranscriptFile], choice: str | None
) -> tuple[Sequence[TranscriptFile], str | None]:
    """Which files of a source may be read, and what the person still has to choose.

    A choice made once holds for the source; ``none`` and ``30d`` leave out conversations
    that had ended before it was made, or 30 days before.

    Raises:
        InvalidRequest: no such choice.
    """
    if choice is not None and choice not in CHOICES:
        raise InvalidRequest(f"no such backfill choice: {choice}", hint=f"one of {', '.join(CHOICES)}")
    if not source.guarded:
        return files, None
    state = LocalState(vault.layout)
    if choice is not None:
        set_backfill(state, source.name, f"{choice}@{_cutoff(vault, choice)}")
    made = backfill(state, source.name)
    if made is None and len(files) > GUARDED_SESSIONS:
        return (), _question(source, files)
    if made is None:
        set_backfill(state, source.name, "all@0")
        return files, None
    cutoff = float(made.partition("@")[2] or 0)
    return [file for file in files if _is_since(vault, file, cutoff)], None


def is_chosen(vault: Vault, file: TranscriptFile) -> bool:
    """Whether a transcript is to be read, as far as the choice made for its source says; true before any choice."""
    made = backfill(LocalState(vault.layout), file.source.name) if file.source.guarded else None
    return made is None or _is_since(vault, file, float(made.partition("@")[2] or 0))


def last_said(vault: Vault, file: TranscriptFile) -> float:
    """When a transcript's last turn was said (seconds since the epoch); when it was saved, if it has no times."""
    return _last_said(vault.zone, file.path, file.stat, file.source.me) or file.stat.mtime_ns / 1e9


def _is_since(vault: Vault, file: TranscriptFile, cutoff: float) -> bool:
    """Whether a conversation went on after ``cutoff``. What was saved last before it needs no look inside."""
    return file.stat.mtime_ns / 1e9 >= cutoff and (not cutoff or last_said(vault, file) >= cutoff)


@lru_cache(maxsize=10_000)
def _last_said(zone: tzinfo, path: Path, stat: Stat, me: tuple[str, ...]) -> float | None:
    """The time of the latest turn, looked for at the end of the file first."""
    from memfs.services.ingesting.reading import open_reader
    from memfs.transcripts.times import turn_time

    for start in sorted({max(0, stat.size - _TAIL), 0}, reverse=True):
        try:
            with open_reader(path, start=start, me=me) as reader:
                readers = reader.conversations or (reader,)
                stamps = [turn.timestamp for each in readers for turn in each]
                stamps += [each.session.started_at for each in readers]
        except MemfsError:
            return None
        if times := [moment.timestamp() for stamp in stamps if (moment := turn_time(stamp, zone))]:
            return max(times)
    return None


def _cutoff(vault: Vault, choice: str) -> float:
    now = vault.clock().timestamp()
    return {"none": now, "30d": now - 30 * _DAY}.get(choice, 0.0)


def _question(source: TranscriptSource, files: Sequence[TranscriptFile]) -> str:
    size = sum(file.stat.size for file in files)
    tokens = max(1, size // _BYTES_PER_TOKEN)
    return (
        f"the source {source.name} ({source.root}) is new and has {len(files)} sessions "
        f"({size / 1e6:.1f} MB, about {tokens:,} tokens of talk; the built-in extractor costs none): "
        "choose with memfs ingest --backfill none|30d|all"
    )
