"""A vault's layout on a real repository, and a child process to compete with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memfs.vault.layout import Layout, open_layout

Child = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def layout(repo: Path) -> Layout:
    return open_layout(repo)


@pytest.fixture
def child() -> Iterator[Child]:
    """Start ``child(code, *arguments)`` in another Python process; it talks by lines on stdin and stdout."""
    running: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def read_line(process: subprocess.Popen[str]) -> str:
    """The next line the child says."""
    assert process.stdout is not None
    return process.stdout.readline().strip()
