"""The relay board: what agents hand over to the next one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from memfs.interfaces.answers.relaying import Baton, Board
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.routes.asking import router_of
from memfs.interfaces.http.routes.parameters import PLAIN, AskedIdentity, Body, IdentityName
from memfs.interfaces.shapes.relaying import baton_json, board_json

router = router_of("relay", prefix="/api/relay")


class NewBaton(Body):
    """What an agent did or needs, in its own words."""

    text: Annotated[str, Field(min_length=1, max_length=400)]
    channel: Annotated[str, Field(min_length=1, max_length=80, pattern=PLAIN)]
    identity: IdentityName | None = None
    role: Literal["user", "assistant"] = "assistant"
    session: Annotated[str | None, Field(max_length=300, pattern=PLAIN)] = None
    message: Annotated[str | None, Field(max_length=300, pattern=PLAIN)] = None
    reply_to: Annotated[
        str | None,
        Field(
            max_length=300, pattern=PLAIN, description="The question it answers: id, message id or number."
        ),
    ] = None


@router.get("", response_model=Board)
def relay_show(calls: Calls, identity: AskedIdentity = None) -> Any:
    """What is on the relay board, oldest first."""
    with calls.reach() as reach:
        return board_json(reach.relay_show(identity=identity))


@router.post("", response_model=Baton)
def relay_add(calls: Calls, body: NewBaton) -> Any:
    """Put a baton on the board, for the next agent. What says too little is not put there: `dropped` says why."""
    with calls.reach() as reach:
        return baton_json(
            reach.relay_add(
                body.text,
                channel=body.channel,
                identity=body.identity,
                role=body.role,
                session=body.session,
                message=body.message,
                reply_to=body.reply_to,
            )
        )
