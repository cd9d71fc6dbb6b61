"""The running model, and the record of what happened."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PYTHON = PROJECT / ".venv-model" / "bin" / "python"
NAME = "openai:smollm2-135m-instruct"


@dataclass
class Record:
    """What happened, by test: told at the end, and written where LOCAL_MODEL_RECORD says."""

    facts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, what: str, **facts: Any) -> None:
        self.facts.setdefault(what, {}).update(facts)

    def text(self) -> str:
        lines = ["# A real small language model, from transcript to commit", ""]
        lines += ["Written by `make test-model`: SmolLM2-135M-Instruct (Q4_1) behind llama.cpp's server.", ""]
        lines += ["The suite holds whatever the model says; the figures tell what it said.", ""]
        for what, facts in self.facts.items():
            lines += [f"## {what}", "", "| what | figure |", "|---|---|"]
            lines += [f"| {name} | {_cell(value)} |" for name, value in facts.items()]
            lines += [""]
        return "\n".join(lines)


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|")


@pytest.fixture(scope="session")
def record() -> Iterator[Record]:
    """The record of this run."""
    made = Record()
    yield made
    if target := os.environ.get("LOCAL_MODEL_RECORD"):
        Path(target).write_text(made.text(), encoding="utf-8")


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """The base address of the running model. Without its environment the suite fails: it is run by its command."""
    if not PYTHON.exists():
        pytest.fail("there is no .venv-model: run this suite by `make test-model`, which makes it")
    command = [str(PYTHON), str(Path(__file__).with_name("serve.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
            process.wait(30)
