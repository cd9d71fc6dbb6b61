"""Vectors on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memfs.errors import SearchIndexError
from memfs.search.embeddings import normalise
from memfs.search.vectors import VectorStore, text_key


def filled(folder: Path, count: int = 3, dimensions: int = 4) -> VectorStore:
    store = VectorStore(folder, "m", dimensions)
    rows = normalise(np.random.default_rng(1).normal(size=(count, dimensions)))
    store.add([text_key(str(n)) for n in range(count)], rows)
    return store


def test_what_is_put_in_is_found(tmp_path: Path) -> None:
    store = filled(tmp_path)
    again = VectorStore(tmp_path, "m", 4)
    assert again.keys() == store.keys() == [text_key("0"), text_key("1"), text_key("2")]
    vector = np.asarray(normalise(np.random.default_rng(1).normal(size=(3, 4)))[1])
    near = again.compare(vector)
    assert near is not None
    assert next(iter(near.nearest(0.5))) == text_key("1")
    cosines = near.of([text_key("1"), text_key("nothing")])
    assert list(cosines) == [text_key("1")]
    assert cosines[text_key("1")] == pytest.approx(1)


def test_se_18_other_dimensions_or_models_are_other_stores(tmp_path: Path) -> None:
    filled(tmp_path)
    assert VectorStore(tmp_path, "m", 8).count() == 0
    assert VectorStore(tmp_path, "other", 4).compare(np.ones(4, dtype=np.float32)) is None
    with pytest.raises(SearchIndexError, match="dimensions"):
        VectorStore(tmp_path, "m", 4).add([text_key("x")], np.ones((1, 5), dtype=np.float32))


def test_a_torn_write_loses_only_itself(tmp_path: Path) -> None:
    store = filled(tmp_path)
    (keys,) = tmp_path.glob("*/keys")
    keys.write_bytes(keys.read_bytes()[:-5])
    assert store.count() == 2
    store.add([text_key("new")], np.eye(4, dtype=np.float32)[:1])
    assert store.keys() == [text_key("0"), text_key("1"), text_key("new")]
    near = store.compare(np.eye(4, dtype=np.float32)[0])
    assert near is not None
    assert near.of([text_key("new")])[text_key("new")] == pytest.approx(1)


def test_damage_is_near_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path)
    (rows,) = tmp_path.glob("*/vectors")
    rows.write_bytes(np.array([[np.nan] * 4, [1e30] * 4, [0] * 4], dtype=np.float32).tobytes())
    near = store.compare(np.full(4, 0.5, dtype=np.float32))
    assert near is not None
    assert list(near.nearest(0.1)) == []


def test_rows_of_texts_that_are_gone_are_dropped_when_they_are_most(tmp_path: Path) -> None:
    store = filled(tmp_path, count=1200)
    live = [text_key(str(n)) for n in range(100)]
    store.compact(store.keys()[:700])
    assert store.count() == 1200
    store.compact(live)
    assert store.keys() == live
