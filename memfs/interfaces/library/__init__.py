"""memfs as a Python library: open a vault, and every use case under the name it has on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.interfaces.library.asking import Asking
from memfs.interfaces.library.correcting import Correcting
from memfs.interfaces.library.keeping import Keeping
from memfs.interfaces.library.recalling import Recalling
from memfs.interfaces.library.relaying import Relaying
from memfs.interfaces.library.remembering import Remembering
from memfs.interfaces.library.scheduling import Scheduling

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def open_memory(path: Path | str | None = None) -> Memory:
    """Open a vault: the one at ``path``, else that of ``MEMFS_VAULT``, else that around the current folder.

    Raises:
        VaultError: there is no vault there.
        ConfigError: its settings cannot be used.
    """
    from memfs.services.opening import open_vault

    return Memory(open_vault(Path(path).expanduser() if path else None))


@dataclass(frozen=True)
class Memory(Remembering, Relaying, Recalling, Correcting, Asking, Scheduling, Keeping):
    """The memory of one vault. Methods are the commands; each raises errors of `memfs.errors` only.

    ``identity`` is always the agent role that is meant; with a single one in the vault it may be left out.
    An entry is named by its block id, with or without ``^``.
    """

    vault: Vault
