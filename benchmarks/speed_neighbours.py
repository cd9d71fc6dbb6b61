"""Where an approximate index over vectors begins to be faster than comparing with all of them, and what it misses.

python benchmarks/speed_neighbours.py [--rows 5000,20000,50000] [--keep NAME]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
from reports import keep_report, versions

from memfs.search import neighbours, vectors
from memfs.search.embeddings import normalise
from memfs.search.vectors import VectorStore, text_key

DIMENSIONS, TOPICS, ASKED = 512, 400, 40


def main() -> None:
    """Fill stores, ask each both ways, print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="5000,20000,50000")
    parser.add_argument("--keep", metavar="NAME")
    options = parser.parse_args()
    lines = [
        "| rows | exact ms | approximate ms | found of the nearest 10 | made in s |",
        "|---|---|---|---|---|",
    ]
    for count in map(int, options.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            lines.append("| " + " | ".join(map(str, _measure(Path(folder), count))) + " |")
    table = "\n".join(lines) + "\n"
    sys.stdout.write(table)
    if options.keep:
        keep_report(options.keep, {"versions": versions(), "table": lines}, f"# Nearest vectors\n\n{table}")


def _measure(folder: Path, count: int) -> tuple[float, ...]:
    chance = np.random.default_rng(2)
    topics = chance.normal(size=(TOPICS, DIMENSIONS))
    rows = normalise(
        topics[chance.integers(TOPICS, size=count)] + 1.2 * chance.normal(size=(count, DIMENSIONS))
    )
    asked = normalise(rows[:ASKED] + 0.03 * chance.normal(size=(ASKED, DIMENSIONS)))
    store = VectorStore(folder, "synthetic", DIMENSIONS)
    store.add([text_key(str(number)) for number in range(count)], rows)

    def nearest(vector: vectors.Vectors) -> list[str]:
        near = store.compare(vector)
        assert near is not None
        return [key for key, _ in zip(near.nearest(0.2), range(10), strict=False)]

    exact, exact_ms = _asked(nearest, asked)
    with mock.patch.object(vectors, "FROM_ROWS", 1), mock.patch.object(neighbours, "FROM_ROWS", 1):
        start = time.perf_counter()
        store.improve()
        made = time.perf_counter() - start
        close, close_ms = _asked(nearest, asked)
    found = sum(len(set(a) & set(b)) for a, b in zip(exact, close, strict=True)) / sum(map(len, exact))
    return count, exact_ms, close_ms, round(found, 3), round(made, 1)


def _asked(
    ask: Callable[[vectors.Vectors], list[str]], asked: vectors.Vectors
) -> tuple[list[list[str]], float]:
    ask(asked[0])
    answers, spent = [], []
    for vector in asked:
        start = time.perf_counter()
        answers.append(ask(vector))
        spent.append(time.perf_counter() - start)
    return answers, round(1000 * sorted(spent)[len(spent) // 2], 2)


if __name__ == "__main__":
    main()
