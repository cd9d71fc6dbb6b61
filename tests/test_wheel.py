"""The built wheel, installed in an empty environment, brings all that memfs needs and works there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import PROJECT

# The person's own pip cache, before the tests move HOME: the packages were installed from it a minute ago.
_CACHE = os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
_DATA = ("templates", "sample_vault")


def run(*command: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, own_environment: Path) -> Path:
    """The wheel as built from the checkout."""
    assert own_environment.is_dir()
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ".", cwd=PROJECT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of a new environment that holds the wheel and what it declares, nothing else."""
    home = tmp_path_factory.mktemp("empty")
    run(sys.executable, "-m", "venv", "--without-pip", home / "env", cwd=home)
    pip = [sys.executable, "-m", "pip", "--python", home / "env" / "bin" / "python"]
    run(*pip, "install", "--quiet", wheel, cwd=home, environment={"PIP_CACHE_DIR": _CACHE})
    return home / "env" / "bin"


def test_templates_and_sample_are_in_the_wheel_byte_for_byte(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", "memfs", *_DATA], cwd=PROJECT, capture_output=True, check=True
    )
    files = [os.fsdecode(entry) for entry in listed.stdout.split(b"\0") if entry]
    with zipfile.ZipFile(wheel) as archive:
        for file in files:
            inside = f"memfs/{file}" if file.startswith(_DATA) else file
            assert archive.read(inside) == (PROJECT / file).read_bytes(), file
        names = archive.namelist()
    assert any(entry.endswith("licenses/LICENSE") for entry in names)
    assert [
        entry for entry in names if entry.startswith(("tests/", "benchmarks/")) or "/.git/" in entry
    ] == []


def test_the_wheel_runs_where_nothing_else_is_installed(installed: Path, tmp_path: Path) -> None:
    memfs = installed / "memfs"
    assert "ingest" in run(memfs, "--help", cwd=tmp_path)
    vault = tmp_path / "vault"
    run(memfs, "init", vault, cwd=tmp_path)
    assert "decisions" in run(memfs, "types", cwd=vault)
    inbox = vault / "inbox" / "helper"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "chat.md").write_text(
        "## User (2026-11-28 10:20)\n\nI prefer green tea over coffee.\n\n"
        "## Assistant (2026-11-28 10:21)\n\nNoted.\n",
        encoding="utf-8",
    )
    run(memfs, "ingest", cwd=vault)
    found = json.loads(run(memfs, "search", "does the user prefer tea", "--json", cwd=vault))
    assert found["degraded"] is None
    assert "green tea" in found["hits"][0]["text"]


def test_the_sample_vault_is_found_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "from memfs.services.resources import find_resource as f; print(f('sample_vault'), f('templates'))"
    sample, templates = run(installed / "python", "-c", code, cwd=tmp_path).split()
    assert (Path(sample) / "Welcome.md").is_file()
    assert (Path(templates) / "types" / "decisions.md").is_file()
    assert str(installed.parent) in sample
