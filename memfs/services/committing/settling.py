"""Displaced files, looked at once more: an editor that held one open may have saved into it since (protocol 3.1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memfs.services.committing.placing import Blob, Place, seen_file
from memfs.vault.displaced import Displaced, due_displaced, mark_settled, write_displaced
from memfs.vault.files import TEMP_PREFIX, FileState, read_state, remove_file, write_atomic
from memfs.vault.intents import IntentTarget
from memfs.vault.layout import Layout

SETTLE_SECONDS = 2.0
KEEP_SECONDS = 600.0


def settle_displaced(layout: Layout, read_blob: Blob, now: float) -> tuple[str, ...]:
    """Look once more at displaced files older than 2 s; saves into them are merged on top of their documents.

    Returns the documents that changed by it. Raises VaultError.
    """
    changed: list[str] = []
    for kept in due_displaced(layout, now, settle=SETTLE_SECONDS, keep=KEEP_SECONDS):
        if now - kept.time < SETTLE_SECONDS:
            continue
        state = read_state(Path(kept.place))
        swept = Path(kept.path).name.startswith(TEMP_PREFIX)  # a dead commit's temp file, no document
        if state.data and state.hash != kept.expected and not swept:
            _merge_saved(layout, kept, state, read_blob, now)
            changed.append(kept.path)
        elif now - kept.time > KEEP_SECONDS:
            for file in (Path(kept.place), seen_file(layout, kept), layout.displaced / f"{kept.name}.json"):
                remove_file(file)
        else:
            mark_settled(layout, kept, state.mtime_ns)
    return tuple(changed)


def _merge_saved(layout: Layout, kept: Displaced, state: FileState, read_blob: Blob, now: float) -> None:
    saved = state.data or b""
    target = IntentTarget(
        path=kept.path,
        old_hash=kept.expected,
        new_hash=None,
        data=read_blob(kept.new_blob),
        old_blob=kept.old_blob,
        new_blob=kept.new_blob,
        mode=state.mode,
    )
    seen = read_state(seen_file(layout, kept)).data
    base = read_blob(kept.old_blob) if seen is None else seen
    Place(layout, target, read_blob, now).merge_save(base, saved)
    write_atomic(seen_file(layout, kept), saved)
    write_displaced(layout, replace(kept, expected=state.hash))
