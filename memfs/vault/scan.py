"""What lies in the vault now: documents with their stat records, and where block ids stand."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memfs.errors import VaultError
from memfs.model import Stat
from memfs.vault.files import READ_LIMIT, TEMP_PREFIX
from memfs.vault.globs import compile_globs
from memfs.vault.layout import Layout
from memfs.vault.names import is_protected, nfc

DEFAULT_INCLUDE = ("**/*.md",)

_CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}|\([^()]*(?:conflicted copy|case conflict|冲突副本|冲突的副本)[^()]*\)",
    re.IGNORECASE,
)
_BLOCK_ID = re.compile(rb"\^([A-Za-z0-9-]+)[ \t]*\r?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Scan:
    """A vault at one moment; paths are relative to it, spelled as on disk.

    ``conflicts`` are copies that a sync tool made: never merge targets, never searched. ``skipped`` are links
    out of the vault, devices and the like, with the reason. ``twins`` are documents whose names differ in
    Unicode form only.
    """

    documents: Mapping[str, Stat]
    conflicts: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    twins: tuple[tuple[str, ...], ...] = ()


def scan_documents(
    layout: Layout,
    include: Sequence[str] = DEFAULT_INCLUDE,
    *,
    allowed: Sequence[Path] = (),
) -> Scan:
    """Find the documents that match one of the globs ``include``.

    Left out: hidden files and folders, inboxes, the archive, templates, relay boards. A linked file counts
    under the link's name when it lies in the vault or beneath one of ``allowed`` (folders outside); a linked
    folder only beneath ``allowed``. Raises VaultError when the vault is gone.
    """
    found = _Found({}, [], [])
    walk = _Walk(layout, tuple(os.path.realpath(folder) for folder in allowed), found)
    matches = compile_globs(include)
    for path, entry in walk.files(str(layout.top), ""):
        if not matches(path):
            continue
        if _CONFLICT.search(entry.name):
            found.conflicts.append(path)
            continue
        try:
            stat = entry.stat()
        except FileNotFoundError:
            continue
        found.documents[path] = Stat(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
    return Scan(
        found.documents, tuple(sorted(found.conflicts)), tuple(sorted(found.skipped)), _twins(found.documents)
    )


def find_ids(
    layout: Layout, ids: Collection[str], paths: Collection[str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Where the block ids stand, at the end of a line: id -> documents, sorted; only ids that were found.

    ``paths`` are the documents to look in; all Markdown of the vault when None. Raises VaultError when one
    cannot be read: an unread document must not make an entry look deleted.
    """
    wanted = {block_id.encode(): block_id for block_id in ids}
    places: dict[str, set[str]] = defaultdict(set)
    for path in scan_documents(layout).documents if paths is None else paths:
        for found in _read_ids(layout.top / path):
            if found in wanted:
                places[wanted[found]].add(path)
    return {block_id: tuple(sorted(paths)) for block_id, paths in sorted(places.items())}


def is_conflict_copy(name: str) -> bool:
    """Whether a sync tool made this file because of a conflict (by its name)."""
    return _CONFLICT.search(name) is not None


def find_temps(folder: Path) -> tuple[Path, ...]:
    """Temp files of memfs's beneath ``folder``: at work, or left by a crash."""
    return tuple(sorted(folder.rglob(TEMP_PREFIX + "*")))


class _Found(NamedTuple):
    documents: dict[str, Stat]
    conflicts: list[str]
    skipped: list[tuple[str, str]]


class _Walk:
    """Walks folders with `os.scandir`; a document costs one stat call."""

    def __init__(self, layout: Layout, allowed: tuple[str, ...], found: _Found) -> None:
        self._top = str(layout.top)
        self._allowed = allowed
        self._found = found
        self._entered: set[str] = set()
        prefix = f"{layout.root}/" if layout.root else ""
        self._apart = {prefix + name for name in ("inbox", "archive", "templates")}
        self._relay = re.compile(re.escape(prefix) + r"memories/[^/]+/relay\.md")

    def files(self, folder: str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except (PermissionError, FileNotFoundError) as error:
            if not prefix:
                raise VaultError(f"cannot read the vault: {error.strerror}", path=folder) from error
            self._found.skipped.append((prefix.rstrip("/"), error.strerror or "unreadable"))
            return
        for entry in listed:
            path = prefix + entry.name
            if entry.name.startswith(".") or path in self._apart:
                continue
            if entry.is_dir(follow_symlinks=False):
                if not is_protected(entry.name):
                    yield from self.files(entry.path, path + "/")
            elif entry.is_symlink():
                yield from self._linked(entry, path)
            elif not entry.is_file(follow_symlinks=False):
                self._found.skipped.append((path, "no regular file"))
            elif not self._relay.fullmatch(path):
                yield path, entry

    def _linked(self, entry: os.DirEntry[str], path: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        real = os.path.realpath(entry.path)
        opened = any(real == folder or _beneath(real, folder) for folder in self._allowed)
        if os.path.isfile(real) and (opened or self._is_inside(real)):
            yield path, entry
        elif os.path.isdir(real) and opened and real not in self._entered:
            self._entered.add(real)
            yield from self.files(real, path + "/")
        elif os.path.lexists(real):
            self._found.skipped.append((path, "a symbolic link that is not followed"))
        else:
            self._found.skipped.append((path, "a symbolic link to nothing"))

    def _is_inside(self, real: str) -> bool:
        return _beneath(real, self._top) and not any(
            is_protected(part) for part in real[len(self._top) :].split("/") if part
        )


def _beneath(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _twins(paths: Collection[str]) -> tuple[tuple[str, ...], ...]:
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if not path.isascii():
            groups[nfc(path)].append(path)
    return tuple(tuple(sorted(group)) for _, group in sorted(groups.items()) if len(group) > 1)


def _read_ids(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            data = file.read(READ_LIMIT)
    except FileNotFoundError:
        return
    except OSError as error:
        raise VaultError(f"cannot read the document: {error.strerror}", path=str(path)) from error
    for match in _BLOCK_ID.finditer(data):
        if match.start() == 0 or data[match.start() - 1] in b" \t\r\n":
            yield match.group(1)
