"""Putting a document in place without losing a save that happens in the same moment (protocol 3.1, step 4).

Every document is exchanged, never overwritten; what came out is compared with what was expected, at once and again
later, because an editor may hold it open. Whatever a person saved is merged on top and stays theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memfs.memory.texts import is_stale_save
from memfs.services.failpoints import reach
from memfs.services.places import resolve_file
from memfs.services.threeway import is_record_file, merge_files
from memfs.vault.displaced import Displaced, keep_displaced, list_displaced, write_displaced
from memfs.vault.files import (
    TEMP_PREFIX,
    FileState,
    exchange,
    put_new,
    read_state,
    remove_file,
    write_atomic,
    write_temp,
)
from memfs.vault.intents import IntentTarget
from memfs.vault.layout import Layout

SETTLE_SECONDS = 2.0
KEEP_SECONDS = 600.0
Blob = Callable[[str | None], bytes | None]


def place_target(layout: Layout, target: IntentTarget, read_blob: Blob, now: float) -> None:
    """Make the file of ``target`` hold its new text, merged under whatever a person saved. Idempotent.

    ``read_blob`` gives the bytes of a git object, ``now`` is seconds since the epoch.
    Raises VaultError, UnsafePath.
    """
    path = resolve_file(layout.top, target.path)
    if target.data is None:
        _take_away(layout, path, target, now)
    elif is_record_file(target.path):
        if read_state(path).hash != target.new_hash:
            write_atomic(path, target.data, target.mode)
        drop_temp(layout, target)
    else:
        _place_document(layout, path, target, read_blob, now)


def settle_temp(layout: Layout, target: IntentTarget, read_blob: Blob, now: float) -> IntentTarget:
    """The target before it gets another temp file: what an exchange left in this one is kept and merged."""
    if target.data is None or is_record_file(target.path):
        return target
    path = resolve_file(layout.top, target.path)
    return replace(target, placed=_is_placed(layout, path, target, read_blob, now))


def drop_temp(layout: Layout, target: IntentTarget) -> None:
    """Remove the temp file of ``target`` if it still holds the new text."""
    if target.temp is not None:
        temp = resolve_file(layout.top, target.path).with_name(target.temp)
        if read_state(temp).hash == target.new_hash:
            remove_file(temp)


def settle_displaced(layout: Layout, read_blob: Blob, now: float) -> tuple[str, ...]:
    """Look once more at displaced files older than 2 s; saves into them are merged on top of their documents.

    Returns the documents that changed by it. Raises VaultError.
    """
    changed: list[str] = []
    for kept in list_displaced(layout):
        if now - kept.time < SETTLE_SECONDS:
            continue
        swept = Path(kept.path).name.startswith(TEMP_PREFIX)  # a dead commit's temp file, no document
        saved = None if swept else kept.read_changed()
        if saved:
            _merge_saved(layout, kept, saved, read_blob, now)
            changed.append(kept.path)
        elif kept.checked and now - kept.time > KEEP_SECONDS:
            for file in (Path(kept.place), _seen_file(layout, kept), layout.displaced / f"{kept.name}.json"):
                remove_file(file)
        elif not kept.checked:
            write_displaced(layout, replace(kept, checked=True))
    return tuple(changed)


def _place_document(layout: Layout, path: Path, target: IntentTarget, read_blob: Blob, now: float) -> None:
    assert target.data is not None
    placed = _is_placed(layout, path, target, read_blob, now)
    current = read_state(path)
    if current.hash == target.new_hash:
        drop_temp(layout, target)
    elif current.hash == target.old_hash or current.data is None:
        _swap(layout, path, current, target.data, target, read_blob, now, temp=target.temp)
    elif not placed or _fell_back(read_blob(target.old_blob), target.data, current.data):
        merged = merge_files(target.path, read_blob(target.old_blob), current.data, target.data)
        drop_temp(layout, target)
        _swap(layout, path, current, merged, target, read_blob, now)
    # Else it was placed, and then saved by a person: theirs stands on top of ours.


def _fell_back(old: bytes | None, new: bytes, now: bytes) -> bool:
    """Whether a person wrote into the old text after ours was placed: git had put it back."""
    try:
        return is_stale_save((old or b"").decode(), new.decode(), now.decode())
    except UnicodeDecodeError:
        return False


def _is_placed(layout: Layout, path: Path, target: IntentTarget, read_blob: Blob, now: float) -> bool:
    """Whether this commit placed the file before: its temp no longer holds the new text.

    What the temp name holds then is the displaced file; a save in it is merged on top first.
    """
    if target.temp is None:
        return target.placed
    temp = path.with_name(target.temp)
    held = read_state(temp)
    if held.hash == target.new_hash:
        return target.placed
    if held.data is not None:
        surprise = held.hash != target.old_hash
        _keep(layout, temp, held, target, now, surprise=surprise)
        if surprise and held.data:
            _merge_on_top(layout, path, read_blob(target.old_blob), held.data, target, read_blob, now)
    return True


def _swap(
    layout: Layout,
    path: Path,
    expected: FileState,
    wanted: bytes,
    target: IntentTarget,
    read_blob: Blob,
    now: float,
    temp: str | None = None,
) -> None:
    """Exchange until what comes out is what was expected; every surprise is a save, merged on top."""
    waiting = path.with_name(temp) if temp else None
    if waiting is None or read_state(waiting).hash != target.new_hash:
        waiting = write_temp(path, wanted, target.mode)
    reach("place.before")
    displaced = exchange(waiting, path)
    reach("place.exchanged")
    if displaced is None:
        return
    came_out = read_state(displaced)
    _keep(layout, displaced, came_out, target, now, surprise=came_out.hash != expected.hash)
    reach("place.displaced")
    if came_out.hash != expected.hash and came_out.data:
        _merge_on_top(layout, path, expected.data, came_out.data, target, read_blob, now)


def _keep(
    layout: Layout, file: Path, state: FileState, target: IntentTarget, now: float, *, surprise: bool
) -> None:
    """Keep a displaced file. An unexpected text is kept as seen: it is the base of what the editor saves next."""
    kept = keep_displaced(
        layout, file, target.path, state.hash, time=now, old_blob=target.old_blob, new_blob=target.new_blob
    )
    if surprise and state.data:
        write_atomic(_seen_file(layout, kept), state.data)


def _seen_file(layout: Layout, kept: Displaced) -> Path:
    return layout.displaced / f"{kept.name}.seen"


def _merge_on_top(
    layout: Layout,
    path: Path,
    base: bytes | None,
    saved: bytes,
    target: IntentTarget,
    read_blob: Blob,
    now: float,
) -> None:
    """Merge a person's ``saved`` bytes (made from ``base``) into what the file holds now."""
    current = read_state(path)
    if current.data is None:
        temp = write_temp(path, saved, target.mode)
        if put_new(temp, path):
            return
        remove_file(temp)
        current = read_state(path)
    merged = merge_files(target.path, base, saved, current.data or b"")
    if merged != current.data:
        _swap(layout, path, current, merged, target, read_blob, now)


def _merge_saved(layout: Layout, kept: Displaced, saved: bytes, read_blob: Blob, now: float) -> None:
    path = resolve_file(layout.top, kept.path)
    state = read_state(Path(kept.place))
    target = IntentTarget(
        path=kept.path,
        old_hash=kept.expected,
        new_hash=None,
        data=saved,
        old_blob=kept.old_blob,
        new_blob=kept.new_blob,
        mode=state.mode,
    )
    seen = read_state(_seen_file(layout, kept)).data
    base = read_blob(kept.old_blob) if seen is None else seen
    _merge_on_top(layout, path, base, saved, target, read_blob, now)
    write_atomic(_seen_file(layout, kept), saved)
    write_displaced(layout, replace(kept, expected=state.hash, checked=True))


def _take_away(layout: Layout, path: Path, target: IntentTarget, now: float) -> None:
    """Remove a file that memfs itself empties; a save in the same moment is kept in place."""
    current = read_state(path)
    if current.hash == target.old_hash and current.data is not None:
        if is_record_file(target.path):
            remove_file(path)
        else:
            from memfs.vault.files import take_away

            displaced = take_away(path)
            if displaced is not None:
                came_out = read_state(displaced)
                if came_out.hash != target.old_hash:
                    put_new(displaced, path)
                else:
                    keep_displaced(layout, displaced, target.path, came_out.hash, time=now)

