"""Where transcripts lie: inboxes, the folders of ``[[sources]]``, and paths named by hand."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import TranscriptError
from memfs.model import Stat
from memfs.services.ingesting.queued import queued_transcripts
from memfs.transcripts.sniff import ignored_name
from memfs.vault.globs import compile_globs
from memfs.vault.paths import is_safe_name, slug

if TYPE_CHECKING:
    from memfs.config.settings import SourceConfig
    from memfs.services.opening import Vault

INBOX = "inbox"
BY_HAND = "files"
FROM_CWD = "@cwd"


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """A folder of transcripts. ``name`` stands for it in cursors of sessions that have no id of their own.

    ``identity`` and ``project`` are what the source says; ``@cwd`` takes the last part of the session's working
    directory. ``me`` are the user's names in group chats. ``before``: the sources that come first where roots overlap.
    """

    name: str
    root: Path
    identity: str | None = None
    project: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    archive: bool = False
    me: tuple[str, ...] = ()
    guarded: bool = False
    before: tuple[TranscriptSource, ...] = ()

    def matches(self) -> Callable[[str], bool]:
        """A test whether a path beneath the root, with slashes, is one that the globs let in."""
        included, excluded = compile_globs(self.include or ("**",)), compile_globs(self.exclude)
        return lambda rel: included(rel) and not excluded(rel)

    def holds(self) -> Callable[[str], bool]:
        """A test whether a real path is that of a file of this source, by root, names and globs."""
        root, matches = os.path.realpath(self.root), self.matches()

        def test(path: str) -> bool:
            if path == root:
                return True
            rel = path[len(root) + 1 :] if path.startswith(root + os.sep) else ""
            rel = rel.replace(os.sep, "/")
            hidden = rel.startswith(".") or "/." in rel
            return rel != "" and not hidden and matches(rel)

        return test


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """One file that may hold a transcript; ``rel`` is its path under the source's root."""

    source: TranscriptSource
    path: Path
    rel: str
    stat: Stat


def list_sources(vault: Vault) -> tuple[TranscriptSource, ...]:
    """The configured sources, the inbox of each identity, what is queued. A file belongs to the first that has it."""
    configured = [_configured(vault, source) for source in vault.config.sources]
    inboxes = []
    if vault.layout.inbox.is_dir():
        for folder in sorted(vault.layout.inbox.iterdir()):
            if folder.is_dir() and is_safe_name(folder.name):
                inboxes.append(TranscriptSource(INBOX, folder, identity=folder.name))
    queued = [
        TranscriptSource(BY_HAND, path, identity) for path, identity in queued_transcripts(vault).items()
    ]
    return _in_order((*configured, *inboxes, *queued))


def _in_order(sources: Iterable[TranscriptSource]) -> tuple[TranscriptSource, ...]:
    """The sources, each knowing those before it whose root holds its own, or lies in it."""
    ordered: list[TranscriptSource] = []
    roots, above = (
        defaultdict[Path, list[TranscriptSource]](list),
        defaultdict[Path, list[TranscriptSource]](list),
    )
    for source in sources:
        root = source.root.resolve()
        outer = [each for folder in root.parents if folder in roots for each in roots[folder]]
        before = (*outer, *above.get(root, ()))
        ordered.append(replace(source, before=before) if before else source)
        roots[root].append(source)
        for folder in (root, *root.parents):
            above[folder].append(source)
    return tuple(ordered)


def find_all(vault: Vault) -> Iterator[tuple[TranscriptSource, list[TranscriptFile]]]:
    """Every source with its files; each file once, though a link may lead to another source's."""
    taken: set[str] = set()
    for source in list_sources(vault):
        files = [file for file in find_transcripts(vault, source) if os.path.realpath(file.path) not in taken]
        taken.update(os.path.realpath(file.path) for file in files)
        yield source, files


def find_transcripts(vault: Vault, source: TranscriptSource) -> Iterator[TranscriptFile]:
    """The files of a source, sorted by path; temp, lock and conflict files are left out, and what a source before has.

    memfs's own folders inside a source are never read, except its inbox.
    """
    taken = [other.holds() for other in source.before]
    if source.root.is_file():
        real = os.path.realpath(source.root)
        yield from () if any(held(real) for held in taken) else _single(source, source.root)
        return
    matches = source.matches()
    own = {
        str(vault.layout.derived),
        str(vault.layout.git_dir),
        str(vault.layout.memories),
        str(vault.layout.archive),
    }
    for path in sorted(_walk(str(source.root), own)):
        rel = os.path.relpath(path, source.root).replace(os.sep, "/")
        if matches(rel) and not (taken and any(held(os.path.realpath(path)) for held in taken)):
            yield from _file(source, Path(path), rel)


def source_of(sources: Iterable[TranscriptSource], path: Path) -> TranscriptSource | None:
    """The first source that has a path (links followed), else the first it lies in; nothing need be there yet."""
    around = [source for source in sources if path.is_relative_to(source.root.resolve())]
    return next((source for source in around if source.holds()(str(path))), next(iter(around), None))


def named_files(vault: Vault, paths: Iterable[Path], identity: str | None) -> Iterator[TranscriptFile]:
    """Files named by hand (folders are searched). A path inside a known source belongs to that source.

    Raises:
        TranscriptError: a path does not exist.
    """
    known = list_sources(vault)
    for path in paths:
        real = path.resolve()
        if not real.exists():
            raise TranscriptError("no such file or folder", path=str(path))
        home = source_of(known, real)
        if home is not None and home.root.is_file():
            yield from _single(home, real)
        elif home is not None and real.is_file():
            yield from _file(home, real, real.relative_to(home.root.resolve()).as_posix())
        elif real.is_dir():
            yield from find_transcripts(vault, TranscriptSource(BY_HAND, real, identity))
        else:
            yield from _single(TranscriptSource(BY_HAND, real.parent, identity), real)


def _configured(vault: Vault, source: SourceConfig) -> TranscriptSource:
    root = Path(os.path.expanduser(source.path))
    root = root if root.is_absolute() else vault.top / root
    name = slug(source.name or "-".join(root.parts[-2:]).strip("-/.") or "source")
    return TranscriptSource(
        name,
        root,
        source.identity or None,
        source.project or None,
        source.include,
        source.exclude,
        source.archive,
        source.me,
        guarded=True,
    )


def _single(source: TranscriptSource, path: Path) -> Iterator[TranscriptFile]:
    yield from _file(source, path, path.name)


def _file(source: TranscriptSource, path: Path, rel: str) -> Iterator[TranscriptFile]:
    if ignored_name(path.name):
        return
    try:
        stat = path.stat()
    except FileNotFoundError:
        return
    if path.is_file():
        yield TranscriptFile(
            source, path, rel, Stat(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        )


def _walk(folder: str, own: set[str]) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in listed:
        if entry.name.startswith(".") or entry.path in own:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, own)
        elif entry.is_file():
            yield entry.path
