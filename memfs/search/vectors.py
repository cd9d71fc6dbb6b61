"""Vectors on disk, by the hash of the text they were made of: two files that only grow, read as a memory map.

One folder per model. ``keys`` holds 16 bytes a row, ``vectors`` one float32 row each; a row counts when it
is in both, so a crash between the two writes loses one batch and nothing else. One writer at a time (the
index's lock).
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import SearchIndexError

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

KEY_BYTES = 16
_BLOCK = 20_000  # rows multiplied at once: bounds the memory of a large store


def text_key(text: str) -> str:
    """Return the key of a text: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).hexdigest()


class Similarities:
    """How near each row is to a question: cosines by key."""

    def __init__(self, keys: Any, cosines: Any) -> None:
        self._keys = keys
        self._cosines = cosines

    def nearest(self, at_least: float) -> Iterator[str]:
        """Yield keys from the nearest on, down to the cosine ``at_least``."""
        import numpy as np

        rows = np.flatnonzero(self._cosines >= at_least)
        for row in rows[np.argsort(-self._cosines[rows], kind="stable")].tolist():
            yield self._keys[row].tobytes().hex()

    def of(self, keys: Sequence[str]) -> dict[str, float]:
        """Return the cosines of ``keys``; those without a row are left out."""
        import numpy as np

        # Eight of the sixteen bytes find the rows quickly; the whole key decides.
        heads = self._keys.view(np.uint64)[::2]
        wanted = np.frombuffer(bytes.fromhex("".join(keys)), dtype=np.uint64)[::2]
        rows = np.flatnonzero(np.isin(heads, wanted))
        found = {self._keys[row].tobytes().hex(): float(self._cosines[row]) for row in rows.tolist()}
        return {key: found[key] for key in keys if key in found}


class VectorStore:
    """The vectors of one model. ``folder`` holds a folder per model; others are left alone."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        name = hashlib.sha256(f"{model} {dimensions}".encode()).hexdigest()[:16]
        self.dimensions = dimensions
        self._folder = folder / name
        self._keys = self._folder / "keys"
        self._rows = self._folder / "vectors"

    def keys(self) -> list[str]:
        """Return the keys in the order of their rows."""
        data = self._keys.read_bytes() if self._keys.exists() else b""
        return [data[i * KEY_BYTES : (i + 1) * KEY_BYTES].hex() for i in range(self.count())]

    def add(self, keys: Sequence[str], vectors: Vectors) -> None:
        """Append rows. A row of zeros is kept too: it is near nothing, and not asked for again."""
        if vectors.shape != (len(keys), self.dimensions):
            raise SearchIndexError(f"the model gave {vectors.shape}, not {self.dimensions} dimensions a text")
        self._folder.mkdir(parents=True, exist_ok=True)
        count = self.count()
        _append(self._rows, count * self.dimensions * 4, vectors.tobytes())
        _append(self._keys, count * KEY_BYTES, bytes.fromhex("".join(keys)))

    def compare(self, vector: Vectors) -> Similarities | None:
        """Compare every row with ``vector``; None when there are no rows."""
        import numpy as np

        matrix = self._matrix()
        if matrix is None:
            return None
        blocks = [matrix[i : i + _BLOCK] @ vector for i in range(0, len(matrix), _BLOCK)]
        keys = np.fromfile(self._keys, dtype=np.dtype((np.void, KEY_BYTES)), count=len(matrix))
        cosines = np.concatenate(blocks)
        return Similarities(
            keys, np.where(np.abs(cosines) <= 1.01, cosines, -1.0)
        )  # what is longer is damage

    def compact(self, live: Iterable[str]) -> None:
        """Drop the rows of texts that are no longer there, once they are the greater part."""
        wanted = set(live)
        keys = self.keys()
        kept = [row for row, key in enumerate(keys) if key in wanted]
        if len(keys) < 1000 or 2 * len(kept) > len(keys):
            return
        matrix = self._matrix()
        rows = matrix[kept].copy() if matrix is not None else None
        shutil.rmtree(self._folder)
        if rows is not None and kept:
            self.add([keys[row] for row in kept], rows)

    def count(self) -> int:
        """Return how many rows there are."""
        try:
            keys, rows = self._keys.stat().st_size, self._rows.stat().st_size
        except FileNotFoundError:
            return 0
        return min(keys // KEY_BYTES, rows // (self.dimensions * 4))

    def _matrix(self) -> Any:
        import numpy as np

        count = self.count()
        if not count:
            return None
        return np.memmap(self._rows, dtype=np.float32, mode="r", shape=(count, self.dimensions))


def _append(path: Path, offset: int, data: bytes) -> None:
    """Write ``data`` at ``offset``, over what an interrupted write may have left there, and sync."""
    with path.open("r+b" if path.exists() else "w+b") as stream:
        stream.seek(offset)
        stream.truncate()
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
