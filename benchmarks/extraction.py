"""How well the offline rules extract, measured on labelled conversations.

    python benchmarks/extraction.py GOLD_DIR [--json] [--predictions FILE]

GOLD_DIR holds ``transcripts/`` and ``gold/`` (docs/evaluation.md). This is `memfs eval GOLD_DIR --model rules`, and
beside it how the figures vary. Nothing is fitted to the labels by a procedure, so there is nothing to
cross-validate; the folds only show how much the figures vary from one fifth of the conversations to the next.
Phrases were written from knowledge of the languages, and looked over against one labelled half; a figure for unseen
text comes from a half that was kept apart.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memfs.interfaces.shapes.evaluation import evaluation_json
from memfs.services.evaluating.labels import prediction_line, read_labels
from memfs.services.evaluating.scoring import score
from memfs.services.evaluation import Evaluation, evaluate
from memfs.services.vaultless import open_without_vault

FOLDS = 5
GOLD = Path(__file__).resolve().parent.parent / "tests" / "extraction" / "gold"
COLUMNS = ("must", "entries", "recall", "recall_any", "precision", "f1", "violations")


def measure(found: Evaluation, gold_dir: Path) -> dict[str, Any]:
    """All figures of an evaluation, of its folds, and the turns a second, parsing included."""
    result = evaluation_json(found)
    result["folds"] = _folds(found, gold_dir)
    result["turns_per_second"] = round(found.turns / found.seconds)
    return result


def _folds(found: Evaluation, gold_dir: Path) -> list[dict[str, float | None]]:
    """Figures of every fifth conversation."""
    labels = read_labels(gold_dir)
    made = {each.id: each for each in found.predictions}
    parts = (score(labels[number::FOLDS], made).all for number in range(FOLDS))
    return [{"recall": part.recall, "precision": part.precision} for part in parts]


def show(result: Mapping[str, Any]) -> str:
    """The figures as a table: all, by language, by type, by kind, by fold."""

    def cell(value: Any) -> str:
        return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)

    rows = [("", *COLUMNS), ("all", *(cell(result[name]) for name in COLUMNS))]
    for table in ("by_language", "by_type", "by_kind"):
        rows.append((table.replace("_", " "), *("" for _ in COLUMNS)))
        rows += [(f"  {key}", *(cell(row[name]) for name in COLUMNS)) for key, row in result[table].items()]
    lines = [
        "".join(f"{text:<18}" if n == 0 else f"{text:>12}" for n, text in enumerate(row)) for row in rows
    ]
    empty = f"left empty: {result['left_empty']} of {result['empty']}"
    attributes = ", ".join(f"{key} {value['accuracy']:.2f}" for key, value in result["attributes"].items())
    folds = ", ".join(f"{cell(fold['recall'])}/{cell(fold['precision'])}" for fold in result["folds"])
    lines += ["", empty, f"attributes: {attributes}", f"folds (recall/precision): {folds}"]
    lines += [f"{result['turns_per_second']} turns/s, parsing included"]
    lines += [f"violation: {each['id']} [{each['why']}] {each['text']}" for each in result["violation_list"]]
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold_dir", type=Path, nargs="?", default=GOLD)
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--predictions", type=Path, help="write the predictions there (JSONL)")
    options = parser.parse_args()
    found = evaluate(open_without_vault(environ={}), options.gold_dir, model="rules")
    if options.predictions:
        text = "".join(map(prediction_line, found.predictions))
        options.predictions.write_text(text, encoding="utf-8")
    result = measure(found, options.gold_dir)
    sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=1) if options.json else show(result))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
