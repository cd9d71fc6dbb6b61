"""Open vaults for the threads that answer: each is used by one at a time; changed settings count at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memfs.errors import ConfigError
from memfs.services.opening import Vault, open_vault

if TYPE_CHECKING:
    from pathlib import Path

_Stat = tuple[str, int, int]


class Vaults:
    """One vault, opened as often as it is used at once."""

    def __init__(self, vault: Vault) -> None:
        self._lock = threading.Lock()
        self._current, self._read = vault, _stats(vault)
        self._free: list[Vault] = []
        self.layout = vault.layout

    @contextmanager
    def lend(self) -> Iterator[Vault]:
        """A vault for the use of this thread alone. While its settings are broken, those before them count."""
        with self._lock:
            self._follow_settings()
            current = self._current
            vault = self._free.pop() if self._free else apart(current)
        try:
            yield vault
        finally:
            with self._lock:
                if current is self._current:
                    self._free.append(vault)

    def _follow_settings(self) -> None:
        now = _stats(self._current)
        if now == self._read:
            return
        self._read = now
        try:
            self._current = open_vault(self._current.top, environ=os.environ, clock=self._current.clock)
        except ConfigError:
            return
        self._free.clear()


def apart(vault: Vault) -> Vault:
    """The same vault with nothing in common that is changed."""
    return Vault(vault.layout, vault.config, vault.clock, vault.zone)


def _stats(vault: Vault) -> tuple[_Stat, ...]:
    """How the files lie that an open vault has read: its settings and its memory types."""
    layout = vault.layout
    types = layout.templates / "types"
    return tuple(_stat(path) for path in (layout.config, layout.local_config, *_files(types)))


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _stat(path: Path) -> _Stat:
    try:
        found = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), found.st_mtime_ns, found.st_size)
