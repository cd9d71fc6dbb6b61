"""Routes that tell where memory comes from: why, log, diff; and undo, which takes a commit back."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from memfs.interfaces.answers.entries import Undone
from memfs.interfaces.answers.history import Diff, Log, Why
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.problems import documented
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import (
    PLAIN,
    AskedIdentity,
    Body,
    EntryId,
    IdentityName,
    Limit,
    Since,
    Until,
)
from memfs.interfaces.shapes.asking import log_json, why_json
from memfs.interfaces.shapes.entries import undone_json

router = router_of("history", prefix="/api")


Name = Annotated[str, Field(min_length=1, max_length=400, pattern=PLAIN)]


class TakenBack(Body):
    """What to take back: one commit, or (for the owner) all that came from a source, as `why` names it."""

    commit: Name | None = None
    source: Name | None = None
    identity: IdentityName | None = Field(default=None, description="With a source: only this identity's.")


@router.get("/entries/{entry}/why", response_model=Why, responses=documented(404))
def why(calls: Calls, entry: EntryId) -> Any:
    """Where an entry comes from: commits, sources, and the turns themselves."""
    with calls.reach() as reach:
        return why_json(reach.why(entry))


@router.get("/log", response_model=Log)
def log(
    calls: Calls,
    identity: AskedIdentity = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
) -> Any:
    """What was remembered, when, and by whom; newest first."""
    with calls.reach() as reach:
        found = reach.log(identity=identity, since=since, until=until, limit=limit)
        return {"commits": [log_json(one) for one in found]}


@router.get("/diff", response_model=Diff, responses=documented(404))
def diff(
    calls: Calls,
    commit: Annotated[
        str | None,
        Query(min_length=1, max_length=200, pattern=PLAIN, description="Default: the last one of memfs."),
    ] = None,
) -> Any:
    """What a commit changed in memory, as a patch."""
    with calls.reach() as reach:
        return {"commit": commit, "patch": reach.diff(commit)}


@router.post("/undo", response_model=Undone, responses=documented(404))
def undo(calls: Calls, body: TakenBack) -> Any:
    """Take back what one commit of memfs did, or all that came from a source; what a person changed since stays."""
    with calls.reach() as reach:
        if body.commit is not None and body.source is None:
            return undone_json(reach.undo(body.commit))
        return undone_json(reach.whole().undo(body.commit, source=body.source, identity=body.identity))
