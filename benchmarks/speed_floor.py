"""The floor of search: the bare work of the libraries, on the same texts."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


class RawTantivy:
    """One text field with Tantivy's default tokenizer, and the text stored."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def index(self, texts: Sequence[str]) -> None:
        """Index everything in one commit, with one thread and the heap that memfs gives it."""
        from tantivy import Document, Index, SchemaBuilder

        builder = SchemaBuilder()
        builder.add_text_field("text", stored=True, tokenizer_name="default")
        self._folder.mkdir(parents=True)
        self._index = Index(builder.build(), path=str(self._folder))
        writer = self._index.writer(30_000_000, 1)
        for text in texts:
            document = Document()
            document.add_text("text", text)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def ask(self, query: str) -> list[str]:
        """Return the best ten texts with any of the words."""
        from tantivy import Occur, Query

        words = dict.fromkeys(re.findall(r"\w+", query.lower()))
        terms = [(Occur.Should, Query.term_query(self._index.schema, "text", word)) for word in words]
        searcher = self._index.searcher()
        found = searcher.search(Query.boolean_query(terms), 10)
        return [searcher.doc(address).get_first("text") for _, address in found.hits]


def index_fields(folder: Path, documents: Iterable[dict[str, Any]]) -> None:
    """Index ready fields in memfs's own schema in one commit: what is left when nothing is parsed or analysed.

    They are the very fields memfs writes (analysed words, headings, names, places, the stored record), with one
    thread and the same heap.
    """
    from memfs.search.lexicon import create_index, open_index, to_document

    folder.mkdir(parents=True)
    create_index(folder)
    writer = open_index(folder).writer(30_000_000, 1)
    for fields in documents:
        writer.add_document(to_document(fields))
    writer.commit()
    writer.wait_merging_threads()


def raw_product(rows: int, dimensions: int, times: int = 30) -> dict[str, float]:
    """Return the milliseconds of ``matrix @ vector`` for a matrix in memory."""
    import numpy as np

    matrix = np.random.default_rng(0).normal(size=(rows, dimensions)).astype(np.float32)
    vector = matrix[0].copy()
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        matrix @ vector
        spent.append(1000 * (time.perf_counter() - start))
    spent.sort()
    return {"p50": round(spent[times // 2], 2), "p95": round(spent[int(times * 0.95)], 2)}
