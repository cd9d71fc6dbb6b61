"""An open vault: the one value that every use case takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memfs.config.reading import load_config
from memfs.config.settings import Config
from memfs.config.zones import local_zone
from memfs.errors import InvalidRequest, VaultError
from memfs.services.committing.children import ChildRecorder
from memfs.services.merging.naming import NameBook
from memfs.vault.layout import Layout, config_file, find_vault, open_layout

if TYPE_CHECKING:
    from memfs.history.repository import Repository
    from memfs.memory.types import Registry

VAULT_VARIABLE = "MEMFS_VAULT"
Language = Literal["en", "zh"]


@dataclass(frozen=True)
class Vault:
    """A vault with its settings, its clock and, opened when first used, its repository and types."""

    layout: Layout
    config: Config
    clock: Callable[[], datetime]
    zone: tzinfo
    children: ChildRecorder = field(default_factory=ChildRecorder)
    names: NameBook = field(default_factory=NameBook)

    @property
    def language(self) -> Language:
        """The language of headings, subjects and messages."""
        return "zh" if self.config.language == "zh" else "en"

    @property
    def top(self) -> Path:
        """The vault's folder, which is the repository's top level."""
        return self.layout.top

    @cached_property
    def repository(self) -> Repository:
        """The git repository (imported and opened only when history is needed)."""
        from memfs.history.repository import open_repository

        return open_repository(self.top, on_child=self.children)

    def read_object(self, oid: str | None) -> bytes | None:
        """The bytes of a git object; None for none."""
        return None if oid is None else self.repository.read_object(oid)

    @cached_property
    def registry(self) -> Registry:
        """The memory types: built-in ones and the vault's own."""
        from memfs.memory.registry import build_registry
        from memfs.services.resources import read_builtin_templates, read_vault_templates

        return build_registry(read_builtin_templates("types"), read_vault_templates(self.layout, "types"))

    def now(self) -> datetime:
        """The present moment in the person's time zone."""
        return self.clock().astimezone(self.zone)

    def identities(self) -> tuple[str, ...]:
        """The identities of this vault, sorted."""
        return self.layout.identities()

    def known_identity(self, identity: str) -> str:
        """The identity of this name.

        Raises:
            InvalidRequest: no identity is called so.
            UnsafePath: none can be.
        """
        from memfs.services.identities import unknown_identity
        from memfs.vault.paths import safe_name

        name, known = safe_name(identity), self.identities()
        if name not in known:
            raise unknown_identity(name, known)
        return name

    def choose_identity(self, identity: str | None) -> str:
        """The identity meant: the one named, or the only one there is. Where there is none, any name begins one.

        Raises:
            InvalidRequest: none is called so, or none is named and there are none or several.
        """
        from memfs.vault.paths import safe_name

        known = self.identities()
        if identity:
            return self.known_identity(identity) if known else safe_name(identity)
        if len(known) == 1:
            return known[0]
        if not known:
            raise InvalidRequest("this vault has no identity yet", hint="name a new one")
        raise InvalidRequest(
            "several identities live in this vault, so the call must say which one is meant",
            hint=f"name the identity: {', '.join(known)}",
        )


def open_vault(
    folder: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Vault:
    """Open the vault at ``folder``, else the one named by ``MEMFS_VAULT``, else the one around the current folder.

    Raises:
        VaultError: there is no vault there.
        ConfigError: its settings cannot be used.
    """
    env = os.environ if environ is None else environ
    start = Path(folder) if folder else Path(env.get(VAULT_VARIABLE) or Path.cwd())
    top = find_vault(start)
    config = load_config(config_file(top).parent, env)
    layout = open_layout(top, config.root)
    if not (layout.derived / ".gitignore").is_file():
        _ignore_own(layout)
    return Vault(
        layout=layout,
        config=config,
        clock=clock or (lambda: datetime.now(UTC)),
        zone=local_zone(config.timezone, env),
    )


def find_layout(folder: Path | str | None = None, *, environ: Mapping[str, str] | None = None) -> Layout:
    """Where the vault lies that `open_vault` would open; its settings are read only for the folder it is kept in.

    Raises:
        VaultError: there is no vault there.
        ConfigError: its settings cannot be used.
    """
    env = os.environ if environ is None else environ
    top = find_vault(Path(folder) if folder else Path(env.get(VAULT_VARIABLE) or Path.cwd()))
    return open_layout(top, load_config(config_file(top).parent, env).root)


def _ignore_own(layout: Layout) -> None:
    """In a fresh clone nothing tells git yet to leave memfs's own folders alone, so `git add -A` would take them."""
    from memfs.vault.setup import ensure_ignores

    with suppress(VaultError):  # a vault that cannot be written can still be read
        ensure_ignores(layout)
