"""Where everything of a vault lies (spec 1). One value, no reading of files beyond ``.git``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memfs.errors import VaultError
from memfs.vault.names import check_relative, is_safe_name, safe_name

CONFIG_NAME = "memfs.toml"
LOCAL_CONFIG_NAME = "memfs.local.toml"
ROOT_FOLDER = "memfs"


@dataclass(frozen=True, slots=True)
class Layout:
    """A vault's places. ``top`` is its real folder, ``root`` where memfs's folders are in it."""

    top: Path
    root: str
    git_dir: Path

    @property
    def base(self) -> Path:
        """The folder that holds ``memories/`` and its siblings."""
        return self.top / self.root if self.root else self.top

    @property
    def config(self) -> Path:
        return config_file(self.top)

    @property
    def local_config(self) -> Path:
        return self.config.with_name(LOCAL_CONFIG_NAME)

    @property
    def memories(self) -> Path:
        return self.base / "memories"

    @property
    def inbox(self) -> Path:
        return self.base / "inbox"

    @property
    def archive(self) -> Path:
        return self.base / "archive"

    @property
    def templates(self) -> Path:
        return self.base / "templates"

    @property
    def derived(self) -> Path:
        """``.memfs/``: may be deleted at any time."""
        return self.base / ".memfs"

    @property
    def local(self) -> Path:
        """Local state: ``memfs/`` in the git directory."""
        return self.git_dir / "memfs"

    @property
    def displaced(self) -> Path:
        return self.local / "displaced"

    @property
    def common_dir(self) -> Path:
        """The git directory that all worktrees share."""
        try:
            named = (self.git_dir / "commondir").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return self.git_dir
        return Path(os.path.realpath(self.git_dir / named))

    def rel(self, path: Path) -> str:
        """``path`` as a vault-relative POSIX path. Raises VaultError when it lies outside."""
        try:
            return path.relative_to(self.top).as_posix()
        except ValueError as error:
            raise VaultError("the path is not in the vault", path=str(path)) from error

    def identity_dir(self, identity: str) -> Path:
        """``memories/<identity>``. Raises UnsafePath."""
        return self.memories / safe_name(identity)

    def document(self, identity: str, document: str) -> Path:
        """A document by its path below ``memories/<identity>/``. Raises UnsafePath."""
        return self.identity_dir(identity).joinpath(*check_relative(document))

    def document_rel(self, identity: str, document: str) -> str:
        """The same, relative to the vault."""
        return self.rel(self.document(identity, document))

    def ledger_file(self, identity: str, document: str) -> Path:
        """The ledger beside a document."""
        return self.identity_dir(identity).joinpath(".ledger", *check_relative(document))

    def forgotten_file(self, identity: str) -> Path:
        return self.identity_dir(identity) / ".forgotten"

    def cursor_file(self, identity: str, source: str, shard: str, session: str) -> Path:
        """``.cursors/<source>/<2 hex>/<session>``; names by the cursor's own rules. Raises UnsafePath."""
        parts = check_relative(f"{source}/{shard}/{session}")
        return self.identity_dir(identity).joinpath(".cursors", *parts)

    def relay_board(self, identity: str) -> Path:
        return self.identity_dir(identity) / "relay.md"

    def relay_records(self, identity: str) -> Path:
        return self.identity_dir(identity) / "relay.jsonl"

    def inbox_dir(self, identity: str) -> Path:
        return self.inbox / safe_name(identity)

    def identities(self) -> tuple[str, ...]:
        """The folders of ``memories/`` that can be identities, sorted."""
        try:
            with os.scandir(self.memories) as entries:
                names = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return ()
        return tuple(sorted(filter(is_safe_name, names)))


def open_layout(folder: Path, root: str = "") -> Layout:
    """The layout of the vault whose top is ``folder``. Raises VaultError without a repository, UnsafePath."""
    top = Path(os.path.realpath(folder))
    if root:
        check_relative(root)
    return Layout(top, root, find_git_dir(top))


def find_vault(start: Path) -> Path:
    """The nearest folder at or above ``start`` that ``memfs.toml`` marks as a vault. Raises VaultError."""
    here = Path(os.path.realpath(start))
    for folder in (here, *here.parents):
        # <vault>/memfs/memfs.toml is the settings file of a vault whose top has that name taken.
        nested = folder.name == ROOT_FOLDER and not os.path.lexists(folder / ".git")
        if nested and config_file(folder.parent) == folder / CONFIG_NAME:
            continue
        if config_file(folder).is_file():
            return folder
    raise VaultError("no vault here or above", path=str(here), hint="run `memfs init` in the vault's folder")


def config_file(top: Path) -> Path:
    """The settings file: ``memfs.toml``, or ``memfs/memfs.toml`` where the first name is somebody else's."""
    nested = top / ROOT_FOLDER / CONFIG_NAME
    if nested.is_file() and not (top / CONFIG_NAME).is_file() and os.path.lexists(top / ".git"):
        return nested
    return top / CONFIG_NAME


def find_git_dir(top: Path) -> Path:
    """The git directory of the repository whose top level is ``top``.

    Understands the ``.git`` file of a worktree. Raises VaultError when there is none.
    """
    marker = top / ".git"
    place = marker
    if marker.is_file():
        text = marker.read_text(encoding="utf-8", errors="surrogateescape")
        if not text.startswith("gitdir:"):
            raise VaultError("the .git file names no git directory", path=str(marker))
        place = top / text.removeprefix("gitdir:").strip("\n").strip()
    if not (place / "HEAD").is_file():
        raise VaultError("not the top level of a git repository", path=str(top), hint="run `memfs init`")
    return Path(os.path.realpath(place))
