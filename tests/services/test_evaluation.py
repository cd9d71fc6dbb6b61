"""Evaluation: the scorer agrees with the gold set's own, labels are read with care, the command tells all figures."""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memfs.errors import InvalidRequest, ModelUnavailable
from memfs.extraction.request import Request
from memfs.interfaces.shapes.evaluation import score_json
from memfs.model import Extraction
from memfs.services.evaluating.labels import prediction_line, read_labels, read_predictions
from memfs.services.evaluating.scoring import score
from memfs.services.evaluation import evaluate
from memfs.services.opening import Vault
from memfs.services.vaultless import open_without_vault

GOLD = Path(__file__).resolve().parents[1] / "extraction" / "gold"
Made = Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    """The gold set's own scorer."""
    spec = importlib.util.spec_from_file_location("gold_score", GOLD / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def golds() -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted((GOLD / "gold").glob("*.json"))]


@pytest.fixture
def nowhere() -> Vault:
    return open_without_vault(environ={})


def both(scorer: ModuleType, golds: list[dict[str, Any]], made: Made, folder: Path) -> tuple[Any, Any]:
    """The figures of the product's scorer and of the gold set's, for the same predictions."""
    path = folder / "made.jsonl"
    lines = [json.dumps({"id": name, **each}, ensure_ascii=False) + "\n" for name, each in made.items()]
    path.write_text("".join(lines), encoding="utf-8")
    ours = score_json(score(read_labels(GOLD), read_predictions(path)))
    theirs = scorer.score(golds, {name: dict(each) for name, each in made.items()})
    return json.loads(json.dumps(ours)), json.loads(json.dumps(theirs))


def test_the_rules_are_scored_as_the_gold_set_scores_them(
    scorer: ModuleType, golds: list[dict[str, Any]], nowhere: Vault, tmp_path: Path
) -> None:
    found = evaluate(nowhere, GOLD)
    made = {json.loads(line)["id"]: json.loads(line) for line in map(prediction_line, found.predictions)}
    ours, theirs = both(scorer, golds, {k: {**v} for k, v in made.items()}, tmp_path)
    assert ours == theirs
    assert ours == json.loads(json.dumps(score_json(found.score)))
    assert (found.model, found.turns, found.price, found.failed) == ("rules", 621, 0.0, ())
    assert ours["recall"] > 0.45


@pytest.mark.parametrize("seed", range(30))
def test_any_predictions_are_scored_alike(
    scorer: ModuleType, golds: list[dict[str, Any]], tmp_path: Path, seed: int
) -> None:
    """Right and wrong entries, repeats, dumps, broken bans, odd letters, other peers, and what is no entry at all."""
    dice = random.Random(seed)
    made = {gold["id"]: invent(gold, dice) for gold in golds if dice.random() < 0.9}
    made["nobody"] = {"entries": [], "tokens": 5}
    ours, theirs = both(scorer, golds, made, tmp_path)
    assert ours == theirs
    assert ours["unknown_ids"] == ["nobody"]


def invent(gold: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    entries: list[Any] = []
    for item in gold["items"] * dice.choice((1, 1, 2, 4)):
        if dice.random() < 0.75:
            entries.append(entry_of(item, dice))
    for ban in gold["must_not"]:
        if dice.random() < 0.3:
            group = dice.choice(ban["any_of"])
            entries.append(
                {
                    "type": "notes",
                    "text": " ".join(group),
                    "peer": ban.get("peer"),
                    "status": dice.choice(("superseded", "x")),
                }
            )
    entries += [{"type": "notes", "text": "nothing of it"}, {"text": ""}, "no entry"][: dice.randrange(4)]
    dice.shuffle(entries)
    return {"entries": entries, "tokens": dice.randrange(900)}


def entry_of(item: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    text = " ".join(dice.choice(item["any_of"]))
    text = dice.choice(
        (text, text.upper(), f"{text} 2026-03-30", text + " x" * 400, text[:-1], text.replace("'", "\u2019"))
    )
    entry: dict[str, Any] = {
        "type": dice.choice((item["type"], item["type"].upper(), *item.get("also", []), "notes")),
        "text": text,
        "peer": dice.choice((item.get("peer"), item.get("peer"), "self", "Sam")),
    }
    for name in ("date", "status", "priority", "field"):
        if dice.random() < 0.7:
            entry[name] = dice.choice((item.get(name), item.get(name), "high", "done", None, "superseded"))
    return entry


def write_label(folder: Path, **changes: Any) -> None:
    label: dict[str, Any] = {
        "id": "one",
        "lang": "en",
        "now": "2026-03-01T09:00:00+00:00",
        "kinds": ["plain"],
        "expect_empty": False,
        "items": [
            {"type": "preferences", "any_of": [["tabs"]], "turns": [0], "must": True},
            {"type": "notes", "any_of": [["vpn", "noon"]], "turns": [2], "must": True},
        ],
        "must_not": [{"why": "stale", "any_of": [["spaces"]]}],
    }
    label.update(changes)
    label = {key: value for key, value in label.items() if value is not ...}
    (folder / "gold").mkdir(parents=True, exist_ok=True)
    (folder / "gold" / "one.json").write_text(json.dumps(label), encoding="utf-8")
    (folder / "transcripts").mkdir(exist_ok=True)
    talk = [
        {"role": "user", "content": "I always prefer tabs for indentation."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Remember that the VPN drops at noon."},
    ]
    (folder / "transcripts" / "one.json").write_text(json.dumps(talk), encoding="utf-8")


def test_own_labels_of_one_small_conversation(nowhere: Vault, tmp_path: Path) -> None:
    write_label(tmp_path)
    lines: list[str] = []
    found = evaluate(nowhere, tmp_path, announce=lines.append)
    assert (found.score.all.recall, found.score.all.precision_typed, found.reaches_goal) == (1.0, 1.0, True)
    assert found.turns == 3
    assert lines[0].startswith("one: 2 (")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"items": ...}, "items is missing"),
        ({"lang": ...}, "lang is missing"),
        ({"now": "yesterday"}, "cannot be read as a label"),
        ({"items": [{"type": "notes", "any_of": ["tabs"], "must": True}]}, "lists of keywords"),
        ({"items": [{"type": "notes", "must": True}]}, "any_of is missing"),
        ({"items": "none"}, "cannot be read as a label"),
    ],
)
def test_a_label_that_cannot_be_used_is_named(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    write_label(tmp_path, **changes)
    with pytest.raises(InvalidRequest, match=r"one\.json.*" + reason):
        read_labels(tmp_path)


def test_a_folder_without_labels_or_a_transcript_is_refused(nowhere: Vault, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"has no gold/\*\.json"):
        evaluate(nowhere, tmp_path)
    write_label(tmp_path)
    shutil.rmtree(tmp_path / "transcripts")
    with pytest.raises(InvalidRequest, match=r"has 0 files one\.\*"):
        evaluate(nowhere, tmp_path)


@pytest.mark.parametrize("line", ["{", "[]", '{"entries": []}', '{"id": "one", "tokens": "many"}', "7"])
def test_a_prediction_that_is_none_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text('{"id": "one", "entries": []}\n\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"made\.jsonl:3: not a prediction"):
        read_predictions(path)


def test_lines_of_one_id_are_added_up(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text(
        '{"id": "a", "entries": [{"type": "notes", "text": "x"}], "tokens": 3}\n{"id": "a", "tokens": 4}\n',
        encoding="utf-8",
    )
    found = read_predictions(path)["a"]
    assert (len(found.entries), found.tokens) == (1, 7)


class Away:
    """A model that is away."""

    name = "openai:away"

    def extract(self, request: Request) -> Extraction:  # noqa: ARG002
        raise ModelUnavailable("openai:away does not answer")


def test_a_model_that_is_away_gives_no_figures(nowhere: Vault, tmp_path: Path) -> None:
    write_label(tmp_path)
    with pytest.raises(ModelUnavailable):
        evaluate(nowhere, tmp_path, extractor=Away())


def test_another_model_must_be_one(nowhere: Vault, tmp_path: Path) -> None:
    from memfs.errors import ConfigError

    write_label(tmp_path)
    with pytest.raises(ConfigError, match="cannot be used"):
        evaluate(nowhere, tmp_path, model="mine")
