"""Pushed turns: durable before the answer, each message once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AwareDatetime, BeforeValidator, Field

from memfs.interfaces.answers.feeding import Pushed
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.problems import documented
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import Body, IdentityName
from memfs.interfaces.shapes.feeding import pushed_json
from memfs.model import Attachment, Turn

router = router_of("turns", prefix="/api/sessions")
Name = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\x00-\x20\x7f]([^\x00-\x1f\x7f]*)$")]


def _moment(value: object) -> object:
    """Only what is written as a moment is one: a bare number is none."""
    if not isinstance(value, str) or "-" not in value:
        raise ValueError("write a time like 2026-11-30T10:30:00Z")
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]


class PushedAttachment(Body):
    """A file that came with a turn."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    text: str | None = None


class PushedTurn(Body):
    """One message. ``id`` is its own for ever: however often it is sent, it is kept once."""

    id: Name
    role: Literal["user", "assistant", "participant"]
    text: str
    timestamp: Moment | None = Field(default=None, description="When it was said; else now.")
    speaker: Annotated[str | None, Field(max_length=300)] = None
    peer: Annotated[
        str | None,
        Field(max_length=300, description="Who said it, where it was not the identity's own user."),
    ] = None
    attachments: Annotated[list[PushedAttachment], Field(max_length=100)] = Field(default_factory=list)


class PushedTurns(Body):
    """Turns of one conversation, in their order."""

    identity: IdentityName | None = None
    channel: Annotated[str | None, Field(max_length=200)] = None
    model: Annotated[str | None, Field(max_length=200)] = None
    turns: Annotated[list[PushedTurn], Field(min_length=1, max_length=1000)]


@router.post("/{session}/turns", response_model=Pushed, responses=documented(413))
def push(
    calls: Calls,
    session: Annotated[
        str, Path(min_length=1, max_length=300, pattern=r"^[^\x00-\x20\x7f/]([^\x00-\x1f\x7f/]*)$")
    ],
    body: PushedTurns,
) -> Any:
    """Hand over turns of a conversation. They are on disk when this answers, and merged as transcripts are."""
    with calls.reach() as reach:
        pushed = reach.push(
            session,
            [_turn(each) for each in body.turns],
            identity=body.identity,
            channel=body.channel,
            model=body.model,
        )
    calls.shared.metrics.turns.labels("accepted").inc(pushed.accepted)
    calls.shared.metrics.turns.labels("known").inc(pushed.known)
    return pushed_json(pushed)


def _turn(given: PushedTurn) -> Turn:
    return Turn(
        given.role,
        given.text,
        timestamp=given.timestamp.isoformat() if given.timestamp else None,
        id=given.id,
        speaker=given.speaker,
        peer=given.peer,
        attachments=tuple(Attachment(file.path, file.text) for file in given.attachments),
    )
