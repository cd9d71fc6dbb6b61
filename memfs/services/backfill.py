"""The backfill guard: a new source with many old sessions extracts nothing until the person chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest
from memfs.services.sources import TranscriptFile, TranscriptSource
from memfs.vault.local import LocalState
from memfs.vault.records import backfill, set_backfill

if TYPE_CHECKING:
    from memfs.services.opening import Vault

GUARDED_SESSIONS = 20
CHOICES = ("none", "30d", "all")
_DAY = 86400.0
# Of a transcript's bytes about one in twelve is something a user or assistant said; four bytes make a token.
_BYTES_PER_TOKEN = 48


def allow(
    vault: Vault, source: TranscriptSource, files: Sequence[TranscriptFile], choice: str | None
) -> tuple[Sequence[TranscriptFile], str | None]:
    """Which files of a source may be read, and what the person still has to choose.

    A choice made once holds for the source; ``none`` and ``30d`` leave out sessions that were old when it was made.

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
    return [file for file in files if file.stat.mtime_ns / 1e9 >= cutoff], None


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
