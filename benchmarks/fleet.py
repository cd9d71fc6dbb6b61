"""A fleet of agents on one `memfs up`: each identity pushes a turn a second, with a token that sees only itself.

    python benchmarks/fleet.py [--identities N] [--seconds N] [--delay N] [--interval N]

Every twentieth turn is sent twice, as after a lost answer; every tenth is a decision. In the end each turn must lie
in its transcript exactly once, each decision in memory exactly once, and no token reach another identity's memory.
Prints how long an acknowledgement took, how far extraction lagged behind, and how many commits were made.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from memfs.model import Turn
from memfs.services.entries import list_entries
from memfs.services.ingesting.reading import open_reader
from memfs.services.opening import Vault, open_vault
from memfs.services.starting import init
from memfs.services.tokens import add_token

_THINGS = ("the cache", "the exports", "the queue", "the search", "the reports", "the backups", "the logs")


@dataclass
class Told:
    """What the fleet measured; times in seconds. ``slipped``: by how much turns were sent later than meant."""

    acknowledged: list[float] = field(default_factory=list)
    slipped: list[float] = field(default_factory=list)
    accepted: int = 0
    known: int = 0


def decision(identity: int, number: int) -> str:
    """A decision that no other turn says."""
    return f"We decided to use Tool{identity}x{number} for {_THINGS[number % 7]} of part {number}."


def turn_of(identity: int, number: int) -> dict[str, Any]:
    text = decision(identity, number) if number % 10 == 0 else f"Step {number} is done, go on."
    return {"id": f"fleet-{identity:03}-{number:06}", "role": "user", "text": text}


async def agent(client: httpx2.AsyncClient, identity: int, token: str, seconds: int, told: Told) -> None:
    began = time.perf_counter() + identity / 1000
    for number in range(seconds):
        await asyncio.sleep(max(0.0, began + number - time.perf_counter()))
        told.slipped.append(max(0.0, time.perf_counter() - began - number))
        body = {"identity": f"agent-{identity:03}", "channel": "fleet", "turns": [turn_of(identity, number)]}
        for _ in range(2 if number % 20 == 0 else 1):
            asked = time.perf_counter()
            answer = await client.post(
                f"/api/sessions/s-{identity:03}/turns",
                json=body,
                headers={"Authorization": f"Bearer {token}"},
            )
            assert answer.status_code == 200, answer.text
            told.acknowledged.append(time.perf_counter() - asked)
            told.accepted += answer.json()["accepted"]
            told.known += answer.json()["known"]


async def push_all(url: str, tokens: list[str], seconds: int) -> Told:
    told = Told()
    limits = httpx2.Limits(max_connections=len(tokens))
    async with httpx2.AsyncClient(base_url=url, timeout=60, limits=limits) as client:
        await asyncio.gather(*(agent(client, n, token, seconds, told) for n, token in enumerate(tokens)))
    return told


async def look_elsewhere(url: str, tokens: list[str]) -> int:
    """How many of the fleet's attempts reached another identity's memory."""
    reached = 0
    async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
        for n, token in enumerate(tokens):
            other = (n + 1) % len(tokens)
            headers = {"Authorization": f"Bearer {token}"}
            search = await client.get("/api/search", params={"query": f"Tool{other}x0"}, headers=headers)
            reached += f"Tool{other}x0 " in search.text or search.status_code != 200
            named = {"identity": f"agent-{other:03}"}
            for path, more in (("search", {"query": "decided"}), ("entries", {}), ("relay", {})):
                answer = await client.get(f"/api/{path}", params={**named, **more}, headers=headers)
                reached += answer.status_code != 403
            document = {"reference": f"memories/agent-{other:03}/decisions.md"}
            reached += (await client.get("/api/show", params=document, headers=headers)).status_code != 404
    return reached


async def wait_until_merged(url: str, owner: str, limit: float) -> float:
    """Seconds until no pushed turn waits any more."""
    began = time.perf_counter()
    async with httpx2.AsyncClient(base_url=url, timeout=300) as client:
        while time.perf_counter() - began < limit:
            status = (await client.get("/api/status", headers={"Authorization": f"Bearer {owner}"})).json()
            if not any(source["unmerged"] for source in status["sources"]):
                return time.perf_counter() - began
            await asyncio.sleep(2)
    raise TimeoutError("turns still wait to be merged")


def make_vault(folder: Path, arguments: argparse.Namespace) -> tuple[Vault, list[str]]:
    names = [f"agent-{n:03}" for n in range(arguments.identities)]
    vault = init(folder, identities=names).vault
    settings = f"[extract]\ndelay_seconds = {arguments.delay}\nmin_interval_seconds = {arguments.interval}\n"
    (folder / "memfs.local.toml").write_text(settings, encoding="utf-8")
    return vault, [add_token(vault, name).token or "" for name in names]


def start_up(folder: Path) -> tuple[subprocess.Popen[str], str, str]:
    up = subprocess.Popen(
        [sys.executable, "-m", "memfs", "up", "--vault", str(folder), "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "MEMFS_EMBEDDINGS_ENGINE": "none"},
    )
    assert up.stdout is not None
    url = ""
    while not url:
        url = json.loads(up.stdout.readline()).get("url", "")
    subprocess.Popen(["cat"], stdin=up.stdout, stdout=subprocess.DEVNULL)  # nobody reads its log further
    return up, url, (folder / ".git" / "memfs" / "token").read_text().strip()


def lost_or_doubled(vault: Vault, seconds: int) -> tuple[int, int]:
    """Turns and decisions that are not there exactly once."""
    turns = decisions = 0
    texts = [view.text for view in list_entries(vault, type="decisions")]
    said = " ".join(texts)
    for n, name in enumerate(vault.identities()):
        with open_reader(vault.layout.inbox_dir(name) / f"s-{n:03}.jsonl") as reader:
            kept: list[Turn] = list(reader)
        wanted = [turn_of(n, number)["id"] for number in range(seconds)]
        turns += sorted(turn.id or "" for turn in kept) != wanted
        decisions += sum(said.count(f"Tool{n}x{number} ") != 1 for number in range(0, seconds, 10))
    return turns, decisions


def run(arguments: argparse.Namespace) -> bool:
    with tempfile.TemporaryDirectory() as top:
        vault, tokens = make_vault(Path(top) / "vault", arguments)
        up, url, owner = start_up(vault.top)
        try:
            told = asyncio.run(push_all(url, tokens, arguments.seconds))
            lag = asyncio.run(wait_until_merged(url, owner, arguments.wait))
            reached = asyncio.run(look_elsewhere(url, tokens))
        finally:
            up.terminate()
            up.wait()
        fresh = open_vault(vault.top)
        turns, decisions = lost_or_doubled(fresh, arguments.seconds)
        count = ["git", "-C", str(vault.top), "rev-list", "--count", "HEAD"]
        commits = int(subprocess.run(count, capture_output=True, text=True, check=True).stdout)
    taken = sorted(told.acknowledged)
    print(f"{arguments.identities} identities, a turn a second each for {arguments.seconds} s:")
    print(f"  turns accepted {told.accepted}, sent again and known {told.known}")
    tail, most = taken[int(len(taken) * 0.99)], taken[-1]
    middle = statistics.median(taken)
    print(
        f"  acknowledged in {middle * 1000:.0f} ms (median), {tail * 1000:.0f} ms (99 %), {most * 1000:.0f} ms (most)"
    )
    print(
        f"  sent late by {statistics.median(told.slipped) * 1000:.0f} ms (median), {max(told.slipped):.2f} s (most)"
    )
    print(f"  all merged {lag:.0f} s after the last turn, in {commits} commits")
    print(f"  transcripts not exactly as sent: {turns}; decisions not exactly once: {decisions}")
    print(f"  attempts that reached another identity's memory: {reached}")
    return told.accepted == arguments.identities * arguments.seconds and not (turns or decisions or reached)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--identities", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--delay", type=int, default=5, help="extract.delay_seconds")
    parser.add_argument("--interval", type=int, default=60, help="extract.min_interval_seconds")
    parser.add_argument("--wait", type=float, default=3600, help="seconds to wait for the last merge")
    sys.exit(0 if run(parser.parse_args()) else 1)
