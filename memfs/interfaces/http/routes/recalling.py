"""Routes that find and read memory: search, context, list, entry, show."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from memfs.interfaces.answers.entries import Context, Entries, Entry, Found, Shown
from memfs.interfaces.answers.relating import Links
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.problems import documented
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import (
    PLAIN,
    AskedIdentity,
    AskedPeer,
    AskedType,
    EntryId,
    Limit,
    Since,
    Until,
)
from memfs.interfaces.shapes.entries import context_json, entry_json, found_json
from memfs.interfaces.shapes.relating import links_json

router = router_of("recall", prefix="/api")


@router.get("/search", response_model=Found, responses=documented(404))
def search(
    calls: Calls,
    query: Annotated[
        str,
        Query(
            max_length=10_000,
            description="Plain words; no character has a meaning. It may be called `q` too.",
        ),
    ],
    identity: AskedIdentity = None,
    type: AskedType = None,
    peer: AskedPeer = None,
    tag: Annotated[str | None, Query(max_length=200, pattern=PLAIN)] = None,
    path: Annotated[
        str | None, Query(max_length=500, pattern=PLAIN, description="Only notes whose path begins so.")
    ] = None,
    since: Since = None,
    until: Until = None,
    at: Annotated[
        str | None,
        Query(
            min_length=1, max_length=100, pattern=PLAIN, description="As memory was on a day, or in a commit."
        ),
    ] = None,
    sessions: Annotated[
        bool | None,
        Query(description="Also what was said in conversations; else only where memory has nothing."),
    ] = None,
    limit: Limit = 10,
) -> Any:
    """Find memories by words and meaning."""
    with calls.reach() as reach:
        found = reach.search(
            query,
            identity=identity,
            type=type,
            peer=peer,
            tag=tag,
            path=path,
            since=since,
            until=until,
            at=at,
            sessions=sessions,
            limit=limit,
        )
        return found_json(found)


@router.get("/entries/{entry}/similar", response_model=Found, responses=documented(404))
def similar(calls: Calls, entry: EntryId, identity: AskedIdentity = None, limit: Limit = 10) -> Any:
    """The entries that say nearly the same, the nearest first."""
    with calls.reach() as reach:
        return found_json(reach.similar(entry, identity=identity, limit=limit))


@router.get("/links", response_model=Links, responses=documented(404))
def links(
    calls: Calls,
    reference: Annotated[
        str | None,
        Query(min_length=1, max_length=500, pattern=PLAIN, description="An entry's id, or a document."),
    ] = None,
    identity: AskedIdentity = None,
) -> Any:
    """The links out of an entry or document and back to it; without one, what is broken, and orphans."""
    with calls.reach() as reach:
        return links_json(reach.links(reference, identity=identity))


@router.get("/context", response_model=Context)
def context(
    calls: Calls,
    message: Annotated[str, Query(max_length=20_000, description="What is to be answered.")] = "",
    identity: AskedIdentity = None,
    budget: Annotated[int | None, Query(ge=50, le=100_000, description="At most so many tokens.")] = None,
) -> Any:
    """What an agent should read before it begins or answers: fenced, and labelled as data."""
    with calls.reach() as reach:
        return context_json(reach.context(message, identity=identity, budget=budget))


@router.get("/entries", response_model=Entries)
def list(
    calls: Calls,
    identity: AskedIdentity = None,
    type: AskedType = None,
    peer: AskedPeer = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Any:
    """List entries, the person's and memfs's, by path and line."""
    with calls.reach() as reach:
        views = reach.list(identity=identity, type=type, peer=peer)[offset : offset + limit]
        return {"entries": [entry_json(view) for view in views]}


@router.get("/entries/{entry}", response_model=Entry, responses=documented(404))
def entry(calls: Calls, entry: EntryId) -> Any:
    """One entry as it is listed."""
    with calls.reach() as reach:
        return entry_json(reach.entry(entry))


@router.get("/show", response_model=Shown, responses=documented(404))
def show(
    calls: Calls,
    reference: Annotated[
        str, Query(min_length=1, max_length=500, pattern=PLAIN, description="An entry's id, or a document.")
    ],
    at: Annotated[
        str | None, Query(min_length=1, max_length=100, pattern=PLAIN, description="A day, or a commit.")
    ] = None,
) -> Any:
    """The Markdown of an entry or a document, now or as it was."""
    with calls.reach() as reach:
        return {"reference": reference, "at": at, "text": reach.show(reference, at=at)}
