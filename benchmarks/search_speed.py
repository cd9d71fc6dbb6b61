"""How fast the index is made, kept and asked, beside the floor: what its libraries take for the bare work.

python benchmarks/search_speed.py [--entries 1000,10000,100000] [--engine NAME] [--keep NAME]

The engine is one of memfs's or ``synthetic`` (vectors out of nothing, for a million entries). The floor, measured in
the same run on the same texts: a raw Tantivy index and query, a raw matrix product, a raw embedding. The cold
command line is measured by ``--cold ENTRIES``, the index by words alone (the best of five runs) by ``--words``.

There are two floors of indexing: ``raw_tantivy_index_s`` is one text field of the bare texts with Tantivy's default
tokenizer; ``raw_fields_index_s`` the fields that memfs writes, ready made, in its schema. Both with one writer thread
and the heap that memfs gives it, one commit. memfs's own time is from the Markdown of all files in memory to the
commit.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from reports import keep_report, versions
from speed_data import embedder_of, entry_texts, questions, vault_files
from speed_floor import RawTantivy, index_fields, raw_product

from memfs.config.settings import EmbeddingsConfig
from memfs.search.cutting import Cutting
from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters

Figures = dict[str, Any]
_PART = 200  # documents handed over at once
_NEW = "- a new entry about kiln temperatures ^m-new\n"


def measure(entries: int, engine: str, folder: Path) -> Figures:
    """Measure one size."""
    texts = list(entry_texts(entries))
    asked = questions(texts)
    floor = RawTantivy(folder / "raw")
    figures: Figures = {"entries": entries, "engine": engine}
    figures["raw_tantivy_index_s"] = _seconds(lambda: floor.index(texts))
    figures["raw_fields_index_s"] = _seconds(partial(index_fields, folder / "fields", _fields(texts)))
    figures["words_index_s"] = _seconds(lambda: _build(SearchIndex(folder / "words"), texts))
    embedder = embedder_of(engine)
    index = SearchIndex(folder / "index", embedder)
    if embedder is not None:
        embedder.embed(["warm"])
        sample = texts[: min(entries, 10_000)]
        figures["raw_embedding_s"] = round(
            _seconds(lambda: embedder.embed(sample)) * entries / len(sample), 3
        )
    figures["index_s"] = _seconds(lambda: _build(index, texts))
    figures["improve_s"] = _seconds(index.improve)
    figures["disk_mb"] = _megabytes(folder / "index")
    figures |= _update(index, texts)
    before = _resident()
    opened = SearchIndex(folder / "index", embedder)
    figures["open_ms"] = 1000 * _seconds(lambda: opened.stale({}))
    figures["open_mb"] = round(_resident() - before, 1)
    opened.search(asked[0])
    figures["query_ms"] = _spread(lambda query: opened.search(query), asked)
    one = Filters(identities=("person-3", ""))
    figures["query_one_identity_ms"] = _spread(lambda query: opened.search(query, one), asked)
    figures["floor_tantivy_ms"] = _spread(floor.ask, asked)
    if embedder is not None:
        figures["floor_embedding_ms"] = _spread(lambda query: embedder.embed([query]), asked)
        figures["floor_product_ms"] = raw_product(entries, embedder.dimensions)
    figures["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return figures


def measure_words(entries: int, folder: Path, times: int = 5) -> Figures:
    """Measure only the index by words, in turn with its floors: the least seconds, and of processors too."""
    texts = list(entry_texts(entries))
    files = dict(vault_files(texts))
    fields = _fields(texts)
    figures: Figures = {"entries": entries}
    for turn in map(str, range(times)):
        works = {
            "raw_tantivy_index_s": partial(RawTantivy(folder / turn / "raw").index, texts),
            "raw_fields_index_s": partial(index_fields, folder / turn / "fields", fields),
            "words_index_s": partial(SearchIndex(folder / turn / "words").rebuild, files),
        }
        for name, work in works.items():
            began = time.process_time()
            figures[name] = min(_seconds(work), figures.get(name, inf))
            spent = round(time.process_time() - began, 4)
            figures[f"{name} (processors)"] = min(spent, figures.get(f"{name} (processors)", inf))
    for floor in ("raw_tantivy_index_s", "raw_fields_index_s"):
        figures[f"words / {floor}"] = round(figures["words_index_s"] / figures[floor], 2)
    return figures


def _fields(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [fields for _, fields in Cutting().pieces(dict(vault_files(texts)))]


def _build(index: SearchIndex, texts: Sequence[str]) -> None:
    files = dict(vault_files(texts))
    if len(files) <= 5000:
        index.rebuild(files)
        return
    paths = list(files)
    for first in range(0, len(paths), 5000):  # as a large vault is indexed: in parts
        index.update({path: files[path] for path in paths[first : first + 5000]})


def _update(index: SearchIndex, texts: Sequence[str]) -> Figures:
    """One more entry in a document, and an entry taken away again."""
    path, text = next(vault_files(texts))
    spent = [
        _seconds(lambda text=text, n=n: index.update({path: text + _NEW * (n % 2)})) for n in range(1, 12)
    ]
    return {"update_ms": {"p50": round(1000 * sorted(spent)[5], 1), "max": round(1000 * max(spent), 1)}}


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return round(time.perf_counter() - start, 4)


def _spread(ask: Callable[[str], object], asked: Sequence[str]) -> dict[str, float]:
    for query in asked[:5]:
        ask(query)
    spent = sorted(1000 * _seconds(lambda query=query: ask(query)) for query in asked)
    return {
        name: round(spent[int(len(spent) * part)], 2)
        for name, part in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }


def _resident() -> float:
    with Path("/proc/self/statm").open() as stream:
        return int(stream.read().split()[1]) * resource.getpagesize() / 1e6


def _megabytes(folder: Path) -> float:
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1)


def main() -> None:
    """Measure the sizes asked for, print a table, and keep it where a name is given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", default="1000,10000,100000")
    parser.add_argument("--engine", default=EmbeddingsConfig().engine)
    parser.add_argument("--cold", type=int, metavar="ENTRIES", help="measure the cold command line instead")
    parser.add_argument("--words", action="store_true", help="measure only the index by words")
    parser.add_argument("--keep", metavar="NAME", help="keep JSON and Markdown as results/NAME")
    options = parser.parse_args()
    results: list[Figures] = []
    with tempfile.TemporaryDirectory() as folder:
        if options.cold:
            from speed_cold import measure_cold

            results.append(measure_cold(options.cold, Path(folder)))
        for entries in () if options.cold else map(int, options.entries.split(",")):
            place = Path(folder) / str(entries)
            results.append(
                measure_words(entries, place) if options.words else measure(entries, options.engine, place)
            )
            sys.stderr.write(f"{results[-1]}\n")
    table = _table(results)
    sys.stdout.write(table)
    if options.keep:
        keep_report(
            options.keep, {"versions": versions(), "results": results}, f"# Speed of search\n\n{table}"
        )


def _table(results: Sequence[Figures]) -> str:
    names = list(dict.fromkeys(name for figures in results for name in figures if name != "entries"))
    lines = ["| | " + " | ".join(f"{figures['entries']:,} entries" for figures in results) + " |"]
    lines.append("|" + "---|" * (len(results) + 1))
    for name in names:
        lines.append(f"| {name} | " + " | ".join(_cell(figures.get(name)) for figures in results) + " |")
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return " / ".join(str(part) for part in value.values())
    return "" if value is None else str(value)


if __name__ == "__main__":
    main()
