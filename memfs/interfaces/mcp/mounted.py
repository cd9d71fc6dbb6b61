"""MCP over streamable HTTP, as an application that `memfs up` mounts behind the same door."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.routing import Route

from memfs.interfaces.library import Memory
from memfs.interfaces.mcp.local import LocalDesk
from memfs.interfaces.mcp.remote import IDENTITY_HEADER
from memfs.interfaces.mcp.server import build_server
from memfs.interfaces.reach import Reach

if TYPE_CHECKING:
    from starlette.requests import Request

    from memfs.interfaces.vaults import Vaults

PATH = "/mcp"


def mount_mcp(vaults: Vaults) -> tuple[Route, AbstractAsyncContextManager[None]]:
    """The route, and what keeps it running. No session is kept, so nothing is lost when the server is started anew."""

    @contextmanager
    def open(request: Request) -> Iterator[Reach]:
        with vaults.lend() as vault:
            granted = Reach(Memory(vault), request.state.grant.identity)
            yield granted.narrowed(request.headers.get(IDENTITY_HEADER))

    manager = StreamableHTTPSessionManager(build_server(LocalDesk(open)), json_response=True, stateless=True)

    route = Route(PATH, StreamableHTTPASGIApp(manager), methods=["GET", "POST", "DELETE"], name="mcp")
    return route, manager.run()
