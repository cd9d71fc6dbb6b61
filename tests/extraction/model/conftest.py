"""The server process, and a room in it for each test."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memfs.extraction.model.client import ModelClient, Patience
from memfs.extraction.model.extractor import ModelExtractor, Unmetered
from memfs.extraction.model.names import parse_name
from memfs.extraction.model.prompts import Prompter
from memfs.extraction.model.provider import Endpoint

_PROJECT = Path(__file__).resolve().parents[3]
_numbers = itertools.count(1)
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass
class StillTime:
    """A clock that moves only when someone sleeps; what was slept is kept."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def patience(self) -> Patience:
        return Patience(self.sleep, lambda: self.now, lambda: 0.5)


@dataclass
class Room:
    """One test's part of the server."""

    address: str
    time: StillTime = field(default_factory=StillTime)

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def script(self, *steps: dict[str, Any]) -> None:
        """What the server does from now on, one step a call; the last one is repeated."""
        data = json.dumps(steps).encode()
        with _direct.open(urllib.request.Request(f"{self.address}/script", data, method="PUT")) as answer:
            answer.read()

    def answers(self, *answers: object) -> None:
        """The server answers with these, as JSON unless they are text."""
        self.script(
            *({"content": a if isinstance(a, str) else json.dumps(a, ensure_ascii=False)} for a in answers)
        )

    def calls(self) -> list[dict[str, Any]]:
        """The requests received so far."""
        with _direct.open(f"{self.address}/calls") as answer:
            return [call["request"] for call in json.load(answer)]

    def keys(self) -> list[str]:
        """The keys that came with them."""
        with _direct.open(f"{self.address}/calls") as answer:
            return [call["key"] for call in json.load(answer)]

    def client(self, timeout: float = 30.0) -> ModelClient:
        """A client of this room whose time stands still."""
        endpoint = Endpoint(parse_name("openai:test"), self.base_url, "k", timeout)
        return ModelClient(endpoint, self.time.patience)

    def extractor(self, prompter: Prompter, timeout: float = 30.0) -> ModelExtractor:
        return ModelExtractor(self.client(timeout), prompter, Unmetered())


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of the server process."""
    command = [sys.executable, "-m", "tests.extraction.model.server"]
    with subprocess.Popen(command, cwd=_PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


@pytest.fixture
def room(server: str) -> Room:
    return Room(f"{server}/room{next(_numbers)}")
