"""The command that the hooks of coding agents call."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE
from memfs.interfaces.cli.parameters import identity_option
from memfs.interfaces.cli.printing import one_line, render_json

if TYPE_CHECKING:
    from memfs.services.hooks import HookInput

EVENTS = ("session-start", "session-end", "pre-compact")


@command(
    examples="""
    memfs hook session-start --vault ~/memory     what an agent should read, as additional context
    memfs hook session-end --vault ~/memory       queue the session's transcript; returns at once
    memfs hook pre-compact --vault ~/memory       the same, before the client condenses the session
    """
)
@click.argument("event", type=click.Choice(EVENTS))
@identity_option("Whose memory, where the transcript lies in no source that says it.")
@click.option("--budget", type=click.IntRange(min=50), help="Tokens of context at the start of a session.")
def hook_command(call: Call, event: str, identity: str | None, budget: int | None) -> int:
    """Serve a hook of Claude Code or Codex.

    The client's JSON is read from standard input. session-start answers with JSON where memory has something to
    tell; otherwise nothing is printed. A hook never stands in its agent's way: whatever goes wrong is said on
    stderr and, for a week, by `memfs status`, and the exit code is 0.
    """
    try:
        from memfs.services.hooks import parse_hook

        hook = parse_hook(sys.stdin.read())
        if event == "session-start":
            _start(call, hook, identity, budget)
        else:
            _end(call, hook, identity)
    except Exception as error:  # noqa: BLE001  # fail open: also where memfs itself is broken
        told = one_line(str(error)) or type(error).__name__
        click.echo(f"memfs: {told}", err=True)
        with suppress(Exception):  # there may be no vault to note it in
            _note(call, event, told)
    return DONE


def _note(call: Call, event: str, told: str) -> None:
    from memfs.services.hook_notes import note_failure

    note_failure(call.memory.vault, event, told)


def _start(call: Call, hook: HookInput, identity: str | None, budget: int | None) -> None:
    from memfs.services.hooks import start_session

    text = start_session(call.memory.vault, hook, identity=identity, budget=budget).text
    if text.strip():
        told = {"hookEventName": "SessionStart", "additionalContext": text}
        click.echo(render_json({"hookSpecificOutput": told}))


def _end(call: Call, hook: HookInput, identity: str | None) -> None:
    from memfs.services.hooks import end_session

    end_session(call.memory.vault, hook, identity=identity)
