"""Every error as one JSON shape, that of RFC 9457, with a status from one table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from memfs import errors

if TYPE_CHECKING:
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"

# 422 is for what does not fit the description of a route; 409 for what does, but does not fit this vault.
STATUSES: Mapping[type[errors.MemfsError], int] = {
    errors.MemfsError: 500,
    errors.ConfigError: 409,
    errors.VaultError: 500,
    errors.DocumentNotFound: 404,
    errors.DocumentChanged: 409,
    errors.InvalidDocument: 409,
    errors.UnsafePath: 409,
    errors.VaultLocked: 503,
    errors.HistoryError: 500,
    errors.RepositoryBusy: 503,
    errors.CommitNotFound: 404,
    errors.ExtractionError: 502,
    errors.ModelUnavailable: 502,
    errors.InvalidAnswer: 502,
    errors.LeaseLost: 503,
    errors.TranscriptError: 409,
    errors.UnknownFormat: 409,
    errors.EntryNotFound: 404,
    errors.InvalidRequest: 409,
    errors.NotPermitted: 403,
    errors.SearchIndexError: 503,
}


class WrongValue(BaseModel):
    """One thing in a request that does not fit: where it stands, and why."""

    place: str
    message: str


class Problem(BaseModel):
    """An error, as RFC 9457 writes it; ``hint`` says what to do next."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(description="A name of the kind of error: urn:memfs:...")
    title: str
    status: int
    detail: str
    hint: str | None = None
    path: str | None = Field(default=None, description="The file it is about.")
    line: int | None = None
    wrong: list[WrongValue] | None = Field(default=None, description="What does not fit in the request.")


def status_of(error: errors.MemfsError) -> int:
    """The status of an error: its class's own, else that of the nearest class above it."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem_of(error: errors.MemfsError) -> Problem:
    """An error of memfs as a problem."""
    kind = next(kind for kind in type(error).__mro__ if kind in STATUSES)
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__)
    return Problem(
        type=f"urn:memfs:{words.lower().replace(' ', '-')}",
        title=words.capitalize(),
        status=status_of(error),
        detail=error.message,
        hint=error.hint,
        path=error.path,
        line=error.line,
    )


def plain_problem(
    status: int, title: str, detail: str, *, hint: str | None = None, wrong: list[WrongValue] | None = None
) -> Problem:
    """A problem of the request itself."""
    kind = re.sub(r"[^a-z]+", "-", title.lower()).strip("-")
    return Problem(
        type=f"urn:memfs:{kind}", title=title, status=status, detail=detail, hint=hint, wrong=wrong
    )


def respond(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that tells a problem."""
    from starlette.responses import Response

    return Response(
        problem.model_dump_json(exclude_none=True),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=dict(headers or {}),
    )


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's note of the problems that a route may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _DESCRIPTIONS[status], "content": content} for status in statuses}


_DESCRIPTIONS: Mapping[int, str] = {
    401: "No token, or one that nobody was given.",
    403: "The token does not reach so far, or a web page may not call this.",
    404: "No such entry, document or commit.",
    405: "Another method is meant.",
    409: "The request does not fit this vault, or the document cannot be written as it is now.",
    413: "The request is too large.",
    415: "The request is no JSON.",
    421: "The server is not known by this name.",
    422: "The request does not fit.",
    500: "The vault or its repository cannot be used.",
    502: "The language model did not answer.",
    503: "Busy: try again in a moment.",
}
