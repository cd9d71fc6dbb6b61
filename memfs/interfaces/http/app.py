"""The HTTP application over an open vault: routes, their documentation, errors in one shape, and the door before it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import anyio.to_thread
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, compile_path

from memfs import __version__
from memfs.errors import MemfsError
from memfs.interfaces.http.calling import Shared
from memfs.interfaces.http.guard import Guard, Names, Seen
from memfs.interfaces.http.problems import (
    MEDIA_TYPE,
    Problem,
    WrongValue,
    documented,
    plain_problem,
    problem_of,
    respond,
)
from memfs.interfaces.http.routes import ROUTERS
from memfs.services.tokens import check_token

THREADS = 8  # requests that are worked on at once; git and the index gain nothing by more
_TITLES = {404: "Not found", 405: "Method not allowed", 413: "Too large", 422: "Invalid request"}
_bearer = HTTPBearer(auto_error=False, description="The owner's token, or one of `memfs token add`.")
Further = tuple[Route, AbstractAsyncContextManager[None]]


def create_app(
    shared: Shared, names: Names, *, further: Sequence[Further] = (), answered: Seen | None = None
) -> Guard:
    """The application, with the door before it.

    ``further`` are routes that answer by another protocol, each with what keeps it running. ``answered``
    is told of every answer.
    """

    def seen(*told: Any) -> None:
        shared.metrics.seen(*told)
        if answered is not None:
            answered(*told)

    app = FastAPI(
        title="memfs",
        version=__version__,
        summary="Long-term memory for AI agents and their people.",
        docs_url=None,  # the pages load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False},
        generate_unique_id_function=_name,
        lifespan=partial(_running, further=further),
        responses=documented(401, 403, 409, 421, 422, 500, 503),
        dependencies=[Depends(_bearer)],
    )
    app.state.shared = shared
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)
    for router in (*ROUTERS, _documentation(app)):
        app.include_router(router)
    app.router.routes.extend(route for route, _ in further)
    return Guard(app, names, partial(check_token, shared.vaults.layout), seen)


def routes_of(guard: Guard) -> tuple[tuple[str, str], ...]:
    """Method and path of each route of an application, for whoever has to see all of them."""
    app: Any = guard.app
    found = ((route.methods, route.path) for route in iter_route_contexts(app.routes))
    return tuple((method, path) for methods, path in found for method in sorted(methods or ()) if path)


@asynccontextmanager
async def _running(app: FastAPI, *, further: Sequence[Further]) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    async with AsyncExitStack() as stack:
        for _, running in further:
            await stack.enter_async_context(running)
        yield
        app.state.shared.progress.end()


def _name(route: APIRoute) -> str:
    return route.name


def _documentation(app: FastAPI) -> APIRouter:
    router = APIRouter(tags=["process"])

    @router.get("/openapi.json", response_model=dict[str, Any])
    async def openapi() -> Response:
        """This description."""
        return JSONResponse(describe(app))

    return router


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with the shape of problems in it."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        template = "#/components/schemas/{model}"
        problem = Problem.model_json_schema(ref_template=template)
        schemas |= problem.pop("$defs") | {"Problem": problem}
        app.openapi_schema = made
    return app.openapi_schema


async def _memfs_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, MemfsError)
    problem = problem_of(error)
    return respond(problem, {"Retry-After": "1"} if problem.status == 503 else None)


async def _wrong_request(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    wrong = [
        WrongValue(place=".".join(map(str, one["loc"])), message=str(one["msg"])) for one in error.errors()
    ]
    return respond(plain_problem(422, "Invalid request", "the request does not fit", wrong=wrong))


async def _plain_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status, headers = error.status_code, dict(error.headers or {})
    if status == 400:  # what FastAPI says of a body that is no text at all
        status = 422
    elif status == 405:
        headers["Allow"] = _allowed(request)
    return respond(plain_problem(status, _TITLES.get(status, "Refused"), str(error.detail)), headers)


def _allowed(request: Request) -> str:
    """All methods of a path, also where they are routes of their own."""
    path = request.scope["path"]
    found = iter_route_contexts(request.app.routes)
    fitting = (route for route in found if route.path and compile_path(route.path)[0].match(path))
    return ", ".join(sorted({method for route in fitting for method in route.methods or ()}))


async def _disk_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    return respond(problem_of(MemfsError(error.strerror or "the system refused", path=str(error.filename))))


async def _unexpected(_: Request, error: Exception) -> Response:
    detail = f"{type(error).__name__}: this is a fault of memfs; its log says more"
    return respond(plain_problem(500, "Internal error", detail))


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Any]] = {
    MemfsError: _memfs_error,
    RequestValidationError: _wrong_request,
    HTTPException: _plain_error,
    OSError: _disk_error,
    Exception: _unexpected,
}
__all__ = ["MEDIA_TYPE", "create_app", "describe", "routes_of"]
