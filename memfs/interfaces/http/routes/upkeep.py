"""Routes of how the vault does: status, identities, types, settings; and what keeps it well, for the owner."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from memfs.interfaces.answers.feeding import Ingested, Retried
from memfs.interfaces.answers.upkeep import (
    Checked,
    Identities,
    Indexed,
    Redacted,
    Removed,
    Reviewed,
    Settings,
    SettingSet,
    Status,
    Token,
    Tokens,
    Types,
)
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import PLAIN, AskedIdentity, Body, IdentityName
from memfs.interfaces.shapes.feeding import ingest_json, retry_json
from memfs.interfaces.shapes.redacting import redaction_json
from memfs.interfaces.shapes.serving import token_json
from memfs.interfaces.shapes.tending import review_json
from memfs.interfaces.shapes.upkeep import (
    check_json,
    reindex_json,
    setting_json,
    sources_json,
    status_json,
    types_json,
)

router = router_of("upkeep", prefix="/api")
SettingKey = Annotated[str, Path(min_length=1, max_length=100, pattern=r"^[a-z_.]+$")]


class NewToken(Body):
    """Whose memory a token is to see, and what it is for."""

    identity: IdentityName
    name: Annotated[str, Query(max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class Given(Body):
    """A setting's value, as JSON or as a person would type it; null: back to its default."""

    value: (
        Annotated[str, Field(max_length=2000, pattern=PLAIN)]
        | bool
        | int
        | Annotated[float, Field(allow_inf_nan=False)]
        | Annotated[list[Annotated[str, Field(max_length=2000, pattern=PLAIN)]], Field(max_length=1000)]
        | None
    )


@router.get("/status", response_model=Status)
def status(calls: Calls) -> Any:
    """How the vault does, and what waits; for an identity what concerns it."""
    with calls.reach() as reach:
        return status_json(reach.status())


@router.get("/identities", response_model=Identities)
def identities(calls: Calls) -> Any:
    """The identities that the caller may use."""
    with calls.reach() as reach:
        return {"identities": [*reach.identities()]}


@router.get("/types", response_model=Types)
def types(calls: Calls) -> Any:
    """The memory types, built-in ones and the vault's own."""
    with calls.reach() as reach:
        return types_json(reach.memory.types())


@router.get("/config", response_model=Settings)
def config(calls: Calls) -> Any:
    """All settings as they are in force."""
    from memfs.config.settings import SETTINGS

    with calls.whole() as memory:
        settings = [setting_json(one, memory.config()) for one in SETTINGS.values()]
        return {"settings": settings, "sources": sources_json(memory.config())}


@router.put("/config/{key}", response_model=SettingSet)
def set_config(calls: Calls, key: SettingKey, body: Given) -> Any:
    """Change a setting in memfs.toml, or remove it."""
    with calls.whole() as memory:
        path = memory.set_config(key, body.value)
        return {"key": key, "value": body.value, "path": str(path)}


@router.post("/ingest", response_model=Ingested)
def ingest(
    calls: Calls, identity: AskedIdentity = None, backfill: Literal["none", "30d", "all"] | None = None
) -> Any:
    """Merge what is new in transcripts into memory."""
    with calls.whole() as memory:
        report = memory.ingest(identity=identity, backfill=backfill, announce=calls.shared.announce)
        return ingest_json(report)


@router.post("/retry", response_model=Retried)
def retry(calls: Calls, identity: AskedIdentity = None) -> Any:
    """Try again what could not be extracted."""
    with calls.whole() as memory:
        return retry_json(memory.retry(identity=identity, announce=calls.shared.announce))


@router.post("/review", response_model=Reviewed)
def review(calls: Calls, identity: AskedIdentity = None) -> Any:
    """Tidy memory: what says the same, contradicts itself, is stale or over."""
    with calls.whole() as memory:
        return review_json(memory.review(identity=identity, announce=calls.shared.announce))


@router.post("/redact", response_model=Redacted)
def redact(
    calls: Calls,
    scan: Annotated[bool, Query(description="Only say where they stand.")] = False,
    history: Annotated[bool, Query(description="With scan: in earlier versions too.")] = False,
    hand: Annotated[bool, Query(description="In a person's lines too.")] = False,
) -> Any:
    """Put placeholders in the place of secrets that are in the vault already."""
    with calls.whole() as memory:
        return redaction_json(memory.redact(scan=scan, history=history, hand=hand))


@router.post("/check", response_model=Checked)
def check(calls: Calls) -> Any:
    """Verify vault, git and index; mend what is derived."""
    with calls.whole() as memory:
        return check_json(memory.check())


@router.post("/reindex", response_model=Indexed)
def reindex(calls: Calls) -> Any:
    """Build the search index anew."""
    with calls.whole() as memory:
        return reindex_json(memory.reindex())


@router.get("/tokens", response_model=Tokens)
def token_list(calls: Calls) -> Any:
    """The tokens of identities, without the tokens themselves."""
    with calls.whole() as memory:
        return {"tokens": [token_json(one) for one in memory.token_list()]}


@router.post("/tokens", status_code=201, response_model=Token)
def token_add(calls: Calls, body: NewToken) -> Any:
    """Make a token that sees only one identity. It is told this once."""
    with calls.whole() as memory:
        return token_json(memory.token_add(body.identity, name=body.name))


@router.delete("/tokens/{id}", response_model=Removed)
def token_remove(
    calls: Calls, id: Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[a-z0-9]+$")]
) -> Any:
    """Make a token worthless at once."""
    with calls.whole() as memory:
        memory.token_remove(id)
        return {"id": id}
