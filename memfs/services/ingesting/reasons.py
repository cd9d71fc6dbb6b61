"""Why transcripts were not merged when they were last taken up: noted by ingest, told by status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.vault.local import LocalState
from memfs.vault.records import note_reasons, noted_reasons

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def note_outcome(vault: Vault, reasons: Mapping[str, Sequence[str]]) -> None:
    """Note what an ingest told of each transcript that it took up, by path; one without a reason is merged."""
    state = LocalState(vault.layout)
    noted = noted_reasons(state)
    if any(reasons.values()) or noted.keys() & reasons.keys():
        note_reasons(state, reasons, gone=[path for path in noted if not Path(path).exists()])


def told_reasons(vault: Vault) -> Iterator[str]:
    """Why transcripts that are still there were not merged, each with its path."""
    for path, reasons in noted_reasons(LocalState(vault.layout)).items():
        if Path(path).exists():
            yield from (told if told.startswith(f"{path}:") else f"{path}: {told}" for told in reasons)
