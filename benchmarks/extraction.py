"""How well the offline rules extract, measured on labelled conversations.

    python benchmarks/extraction.py GOLD_DIR [--json] [--predictions FILE]

GOLD_DIR holds ``transcripts/``, ``gold/`` and ``score.py``, which does the scoring. Predictions go the whole way
a merge would go: transcript parser, privacy, redaction, segments, rules, routing, drafts. Nothing is fitted to
the labels by a procedure, so there is nothing to cross-validate; the folds only show how much the figures vary
from one fifth of the conversations to the next. Phrases were written from knowledge of the languages, and
looked over against one labelled half; a figure for unseen text comes from a half that was kept apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memfs.extraction import Request, cut_segments, redact_turn
from memfs.extraction.rules import RulesExtractor
from memfs.memory.drafts import draft_entries
from memfs.memory.policy import MemoryPolicy
from memfs.memory.registry import build_registry
from memfs.memory.routing import Batch, route, seen_peers
from memfs.memory.types import Registry
from memfs.model import Draft, Dropped, Evidence, Operation, Turn
from memfs.transcripts import keep_turns, open_transcript

FOLDS = 5
TYPES = Path(__file__).resolve().parent.parent / "templates" / "types"
COLUMNS = ("must", "entries", "recall", "recall_any", "precision", "f1", "violations")


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was made of one conversation."""

    id: str
    entries: tuple[Mapping[str, Any], ...]
    turns: int
    seconds: float


def builtin_types() -> Registry:
    """The memory types as shipped."""
    return build_registry({path.stem: path.read_text("utf-8") for path in sorted(TYPES.glob("*.md"))}, {})


def predict(transcript: Path, now: datetime, registry: Registry) -> Prediction:
    """Entries for one transcript, as a reader of the vault would see them."""
    started = time.perf_counter()
    with transcript.open("rb") as stream:
        turns = [
            redact_turn(turn) for turn in keep_turns(tuple(open_transcript(stream, name=transcript.name)))[0]
        ]
    entries: list[Mapping[str, Any]] = []
    for segment in cut_segments(turns, zone=now.tzinfo or datetime.now().astimezone().tzinfo):  # type: ignore[arg-type]
        request = Request(segment.turns, now, segment.context, tuple(registry.enabled()))
        extraction = RulesExtractor().extract(request)
        for op in extraction.operations:
            entries += _entries(op, segment.turns, now, registry)
    return Prediction(transcript.stem, tuple(entries), len(turns), time.perf_counter() - started)


def _entries(
    op: Operation, turns: Sequence[Turn], now: datetime, registry: Registry
) -> list[Mapping[str, Any]]:
    targets = route(op, Batch(turns, "gold", seen_peers(turns)), MemoryPolicy(), registry)
    if isinstance(targets, Dropped):
        return []
    made: list[Mapping[str, Any]] = []
    for target in targets:
        evidence = Evidence("gold", tuple(str(n) for n in op.turns), now)
        drafts = draft_entries(op, target, registry, evidence, language="en", today=now.date())
        if not isinstance(drafts, Dropped):
            made += [_entry(op, draft) for draft in drafts]
    return made


def _entry(op: Operation, draft: Draft) -> Mapping[str, Any]:
    """A draft in the scorer's terms: its text with the title or heading it stands under."""
    heading = {"preferences": draft.section[-1:], "projects": (draft.title,), "entities": (draft.title,)}
    words = [*heading.get(op.type, ()), *((draft.title,) if op.type == "events" else ()), draft.text]
    entry = {
        "type": op.type,
        "text": ": ".join(words),
        "field": draft.field,
        "peer": op.peer,
        "status": op.fields.get("status"),
        "priority": op.fields.get("priority"),
        "date": op.fields.get("due") if op.type == "actions" else op.fields.get("date"),
    }
    return {key: value for key, value in entry.items() if value}


def score(gold_dir: Path, predictions: Sequence[Prediction]) -> dict[str, Any]:
    """What ``score.py`` says of the predictions."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for each in predictions:
            file.write(json.dumps({"id": each.id, "entries": each.entries}, ensure_ascii=False) + "\n")
        file.flush()
        command = [sys.executable, str(gold_dir / "score.py"), str(gold_dir), file.name, "--json"]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, Any] = json.loads(answer)
    return result


def measure(gold_dir: Path) -> dict[str, Any]:
    """Predict and score all conversations of a folder."""
    registry = builtin_types()
    labels = [json.loads(path.read_bytes()) for path in sorted((gold_dir / "gold").glob("*.json"))]
    predictions = []
    for gold in labels:
        (transcript,) = (gold_dir / "transcripts").glob(f"{gold['id']}.json*")
        predictions.append(predict(transcript, datetime.fromisoformat(gold["now"]), registry))
    result = score(gold_dir, predictions)
    result["folds"] = _folds(gold_dir, predictions)
    seconds = sum(each.seconds for each in predictions)
    result["turns_per_second"] = round(sum(each.turns for each in predictions) / seconds)
    return result


def _folds(gold_dir: Path, predictions: Sequence[Prediction]) -> list[dict[str, float | None]]:
    """Figures of every fifth conversation: others are left without entries, and do not count in precision."""
    folds = []
    for number in range(FOLDS):
        chosen = {each.id for each in predictions[number::FOLDS]}
        kept = [each if each.id in chosen else replace(each, entries=()) for each in predictions]
        part = score(gold_dir, kept)
        must = sum(_musts(gold_dir, name) for name in chosen)
        found = part["recall"] * part["must"]
        folds.append({"recall": round(found / must, 4) if must else None, "precision": part["precision"]})
    return folds


def _musts(gold_dir: Path, name: str) -> int:
    items = json.loads((gold_dir / "gold" / f"{name}.json").read_bytes())["items"]
    return sum(bool(item["must"]) for item in items)


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
    parser.add_argument("gold_dir", type=Path)
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--predictions", type=Path, help="write the predictions there (JSONL)")
    options = parser.parse_args()
    if options.predictions:
        write_predictions(options.gold_dir, options.predictions)
    result = measure(options.gold_dir)
    sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=1) if options.json else show(result))
    sys.stdout.write("\n")


def write_predictions(gold_dir: Path, path: Path) -> None:
    """Predictions for every transcript of a folder that has a label with its ``now``."""
    registry = builtin_types()
    with path.open("w", encoding="utf-8") as file:
        for label in sorted((gold_dir / "gold").glob("*.json")):
            gold = json.loads(label.read_bytes())
            (transcript,) = (gold_dir / "transcripts").glob(f"{gold['id']}.json*")
            made = predict(transcript, datetime.fromisoformat(gold["now"]), registry)
            file.write(json.dumps({"id": made.id, "entries": made.entries}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
