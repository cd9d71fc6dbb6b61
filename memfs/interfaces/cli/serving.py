"""Commands that serve a vault: up, mcp, and what belongs to them, token and service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.feeding import stopped_by_signals
from memfs.interfaces.cli.parameters import identity_option
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.interfaces.shapes.values import Json
    from memfs.services.background import Background
    from memfs.services.tokens import Granted


@command(
    examples="""
    memfs up
    memfs up --port 0 --json                            a free port, the log as JSON
    memfs up --vault ~/memory
    """
)
@click.option("--host", metavar="ADDRESS", help="Address to listen on; else http.host, which is 127.0.0.1.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="NUMBER", help="Else http.port; 0 takes a free one."
)
def up_command(call: Call, host: str | None, port: int | None) -> None:
    """Serve the vault: watch, keep the schedule, answer HTTP and MCP.

    One process does it all, until Ctrl-C or SIGTERM. MCP is at /mcp, the description of HTTP at /openapi.json. Both
    want a token: the owner's lies in a file that only you can read, and `memfs token` makes others. With --json the
    log is JSON, an object on a line.
    """
    from memfs.interfaces.http.logs import EventLog
    from memfs.interfaces.http.running import run_up
    from memfs.services.tokens import owner_token_file

    vault = call.memory.vault

    def write(line: str) -> None:
        click.echo(one_line(line))
        sys.stdout.flush()

    log = EventLog(write, vault.now, as_json=call.as_json)
    stop = stopped_by_signals()
    call.note(call.text("token_file", path=str(owner_token_file(vault.layout))))
    run_up(vault, log=log, host=host, port=port, stop=stop)


@command(
    examples="""
    memfs mcp --vault ~/memory
    memfs mcp --vault ~/memory --identity coding-assistant
    """,
)
@identity_option("Only this identity's memory; the agent need not name it then.")
def mcp_command(call: Call, identity: str | None) -> None:
    """Speak MCP over standard input and output, for an agent's client to start.

    Where `memfs up` serves the vault, it does the work, and this process stays small.
    """
    from memfs.interfaces.mcp.stdio import serve_stdio
    from memfs.services.opening import find_layout

    serve_stdio(find_layout(call.folder), identity)


@command(
    examples="""
    memfs token add coding-assistant --name laptop     prints the token, once
    memfs token list
    memfs token remove 1ecb315f
    memfs token remove owner                           the owner's: `memfs up` makes another
    """
)
@click.argument("action", type=click.Choice(["add", "list", "remove"]))
@click.argument("subject", required=False, metavar="[IDENTITY|ID]")
@click.option("--name", default="", metavar="TEXT", help="With add: what the token is for.")
def token_command(call: Call, action: str, subject: str | None, name: str) -> None:
    """Make, list or remove tokens for `memfs up`.

    A token made here sees only the memory of its IDENTITY. It is kept as a hash, so it is shown once. One that is
    removed is worthless at once.
    """
    from memfs.interfaces.shapes.serving import token_json

    memory = call.memory
    if action == "list":
        tokens = memory.token_list()
        call.answer([token_json(one) for one in tokens], lambda: _token_lines(call, tokens))
        return
    if subject is None:
        raise click.UsageError(f"token {action} needs {'an IDENTITY' if action == 'add' else 'an ID'}")
    if action == "add":
        made = memory.token_add(subject, name=name)
        call.answer(token_json(made), lambda: [made.token or ""])
        call.note(call.text("token_made", id=made.id, identity=made.identity))
    else:
        memory.token_remove(subject)
        call.answer({"id": subject}, lambda: [call.text("token_removed", id=subject)])


def _token_lines(call: Call, tokens: tuple[Granted, ...]) -> Iterator[str]:
    from memfs.interfaces.cli.tables import table_lines

    if not tokens:
        yield call.text("no_tokens")
        return
    rows = [(one.id, one.identity, one_line(one.name), one.created[:10]) for one in tokens]
    headings = [call.text(key) for key in ("token_id", "identity", "token_name", "token_created")]
    yield from table_lines(headings, rows)


@command(
    examples="""
    memfs service show
    memfs service install
    memfs service install --yes --vault ~/memory
    memfs service uninstall
    """
)
@click.argument("action", type=click.Choice(["show", "install", "uninstall"]))
@click.option("--yes", is_flag=True, help="Do not ask.")
def service_command(call: Call, action: str, yes: bool) -> int:
    """Keep `memfs up` running in the background, from login on.

    As a systemd user unit (Linux) or a launchd agent (macOS), of yours alone. What is to be written is shown first.
    """
    from memfs.services.background import install_background, plan_background, uninstall_background

    background = plan_background(call.memory.vault.layout)
    if action == "show":
        call.answer(_background_json(background), lambda: _background_lines(call, background))
        return DONE
    if action == "install" and not call.as_json:
        for line in _background_lines(call, background):
            click.echo(line)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"service {action} asks first; say --yes where nobody can answer")
        click.confirm(call.text(f"really_{action}", path=str(background.path)), abort=True, err=True)
    failed = (install_background if action == "install" else uninstall_background)(background)
    done = call.text(f"service_{action}ed", name=background.name)
    call.answer(_background_json(background) | {"by_hand": list(failed)}, lambda: [done])
    for one in failed:
        call.note(call.text("run_by_hand", command=one))
    return WAITING if failed else DONE


def _background_json(background: Background) -> Json:
    return {
        "name": background.name,
        "path": str(background.path),
        "installed": background.installed,
        "text": background.text,
    }


def _background_lines(call: Call, background: Background) -> Iterator[str]:
    state = call.text("installed" if background.installed else "not_installed")
    yield f"{one_line(str(background.path))} ({state})"
    yield ""
    yield from background.text.rstrip("\n").split("\n")
