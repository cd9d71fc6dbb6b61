"""Vectors on disk, by the hash of the text they were made of: two files that only grow, read as a memory map.

One folder per model. ``keys`` holds 24 bytes a row (whose memory it is, then the text), ``vectors`` one float32 row
each; a row counts when it is in both, so a crash between the two writes loses one batch and nothing else. One writer
at a time (the index's lock). A question is compared with the rows of those that it may see, and with no others.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import SearchIndexError
from memfs.search.neighbours import FROM_ROWS, Neighbours
from memfs.search.threads import one_thread

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

_OWNER_BYTES = 8
KEY_BYTES = _OWNER_BYTES + 16
_BLOCK = 20_000  # rows multiplied at once: bounds the memory of a large store
_NEAREST = 2_000  # so many are offered, the nearest first
_CLOSE = 256  # so many an approximate index is asked for


def text_key(text: str, owner: str = "") -> str:
    """Return the key of a text in an owner's memory: 48 hexadecimal digits."""
    text_hash = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES - _OWNER_BYTES)
    return _owner_hex(owner) + text_hash.hexdigest()


@lru_cache(maxsize=1024)
def _owner_hex(owner: str) -> str:
    return _owner_hash(owner).hex()


def _owner_hash(owner: str) -> bytes:
    return hashlib.blake2b(owner.encode("utf-8", "surrogatepass"), digest_size=_OWNER_BYTES).digest()


class Similarities:
    """How near rows are to a question: the nearest, and the cosines of any by key."""

    def __init__(self, store: VectorStore, vector: Vectors, rows: Any, cosines: Any) -> None:
        self._store = store
        self._vector = vector
        self._rows = rows
        self._cosines = cosines

    def nearest(self, at_least: float) -> Iterator[str]:
        """Yield keys from the nearest on, down to the cosine ``at_least``."""
        import numpy as np

        near = np.flatnonzero(self._cosines >= at_least)
        if len(near) > _NEAREST:
            near = near[np.argpartition(-self._cosines[near], _NEAREST)[:_NEAREST]]
        near = near[np.argsort(-self._cosines[near], kind="stable")]
        yield from self._store.keys_of(self._rows[near])

    def of(self, keys: Sequence[str]) -> dict[str, float]:
        """Return the cosines of ``keys``; those without a row are left out."""
        found = self._store.rows_of(keys)
        if not found:
            return {}
        rows = sorted(set(found.values()))
        known = dict(zip(rows, self._store.product(rows, self._vector).tolist(), strict=True))
        return {key: known[row] for key, row in found.items()}


class VectorStore:
    """The vectors of one model. ``folder`` holds a folder per model; others are left alone."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        name = hashlib.sha256(f"{model} {dimensions}".encode()).hexdigest()[:16]
        self.dimensions = dimensions
        self._folder = folder / name
        self._keys = self._folder / "keys"
        self._rows = self._folder / "vectors"
        self._neighbours = Neighbours(self._folder)
        self._mapped: tuple[tuple[int, int], Any, Any] | None = None
        self._sorted: tuple[Any, Any] | None = None

    def keys(self) -> list[str]:
        """Return the keys in the order of their rows."""
        data = self._keys.read_bytes() if self._keys.exists() else b""
        return [data[i * KEY_BYTES : (i + 1) * KEY_BYTES].hex() for i in range(self.count())]

    def keys_of(self, rows: Any) -> list[str]:
        """Return the keys of rows."""
        held, _ = self._map()
        return [bytes(key).hex() for key in held[rows]]

    def add(self, keys: Sequence[str], vectors: Vectors) -> None:
        """Append rows. A row of zeros is kept too: it is near nothing, and not asked for again."""
        if vectors.shape != (len(keys), self.dimensions):
            raise SearchIndexError(f"the model gave {vectors.shape}, not {self.dimensions} dimensions a text")
        self._folder.mkdir(parents=True, exist_ok=True)
        count = self.count()
        _append(self._rows, count * self.dimensions * 4, vectors.tobytes())
        _append(self._keys, count * KEY_BYTES, bytes.fromhex("".join(keys)))

    def compare(self, vector: Vectors, owners: Collection[str] | None = None) -> Similarities | None:
        """Compare ``vector`` with the rows of ``owners`` (None: with all); None when there are no rows at all.

        In a very large store the nearest come from an approximate index, where there is one.
        """
        import numpy as np

        count = self.count()
        if not count:
            return None
        rows = np.arange(count) if owners is None else self._rows_of_owners(owners)
        if len(rows) >= FROM_ROWS and (near := self._neighbours.nearest(vector, _CLOSE)) is not None:
            upto, close = near
            places = np.minimum(np.searchsorted(rows, close), len(rows) - 1)
            later = rows[np.searchsorted(rows, upto) :]
            rows = np.concatenate([np.sort(close[rows[places] == close]), later])
        cosines = self.product(rows, vector)
        return Similarities(self, vector, rows, cosines)

    def product(self, rows: Any, vector: Vectors) -> Any:
        """Return the cosines of ``rows`` with ``vector``; what is longer than a cosine can be is damage: -1."""
        import numpy as np

        _, matrix = self._map()
        every = len(rows) == len(matrix)  # then a block is a view, else a copy
        starts = range(0, len(rows), _BLOCK)
        with one_thread():
            parts = [matrix[slice(i, i + _BLOCK) if every else rows[i : i + _BLOCK]] @ vector for i in starts]
        cosines = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
        return np.where(np.abs(cosines) <= 1.01, cosines, -1.0)

    def rows_of(self, keys: Sequence[str]) -> dict[str, int]:
        """Return the rows of ``keys``; those without one are left out."""
        import numpy as np

        if not keys:
            return {}
        held, _ = self._map()
        # Eight bytes of the text's hash find the rows quickly; the whole key decides.
        heads, order = self._order()
        wanted = np.frombuffer(bytes.fromhex("".join(keys)), dtype=np.uint64).reshape(-1, 3)
        places = np.searchsorted(heads, wanted[:, 1], side="left")
        found: dict[str, int] = {}
        open_ = np.arange(len(keys))
        while len(open_ := open_[places[open_] < len(heads)]):  # equal heads of other owners lie side by side
            rows = order[places[open_]]
            there = held[rows].view(np.uint64)
            same = (there == wanted[open_]).all(axis=1)
            found |= {keys[i]: row for i, row in zip(open_[same].tolist(), rows[same].tolist(), strict=True)}
            open_ = open_[~same & (there[:, 1] == wanted[open_, 1])]
            places[open_] += 1
        return found

    def improve(self) -> bool:
        """Bring the approximate index of a large store up to its rows; says whether there was something to do."""
        if not self.count():
            return False
        _, matrix = self._map()
        inode = self._rows.stat().st_ino
        return self._neighbours.build(matrix, lambda: self._rows.stat().st_ino == inode)

    def compact(self, live: Iterable[str]) -> None:
        """Drop the rows of texts that are no longer there, once they are the greater part."""
        wanted = set(live)
        keys = self.keys()
        kept = [row for row, key in enumerate(keys) if key in wanted]
        if len(keys) < 1000 or 2 * len(kept) > len(keys):
            return
        _, matrix = self._map()
        rows = matrix[kept].copy()
        self._mapped = self._sorted = None
        shutil.rmtree(self._folder)
        if kept:
            self.add([keys[row] for row in kept], rows)

    def count(self) -> int:
        """Return how many rows there are."""
        try:
            keys, rows = self._keys.stat().st_size, self._rows.stat().st_size
        except FileNotFoundError:
            return 0
        return min(keys // KEY_BYTES, rows // (self.dimensions * 4))

    def _rows_of_owners(self, owners: Collection[str]) -> Any:
        import numpy as np

        keys, _ = self._map()
        held = keys.view(np.uint64)[:, 0]
        mask = np.zeros(len(held), dtype=bool)
        for owner in owners:
            mask |= held == np.frombuffer(_owner_hash(owner), dtype=np.uint64)[0]
        return np.flatnonzero(mask)

    def _order(self) -> tuple[Any, Any]:
        """Return the middle eight bytes of all keys, sorted, and their rows."""
        import numpy as np

        keys, _ = self._map()
        if self._sorted is None or len(self._sorted[0]) != len(keys):
            heads = keys.view(np.uint64)[:, 1]
            order = np.argsort(heads, kind="stable")
            self._sorted = heads[order], order
        return self._sorted

    def _map(self) -> tuple[Any, Any]:
        """Return the keys and the rows, mapped; again when the files have grown or were replaced."""
        import numpy as np

        count = self.count()
        if not count:
            return np.zeros((0, KEY_BYTES), dtype=np.uint8), np.zeros((0, self.dimensions), dtype=np.float32)
        state = (count, self._rows.stat().st_ino)
        if self._mapped is None or self._mapped[0] != state:
            keys = np.memmap(self._keys, dtype=np.uint8, mode="r", shape=(count, KEY_BYTES))
            rows = np.memmap(self._rows, dtype=np.float32, mode="r", shape=(count, self.dimensions))
            self._mapped, self._sorted = (state, keys, rows), None
        return self._mapped[1], self._mapped[2]


def _append(path: Path, offset: int, data: bytes) -> None:
    """Write ``data`` at ``offset``, over what an interrupted write may have left there, and sync."""
    with path.open("r+b" if path.exists() else "w+b") as stream:
        stream.seek(offset)
        stream.truncate()
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
