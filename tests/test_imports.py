"""Modules load in any order, and in several threads at once.

While a package loads its own modules at its head, one thread that loads the package and one that loads such a module
wait for each other; Python then hands out half a module. So no cycle may lie among imports at the head of modules,
a module's own package counted among what it imports.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
# Loaded whole by the first thread, before there are others.
FIRST_LOADED = ("memfs.interfaces",)


def module_name(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((PROJECT / "memfs").rglob("*.py"))}


def head_imports(path: Path) -> Iterator[str]:
    """Modules of memfs that this one loads when it is loaded itself."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (name for name in [node.module, *(f"{node.module}.{a.name}" for a in node.names)])
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def with_packages(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts) + 1)}


def test_imports_at_the_head_of_modules_make_no_cycle() -> None:
    graph: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        if name.startswith(FIRST_LOADED):
            continue
        loaded = {part for found in head_imports(path) for part in with_packages(found)} & MODULES.keys()
        graph[name] = (loaded | with_packages(name)) - {name}
    assert len(graph) > 300
    tuple(TopologicalSorter(graph).static_order())  # CycleError names the modules of a cycle


COLD_START = """
import random, sys, threading
sys.setswitchinterval(1e-6)
names, seed = sys.argv[2:], int(sys.argv[1])
random.Random(seed).shuffle(names)
failed, gate = [], threading.Barrier(12)
def load(mine):
    gate.wait()
    for name in mine:
        try:
            __import__(name, fromlist=["x"])
        except BaseException as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
threads = [threading.Thread(target=load, args=(names[n::12],)) for n in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit("\\n".join(failed) or 0)
"""


@pytest.mark.parametrize("seed", range(4))
def test_many_threads_load_modules_at_once(seed: int) -> None:
    names = [name for name in MODULES if name.startswith(("memfs.history", "memfs.services", "memfs.vault"))]
    done = subprocess.run(
        [sys.executable, "-c", COLD_START, str(seed), *names],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
