"""What an ordinary day costs in the daily run: tokens per identity in compact and in full mode, and what is lost.

    python benchmarks/daily_cost.py [GOLD_DIR] [--write FILE]

GOLD_DIR holds ``transcripts/`` and ``gold/``; each conversation is taken for one identity's day. No model is called.
Prompts are the real ones, counted by the counter that budgets use. The answer is taken to hold every gold item
(those that are nice to have too), as the daily job's JSON, or as full mode's schema asks for it. Recall is the share of
the items that must be kept whose proving turns salience kept, and of those whose words stand in what was kept.

The board: the salient sentences of conversations as batons, up to 600 characters of them, and larger ones.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

from memfs.extraction.model.prompts import Prompter
from memfs.extraction.model.schema import answer_schema
from memfs.extraction.redaction import redact_turn
from memfs.extraction.request import Request
from memfs.extraction.salience import find_salient
from memfs.extraction.segments import cut_segments
from memfs.memory.registry import build_registry
from memfs.memory.types import MemoryType
from memfs.model import Turn
from memfs.services.daily_run.compact_reading import TYPES
from memfs.services.ingesting.models import token_counter
from memfs.services.resources import read_builtin_templates
from memfs.transcripts.opening import open_transcript
from memfs.transcripts.privacy import keep_turns

IDENTITY = "coding-assistant"
GOLD = Path(__file__).resolve().parent.parent / "tests" / "extraction" / "gold"
HEAD = """# What a day costs

`python benchmarks/daily_cost.py tests/extraction/gold --write benchmarks/results/daily_cost.md`

Tokens are counted by memfs's own counter (docs/models.md). The answer is taken to hold every gold item. Salience was
written with these conversations in view, so its recall on others will be lower.
"""
BOARDS = (300, 600, 1200, 2400)
COUNT = token_counter()
ALL_TYPES = tuple(
    t for t in build_registry(read_builtin_templates("types"), {}).enabled() if t.stage == "user"
)
_WIRE = {
    "profile": "userInfo", "projects": "projectContext", "actions": "actionItems",
}  # fmt: skip
_MAIN = {"profile": "role", "projects": "knownIssues", "preferences": "content", "decisions": "decision",
         "actions": "task", "events": "summary", "entities": "content", "notes": "content"}  # fmt: skip
_KEYED = {
    "preferences": "topic",
    "decisions": "topic",
    "projects": "projectName",
    "events": "name",
    "entities": "name",
}


@dataclass(frozen=True, slots=True)
class Day:
    """One conversation with its label."""

    id: str
    language: str
    turns: tuple[Turn, ...]
    spoken: tuple[Turn, ...]
    items: tuple[Mapping[str, Any], ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens of a day: prompts and answers, compact and full; what of the users' turns was kept; must items kept."""

    day: Day
    prompt: int
    answer: int
    full_prompt: int
    full_answer: int
    full_schema: int
    kept: int
    users: int
    must: int
    proved: int
    worded: int

    @property
    def compact(self) -> int:
        return self.prompt + self.answer

    @property
    def full(self) -> int:
        return self.full_prompt + self.full_answer


def read_days(gold_dir: Path) -> Iterator[Day]:
    """The conversations of a folder. Turns are numbered as labels do, before any is left out."""
    for path in sorted((gold_dir / "gold").glob("*.json")):
        gold = json.loads(path.read_bytes())
        (transcript,) = (gold_dir / "transcripts").glob(f"{gold['id']}.json*")
        with transcript.open("rb") as stream:
            turns = tuple(open_transcript(stream, name=transcript.name))
        spoken = keep_turns(turns)[0]
        yield Day(
            gold["id"], gold["lang"], turns, spoken, tuple(gold["items"]), datetime.fromisoformat(gold["now"])
        )


def measure(day: Day) -> Cost:
    """Count a day both ways."""
    clean = [redact_turn(turn) for turn in day.spoken]
    salient = find_salient(clean)
    kept = tuple(replace(clean[each.position], text=each.text) for each in salient)
    texts = {day.turns.index(day.spoken[each.position]): each.text for each in salient}
    must = [item for item in day.items if item["must"]]
    language = "zh" if day.language == "zh" else "en"
    full_prompt, segments = _full_prompt(day, clean, language)
    full = json.dumps(_full_answer(day.items), ensure_ascii=False)
    schema = json.dumps(answer_schema(ALL_TYPES), ensure_ascii=False)
    return Cost(
        day,
        prompt=_compact_prompt(day, kept, language) if kept else 0,
        answer=COUNT(json.dumps(_compact_answer(day.items), ensure_ascii=False)) if kept else 0,
        full_prompt=full_prompt,
        full_answer=COUNT(full),
        full_schema=COUNT(schema) * segments,
        kept=sum(turn.role != "assistant" for turn in kept),
        users=sum(turn.role != "assistant" for turn in clean),
        must=len(must),
        proved=sum(any(at in texts for at in item["turns"]) for item in must),
        worded=sum(_is_worded(item, day, texts) for item in must),
    )


def _compact_prompt(day: Day, turns: Sequence[Turn], language: str) -> int:
    return _count(
        "daily", _request(turns, day, language, [t for t in ALL_TYPES if t.name in TYPES]), brief=True
    )


def _full_prompt(day: Day, clean: Sequence[Turn], language: str) -> tuple[int, int]:
    zone = day.now.tzinfo
    assert zone is not None
    segments = cut_segments(clean, zone=zone)
    counts = (
        _count("extract", _request(s.turns, day, language, ALL_TYPES, s.context), brief=False)
        for s in segments
    )
    return sum(counts), len(segments)


def _request(
    turns: Sequence[Turn], day: Day, language: str, types: Sequence[MemoryType], context: Sequence[Turn] = ()
) -> Request:
    return Request(
        turns=tuple(turns), context=tuple(context), types=tuple(types), now=day.now,
        language="zh" if language == "zh" else "en", identity=IDENTITY,
    )  # fmt: skip


def _count(name: str, request: Request, *, brief: bool) -> int:
    prompter = Prompter(
        read_builtin_templates("prompts")[name],
        count=COUNT, tag=lambda: "7c1e5a90" if brief else "7c1e5a90b3d2", ceiling=8000, name=name, brief=brief,
    )  # fmt: skip
    return sum(page.tokens for page in prompter.pages(request))


def _compact_answer(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The gold items as the daily job's JSON; what is empty is left out."""
    answer: dict[str, Any] = {}
    for item in items:
        answer.setdefault(_WIRE.get(item["type"], item["type"]), []).append(_wire_item(item))
    return answer


def _full_answer(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The gold items as a schema of all types asks for them: every list, every field."""
    answer: dict[str, Any] = {each.name: [] for each in ALL_TYPES}
    for item in items:
        declared = next(each for each in ALL_TYPES if each.name == item["type"])
        fields = {each.name: [] if each.kind == "list" else None for each in declared.fields}
        answer[item["type"]].append({**fields, **_wire_item(item), "inferred": False})
    return answer


def _wire_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item, its words twice over: an entry says a little more than the keywords that tell it."""
    kind = item["type"]
    words = " ".join(item["any_of"][0])
    made: dict[str, Any] = {_KEYED[kind]: item["any_of"][0][0]} if kind in _KEYED else {}
    made[item.get("field") or _MAIN.get(kind, "content")] = f"{words} {words}"
    for name in ("date", "status", "priority", "peer"):
        if item.get(name):
            made[name] = item[name]
    return {**made, "turns": [at + 1 for at in item["turns"]]}


def _is_worded(item: Mapping[str, Any], day: Day, texts: Mapping[int, str]) -> bool:
    """Whether what was kept of the proving turns has the words of an item, where they have them at all."""
    whole = " ".join(day.turns[at].text for at in item["turns"])
    kept = " ".join(texts.get(at, "") for at in item["turns"])
    return _says(kept, item) or (bool(kept.strip()) and not _says(whole, item))


def _says(text: str, item: Mapping[str, Any]) -> bool:
    plain = _plain(text)
    return any(all(_plain(word) in plain for word in group) for group in item["any_of"])


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def boards(days: Sequence[Day]) -> Iterator[tuple[int, float, float, float]]:
    """For boards of so many characters: batons kept, tokens of the prompt, and tokens per kept baton (medians)."""
    for characters in BOARDS:
        counts, tokens = [], []
        for start in range(len(days)):
            kept: list[Turn] = []
            for day in (*days[start:], *days[:start]):
                if day.language != "en":
                    continue
                clean = [redact_turn(turn) for turn in day.spoken]
                for each in find_salient(clean):
                    if sum(len(turn.text) for turn in kept) + len(each.text) <= characters:
                        kept.append(
                            replace(clean[each.position], text=each.text, timestamp=day.now.isoformat())
                        )
            counts.append(len(kept))
            tokens.append(_compact_prompt(days[start], kept, "en"))
        yield (
            characters,
            median(counts),
            median(tokens),
            median(t / c for t, c in zip(tokens, counts, strict=True)),
        )


def report(days: Sequence[Day]) -> str:
    """All figures, as Markdown."""
    costs = [measure(day) for day in days]
    alive = [cost for cost in costs if cost.day.items]
    rows = ["| day | language | users' turns kept | compact: prompt + answer | full: prompt + answer | must kept |",
            "|---|---|---|---|---|---|"]  # fmt: skip
    for cost in costs:
        rows.append(
            f"| {cost.day.id} | {cost.day.language} | {cost.kept} of {cost.users} "
            f"| {cost.prompt} + {cost.answer} = {cost.compact} | {cost.full_prompt} + {cost.full_answer} = {cost.full} "
            f"| {cost.proved} of {cost.must} |"
        )
    must = sum(cost.must for cost in costs)
    lines = [
        f"{len(costs)} days of one identity each, {len(alive)} of them with something to keep.",
        "",
        "| tokens a day, prompt and answer | median | mean | most |",
        "|---|---|---|---|",
        _row("compact", [cost.compact for cost in costs]),
        _row("compact, days with something to keep", [cost.compact for cost in alive]),
        _row("full", [cost.full for cost in costs]),
        _row("full, with the schema that providers count", [cost.full + cost.full_schema for cost in costs]),
        "",
        f"Days under 500 tokens: {sum(cost.compact < 500 for cost in costs)} of {len(costs)}.",
        f"Users' turns kept: {sum(c.kept for c in costs)} of {sum(c.users for c in costs)}.",
        f"Items that must be kept: {must}; a proving turn was kept of {sum(c.proved for c in costs)}, "
        f"and the words of {sum(c.worded for c in costs)}.",
        "",
        "| board, characters after salience | batons | tokens of the prompt | tokens per kept baton |",
        "|---|---|---|---|",
    ]  # fmt: skip
    lines += [
        f"| {size} | {kept:.0f} | {tokens:.0f} | {each:.1f} |" for size, kept, tokens, each in boards(days)
    ]
    return "\n".join([*lines, "", *rows])


def _row(name: str, values: Sequence[int]) -> str:
    return f"| {name} | {median(values):.0f} | {mean(values):.0f} | {max(values)} |"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold_dir", type=Path, nargs="?", default=GOLD)
    parser.add_argument("--write", type=Path, help="write the figures there too")
    options = parser.parse_args()
    text = report(list(read_days(options.gold_dir)))
    if options.write:
        options.write.write_text(f"{HEAD}\n{text}\n", "utf-8")
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
