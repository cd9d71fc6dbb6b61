"""The queue: transcripts that a client's hook asked to have merged, wherever they lie.

A queued transcript is a source of its own until it is merged, so that ingest, the watch and the daily run take it
up as they do any other. The queue is local state: written durably before the hook is answered.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_RECORD = "queue"


def queue_transcript(vault: Vault, path: Path, identity: str | None = None) -> None:
    """Note a transcript to be merged into ``identity`` (None: as it says itself), durably."""
    real = os.path.realpath(path)
    LocalState(vault.layout).update_record(_RECORD, lambda record: record.update({real: identity}))


def queued_transcripts(vault: Vault) -> Mapping[Path, str | None]:
    """The transcripts that wait, each with the identity it feeds."""
    record = LocalState(vault.layout).read_record(_RECORD)
    return {Path(path): identity for path, identity in sorted(record.items())}


def settle_queue(vault: Vault, problems: list[str]) -> None:
    """Take off the queue what is merged as it lies; one that vanished is told in ``problems``."""
    from memfs.services.ingesting.seen import open_seen
    from memfs.services.ingesting.sessions import is_merged
    from memfs.services.ingesting.sources import named_files

    queue = queued_transcripts(vault)
    if not queue:
        return
    done = [path for path in queue if not path.exists()]
    problems += [
        f"{path}: the transcript was queued, and is gone; nothing of it was merged since" for path in done
    ]
    with open_seen(vault.layout.derived) as seen:
        for path in queue.keys() - set(done):
            if all(is_merged(vault, file, seen) for file in named_files(vault, [path], queue[path])):
                done.append(path)

    def drop(record: dict[str, Any]) -> None:
        for path in done:
            record.pop(str(path), None)

    LocalState(vault.layout).update_record(_RECORD, drop)
