"""One git repository, as memfs uses it: opened safely, read and written by plumbing only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

from memfs.errors import HistoryError
from memfs.history import index, locks, objects, refs, trees
from memfs.history.index import IndexEntry
from memfs.history.refs import Head
from memfs.history.runner import Git, Result, translate
from memfs.history.trees import Blob

Author = Literal["person", "memfs"]


@dataclass(frozen=True)
class Repository:
    """An open repository. ``git_dir`` is this work tree's own, ``common_dir`` holds objects and refs.

    Paths are relative to ``top``, with slashes. Callers that write hold the vault's lock.
    """

    top: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    git: Git
    _written: set[str] = field(default_factory=set, repr=False)

    def head(self) -> Head:
        """HEAD's branch, commit and what is under way."""
        return refs.read_head(self.git, self.git_dir)

    def is_on(self, ref: str) -> bool:
        """Whether HEAD stands on this branch and nothing is under way; mostly without a child."""
        found = refs.read_branch(self.git_dir) or self.head().ref
        return found == ref and refs.operation_under_way(self.git_dir) is None

    def read_ref(self, ref: str) -> str | None:
        """The commit that a full ref name is at; None when there is none."""
        return refs.read_ref(self.git, ref)

    @property
    def empty_tree(self) -> str:
        """The id of the tree without entries, to compare a first commit with."""
        return objects.hash_bytes("tree", b"", self.object_format)

    def is_shallow(self) -> bool:
        """Whether older history is missing on purpose (`git clone --depth`)."""
        return (self.common_dir / "shallow").exists()

    def read_blob(self, commit: str, path: str) -> bytes | None:
        """The stored content of a path in a commit (line endings as stored); None when it has none."""
        return self.read_blobs(commit, [path])[path]

    def read_blobs(self, commit: str, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """The stored content of many paths in a commit, in two children."""
        return objects.read_blobs(self.git, commit, paths)

    def read_object(self, oid: str) -> bytes:
        """The stored content of a blob."""
        return objects.read_object(self.git, oid)

    def blob_ids(self, commit: str | None, paths: Sequence[str]) -> Mapping[str, Blob | None]:
        """Mode and blob id of each path in a commit (None: nothing is committed yet)."""
        return objects.read_blob_ids(self.git, commit, paths) if commit else dict.fromkeys(paths)

    def index_entries(self, paths: Sequence[str]) -> Mapping[str, tuple[IndexEntry, ...]]:
        """What the index holds for each path; () when not tracked, several entries in a conflict."""
        return index.read_entries(self.git, paths)

    def staged(
        self, commit: str | None, paths: Sequence[str], committed: Mapping[str, Blob | None] | None = None
    ) -> frozenset[str]:
        """Those paths whose index entry differs from the commit: a person has staged something there.

        `git add -N` stages nothing. A path in conflict counts as staged. ``committed``: the commit's blobs,
        from a caller that knows them.
        """
        committed = self.blob_ids(commit, paths) if committed is None else committed
        entries = self.index_entries(paths)
        return frozenset(path for path in paths if _index_blob(entries[path]) != committed[path])

    def attributes(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The git attributes of each path that matter for writing it (filter, text, eol, ...), where set."""
        return objects.read_attributes(self.git, paths)

    def filtered(self, paths: Sequence[str]) -> frozenset[str]:
        """Those paths that have a git filter (git-crypt, LFS); memfs leaves them alone."""
        return frozenset(path for path, found in self.attributes(paths).items() if objects.has_filter(found))

    def matches(self, path: str, data: bytes, oid: str) -> bool:
        """Whether a file with these bytes would be stored as this blob, line endings and all."""
        return objects.is_same(self.git, path, data, oid, self.object_format)

    def checkout_form(self, path: str, oid: str) -> bytes:
        """The bytes that a checkout of this blob would write at this path."""
        return objects.checkout_form(self.git, path, oid)

    def write_blob(self, path: str, data: bytes) -> str:
        """Store a file's bytes as `git add` would; the blob's id. Refuses a path with a filter."""
        return self.write_blobs({path: data})[path]

    def write_blobs(self, files: Mapping[str, bytes]) -> Mapping[str, str]:
        """Store many files; path -> blob id."""
        written = objects.write_blobs(self.git, files)
        self._written.update(written.values())
        return written

    def write_tree(self, base_commit: str | None, changes: Mapping[str, Blob | None]) -> str:
        """The tree of a commit with some paths changed (None removes one)."""
        written = trees.write_trees(self.git, base_commit, changes, self.object_format)
        for oid in written:  # mktree reads no configuration, so core.fsync does not reach it
            index.sync_path(self.common_dir / "objects" / oid[:2] / oid[2:])
        self._written.update(written)
        return written[-1]

    @cached_property
    def person(self) -> tuple[str, str] | None:
        """Name and e-mail of the person as git knows them; None when git does not."""
        return refs.read_person(self.git)

    def write_commit(
        self, tree: str, parents: Sequence[str], message: str, *, author: Author, when: datetime
    ) -> str:
        """Write a commit; no ref moves yet.

        A hand edit is the person's. A merge is authored by memfs, so that `git blame` tells them apart, and
        committed by the person. Where git knows no person both are memfs.
        """
        person = self.person or refs.OWN_IDENTITY
        writer = person if author == "person" else refs.OWN_IDENTITY
        commit = refs.write_commit(
            self.git, tree, parents, message, author=writer, committer=person, when=when
        )
        self._written.add(commit)
        return commit

    def move_ref(self, ref: str, new: str, old: str | None, *, when: datetime, reason: str = "memfs") -> bool:
        """Compare-and-swap of a branch: False when it is no longer at ``old`` (None: it must not exist)."""
        self.sync_objects()  # a ref must never be durable before what it names
        env = refs.identity_variables("COMMITTER", self.person or refs.OWN_IDENTITY, when)
        return refs.move_ref(self.git, ref, new, old, reason=reason, env=env)

    def set_index(self, changes: Mapping[str, Blob | None], *, seconds: float = index.LOCK_SECONDS) -> None:
        """Set exactly these paths in the person's index. RepositoryBusy when locked for ``seconds``."""
        absent = "0" * (64 if self.object_format == "sha256" else 40)
        index.set_entries(self.git, self.git_dir, changes, absent, seconds=seconds)

    def sync_objects(self) -> None:
        """Make the folders durable that hold what was written since the last call (git syncs the files)."""
        store = self.common_dir / "objects"
        for folder in sorted({store, *(store / oid[:2] for oid in self._written)}):
            index.sync_path(folder)
        self._written.clear()

    def sync(self, ref: str | None = None) -> None:
        """Make everything durable that was written: objects, git directory, the folders of ``ref``."""
        self.sync_objects()
        place = self.common_dir / (ref or "HEAD")
        parents = {folder for folder in place.parents if self.common_dir in (folder, *folder.parents)}
        for folder in sorted({self.git_dir, *parents}):
            index.sync_path(folder)

    def find_locks(self, children: Sequence[locks.Child] = ()) -> tuple[locks.Lock, ...]:
        """Lock files in the git directory, with their owners as far as provable."""
        return locks.find_locks(self.git_dir, self.common_dir, children, locks.boot_time())

    def remove_stale_locks(
        self, children: Sequence[locks.Child] = ()
    ) -> tuple[tuple[locks.Lock, ...], tuple[locks.Lock, ...]]:
        """Remove locks nobody can hold (``children``: as the intent log recorded them): removed, left."""
        return locks.remove_stale_locks(self.git_dir, self.common_dir, self.top, children, locks.boot_time())

    def verify(self, *, seconds: float = 600.0) -> tuple[str, ...]:
        """What `git fsck --strict` finds wrong; nothing when all is sound."""
        told = self.git.run(
            "fsck", "--strict", "--no-dangling", "--no-progress", ok=tuple(range(128)), seconds=seconds
        )
        lines = [*told.out.decode("utf-8", "replace").splitlines(), *told.err.splitlines()]
        return tuple(line for line in lines if line.strip()) if told.code != 0 else ()

    def run_maintenance(self, *, seconds: float = 300.0) -> None:
        """git's incremental maintenance: pack loose objects, repack, renew the commit graph. No prompts.

        ``seconds`` limits each of the three steps.
        """
        for task in ("loose-objects", "incremental-repack", "commit-graph"):  # git's own order is another
            if task != "incremental-repack" or any((self.common_dir / "objects" / "pack").glob("*.pack")):
                self.git.run("maintenance", "run", "--quiet", f"--task={task}", seconds=seconds, record=True)


def _index_blob(entries: tuple[IndexEntry, ...]) -> Blob | None:
    if len(entries) != 1 or entries[0].stage:
        return ("conflict", "") if entries else None
    return None if entries[0].intent_to_add else entries[0].blob


def find_top(path: Path) -> Path | None:
    """The top of the work tree that holds ``path``: the nearest folder with a `.git` of any kind."""
    real = path.resolve()
    return next((folder for folder in (real, *real.parents) if (folder / ".git").exists()), None)


def open_repository(path: Path, *, on_child: Callable[[locks.Child], None] | None = None) -> Repository:
    """Open the repository whose work tree holds ``path``.

    Raises HistoryError when there is none, when it is bare, when its work tree is set to lie elsewhere, or
    when it belongs to somebody else whom git does not trust.
    """
    top = find_top(path)
    if top is None:
        raise HistoryError("not in a git repository", path=str(path), hint="run `memfs init` there")
    finder = Git(top, variables={"GIT_CEILING_DIRECTORIES": str(top.parent)})
    # Without --git-dir here: only then git checks who owns the repository.
    asked = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format")
    told = finder.run("rev-parse", "--path-format=absolute", *asked, ok=(0, 128))
    if told.code != 0:
        raise _not_usable(finder, told.err, top)
    shown, git_dir, common_dir, object_format = told.out.decode("utf-8", "surrogateescape").splitlines()
    if Path(shown).resolve() != top:
        raise HistoryError(
            f"its work tree is set to lie elsewhere: {shown}",
            path=str(top),
            hint="unset core.worktree in its git configuration, or open the vault there",
        )
    git = Git(top, Path(git_dir), on_child)
    return Repository(top, Path(git_dir), Path(common_dir), object_format, git)


def _not_usable(git: Git, reason: str, top: Path) -> HistoryError:
    if "must be run in a work tree" in reason:
        return HistoryError("the repository is bare: it has no files", path=str(git.top))
    return translate(Result(128, b"", reason), "rev-parse", top)


def init_repository(path: Path, branch: str = "main") -> Repository:
    """Make ``path`` a repository whose first branch is ``branch``; an existing one is opened as it is.

    Raises HistoryError when ``path`` lies inside another repository, or ``branch`` cannot be a branch's name.
    """
    top = find_top(path)
    if top is not None and top != path.resolve():
        raise HistoryError(
            f"it lies inside the git repository {top}", path=str(path), hint=f"use {top} itself"
        )
    if top is None:
        path.mkdir(parents=True, exist_ok=True)
        git = Git(path.resolve())
        if git.run("check-ref-format", "--branch", branch, ok=(0, 1, 128)).code != 0:
            raise HistoryError(f"not a name for a branch: {branch}")
        git.run("init", "--quiet", "--template=", f"--initial-branch={branch}", str(git.top))
    return open_repository(path)
