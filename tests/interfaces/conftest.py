"""The command line in this process, on real vaults that are made once and copied for each test."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memfs.interfaces.cli import main
from tests.conftest import PROJECT, Git

SAMPLES = PROJECT / "tests" / "transcripts" / "samples"


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Memfs = Callable[..., Ran]


def run_memfs(*arguments: str | Path, stdin: str | None = None) -> Ran:
    """Run a command line in this process."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin, prog_name="memfs")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests search by words alone: that is fast."""
    monkeypatch.setenv("MEMFS_EMBEDDINGS_ENGINE", "none")


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, git: Git) -> Path:
    """The sample vault with its inbox ingested."""
    folder = tmp_path_factory.mktemp("filled") / "vault"
    shutil.copytree(PROJECT / "sample_vault", folder)
    age(folder)
    git(folder, "init", "-q", "-b", "main")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMFS_EMBEDDINGS_ENGINE", "none")
        assert run_memfs("init", folder).code == 0
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "Start from the sample vault")
        assert run_memfs("ingest", "--vault", folder).code == 0
    return folder


@pytest.fixture
def vault(filled: Path, tmp_path: Path) -> Path:
    """A copy of the filled vault."""
    folder = tmp_path / "vault"
    shutil.copytree(filled, folder, symlinks=True)
    return folder


@pytest.fixture
def memfs(vault: Path) -> Memfs:
    """Run a command in `vault`."""

    def run(name: str, *arguments: str | Path, stdin: str | None = None) -> Ran:
        return run_memfs(name, "--vault", vault, *arguments, stdin=stdin)

    return run


def age(folder: Path) -> None:
    """Let the files be ten minutes old: nobody saved them a moment ago, so nothing waits for them."""
    for path in folder.rglob("*"):
        if path.is_file():
            seconds = path.stat().st_mtime - 600
            os.utime(path, (seconds, seconds))


def edit(path: Path, old: str, new: str) -> None:
    """A person's edit, ten minutes ago."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new), encoding="utf-8")
    seconds = path.stat().st_mtime - 600
    os.utime(path, (seconds, seconds))
