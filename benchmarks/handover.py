"""What archiving a day's files and handing over by the relay board cost.

    python benchmarks/handover.py [--files N] [--megabytes N] [--batons N] [--json]

Archives N files (default 100 of 1 MB, the aim is 30 s), with copies read back and originals deleted; adds batons one
by one, each durable before the next; and asks for the context an agent starts with. All in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.services.archive import archive
from memfs.services.context import context
from memfs.services.opening import Vault, open_vault
from memfs.services.relay import add_baton, read_relay
from memfs.services.starting import init

IDENTITY = "assistant"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--batons", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memfs-handover-") as folder:
        vault = make_vault(Path(folder), options.files, int(options.megabytes * 1_000_000))
        result = {
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            "python": platform.python_version(),
            "files": options.files,
            "megabytes": options.megabytes,
            **time_archive(vault, options.files),
            **time_relay(vault, options.batons),
        }
    print(
        json.dumps(result) if options.json else "\n".join(f"{key}: {value}" for key, value in result.items())
    )


def make_vault(folder: Path, files: int, size: int) -> Vault:
    """A vault with a session that brought ``files`` files of ``size`` bytes."""
    top, work = folder / "vault", folder / "work"
    work.mkdir()
    init(top, identities=(IDENTITY,))
    (top / "memfs.local.toml").write_text(
        f'[archive]\nroots = ["{folder}"]\ndelete_originals = true\n[embeddings]\nengine = "none"\n'
    )
    rows = []
    for number in range(files):
        path = work / f"file-{number}.bin"
        path.write_bytes(os.urandom(size))
        rows.append(
            {
                "id": f"message-{number:06d}",
                "session_id": "session-1",
                "role": "user",
                "content": "See the file.",
                "agentRoleKey": IDENTITY,
                "modelId": "model-1",
                "metadata": {"file_path": str(path)},
            }
        )
    (top / "inbox" / IDENTITY / "session.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.sync()
    later = datetime.now(UTC) + timedelta(minutes=1)  # nothing was written a moment ago
    return open_vault(top, environ={}, clock=lambda: later)


def time_archive(vault: Vault, files: int) -> dict[str, float]:
    began = time.perf_counter()
    report = archive(vault)
    took = time.perf_counter() - began
    assert (report.files, report.deleted, report.errors) == (files, files, ())
    began = time.perf_counter()
    assert archive(vault).files == 0
    return {"archive_seconds": round(took, 2), "archive_again_seconds": round(time.perf_counter() - began, 3)}


def time_relay(vault: Vault, batons: int) -> dict[str, float]:
    took = []
    for number in range(batons):
        began = time.perf_counter()
        add_baton(vault, f"Step {number} of the plan is agreed", identity=IDENTITY, channel="bench")
        took.append(time.perf_counter() - began)
    began = time.perf_counter()
    assert len(read_relay(vault, IDENTITY).batons) == batons
    read = time.perf_counter() - began
    began = time.perf_counter()
    assert "Relay board" in context(vault, identity=IDENTITY).text
    return {
        "batons": batons,
        "add_median_ms": round(statistics.median(took) * 1000, 1),
        "add_last_ms": round(statistics.median(took[-10:]) * 1000, 1),
        "read_ms": round(read * 1000, 1),
        "context_ms": round((time.perf_counter() - began) * 1000, 1),
    }


if __name__ == "__main__":
    main()
