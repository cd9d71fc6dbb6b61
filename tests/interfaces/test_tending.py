"""review and eval on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.interfaces.library import open_memory
from tests.conftest import PROJECT, Git
from tests.interfaces.conftest import Memfs, run_memfs

GOLD = PROJECT / "tests" / "extraction" / "gold"
ONE = "The staging database is reset every Monday at 6"
OTHER = "Every Monday at 6 the staging database gets reset by a job"


@pytest.fixture
def doubled(memfs: Memfs) -> Memfs:
    """Two notes that say the same."""
    for text in (ONE, OTHER):
        assert memfs("remember", text, "--identity", "home-aide").code == 0
    return memfs


def test_review_offers_what_says_the_same_and_tells_it_as_json(doubled: Memfs, vault: Path, git: Git) -> None:
    done = doubled("review", "--identity", "home-aide", "--json")
    assert done.code == 0
    (one,) = done.json["identities"]
    assert (one["identity"], one["suggested"], one["united"]) == ("home-aide", 1, 0)
    assert (one["tokens"], one["waiting"], one["left"]) == ({"input": 0, "output": 0}, [], 0)
    assert git(vault, "rev-parse", "HEAD").strip() == one["commit"]
    (offered,) = [
        each
        for each in doubled("list", "--json").json
        if each["status"] == "suggestion" and each["text"] in (ONE, OTHER)
    ]
    assert doubled("accept", offered["id"]).code == 0
    assert doubled("review", "--json").json["identities"][-1]["united"] == 1
    assert doubled("undo", git(vault, "rev-parse", "HEAD").strip()).code == 0


def test_review_tells_people_what_to_do_next(doubled: Memfs) -> None:
    done = doubled("review", "--identity", "home-aide")
    assert "Reviewed: 1 offered." in done.out
    assert "memfs accept or reject" in done.out
    assert "home-aide: 1 offered [" in done.err
    again = doubled("review", "--identity", "home-aide")
    assert (again.code, again.out) == (0, "Nothing to tidy.\n")


def test_review_speaks_the_vaults_language(doubled: Memfs, vault: Path) -> None:
    with (vault / "memfs.local.toml").open("a", encoding="utf-8") as file:
        file.write('language = "zh"\n')
    done = doubled("review", "--identity", "home-aide")
    assert "已整理：建议 1。" in done.out


def test_review_of_nobody_is_refused(memfs: Memfs) -> None:
    assert memfs("review", "--identity", "../x").code == 2


@pytest.mark.usefixtures("doubled")
def test_review_in_python_is_the_same(vault: Path) -> None:
    report = open_memory(vault).review(identity="home-aide")
    assert report.identities[0].suggested == 1


def test_eval_measures_the_rules_outside_of_any_vault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved = tmp_path / "rules.jsonl"
    done = run_memfs("eval", GOLD, "--model", "rules", "--save", saved, "--json")
    assert done.code == 0
    assert (done.json["model"], done.json["transcripts"], done.json["goal"]) == ("rules", 40, 0.8)
    assert {"by_type", "by_language", "by_kind", "violations", "price", "seconds"} <= done.json.keys()
    assert len(saved.read_text(encoding="utf-8").splitlines()) == 40
    again = run_memfs("eval", GOLD, "--predictions", saved, "--json").json
    assert again["model"] is None
    assert {key: again[key] for key in ("recall", "precision", "by_type")} == {
        key: done.json[key] for key in ("recall", "precision", "by_type")
    }


def test_eval_prints_a_table_and_the_line_of_the_daily_job(tmp_path: Path) -> None:
    saved = tmp_path / "made.jsonl"
    saved.write_text(json.dumps({"id": "en02", "entries": []}) + "\n", encoding="utf-8")
    done = run_memfs("eval", GOLD, "--predictions", saved)
    assert done.code == 0
    assert "do not both reach 0.8" in done.out
    assert "without a prediction: en04, en06" in done.out
    assert done.out.splitlines()[0].split() == [
        "must",
        "entries",
        "recall",
        "recall_any",
        "precision_typed",
        "precision",
        "f1",
        "violations",
    ]


def test_eval_refuses_what_makes_no_sense(tmp_path: Path) -> None:
    made = tmp_path / "made.jsonl"
    made.write_text("", encoding="utf-8")
    assert run_memfs("eval", GOLD, "--predictions", made, "--model", "rules").code == 2
    assert run_memfs("eval", tmp_path).code == 2
    assert run_memfs("eval", GOLD, "--model", "nonsense").code == 3
    unwritable = run_memfs("eval", GOLD, "--model", "rules", "--save", tmp_path / "no" / "where.jsonl")
    assert unwritable.code != 0
