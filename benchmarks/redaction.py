"""Redaction on the made-up corpus of secrets and look-alikes, detect-secrets on the same beside it.

    python benchmarks/redaction.py [--seed N]

The corpus is the one of the tests. Its kinds and frames were written from what issuers document before redaction
was measured on it, and redaction was then mended where it failed: the figures now are those of a known corpus.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from memfs.extraction.redaction import redact_text  # noqa: E402
from tests.extraction.secret_corpus import SEED, Sample, lookalikes, secrets  # noqa: E402
from tests.extraction.secret_scanner import all_rules, format_rules, taken_out  # noqa: E402

Clean = Callable[[str], str]


def measured(name: str, clean: Clean, told: Sequence[Sample], harmless: Sequence[Sample]) -> str:
    """A row of the table: how many secrets go, and how many harmless texts are changed."""
    begun = time.perf_counter()
    found = sum(not sample.leaks(clean(sample.text)) for sample in told)
    taken = Counter(sample.kind for sample in harmless if clean(sample.text) != sample.text)
    seconds = time.perf_counter() - begun
    changed = sum(taken.values())
    rate = 1e6 * seconds / (len(told) + len(harmless))
    precision = found / (found + changed) if found + changed else 0.0
    return f"| {name} | {found / len(told):.3f} | {precision:.3f} | {changed} | {rate:,.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=SEED)
    seed = parser.parse_args().seed
    told, harmless = list(secrets(seed)), list(lookalikes(seed))
    kinds = len({sample.kind for sample in told})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def scanner(text: str) -> str:
            return taken_out(text, folder)

        def both(text: str) -> str:
            return scanner(redact_text(text).text)

        systems = (
            ("memfs", lambda text: redact_text(text).text, nullcontext),
            ("detect-secrets, all rules", scanner, all_rules),
            ("detect-secrets, rules for formats only", scanner, format_rules),
            ("memfs, then detect-secrets' rules for formats", both, format_rules),
        )
        print(f"{len(told)} secrets of {kinds} kinds, {len(harmless)} look-alikes, seed {seed}\n")
        print("| | recall | precision | harmless texts changed | µs a text |\n|---|---|---|---|---|")
        for label, clean, rules in systems:
            with rules():
                print(measured(label, clean, told, harmless))


if __name__ == "__main__":
    main()
