"""The approximate index over vectors: near enough to the exact one, and never needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memfs.search import neighbours, vectors
from memfs.search.embeddings import normalise
from memfs.search.vectors import VectorStore, text_key

ROWS, DIMENSIONS = 600, 16


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VectorStore:
    for module in (neighbours, vectors):
        monkeypatch.setattr(module, "FROM_ROWS", 500)
    found = VectorStore(tmp_path, "m", DIMENSIONS)
    found.add([text_key(str(n), "a" if n % 2 else "b") for n in range(ROWS)], rows(ROWS, 1))
    return found


def rows(count: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return normalise(np.random.default_rng(seed).normal(size=(count, DIMENSIONS)))


def nearest(store: VectorStore, vector: object, owners: tuple[str, ...] | None = None) -> list[str]:
    near = store.compare(vector, owners)  # type: ignore[arg-type]
    assert near is not None
    return list(near.nearest(0.5))[:5]


def test_it_finds_what_comparing_exactly_finds(store: VectorStore) -> None:
    asked = rows(20, 2)
    exact = [nearest(store, vector) for vector in asked]
    assert store.improve()
    close = [nearest(store, vector) for vector in asked]
    found = sum(len(set(a) & set(b)) for a, b in zip(exact, close, strict=True))
    assert found >= 0.95 * sum(map(len, exact))
    assert not store.improve()


def test_rows_that_came_later_are_found_too(store: VectorStore) -> None:
    store.improve()
    later = rows(20, 3)
    store.add([text_key(f"new {n}") for n in range(20)], later)
    assert nearest(store, later[7])[0] == text_key("new 7")
    store.add([text_key(f"newer {n}") for n in range(200)], rows(200, 4))
    assert store.improve()  # it had been outgrown


def test_only_the_rows_of_those_who_may_be_seen(store: VectorStore) -> None:
    store.improve()
    for vector in rows(20, 5):
        assert all(key.startswith(text_key("", "a")[:16]) for key in nearest(store, vector, ("a",)))


def test_damaged_or_not_installed_it_is_not_missed(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    vector = rows(1, 6)[0]
    exact = nearest(store, vector)
    store.improve()
    (path,) = Path(store._folder).glob("*.usearch")
    path.unlink()
    path.write_bytes(b"garbage")
    assert nearest(store, vector) == exact
    monkeypatch.setitem(__import__("sys").modules, "usearch.index", None)
    assert nearest(store, vector) == exact
    assert not store.improve()
