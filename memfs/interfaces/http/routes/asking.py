"""What a request may ask by its query: the names of parameters, other names for them, and nothing that is not read."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

# Names that agents use for a parameter, as the tools of MCP take them too.
ALIASES: Mapping[str, str] = {"q": "query", "max_results": "limit"}


class AskedRoute(APIRoute):
    """A route that takes the other names of its parameters, and refuses those that it does not have."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()
        fields = get_flat_params(self.dependant)
        known = {field.alias for field in fields if isinstance(field.field_info, params.Query)}

        async def handler(request: Request) -> Response:
            if request.url.query:
                scope = {**request.scope, "query_string": _named(request.url.query, known)}
                request = Request(scope, request.receive)
            return await answer(request)

        return handler


def _named(query: str, known: Collection[str]) -> bytes:
    """The query under the parameters' own names. Raises RequestValidationError for what is none of them."""
    given = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    names = {name for name, _ in given}
    own = {
        name: ALIASES[name] for name in names & ALIASES.keys() if ALIASES[name] in known and name not in known
    }
    wrong = [_unknown(name, known) for name in sorted(names - own.keys() - set(known))]
    wrong += [_wrong(name, f"says the same as {to}: give one") for name, to in own.items() if to in names]
    if wrong:
        raise RequestValidationError(wrong)
    named = [(own.get(name, name), value) for name, value in given]
    return urlencode(named, errors="surrogateescape").encode("ascii")


def _unknown(name: str, known: Collection[str]) -> dict[str, Any]:
    close = difflib.get_close_matches(name, known, n=1)
    return _wrong(name, "no such parameter" + (f"; did you mean {close[0]}?" if close else ""))


def _wrong(name: str, message: str) -> dict[str, Any]:
    shown = name.encode("utf-8", "backslashreplace").decode()
    return {"type": "value_error", "loc": ("query", shown), "msg": message, "input": None}


def router_of(tag: str, *, prefix: str = "") -> APIRouter:
    """A router whose routes are such."""
    return APIRouter(prefix=prefix, tags=[tag], route_class=AskedRoute)
