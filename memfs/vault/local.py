"""Local state: small JSON records in the git directory's ``memfs/``, each changed under a lock.

They belong to this copy of the vault and never enter git. Losing one costs repeated work, never a memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from memfs.errors import VaultError
from memfs.vault.files import write_atomic
from memfs.vault.layout import Layout
from memfs.vault.lock import hold_file
from memfs.vault.names import safe_name

T = TypeVar("T")


class LocalState:
    """The records of one vault, by name, for any process at any time; `records` says what is in them."""

    def __init__(self, layout: Layout) -> None:
        self._folder = layout.local / "state"

    def read_record(self, name: str) -> dict[str, Any]:
        """The record ``name``; empty when there is none or it is damaged. Raises VaultError, UnsafePath."""
        path = self._folder / f"{safe_name(name)}.json"
        try:
            record = json.loads(path.read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        except OSError as error:
            raise VaultError(f"cannot read local state: {error.strerror}", path=str(path)) from error
        return record if isinstance(record, dict) else {}

    def update_record(self, name: str, change: Callable[[dict[str, Any]], T]) -> T:
        """Let ``change`` edit the record in place, alone, and store it; gives what ``change`` gave.

        A damaged record is kept as ``<name>.damaged`` and begun anew. Raises VaultError.
        """
        path = self._folder / f"{safe_name(name)}.json"
        with hold_file(path.with_suffix(".lock"), what=f"the record {name}"):
            record = self.read_record(name)
            if not record:
                _set_aside(path)
            answer = change(record)
            write_atomic(path, json.dumps(record, sort_keys=True).encode())
            return answer

    def damaged_records(self) -> tuple[str, ...]:
        """Names of records that could not be read and were begun anew."""
        return tuple(sorted(path.stem for path in self._folder.glob("*.damaged")))

    def mend_records(self) -> tuple[str, ...]:
        """Set aside the records that cannot be read, as ``<name>.damaged``. Their names. Raises VaultError."""
        mended = []
        for path in sorted(self._folder.glob("*.json")):
            with hold_file(path.with_suffix(".lock"), what=f"the record {path.stem}"):
                if not self.read_record(path.stem) and _set_aside(path):
                    mended.append(path.stem)
        return tuple(mended)


def _set_aside(path: Path) -> bool:
    """Keep a record that reads as empty but is not, under another name; whether it was one."""
    if not path.exists() or path.read_bytes().strip() == b"{}":
        return False
    os.replace(path, path.with_suffix(".damaged"))
    return True
