"""How fast `memfs mcp` answers `initialize`, and what twenty of them hold beside one `memfs up`.

    python benchmarks/mcp_start.py [--entries N] [--rounds N] [--clients N]

Beside it stands a bare server of the same SDK: a program with one tool that does nothing. Both are started in turn,
each time anew, so that a busy machine is fair to both. `--entries` are in the vault and indexed before.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

BARE = """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
async def tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="nothing", input_schema={"type": "object"})])
async def call(context, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text="nothing")])
server = Server("bare", on_list_tools=tools, on_call_tool=call)
async def main():
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
anyio.run(main)
"""
INFO = {"name": "benchmark", "version": "1"}
HEAVY = ("onnxruntime", "tantivy", "tokenizers", "numpy", "git/")
ADDED = 1.3  # times the bare server: what is allowed


class Client:
    """One server over stdio, spoken to by hand."""

    def __init__(self, command: Sequence[str], environ: dict[str, str]) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environ,
        )
        version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO}
        assert self.ask("initialize", version)["serverInfo"]
        self.seconds = time.perf_counter() - began
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        assert self.process.stdout is not None
        self.send({"id": 1, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool: str, **given: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": given})

    def held(self) -> int:
        """Resident memory in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

    def loaded(self) -> list[str]:
        """Heavy libraries in its memory."""
        maps = Path(f"/proc/{self.process.pid}/maps").read_text()
        return [name for name in HEAVY if name in maps]

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def build(folder: Path, entries: int) -> None:
    """A vault with so many entries, a hundred in a document, committed and indexed."""
    from memfs.services.starting import init

    init(folder, identities=["coding-assistant"])
    words = ["tide", "cache", "harbour", "export", "queue", "index", "schema", "review", "deploy", "budget"]
    notes = folder / "memories" / "coding-assistant" / "entities" / "made"
    notes.mkdir(parents=True)
    for number in range(max(1, entries // 100)):
        lines = [f"# Document {number}", ""]
        for line in range(100):
            said = " ".join(words[(number + line * step) % 10] for step in (1, 3, 7))
            lines.append(f"- Point {number}-{line}: {said} ^p-{number}-{line}")
        (notes / f"document-{number}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    commit = ["commit", "-q", "-m", "entries", "--no-gpg-sign"]
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=b", "-c", "user.email=b@b", *commit], check=True
    )


def run(arguments: argparse.Namespace) -> bool:
    environ = {**os.environ, "MEMFS_EMBEDDINGS_ENGINE": arguments.engine}
    memfs = [sys.executable, "-m", "memfs"]
    with tempfile.TemporaryDirectory() as top:
        vault = Path(top) / "vault"
        build(vault, arguments.entries)
        began = time.perf_counter()
        subprocess.run(
            [*memfs, "reindex", "--vault", str(vault)], check=True, env=environ, capture_output=True
        )
        print(
            f"{arguments.entries} entries indexed in {time.perf_counter() - began:.0f} s ({arguments.engine})"
        )
        commands = {"bare": [sys.executable, "-c", BARE], "memfs": [*memfs, "mcp", "--vault", str(vault)]}
        starts = start_in_turn(commands, environ, arguments.rounds)
        rest = beside_one_up(memfs, commands, vault, environ, arguments.clients)
    return starts and rest


def start_in_turn(commands: dict[str, list[str]], environ: dict[str, str], rounds: int) -> bool:
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            client = Client(command, environ)
            taken[name].append(client.seconds)
            client.close()
    middle = {name: statistics.median(times) for name, times in taken.items()}
    ratio = middle["memfs"] / middle["bare"]
    told = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in middle.items())
    print(f"initialize, cold, median of {rounds}: {told}: {ratio:.2f} times the bare server")
    return ratio <= ADDED


def beside_one_up(
    memfs: list[str], commands: dict[str, list[str]], vault: Path, environ: dict[str, str], count: int
) -> bool:
    up = subprocess.Popen(
        [*memfs, "up", "--vault", str(vault), "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environ,
    )
    assert up.stdout is not None
    while "url" not in json.loads(up.stdout.readline()):
        pass
    bare = Client(commands["bare"], environ)
    bare.call("nothing")
    clients = [Client(commands["memfs"], environ) for _ in range(count)]
    began = time.perf_counter()
    for client in clients:
        found = client.call("memory_search", q="tide cache", limit=3)
        assert found["structuredContent"]["hits"], found
    took = (time.perf_counter() - began) / count
    held, most = bare.held(), max(client.held() for client in clients)
    heavy = sorted({name for client in clients for name in client.loaded()})
    print(f"{count} clients beside one up: at most {most / 1024:.0f} MiB each, bare {held / 1024:.0f} MiB:")
    print(f"  {most / held:.2f} times; heavy libraries in any of them: {', '.join(heavy) or 'none'}")
    print(f"  a search through up: {took * 1000:.0f} ms")
    for client in (*clients, bare):
        client.close()
    up.terminate()
    up.communicate()
    return most <= ADDED * held and not heavy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--engine", default="none", help="embeddings.engine of the vault")
    sys.exit(0 if run(parser.parse_args()) else 1)
