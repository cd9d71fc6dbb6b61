"""Putting a document in place without losing a save that happens in the same moment (protocol 3.1, step 4).

Every document is exchanged, never overwritten; what came out is compared with what was expected, at once and again
later, because an editor may hold it open. Whatever a person saved is merged on top and stays theirs. A document that
they removed meanwhile stays removed, and one that they moved gets its new text where it is now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from memfs.memory.texts import is_stale_save
from memfs.services.committing.failpoints import reach
from memfs.services.committing.places import resolve_file
from memfs.services.committing.threeway import is_record_file, merge_files
from memfs.services.committing.whereabouts import find_moved
from memfs.vault.displaced import Displaced, keep_displaced
from memfs.vault.files import (
    FileState,
    exchange,
    put_new,
    read_state,
    remove_file,
    take_away,
    write_atomic,
    write_temp,
)
from memfs.vault.intents import IntentTarget
from memfs.vault.layout import Layout

Blob = Callable[[str | None], bytes | None]


def place_target(layout: Layout, target: IntentTarget, read_blob: Blob, now: float) -> None:
    """Make the file of ``target`` hold its new text, merged under whatever a person saved. Idempotent.

    ``read_blob`` gives the bytes of a git object, ``now`` is seconds since the epoch.
    Raises VaultError, UnsafePath.
    """
    place = Place(layout, target, read_blob, now)
    if target.data is None:
        place.take_away()
    elif is_record_file(target.path):
        if read_state(place.path).hash != target.new_hash:
            write_atomic(place.path, target.data, target.mode)
        drop_temp(layout, target)
    else:
        place.put()


def settle_temp(layout: Layout, target: IntentTarget, read_blob: Blob, now: float) -> IntentTarget:
    """The target before it gets another temp file: what an exchange left in this one is kept and merged."""
    if target.data is None or is_record_file(target.path):
        return target
    return replace(target, placed=Place(layout, target, read_blob, now).was_put())


def drop_temp(layout: Layout, target: IntentTarget) -> None:
    """Remove the temp file of ``target`` if it still holds the new text."""
    if target.temp is not None:
        temp = resolve_file(layout.top, target.path).with_name(target.temp)
        if read_state(temp).hash == target.new_hash:
            remove_file(temp)


def seen_file(layout: Layout, kept: Displaced) -> Path:
    """Where the text is that a displaced file had when it came out, if that was a surprise."""
    return layout.displaced / f"{kept.name}.seen"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one document of a commit goes: its target, and how to read the texts it was made from."""

    layout: Layout
    target: IntentTarget
    read_blob: Blob
    now: float

    @property
    def path(self) -> Path:
        """The file, beneath the vault."""
        return resolve_file(self.layout.top, self.target.path)

    @property
    def old(self) -> bytes | None:
        """The committed text that the commit began with."""
        return self.read_blob(self.target.old_blob)

    def put(self) -> None:
        """Put the document in place, whatever happened to it since it was read."""
        target, put_before = self.target, self.was_put()
        assert target.data is not None
        current = read_state(self.path)
        if current.kind == "absent" and target.old_hash is not None:
            self._vanished()
        elif current.hash == target.new_hash:
            drop_temp(self.layout, target)
        elif (
            current.hash == target.old_hash or not current.data
        ):  # an empty one is a save that has just begun
            self._swap(self.path, current, target.data, temp=target.temp)
        elif not put_before or self._fell_back(current.data):
            drop_temp(self.layout, target)
            self._swap(self.path, current, self._merged(self.old, current.data, target.data))
        # Else it was placed, and then saved by a person: theirs stands on top of ours.

    def was_put(self) -> bool:
        """Whether this commit placed the file before: its temp no longer holds the new text.

        What the temp name holds then is the displaced file; a save in it is merged on top first.
        """
        target = self.target
        if target.temp is None:
            return target.placed
        temp = self.path.with_name(target.temp)
        held = read_state(temp)
        if held.hash == target.new_hash:
            return target.placed
        if held.data is not None:
            self._keep(temp, held)
            if held.hash != target.old_hash and held.data:
                self.merge_save(self.old, held.data)
        return True

    def merge_save(self, base: bytes | None, saved: bytes) -> None:
        """Merge what a person ``saved`` (made from ``base``) into what the file holds now.

        As long as that is what memfs made of ``base``, it is made anew of ``saved``: ``base`` may have been half a
        save, in which entries seemed deleted.
        """
        path, new = self.path, self.target.data
        current = read_state(path)
        if current.data is None:
            moved = find_moved(self.layout, self.target.path, saved)
            temp = None if moved else write_temp(path, saved, self.target.mode)
            if temp and put_new(temp, path):
                return
            if temp:
                remove_file(temp)
            path = resolve_file(self.layout.top, moved or self.target.path)
            current = read_state(path)
        there = current.data or b""
        ours_alone = new is not None and (not there or there == self._merged(self.old, base or b"", new))
        merged = self._merged(self.old, saved, new or b"") if ours_alone else self._merged(base, saved, there)
        if merged != there:
            self._swap(path, current, merged)

    def take_away(self) -> None:
        """Remove a file that memfs itself empties; a save in the same moment is kept in place."""
        path, target = self.path, self.target
        current = read_state(path)
        if current.hash != target.old_hash or current.data is None:
            return
        if is_record_file(target.path):
            remove_file(path)
            return
        displaced = take_away(path)
        if displaced is not None:
            came_out = read_state(displaced)
            if came_out.hash != target.old_hash:
                put_new(displaced, path)
            else:
                keep_displaced(self.layout, displaced, target.path, came_out.hash, time=self.now)

    def _swap(self, path: Path, expected: FileState, wanted: bytes, temp: str | None = None) -> None:
        """Exchange; when something else comes out than what was expected it is a save, merged on top."""
        waiting = path.with_name(temp) if temp else None
        if waiting is None or read_state(waiting).hash != self.target.new_hash:
            waiting = write_temp(path, wanted, self.target.mode)
        reach("place.before")
        displaced = exchange(waiting, path, create=expected.kind == "absent")
        reach("place.exchanged")
        if displaced is None:
            if read_state(waiting).kind != "absent":  # removed or moved in this very moment
                remove_file(waiting)
                self._vanished()
            return
        came_out = read_state(displaced)
        self._keep(displaced, came_out)
        reach("place.displaced")
        if came_out.hash != expected.hash and came_out.data:
            self.merge_save(expected.data or self.old, came_out.data)

    def _vanished(self) -> None:
        """The person removed the document, which stays so, or moved it: then its new text goes there."""
        drop_temp(self.layout, self.target)
        moved = find_moved(self.layout, self.target.path, self.old or b"")
        if moved is None or self.target.data is None:
            return
        path = resolve_file(self.layout.top, moved)
        current = read_state(path)
        if current.data is not None:
            merged = self._merged(self.old, current.data, self.target.data)
            if merged != current.data:
                self._swap(path, current, merged)

    def _keep(self, file: Path, state: FileState) -> None:
        """Keep a displaced file; another text than the old one as seen: from it the editor makes the next save."""
        target = self.target
        kept = keep_displaced(
            self.layout,
            file,
            target.path,
            state.hash,
            time=self.now,
            old_blob=target.old_blob,
            new_blob=target.new_blob,
        )
        if state.data and state.hash != target.old_hash:
            write_atomic(seen_file(self.layout, kept), state.data)

    def _merged(self, base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
        return merge_files(self.target.path, base, ours, theirs)

    def _fell_back(self, now: bytes) -> bool:
        """Whether a person wrote into the old text after ours was placed: git had put it back."""
        try:
            return is_stale_save((self.old or b"").decode(), (self.target.data or b"").decode(), now.decode())
        except UnicodeDecodeError:
            return False
