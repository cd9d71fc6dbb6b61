"""The weights of the default engine unpacked on disk, so that a new process maps them instead of inflating them.

Derived from the package's file (76 MB in the person's cache folder, ``~/.cache/memfs``, shared by all vaults);
whatever is wrong with it, it is made anew.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

_APART = "table"  # the word table, of which a text needs a few rows only
_LIVING = ("sp", "_threadpool")  # what is no data


def cache_folder(checksum: str) -> Path | None:
    """Return where weights of this checksum lie unpacked; None without a home."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(given) if given.startswith("/") else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "memfs" / f"weights-{checksum[:16]}"


def restore(checksum: str, kind: type, processor: Any) -> Any | None:
    """Return the model (an instance of ``kind``) from the cache; None where it is not there or not whole."""
    import numpy as np
    from threadpoolctl import ThreadpoolController

    folder = cache_folder(checksum)
    if folder is None:
        return None
    try:
        table = np.load(folder / f"{_APART}.npy", mmap_mode="r")
        with np.load(folder / "rest.npz", allow_pickle=False) as held:
            values: dict[str, Any] = {}
            for name in held.files:
                attribute, _, place = name.partition(".")
                value = held[name] if held[name].ndim else held[name].item()
                if place:
                    values.setdefault(attribute, []).append(value)
                else:
                    values[attribute] = value
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    model: Any = object.__new__(kind)
    vars(model).update(values, table=table, sp=processor, _threadpool=ThreadpoolController().limit)
    return model


def keep(checksum: str, model: Any) -> None:
    """Unpack ``model`` into the cache, whole or not at all; one that cannot be written is left alone."""
    import numpy as np

    folder = cache_folder(checksum)
    if folder is None:
        return
    temporary = folder.with_name(f"{folder.name}.{os.getpid()}")
    rest: dict[str, Any] = {}
    for name, value in vars(model).items():
        if isinstance(value, list):
            rest |= {f"{name}.{place}": each for place, each in enumerate(value)}
        elif name not in (_APART, *_LIVING):
            rest[name] = value
    try:
        temporary.mkdir(parents=True)
        np.save(temporary / f"{_APART}.npy", vars(model)[_APART])
        np.savez(temporary / "rest.npz", **rest)
        shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)
    except OSError:
        shutil.rmtree(temporary, ignore_errors=True)
