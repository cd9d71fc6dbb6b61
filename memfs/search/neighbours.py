"""An approximate index over a very large store of vectors (usearch, an extra); smaller stores are compared exactly.

It only nominates rows: their cosines are then taken from the vectors themselves.
It covers the first rows of a store that only grows; what came later is compared exactly, until that is a good part
and the index is made anew. Lost, damaged or not installed, it is missed in speed only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

FROM_ROWS = (
    100_000  # up to here comparing exactly is fast enough, and needs nothing built (docs/retrieval.md)
)
_TAIL = 0.2  # the share of rows outside it at which it is made anew
_AT_ONCE = 50_000


class Neighbours:
    """The approximate index in ``folder``, beside the vectors."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "neighbours.usearch"
        self._opened: tuple[int, Any] | None = None

    def nearest(self, vector: Vectors, count: int) -> tuple[int, Any] | None:
        """Return how many rows it covers, and ``count`` of them that are near ``vector``; None where there is none."""
        index = self._open()
        if index is None:
            return None
        found = index.search(vector, count)
        return len(index), found.keys.astype("int64")

    def build(self, matrix: Any, valid: Callable[[], bool] = lambda: True) -> bool:
        """Make it anew if ``matrix`` is large and has outgrown it; says whether it did.

        Args:
            valid: asked at the end, which may be minutes later: are these rows still the store's?
        """
        if len(matrix) < FROM_ROWS:
            return False
        try:
            from usearch.index import Index
        except ImportError:
            return False
        covered = self._open()
        if covered is not None and len(matrix) * (1 - _TAIL) <= len(covered) <= len(matrix):
            return False
        import numpy as np

        index = Index(ndim=matrix.shape[1], metric="cos", dtype="i8")
        for start in range(0, len(matrix), _AT_ONCE):
            rows = np.asarray(matrix[start : start + _AT_ONCE])
            index.add(np.arange(start, start + len(rows)), rows)
        temporary = self._path.with_suffix(".new")
        index.save(str(temporary))
        if not valid():
            temporary.unlink()
            return False
        temporary.replace(self._path)
        return True

    def _open(self) -> Any:
        try:
            from usearch.index import Index

            inode = self._path.stat().st_ino
            if self._opened is None or self._opened[0] != inode:
                self._opened = (inode, Index.restore(str(self._path), view=True))
        except (ImportError, OSError, ValueError, RuntimeError):
            return None
        return self._opened[1]
