"""What one merge costs in vaults of very different sizes, in a running process.

    python benchmarks/merge.py [--runs N] [--files N] [--commits N] [--json]

Builds, in a temporary folder: a vault of 20 files; one of 20,000 files and 10,000 commits; one with 10,000
commits on the very document that is merged into; one with 10,000 merged transcripts. Then merges one new note
into each in turn, N times, and prints the median, and its ratio to the small vault's. The aim: at most 2.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.model import Cursor, Evidence, Operation, Target
from memfs.services.ingesting.extracting import Proposal
from memfs.services.ingesting.sessions import SessionKey, cursor_place
from memfs.services.merging.merges import MergeWork, merge_settled
from memfs.services.opening import Vault, open_vault
from memfs.services.starting import init

IDENTITY = "assistant"
START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="merges per vault")
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memfs-merge-") as folder:
        built = dict(vaults(Path(folder), options.files, options.commits))
        for vault in built.values():
            merge_note(vault, 0)  # the first one opens the repository
        os.sync()
        rows: dict[str, list[float]] = {name: [] for name in built}
        for number in range(
            1, options.runs + 1
        ):  # in turns, so that what else the machine does falls on all alike
            for name, vault in built.items():
                rows[name].append(timed(vault, number))
    small = statistics.median(rows["20 files"])
    result = {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "git": subprocess.run(
            ["git", "--version"], capture_output=True, text=True, check=True
        ).stdout.strip(),
        "vaults": {
            name: {
                "median_ms": round(statistics.median(times), 1),
                "min_ms": round(min(times), 1),
                "max_ms": round(max(times), 1),
                "ratio": round(statistics.median(times) / small, 2),
            }
            for name, times in rows.items()
        },
    }
    if options.json:
        print(json.dumps(result, indent=1))
        return
    print(
        f"{result['machine']}, Python {result['python']}, {result['git']}\n\n"
        "| vault | median ms | min | max | ratio |\n|---|---|---|---|---|"
    )
    for name, row in result["vaults"].items():  # type: ignore[attr-defined]
        print(f"| {name} | {row['median_ms']} | {row['min_ms']} | {row['max_ms']} | {row['ratio']} |")


def vaults(folder: Path, files: int, commits: int) -> Iterator[tuple[str, Vault]]:
    """The vaults to measure, each made when its turn comes."""
    yield "20 files", made(folder / "small", filler(20))
    yield f"{files:,} files, {commits:,} commits", made(folder / "large", filler(files), commits=commits)
    own = f"memories/{IDENTITY}/notes.md"
    yield (
        f"{commits:,} commits on the merged file",
        made(folder / "deep", filler(20), commits=commits, touch=own),
    )
    yield f"{commits:,} merged transcripts", made(folder / "wide", filler(20), transcripts=commits)


def filler(count: int) -> dict[str, str]:
    """Small documents of entities, each with an entry."""
    return {
        f"memories/{IDENTITY}/entities/things/thing-{number:05}.md": (
            f"---\nidentity: {IDENTITY}\ntype: entities\n---\n\n# Thing {number}\n\nThing {number} stands on shelf"
            f" {number % 97}. ^x{number:06}\n"
        )
        for number in range(count)
    }


def made(
    folder: Path, files: dict[str, str], *, commits: int = 1, touch: str = "Log.md", transcripts: int = 0
) -> Vault:
    """A vault with these files, and a history of so many commits that each change ``touch``."""
    vault = init(folder, identities=[IDENTITY]).vault
    merge_note(vault, -1)
    for name, text in (files | cursors(vault, transcripts)).items():
        path = vault.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(vault, "add", "--all")
    git(vault, "commit", "--quiet", "--message", "Fill the vault")
    if commits > 1:
        git(vault, "fast-import", "--quiet", stdin=history(vault, commits, touch))
        git(vault, "reset", "--hard", "--quiet")
    git(vault, "gc", "--quiet")
    return open_vault(folder)


def history(vault: Vault, commits: int, touch: str) -> bytes:
    """A fast-import stream: each commit adds or changes a line at the end of one file."""
    place = vault.top / touch
    base = place.read_text(encoding="utf-8") if place.exists() else "# Log\n\n"
    parts = []
    for number in range(commits):
        text = f"{base}- line {number}\n".encode()
        when = int((START + timedelta(minutes=number)).timestamp())
        parent = "from refs/heads/main^0\n" if number == 0 else ""
        message = f"Change {number}\n".encode()
        parts.append(
            f"commit refs/heads/main\ncommitter A Person <a@example.org> {when} +0000\ndata {len(message)}\n".encode()
            + message
            + f"{parent}M 100644 inline {touch}\ndata {len(text)}\n".encode()
            + text
            + b"\n"
        )
    return b"".join(parts)


def cursors(vault: Vault, count: int) -> dict[str, str]:
    """Cursor files of so many transcripts that were merged."""
    from memfs.history.cursors import render_cursor

    files = {}
    for number in range(count):
        session = hashlib.sha256(str(number).encode()).hexdigest()[:32]
        cursor = Cursor(
            "claude-code", session, 1000, f"msg-{number}", 1000, "0" * 64, "0" * 64, f"{session}.jsonl"
        )
        files[cursor_place(vault, IDENTITY, SessionKey("claude-code", session))] = render_cursor(cursor)
    return files


def timed(vault: Vault, number: int) -> float:
    """Milliseconds of one merge."""
    begin = time.perf_counter()
    merge_note(vault, number)
    return (time.perf_counter() - begin) * 1000


def merge_note(vault: Vault, number: int) -> None:
    """Merge one new note, as ingest does, with its cursor."""
    said = START + timedelta(days=100, minutes=number)
    session = f"session-{number}"
    cursor = Cursor("claude-code", session, 100, f"msg-{number}", 100, "0" * 64, "0" * 64, None)
    operation = Operation(
        "notes", {"content": f"Benchmark number {number} says {number * 7919 % 1000003}"}, turns=(0,)
    )
    proof = Evidence(f"claude-code/{session}", (f"msg-{number}",), said)
    work = MergeWork(
        IDENTITY,
        proposals=(Proposal(operation, Target(IDENTITY), proof),),
        cursors=(cursor,),
        source=f"claude-code/{session}",
        extractor="rules",
        day=said.date(),
    )
    merged = merge_settled(vault, work)
    assert merged.commit, merged


def git(vault: Vault, *arguments: str, stdin: bytes | None = None) -> None:
    identity = [
        "-c",
        "user.name=A Person",
        "-c",
        "user.email=a@example.org",
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
    ]
    subprocess.run(
        ["git", "-C", str(vault.top), *identity, *arguments], input=stdin, check=True, capture_output=True
    )


if __name__ == "__main__":
    main()
