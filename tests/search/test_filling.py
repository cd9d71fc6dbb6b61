"""Vectors that are made in the background, by a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.search import index as index_module
from memfs.search.embeddings import load_embedder
from memfs.search.filling import await_filling, main, start_filling
from memfs.search.index import SearchIndex
from memfs.search.vectors import VectorStore

FILES = {
    "memories/a/notes.md": "# Notes\n\n" + "".join(f"- the queue number {n} is redis\n" for n in range(30))
}


def test_after_a_change_of_the_model_search_goes_on_while_a_process_makes_the_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SearchIndex(tmp_path, load_embedder(state=tmp_path)).update(FILES)
    index = SearchIndex(tmp_path, load_embedder("static"))
    degraded = index.search("which queue").degraded
    assert degraded[0].startswith("vectors are being rebuilt")
    assert index.search("which queue").hits
    monkeypatch.setattr(index_module, "_AT_HAND", 5)
    assert index.catch_up_vectors().degraded == ()
    await_filling(tmp_path)
    assert not index.vectors_missing()
    assert index.search("which queue").degraded == ()


def test_few_are_made_at_once(tmp_path: Path) -> None:
    SearchIndex(tmp_path, load_embedder(state=tmp_path)).update(FILES)
    index = SearchIndex(tmp_path, load_embedder("static"))
    index.catch_up_vectors()
    assert index.search("which queue").degraded == ()


def test_only_one_process_fills(tmp_path: Path) -> None:
    embedder = load_embedder("static")
    assert embedder is not None
    SearchIndex(tmp_path, None).update(FILES)
    started = [start_filling(tmp_path, "", embedder) for _ in range(2)]
    assert started[0]
    await_filling(tmp_path)
    assert VectorStore(tmp_path / "vectors", embedder.name, embedder.dimensions).count() == 30


def test_progress_is_told_in_per_cent(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, load_embedder("static"))
    index.update(FILES)
    (tmp_path / "v3" / "vectors.json").write_text("null")
    (tmp_path / "v3" / "filling.json").write_text("40")
    assert index.search("which queue").degraded == (
        "vectors are being rebuilt: some entries are found by words only",
        "40 %",
    )


def test_what_cannot_be_filled_ends_with_a_code(tmp_path: Path) -> None:
    assert main(str(tmp_path), "", "no-such-engine", "") == 1
