"""`memfs mcp`: MCP over standard input and output, which belong to the protocol alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from mcp.server.stdio import stdio_server

from memfs.interfaces.mcp.local import LocalDesk, vault_opener
from memfs.interfaces.mcp.remote import RemoteDesk, Unreachable
from memfs.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from mcp_types import CallToolResult, GetPromptResult, ListResourcesResult, ReadResourceResult

    from memfs.interfaces.mcp.server import Desk
    from memfs.vault.layout import Layout

T = TypeVar("T")


class NearestDesk:
    """Hands work to the running `memfs up` where there is one, else does it in this process."""

    def __init__(self, layout: Layout, identity: str | None) -> None:
        self._layout, self._identity = layout, identity
        self._own = LocalDesk(vault_opener(layout.top, identity))

    def call(self, caller: Any, name: str, given: Mapping[str, Any]) -> CallToolResult:
        return self._do(lambda desk: desk.call(caller, name, given))

    def resources(self, caller: Any) -> ListResourcesResult:
        return self._do(lambda desk: desk.resources(caller))

    def resource(self, caller: Any, uri: str) -> ReadResourceResult:
        return self._do(lambda desk: desk.resource(caller, uri))

    def prompt(self, caller: Any, name: str, given: Mapping[str, Any]) -> GetPromptResult:
        return self._do(lambda desk: desk.prompt(caller, name, given))

    def _do(self, work: Callable[[Desk], T]) -> T:
        from memfs.services.serving import find_serving
        from memfs.services.tokens import read_owner_token

        serving = find_serving(self._layout)
        token = read_owner_token(self._layout) if serving else None
        if serving is not None and token is not None:
            try:
                return work(RemoteDesk(serving, token, self._identity))
            except Unreachable:
                pass  # it ended in this moment
        return work(self._own)


def serve_stdio(layout: Layout, identity: str | None = None) -> None:
    """Serve until standard input ends. ``identity``: whose memory alone is reached."""
    server = build_server(NearestDesk(layout, identity))

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
