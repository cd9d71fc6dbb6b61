"""The real MCP client against the server: in this process, over stdio, and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from memfs.interfaces.mcp.local import LocalDesk, vault_opener
from memfs.interfaces.mcp.server import build_server

T = TypeVar("T")
Session = Callable[[Client], Coroutine[Any, Any, T]]


def in_process(vault: Path, work: Session[T], *, identity: str | None = None, mode: str = "auto") -> T:
    """Let ``work`` use a client of a server in this process."""

    async def run() -> T:
        server = build_server(LocalDesk(vault_opener(vault, identity)))
        async with Client(server, mode=mode) as client:
            return await work(client)

    return anyio.run(run)


def over_stdio(vault: Path, work: Session[T], *arguments: str, mode: str = "auto") -> T:
    """Let ``work`` use a client of ``memfs mcp`` in a process of its own."""
    command = ["-m", "memfs", "mcp", "--vault", str(vault), *arguments]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def run() -> T:
        async with Client(stdio_client(parameters), mode=mode) as client:
            return await work(client)

    return anyio.run(run)


def over_http(url: str, token: str, work: Session[T], *, mode: str = "auto") -> T:
    """Let ``work`` use a client of the server at ``url``."""
    import httpx2

    async def run() -> T:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return anyio.run(run)


def call(name: str, /, **arguments: Any) -> Session[CallToolResult]:
    """A session that calls one tool."""

    async def work(client: Client) -> CallToolResult:
        return await client.call_tool(name, arguments)

    return work


def answer(result: CallToolResult) -> Any:
    """What a tool answered; an error fails the test."""
    assert not result.is_error, result.content
    return result.structured_content


class Up:
    """A ``memfs up`` in a process of its own; its log is read as it comes."""

    def __init__(self, vault: Path, *arguments: str, env: dict[str, str] | None = None) -> None:
        command = [
            sys.executable,
            "-m",
            "memfs",
            "up",
            "--vault",
            str(vault),
            "--port",
            "0",
            "--json",
            *arguments,
        ]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, **(env or {})},
        )
        self.events: list[dict[str, Any]] = []
        self._more = threading.Condition()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()
        self.url = str(self.wait(lambda event: "url" in event)["url"])
        self.token = (vault / ".git" / "memfs" / "token").read_text().strip()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._more:
                self.events.append(json.loads(line))
                self._more.notify_all()
        with self._more:
            self._ended = True
            self._more.notify_all()

    def wait(self, fits: Callable[[dict[str, Any]], bool], timeout: float = 60) -> dict[str, Any]:
        """The first event that fits, waited for."""

        def found() -> bool:
            return self._ended or any(map(fits, self.events))

        with self._more:
            assert self._more.wait_for(found, timeout), self.events
            fitting = [event for event in self.events if fits(event)]
        assert fitting, (self.events, self.process.stderr.read() if self.process.stderr else "")
        return fitting[0]

    def stop(self) -> int:
        """Send SIGTERM, and wait for the end."""
        self.process.terminate()
        code = self.process.wait(30)
        if self.process.stderr is not None:
            self.process.stderr.close()
        return code


@contextmanager
def serving(vault: Path, *arguments: str, env: dict[str, str] | None = None) -> Iterator[Up]:
    """A running ``memfs up``, ended at the end."""
    up = Up(vault, *arguments, env=env)
    try:
        yield up
    finally:
        if up.process.poll() is None:
            up.process.kill()
            up.process.wait()
        for stream in (up.process.stdout, up.process.stderr):
            if stream is not None:
                stream.close()
