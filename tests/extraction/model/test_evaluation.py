"""`memfs eval` with a language model behind it: the scripted server gives recorded good answers.

The answers are rendered from the labels, so the figures test the pipeline (prompt, call, reading, judging, routing,
drafts, scoring) and no model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memfs.extraction.model.words import is_said
from memfs.interfaces.shapes.evaluation import evaluation_json
from memfs.services.evaluating.labels import Entry, Item, Label, read_labels
from memfs.services.evaluating.matching import breaks, holds_keyword, matches, normal
from memfs.services.evaluation import Evaluation, evaluate
from memfs.services.opening import Vault
from memfs.services.vaultless import open_without_vault
from tests.extraction.model.conftest import Room

GOLD = Path(__file__).resolve().parents[1] / "gold"
_LINE = re.compile(
    r"^\[(\d+)\](?: \(part \d+ of \d+\))? (?:\d{4}-\d\d-\d\d \d\d:\d\d )?(user|participant)[^:]*: (.*)",
    re.MULTILINE,
)


def there(room: Room) -> Vault:
    return open_without_vault(
        environ={"MEMFS_EXTRACT_MODEL": "openai:test", "MEMFS_EXTRACT_BASE_URL": room.base_url}
    )


def asked(room: Room) -> dict[str, list[str]]:
    """What is asked of each labelled conversation, call by call."""
    room.script({"content": "{}"})
    ends: list[int] = []
    evaluate(there(room), GOLD, announce=lambda _: ends.append(len(room.calls())))
    sent = [call["messages"][-1]["content"] for call in room.calls()]
    labels = read_labels(GOLD)
    begins = [0, *ends[:-1]]
    return {label.id: sent[begin:end] for label, begin, end in zip(labels, begins, ends, strict=True)}


def good_answer(label: Label, sent: str, done: set[int]) -> dict[str, Any]:
    """What a good model would answer to one call: the items whose words its user lines hold."""
    lines = {int(number): text for number, _, text in _LINE.findall(sent)}
    answer: dict[str, list[dict[str, Any]]] = {}
    for at, item in enumerate(label.items):
        found = next(renderings(label, item, lines), None) if at not in done else None
        if found is not None:
            done.add(at)
            answer.setdefault(item.types[0], []).append(found)
    return answer


def renderings(label: Label, item: Item, lines: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """An item as an answer tells it, in the words of the lines that hold it."""
    for group in item.any_of:
        turns = [n for n, text in lines.items() if any(holds_keyword(normal(text), each) for each in group)]
        said = [lines[n] for n in turns]
        for text in (*said, " ".join(group)):
            entry = Entry(item.types[0], text[:500], item.peers[0], item.attributes)
            fits = matches(entry, item) and not any(breaks(entry, ban) for ban in label.bans)
            if turns and fits and is_said(text, said):
                yield {**fields(item, text[:500]), "turns": turns, "peer": item.peers[0] or None}


def fields(item: Item, text: str) -> dict[str, Any]:
    kind, said = item.types[0], item.attributes
    if kind in ("profile", "projects"):
        named = {"project": "P"} if kind == "projects" else {}
        return {**named, said.get("field", "description" if kind == "projects" else "role"): text}
    if kind == "actions":
        return {
            "task": text,
            "status": said.get("status"),
            "priority": said.get("priority"),
            "due": said.get("date"),
        }
    if kind == "events":
        return {"name": text[:40], "date": said.get("date"), "summary": text}
    if kind == "entities":
        return {"category": "people", "name": text[:40], "content": text}
    if kind == "decisions":
        return {"topic": text[:40], "decision": text}
    return {"topic": text[:40], "content": text} if kind == "preferences" else {"content": text}


@pytest.fixture(scope="module")
def recorded(server: str) -> Sequence[dict[str, Any]]:
    """Good answers to all calls of an evaluation, in their order."""
    steps = []
    labels = {label.id: label for label in read_labels(GOLD)}
    for name, calls in asked(Room(f"{server}/recording")).items():
        done: set[int] = set()
        steps += [
            {
                "content": json.dumps(good_answer(labels[name], sent, done), ensure_ascii=False),
                "usage": [1000, 100],
            }
            for sent in calls
        ]
    return steps


@pytest.fixture(scope="module")
def figures(server: str, recorded: Sequence[dict[str, Any]]) -> Evaluation:
    room = Room(f"{server}/figures")
    room.script(*recorded)
    return evaluate(there(room), GOLD)


def test_good_answers_come_through_as_good_entries(figures: Evaluation) -> None:
    """This figure tests the pipeline, not a model."""
    whole = figures.score.all
    missed = [row for row in figures.score.tables["by_type"].items() if row[1].found < row[1].must]
    assert (whole.recall or 0) >= 0.95, missed
    assert (whole.precision_typed or 0) >= 0.95
    assert figures.reaches_goal
    assert figures.score.violations == ()
    assert figures.score.left_empty == figures.score.empty == 7
    assert figures.failed == ()


def test_what_it_took_is_told(figures: Evaluation, recorded: Sequence[dict[str, Any]]) -> None:
    told = evaluation_json(figures)
    assert (told["model"], told["tokens_in"], told["tokens_out"]) == (
        "openai:test",
        1000 * len(recorded),
        100 * len(recorded),
    )
    assert told["price"] is None, "what another server costs is not known"
    assert told["seconds"] > 0
    assert told["tokens"] == 1100 * len(recorded)


def test_a_model_that_answers_badly_is_measured_as_bad(room: Room) -> None:
    room.script({"content": '{"notes": [{"content": "The sky is green over the harbour", "turns": [1]}]}'})
    found = evaluate(there(room), GOLD)
    assert (found.score.all.recall, found.reaches_goal) == (0.0, False)
    assert found.offered > 0, "nobody said it, so it would only be offered"


def test_answers_that_are_none_are_named_and_their_tokens_counted(room: Room) -> None:
    room.script({"content": "Sorry, no.", "usage": [500, 3]})
    found = evaluate(there(room), GOLD)
    assert {name for name, _ in found.failed} == {label.id for label in read_labels(GOLD)}
    assert all("no JSON" in reason for _, reason in found.failed)
    assert found.tokens.input == 500 * len(room.calls())


def test_another_model_may_be_named(room: Room) -> None:
    room.script({"content": "{}"})
    found = evaluate(there(room), GOLD, model="openai:other")
    assert found.model == "openai:other"
    assert room.calls()[0]["model"] == "other"
    assert evaluate(there(room), GOLD, model="rules").model == "rules"
