"""Commands of the relay board: relay add, relay show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import click

from memfs.interfaces.cli.call import Call, command, group
from memfs.interfaces.cli.parameters import identity_option
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.services.relay import Board


@command(
    examples="""
    memfs relay add "Take Redis Streams, Ana agreed" --identity coding-assistant --channel feishu
    memfs relay add "Which queue?" --role user --channel feishu --session s-1 --message msg-0012
    memfs relay add "Redis Streams" --channel feishu --reply-to msg-0012
    """
)
@click.argument("text")
@identity_option("Whose board; not needed where there is only one.")
@click.option("--channel", required=True, metavar="NAME", help="Where it was said: feishu, desktop, cli ...")
@click.option(
    "--role",
    type=click.Choice(["user", "assistant"]),
    default="assistant",
    show_default=True,
    help="Whose words it sums up.",
)
@click.option("--session", metavar="ID", help="The session of the turn it tells of.")
@click.option(
    "--message", metavar="ID", help="The message id of that turn; told again, it is the same baton."
)
@click.option(
    "--reply-to",
    metavar="REF",
    help="The question it answers: its id, message id or number; shares its number.",
)
def add_command(
    call: Call,
    text: str,
    identity: str | None,
    channel: str,
    role: Literal["user", "assistant"],
    session: str | None,
    message: str | None,
    reply_to: str | None,
) -> None:
    """Put a baton on the relay board, for the next agent.

    At most 400 characters, in your own words; TEXT is `-` to read it from standard input. It stays for 24 hours,
    and longer until an extraction has read it. What says too little (ok, thanks) is not put there, and that is said.
    """
    from memfs.interfaces.shapes.relaying import baton_json

    said = sys.stdin.read() if text == "-" else text
    baton = call.memory.relay_add(
        said,
        identity=identity,
        channel=channel,
        role=role,
        session=session,
        message=message,
        reply_to=reply_to,
    )
    added = call.text("baton", place=f"{baton.channel}#{baton.sequence:03d}", id=baton.id)
    call.answer(baton_json(baton), lambda: [] if baton.dropped else [added])
    if baton.dropped:
        call.note(call.text("baton_dropped", reason=baton.dropped))
    elif baton.redacted:
        call.note(call.text("redacted"))


@command(
    examples="""
    memfs relay show
    memfs relay show --identity coding-assistant --json
    """
)
@identity_option("Whose board; not needed where there is only one.")
def show_command(call: Call, identity: str | None) -> None:
    """Show the relay board: what was handed over lately.

    What is only there because no extraction has read it is marked as overdue.
    """
    from memfs.interfaces.shapes.relaying import board_json

    board = call.memory.relay_show(identity=identity)
    call.answer(board_json(board), lambda: _board_lines(call, board))
    for problem in board.problems:
        call.note(call.remark("problem", problem))


def _board_lines(call: Call, board: Board) -> Iterator[str]:
    if not board.batons:
        yield call.text("no_batons")
    for baton in board.batons:
        role = call.text("from_memory") if baton.bootstrap else baton.role
        place = f"{baton.time:%Y-%m-%dT%H:%M:%S} {baton.channel}#{baton.sequence:03d}"
        mark = " " + call.text("overdue") if baton.id in board.overdue else ""
        yield one_line(f"{place} {role}: {baton.text} ^{baton.id}{mark}")


@group(add_command, show_command)
def relay_command() -> None:
    """Hand over to the next agent: the relay board.

    One line a turn, kept beside memory for 24 hours; it is local and never enters git.
    """
