"""``memfs mcp`` as a process: stdout is the protocol's, nothing heavy loads before it is needed, work is handed on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.interfaces.mcp.conftest import answer, over_stdio, serving

# Prints from Python and from a child, a warning and a line straight to the descriptor, in the midst of a tool's work.
NOISY = """
import os, subprocess, sys, warnings
import memfs.interfaces.mcp.tools as tools
from dataclasses import replace
quiet = tools.TOOLS["memory_search"]
def noisy(reach, asked):
    print("Downloading model.onnx: 100%")
    sys.stdout.flush()
    os.write(1, b"banner of a library\\n")
    subprocess.run(["echo", "and of a child"])
    warnings.warn("mind the gap")
    return quiet.run(reach, asked)
tools.TOOLS["memory_search"] = replace(quiet, run=noisy)
from memfs.interfaces.cli import main
main(["mcp", "--vault", sys.argv[1]], prog_name="memfs")
"""
WATCHED = """
import sys
from memfs.interfaces.mcp import server
real = server.build_server
def build(desk, **given):
    made = real(desk, **given)
    async def watch(context, call_next):
        result = await call_next(context)
        told = f"{context.method} " + " ".join(sorted(sys.modules))
        print(told, file=sys.stderr, flush=True)
        return result
    made.middleware.append(watch)
    return made
import memfs.interfaces.mcp.stdio as stdio
stdio.build_server = build
from memfs.interfaces.cli import main
main(["mcp", "--vault", sys.argv[1]], prog_name="memfs")
"""
HEAVY = (
    "git",
    "tantivy",
    "onnxruntime",
    "tokenizers",
    "numpy",
    "torch",
    "fastapi",
    "rich",
    "watchdog",
    "jinja2",
)
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def talk(program: str, vault: Path, *messages: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """Run a program, say these messages, one after the answer to the other, and give all it wrote to both streams."""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=dict(os.environ),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
        rest, errors = process.communicate()
        assert rest == ""
        assert process.returncode == 0
        return answers, errors


def test_sv_01_stdout_belongs_to_the_protocol(vault: Path) -> None:
    asked = request(2, "tools/call", name="memory_search", arguments={"q": "tide cache"})
    answers, errors = talk(NOISY, vault, INITIALIZE, INITIALIZED, asked)
    assert answers[0]["result"]["serverInfo"]["name"] == "memfs"
    assert answers[1]["result"]["structuredContent"]["hits"]
    for said in ("Downloading model.onnx", "banner of a library", "and of a child", "mind the gap"):
        assert said in errors


def test_initialize_and_the_lists_load_nothing_heavy(vault: Path) -> None:
    lists = [request(n, f"{what}/list") for n, what in enumerate(("tools", "prompts"), 2)]
    answers, errors = talk(WATCHED, vault, INITIALIZE, INITIALIZED, *lists)
    assert all("result" in one for one in answers)
    told = dict(
        line.split(" ", 1)
        for line in errors.splitlines()
        if line.startswith(("initialize", "tools", "prompts"))
    )
    assert set(told) == {"initialize", "tools/list", "prompts/list"}
    for method, modules in told.items():
        loaded = set(modules.split())
        assert not [name for name in HEAVY if name in loaded], method
        rooms = ("memfs.search", "memfs.history", "memfs.extraction", "memfs.daemon", "memfs.transcripts")
        assert not [name for name in loaded if name.startswith(rooms)], method


def test_beside_a_running_up_no_process_loads_model_or_index(vault: Path) -> None:
    with serving(vault):
        asked = [
            request(2, "tools/call", name="memory_search", arguments={"q": "tide cache"}),
            request(
                3, "tools/call", name="remember", arguments={"text": "Said there", "identity": "home-aide"}
            ),
        ]
        answers, errors = talk(WATCHED, vault, INITIALIZE, INITIALIZED, *asked)
        assert answers[1]["result"]["structuredContent"]["hits"]
        assert answers[2]["result"]["structuredContent"]["action"] == "added"
        modules = [line for line in errors.splitlines() if line.startswith("tools/call ")][-1].split()
        assert not [name for name in HEAVY if name in modules]
        assert not [name for name in modules if name.startswith(("memfs.search", "memfs.history"))]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_real_client_over_stdio(vault: Path, mode: str) -> None:
    async def work(client: Client) -> Any:
        assert len((await client.list_tools()).tools) > 10
        kept = answer(await client.call_tool("remember", {"text": "By stdio", "identity": "home-aide"}))
        return answer(await client.call_tool("memory_get", {"id": kept["id"]}))

    assert "By stdio" in over_stdio(vault, work, mode=mode)["text"]


def test_identity_of_the_process_holds_beside_a_running_up(vault: Path) -> None:
    async def work(client: Client) -> None:
        kept = answer(await client.call_tool("remember", {"text": "Mine"}))
        assert kept["path"].startswith("memories/home-aide/")
        assert (await client.call_tool("memory_list", {"identity": "coding-assistant"})).is_error
        assert all("home-aide" in one.name for one in (await client.list_resources()).resources)

    with serving(vault):
        over_stdio(vault, work, "--identity", "home-aide")


def test_when_up_ends_the_process_does_the_work_itself(vault: Path) -> None:
    async def work(client: Client) -> None:
        assert answer(await client.call_tool("memory_search", {"q": "tide"}))["hits"]
        up.process.kill()  # no time to take back its record
        up.process.wait()
        assert answer(await client.call_tool("memory_search", {"q": "tide"}))["hits"]

    with serving(vault) as up:
        over_stdio(vault, work)


def test_without_a_vault_it_says_so_and_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memfs", "mcp", "--vault", str(tmp_path)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 4
    assert done.stdout == ""
    assert "no vault here" in done.stderr
