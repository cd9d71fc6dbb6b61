"""The floors that the offline rules have to reach on labelled conversations, the whole way to drafts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
GOLD = Path(__file__).parent / "gold"


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    command = [sys.executable, str(PROJECT / "benchmarks" / "extraction.py"), str(GOLD), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    answer = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    result: dict[str, Any] = json.loads(answer)
    return result


def test_precision_and_recall_reach_their_floors(figures: dict[str, Any]) -> None:
    assert figures["precision"] >= 0.85
    assert figures["recall"] >= 0.45


def test_nothing_is_kept_that_must_not_be(figures: dict[str, Any]) -> None:
    assert figures["violation_list"] == []


def test_conversations_with_nothing_to_keep_stay_empty(figures: dict[str, Any]) -> None:
    assert figures["empty"] == 7
    assert figures["left_empty"] >= 6


def test_every_conversation_has_a_prediction(figures: dict[str, Any]) -> None:
    assert figures["missing"] == []
    assert figures["unknown_ids"] == []
