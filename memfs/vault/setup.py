"""Making a folder a vault without changing anything that is there (spec 1). Git is the caller's part."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from memfs.errors import ConfigError, VaultError
from memfs.vault.files import put_new, read_state, remove_file, write_atomic, write_temp
from memfs.vault.folders import ensure_folder
from memfs.vault.layout import (
    CONFIG_NAME,
    ROOT_FOLDER,
    Layout,
    config_file,
    open_layout,
)
from memfs.vault.names import nfc, safe_name
from memfs.vault.skeleton import Language, render_config, render_identity

_NAMES = ("memories", "inbox", "archive", "templates", ".memfs")
_EVERYTHING = ("*",)
_MEMORIES_IGNORE = ("/*/relay.md", "/*/relay.jsonl", ".memfs-*")
_MEMORIES_ATTRIBUTES = tuple(
    f"{pattern} merge=union" for pattern in ("**/.ledger/**", "**/.cursors/**", "**/.forgotten")
)


@dataclass(frozen=True, slots=True)
class NewVault:
    """What `init_vault` did.

    ``created`` are files, relative to the vault, ``tracked`` those of them that belong in the first commit;
    ``taken`` the names that made memfs put its folders elsewhere.
    """

    layout: Layout
    created: tuple[str, ...]
    tracked: tuple[str, ...]
    taken: tuple[str, ...]


def check_top_level(folder: Path) -> bool:
    """Whether ``folder`` is the top level of a repository already; False when none is there or above.

    Raises VaultError, naming the top level, when the folder lies within a repository.
    """
    here = Path(os.path.realpath(folder))
    for above in (here, *here.parents):
        if os.path.lexists(above / ".git"):
            if above == here:
                return True
            raise VaultError(
                "the folder lies inside a git repository",
                path=str(here),
                hint=f"a vault is a whole repository: use its top level {above}, or another folder",
            )
    return False


def init_vault(
    folder: Path,
    *,
    identities: Sequence[str],
    today: date,
    language: Language = "en",
    branch: str = "",
    self_files: bool = True,
) -> NewVault:
    """Add memfs's files to the repository whose top level is ``folder``; again, it adds only what is missing.

    ``branch`` is the one memfs will commit to. Where a name of memfs's is taken, in any letter case, its
    folders go under ``memfs/``. ``self_files``: whether an identity begins with a file about itself; where its own
    memory is not allowed it has a folder only.

    Raises VaultError (no repository, not its top level, ``memfs/`` taken too), UnsafePath for an identity's name,
    ConfigError for settings that cannot be read.
    """
    if not check_top_level(folder):
        raise VaultError("not a git repository", path=str(folder), hint="run `git init` there first")
    for identity in identities:
        safe_name(identity)
    top = Path(os.path.realpath(folder))
    config = config_file(top)
    taken = () if config.is_file() else _taken_names(top)
    root = _read_root(config) if config.is_file() else _choose_root(top, taken)
    layout = open_layout(top, root)
    if CONFIG_NAME in map(_fold, taken):
        config = layout.base / CONFIG_NAME
    files = {config: render_config(language, root, branch)}
    files |= {
        layout.identity_dir(identity) / "identity.md": render_identity(layout, identity, language, today)
        for identity in identities
        if self_files
    }
    created = [layout.rel(path) for path, text in files.items() if _create(path, text.encode())]
    for identity in identities:
        ensure_folder(layout.identity_dir(identity))
        ensure_folder(layout.inbox_dir(identity))
    ignores = ensure_ignores(layout)
    own = [layout.rel(layout.memories / name) for name in (".gitignore", ".gitattributes")]
    tracked = [*created, *(path for path in ignores if path in own)]
    return NewVault(layout, (*created, *ignores), tuple(tracked), taken)


def ensure_ignores(layout: Layout, archive: Path | None = None) -> tuple[str, ...]:
    """Make memfs's own ignore and attribute files, or add what is missing in them; called at every open.

    ``archive`` is the archive's folder when a setting moved it; one that holds other things is left alone.
    The settings of this machine are ignored by the repository's ``info/exclude``: the person's own
    ``.gitignore`` is never touched. Returns the files of the vault that were made or changed.
    """
    folder = layout.archive if archive is None else archive
    wanted = {
        layout.memories / ".gitignore": _MEMORIES_IGNORE,
        layout.memories / ".gitattributes": _MEMORIES_ATTRIBUTES,
        layout.inbox / ".gitignore": _EVERYTHING,
        layout.derived / ".gitignore": _EVERYTHING,
    }
    if layout.top in folder.parents and _is_ours(folder):
        wanted[folder / ".gitignore"] = _EVERYTHING
    changed = [layout.rel(path) for path, lines in wanted.items() if _ensure_lines(path, lines)]
    local = layout.local_config.relative_to(layout.top).as_posix()
    _ensure_lines(layout.common_dir / "info" / "exclude", (f"/{local}", ".memfs-*"))
    return tuple(changed)


def _taken_names(top: Path) -> tuple[str, ...]:
    """Entries of ``top`` that have a name of memfs's in some letter case, as spelled there."""
    own = {*_NAMES, CONFIG_NAME}
    return tuple(sorted(name for name in os.listdir(top) if _fold(name) in own))


def _choose_root(top: Path, taken: tuple[str, ...]) -> str:
    if not taken:
        return ""
    nested = next((name for name in sorted(os.listdir(top)) if _fold(name) == ROOT_FOLDER), None)
    if nested is None:
        return ROOT_FOLDER
    place = top / nested
    if nested != ROOT_FOLDER or place.is_symlink() or not place.is_dir() or _taken_names(place):
        raise VaultError(
            f"{', '.join(taken)} and {nested} are there already, and not memfs's",
            path=str(top),
            hint='write a memfs.toml with root = "FOLDER", a folder for memfs, then run `memfs init`',
        )
    return ROOT_FOLDER


def _read_root(config: Path) -> str:
    import tomllib

    try:
        root = tomllib.loads(config.read_text(encoding="utf-8-sig")).get("root", "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", path=str(config), hint="mend it first") from error
    if not isinstance(root, str):
        raise ConfigError("root is not text", key="root", path=str(config))
    return root


def _is_ours(folder: Path) -> bool:
    """Whether an archive folder is memfs's: not there yet, empty, or with an ignore file."""
    return not folder.is_dir() or (folder / ".gitignore").is_file() or not os.listdir(folder)


def _create(path: Path, data: bytes) -> bool:
    """Write a file where none is; False when one is there."""
    if os.path.lexists(path):
        return False
    temp = write_temp(path, data)
    if put_new(temp, path):
        return True
    remove_file(temp)
    return False


def _ensure_lines(path: Path, lines: Sequence[str]) -> bool:
    """Make sure the file has these lines; what else is in it stays."""
    state = read_state(path)
    if state.kind == "absent":
        return _create(path, "".join(f"{line}\n" for line in lines).encode())
    if state.data is None:
        return False
    present = {line.strip() for line in state.data.decode("utf-8", "surrogateescape").splitlines()}
    missing = [line for line in lines if line not in present]
    if missing:
        gap = b"" if not state.data or state.data.endswith(b"\n") else b"\n"
        write_atomic(path, state.data + gap + "".join(f"{line}\n" for line in missing).encode(), state.mode)
    return bool(missing)


def _fold(name: str) -> str:
    return nfc(name).casefold()
