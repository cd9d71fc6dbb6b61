"""The door: Host, Origin and token of every request are checked before anything else sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response

from memfs.errors import MemfsError
from memfs.interfaces.http.problems import Problem, plain_problem, problem_of, respond
from memfs.services.tokens import Grant

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Seen = Callable[[str, str, int, float], None]
_CHECKS = 4  # tokens looked at at once
MAX_BODY = 32 * 1024 * 1024
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_SAFE_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True)
class Names:
    """The names a server answers to, and the web pages that may call it.

    ``hosts`` are what a ``Host`` header may say, port included; under any other name nothing is answered, so a page
    whose name was pointed at this machine (DNS rebinding) reaches nothing.
    """

    hosts: frozenset[str]
    origins: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, host: str, port: int, hosts: tuple[str, ...] = (), origins: tuple[str, ...] = ()) -> Names:
        """The names of a server at ``host`` and ``port``, and further ones of the settings."""
        own = {*_LOOPBACK, f"[{host}]" if ":" in host else host}
        named = {f"{name}:{port}" for name in own} | (own if port == 80 else set())
        pages = {f"http://{name}" for name in named}
        return cls(frozenset(name.lower() for name in (*named, *hosts)), frozenset((*pages, *origins)))


class Guard:
    """ASGI: lets through what has a right name, origin and token; ``scope["state"]["grant"]`` is what it may do."""

    def __init__(self, app: ASGIApp, names: Names, check: Callable[[str], Grant | None], seen: Seen) -> None:
        """``seen`` is told of each answer: method, route, status, seconds."""
        self.app, self._names, self._check, self._seen = app, names, check, seen
        self._limiter = anyio.CapacityLimiter(
            _CHECKS
        )  # of its own: the door opens while all others are at work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:  # a web socket: nothing here speaks by one
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status = time.monotonic(), 500
        headers = Headers(scope=scope)
        more = {**_SAFE_HEADERS, **self._sharing(headers)}

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                MutableHeaders(scope=message).update(more)
            await send(message)

        app = await self._door(scope, headers) or self.app
        try:
            await app(scope, _limited(receive), sending)
        finally:
            self._seen(scope["method"], _route(scope), status, time.monotonic() - began)

    async def _door(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """What answers in the place of the app, where a request must not reach it."""
        refused = self._refuse_name(headers)
        if refused is None and scope["method"] == "OPTIONS" and self._sharing(headers):
            return Response(status_code=204)  # a browser asks before it sends the token
        if refused is None:
            refused = await self._refuse_token(scope, headers)
        if refused is None:
            return None
        return respond(refused, {"WWW-Authenticate": "Bearer"} if refused.status == 401 else None)

    def _refuse_name(self, headers: Headers) -> Problem | None:
        named = headers.getlist("host")
        if len(named) != 1 or named[0].lower() not in self._names.hosts:
            return plain_problem(421, "Wrong host", "this server is not known by that name")
        origin = headers.get("origin")
        if origin is not None and origin not in self._names.origins:
            return plain_problem(403, "Wrong origin", "this web page may not call memfs")
        return None

    async def _refuse_token(self, scope: Scope, headers: Headers) -> Problem | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        grant = None
        if kind.lower() == "bearer":
            try:
                grant = await anyio.to_thread.run_sync(self._check, token.strip(), limiter=self._limiter)
            except MemfsError as error:
                return problem_of(error)
        if grant is None:
            hint = "send it as Authorization: Bearer TOKEN"
            return plain_problem(401, "Unauthorized", "a token is required", hint=hint)
        scope.setdefault("state", {})["grant"] = grant
        return None

    def _sharing(self, headers: Headers) -> Mapping[str, str]:
        """What lets a web page of an allowed origin read the answer."""
        origin = headers.get("origin")
        if origin is None or origin not in self._names.origins:
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
            "Access-Control-Allow-Headers": "authorization, content-type, mcp-protocol-version, mcp-session-id",
            "Vary": "Origin",
        }


def _limited(receive: Receive) -> Receive:
    """What is received, as long as it is not too much."""
    received = 0

    async def receiving() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY:
            raise HTTPException(413, f"a request holds at most {MAX_BODY:,} bytes")
        return message

    return receiving


def _route(scope: Scope) -> str:
    """The route's path with names in place of values, so that no value is counted or logged."""
    route = scope.get("route")
    return str(getattr(route, "path", None) or ("/mcp" if scope["path"].startswith("/mcp") else "other"))
