"""Measure search on a set of questions.

python benchmarks/retrieval.py RECALL_DIR [--engine NAME] [--model M] [--results FILE] [--json] [--keep NAME]

RECALL_DIR holds ``memories/`` (a vault), ``queries.jsonl`` (questions with the entries that answer them) and
``eval.py``, which scores the hits. Index and vectors go to a temporary folder: indexing begins from nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from reports import keep_report, versions

from memfs.config.settings import EmbeddingsConfig
from memfs.search.embeddings import ENGINES, load_embedder
from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters
from memfs.search.searching import Hit


def main() -> None:
    """Index the set, ask every question, score, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="RECALL_DIR")
    parser.add_argument("--engine", choices=ENGINES, default=EmbeddingsConfig().engine)
    parser.add_argument("--model", default="", help="path or name, for sentence-transformers")
    parser.add_argument("--results", type=Path, help="keep the hits in this file")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", metavar="NAME", help="keep JSON and Markdown as results/NAME")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        results = options.results or Path(temporary) / "results.jsonl"
        figures = _run(options.folder, Path(temporary), load_embedder(options.engine, options.model), results)
        scored = _score(options.folder, results, as_json=options.json)
        if options.keep:
            quality = json.loads(_score(options.folder, results, as_json=True))
            kept = {"versions": versions(), "engine": options.engine, "speed": figures, "quality": quality}
            keep_report(options.keep, kept, f"# Memory entries ({options.engine})\n\n{_table(quality)}")
    if options.json:
        report = {"speed": figures, "quality": json.loads(scored)}
        scored = json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    else:
        scored = "  ".join(f"{name} {value}" for name, value in figures.items()) + "\n" + scored
    sys.stdout.write(scored)


def _table(quality: dict[str, Any]) -> str:
    columns = ("n", "recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "violation")
    lines = [f"| | {' | '.join(columns)} |", "|" + "---|" * (len(columns) + 1)]
    for group, scores in quality.items():
        if group != "no-answer" and isinstance(scores, dict) and not group.startswith("identity"):
            lines.append(f"| {group} | {' | '.join(str(scores.get(column, '')) for column in columns)} |")
    told = quality["no-answer"]
    lines += [
        "",
        f"Answerable told from unanswerable: AUROC {told['auroc']}, {told['mean_hits']} hits shown there.",
    ]
    return "\n".join(lines) + "\n"


def _run(folder: Path, temporary: Path, embedder: Any, results: Path) -> dict[str, float]:
    files = {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("memories/**/*.md"))
    }
    index = SearchIndex(temporary / "index", embedder)
    start = time.perf_counter()
    index.rebuild(files)
    built = time.perf_counter() - start
    spent: list[float] = []
    with results.open("w", encoding="utf-8") as out:
        for query in _queries(folder):
            start = time.perf_counter()
            hits = _ask(index, query)
            spent.append(time.perf_counter() - start)
            out.write(json.dumps({"id": query["id"], "hits": [_as_result(hit) for hit in hits]}) + "\n")
    spent.sort()
    return {
        "files": len(files),
        "index_seconds": round(built, 2),
        "query_ms_p50": round(1000 * spent[len(spent) // 2], 1),
        "query_ms_p95": round(1000 * spent[int(0.95 * len(spent))], 1),
    }


def _ask(index: SearchIndex, query: dict[str, Any]) -> tuple[Hit, ...]:
    days = {name: date.fromisoformat(query[name]) for name in ("since", "until", "at") if query.get(name)}
    filters = Filters(identities=(query["identity"],), since=days.get("since"), until=days.get("until"))
    return index.search(query["q"], filters, 10, today=days.get("at", date(2026, 11, 30))).hits


def _as_result(hit: Hit) -> dict[str, Any]:
    place = {"id": hit.view.id} if hit.view.id else {"path": hit.view.path, "line": hit.view.line}
    return {**place, "score": hit.score}


def _queries(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _score(folder: Path, results: Path, *, as_json: bool) -> str:
    command = [sys.executable, str(folder / "eval.py"), str(folder), str(results), *["--json"] * as_json]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
