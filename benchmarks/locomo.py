"""Find the turns that answer the questions of LoCoMo, without a language model.

python benchmarks/locomo.py DATA_FILE [--engine NAME] [--systems A,B] [--half choosing|reporting] [--keep NAME]

DATA_FILE is ``locomo10.json``: ten long conversations and questions with the turns that answer them. Each
conversation becomes the journal of an identity, all in one index; every question is asked with a filter on its
own. Five conversations are for choosing weights, five for reporting. Beside memfs run plain Tantivy, the vectors
alone, and those peers that are installed (`locomo_systems`).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from reports import keep_report, versions

HALVES = {"choosing": (26, 30, 41, 42, 43), "reporting": (44, 47, 48, 49, 50)}
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
DEPTH = 20


@dataclass(frozen=True, slots=True)
class Said:
    """A turn: its id within the conversation, who said it when, and the text, with what a picture shows."""

    id: str
    speaker: str
    text: str
    session: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the ids of the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One of the ten."""

    name: str
    number: int
    turns: tuple[Said, ...]
    questions: tuple[Asked, ...]


class System(Protocol):
    """What is measured: it takes all conversations, then answers with ids of turns, the best first."""

    name: str

    def index(self, conversations: Sequence[Conversation]) -> None: ...

    def ask(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]: ...


def read_conversations(path: Path) -> tuple[Conversation, ...]:
    """Read the data file. Evidence that names no turn is left out."""
    return tuple(_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8")))


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    said = sample["conversation"]
    numbers = sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key))
    turns = tuple(turn for number in numbers for turn in _session(said, number))
    known = {turn.id for turn in turns}
    asked = []
    for entry in sample["qa"]:
        evidence = {f"{a}:{int(b)}" for a, b in re.findall(r"(D\d+):(\d+)", " ".join(entry["evidence"]))}
        if evidence & known:
            asked.append(Asked(entry["question"], entry["category"], frozenset(evidence & known)))
    name = str(sample["sample_id"])
    return Conversation(name, int(name.rpartition("-")[2]), turns, tuple(asked))


def _session(said: Mapping[str, Any], number: int) -> Iterator[Said]:
    at = datetime.strptime(said[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
    for turn in said[f"session_{number}"]:
        seen = f" [picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        yield Said(turn["dia_id"], turn["speaker"], turn["text"] + seen, number, at)


def measure(system: System, conversations: Sequence[Conversation]) -> dict[str, Any]:
    """Ask every question; return the scores of each half and category, and what it took."""
    start = time.perf_counter()
    system.index(conversations)
    indexed = time.perf_counter() - start
    scores: dict[str, list[dict[str, float]]] = defaultdict(list)
    spent = []
    for conversation in conversations:
        half = next(name for name, numbers in HALVES.items() if conversation.number in numbers)
        for question in conversation.questions:
            start = time.perf_counter()
            found = system.ask(conversation, question.text, DEPTH)
            spent.append(time.perf_counter() - start)
            score = score_one(found, question.evidence)
            scores[f"{half} {CATEGORIES[question.category]}"].append(score)
            if question.category != 5:
                scores[half].append(score)
    spent.sort()
    return {
        "system": system.name,
        "index_seconds": round(indexed, 2),
        "query_ms": {
            p: round(1000 * spent[int(len(spent) * q)], 2) for p, q in (("p50", 0.5), ("p95", 0.95))
        },
        "scores": {group: _mean(scores[group]) for group in sorted(scores)},
    }


def score_one(found: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Return recall at 5, 10 and 20, the reciprocal rank and nDCG@10 of one answer."""
    found = list(dict.fromkeys(found))
    ranks = [rank for rank, turn in enumerate(found) if turn in evidence]
    gained = sum(1 / math.log2(rank + 2) for rank in ranks if rank < 10)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(evidence))))
    recalls = {f"recall@{k}": sum(rank < k for rank in ranks) / len(evidence) for k in (5, 10, 20)}
    return {**recalls, "mrr": 1 / (ranks[0] + 1) if ranks else 0.0, "ndcg@10": gained / ideal}


def _mean(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    means = {name: round(sum(score[name] for score in scores) / len(scores), 3) for name in scores[0]}
    return {"questions": len(scores), **means}


def main() -> None:
    """Run the systems and print (and keep) one table."""
    from locomo_systems import choose_systems

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA_FILE")
    parser.add_argument("--engine", default="", help="embedding engine (default: memfs's default)")
    parser.add_argument("--systems", default="memfs,tantivy,dense", help="also: bm25s, chromadb")
    parser.add_argument("--half", choices=sorted(HALVES), help="show only this half")
    parser.add_argument("--keep", metavar="NAME", help="keep JSON and Markdown as results/NAME")
    options = parser.parse_args()
    conversations = read_conversations(options.data)
    with tempfile.TemporaryDirectory() as folder:
        systems = choose_systems(options.systems.split(","), options.engine, Path(folder))
        results = [measure(system, conversations) for system in systems]
    table = _table(results, [options.half] if options.half else sorted(HALVES))
    sys.stdout.write(table)
    if options.keep:
        keep_report(options.keep, {"versions": versions(), "results": results}, f"# LoCoMo\n\n{table}")


def _table(results: Sequence[Mapping[str, Any]], halves: Sequence[str]) -> str:
    columns = ("questions", "recall@5", "recall@10", "recall@20", "mrr", "ndcg@10")
    lines = [f"| system | part | {' | '.join(columns)} |", "|" + "---|" * (len(columns) + 2)]
    for half in halves:
        groups = [half, *(f"{half} {category}" for category in CATEGORIES.values())]
        for group in groups:
            for result in results:
                if group in result["scores"]:
                    cells = " | ".join(str(result["scores"][group][column]) for column in columns)
                    lines.append(f"| {result['system']} | {group} | {cells} |")
    lines += ["", "| system | index s | query ms p50 | p95 |", "|---|---|---|---|"]
    for result in results:
        timed = result["query_ms"]
        lines.append(f"| {result['system']} | {result['index_seconds']} | {timed['p50']} | {timed['p95']} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
