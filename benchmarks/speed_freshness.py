"""Twenty thousand files change behind the watcher's back: how long until the next search has found that out.

python benchmarks/speed_freshness.py [--files 20000] [--keep NAME]

Only words are indexed; vectors take what the engine takes (`search_speed`).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from reports import keep_report, versions
from speed_data import WORDS

from memfs.services.finding.indexing import document_stats, open_index, refresh_index
from memfs.services.opening import Vault, open_vault
from memfs.services.recall import search
from memfs.services.starting import init


def main() -> None:
    """Index the files, change all of them, search for a word that only the change brought."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--keep", metavar="NAME")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "MEMFS_EMBEDDINGS_ENGINE": "none"}
        init(Path(folder) / "vault")
        vault = open_vault(Path(folder) / "vault")
        figures = _measure(vault, options.files)
    table = "".join(f"| {name} | {value} |\n" for name, value in figures.items())
    table = f"| {options.files:,} files | |\n|---|---|\n{table}"
    sys.stdout.write(table)
    if options.keep:
        keep_report(options.keep, {"versions": versions(), **figures}, f"# Freshness\n\n{table}")


def _measure(vault: Vault, files: int) -> dict[str, float | int]:
    _write(vault, files, "first")
    built = _seconds(lambda: refresh_index(vault, open_index(vault)))
    compared = _seconds(lambda: document_stats(vault))
    nothing = _seconds(lambda: search(vault, "walnut first"))
    _write(vault, files, "second")
    found: list[int] = []
    changed = _seconds(lambda: found.append(len(search(vault, "second walnut", limit=50).hits)))
    left = len(search(vault, "first", limit=50).hits)
    assert found[0] > 0, "the change was not found"
    assert left == 0, "what is gone was found"
    return {
        "index built, s": built,
        "files looked at, s": compared,
        "search, nothing changed, s": nothing,
        "search after all changed, s": changed,
        "old hits left": left,
    }


def _write(vault: Vault, files: int, word: str) -> None:
    for number in range(files):
        path = vault.top / "Garden" / f"{number // 200}" / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"# Note {number}\n\n{word} walnut {WORDS[number % len(WORDS)]} {number}\n", encoding="utf-8"
        )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return round(time.perf_counter() - start, 2)


if __name__ == "__main__":
    main()
