"""Commands that serve a vault: up, mcp, and what belongs to them, token and service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command, group
from memfs.interfaces.cli.exits import DONE, WAITING
from memfs.interfaces.cli.feeding import stopped_by_signals
from memfs.interfaces.cli.parameters import complete_identity, identity_option, read_identity
from memfs.interfaces.cli.printing import one_line
from memfs.interfaces.shapes.serving import background_json

if TYPE_CHECKING:
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
    memfs token add coding-assistant --name laptop
    """
)
@click.argument("identity", shell_complete=complete_identity, callback=read_identity, metavar="IDENTITY")
@click.option("--name", default="", metavar="TEXT", help="What the token is for.")
def add_command(call: Call, identity: str, name: str) -> None:
    """Make a token that sees only one identity's memory.

    It is kept as a hash, so it is shown this once.
    """
    from memfs.interfaces.shapes.serving import token_json

    made = call.memory.token_add(identity, name=name)
    call.answer(token_json(made), lambda: [made.token or ""])
    call.note(call.text("token_made", id=made.id, identity=made.identity))


@command(
    examples="""
    memfs token list
    """
)
def list_command(call: Call) -> None:
    """List the tokens of identities, without the tokens themselves."""
    from memfs.interfaces.shapes.serving import token_json

    tokens = call.memory.token_list()
    call.answer([token_json(one) for one in tokens], lambda: _token_lines(call, tokens))


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
    memfs token remove 1ecb315f
    memfs token remove owner                  the owner's own: `memfs up` makes another
    """
)
@click.argument("id", metavar="ID")
def remove_command(call: Call, id: str) -> None:
    """Make a token worthless at once."""
    call.memory.token_remove(id)
    call.answer({"id": id}, lambda: [call.text("token_removed", id=id)])


@group(add_command, list_command, remove_command)
def token_command() -> None:
    """Make, list or remove tokens for `memfs up`.

    The owner's token, which reaches everything, lies in a file that only you can read; these are for others.
    """


@command(
    examples="""
    memfs service show
    """
)
def show_command(call: Call) -> None:
    """Show the service that would keep this vault served, and whether it is installed."""
    from memfs.services.background import plan_background

    background = plan_background(call.memory.vault.layout)
    call.answer(background_json(background), lambda: _background_lines(call, background))


@command(
    examples="""
    memfs service install
    memfs service install --yes --vault ~/memory
    """
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def install_command(call: Call, yes: bool) -> int:
    """Write the service and start it; what is written is shown first."""
    from memfs.services.background import install_background, plan_background

    background = plan_background(call.memory.vault.layout)
    if not call.as_json:
        for line in _background_lines(call, background):
            click.echo(line)
    _ask(call, "really_install", background, yes)
    return _answer_background(call, "service_installed", background, install_background(background))


@command(
    examples="""
    memfs service uninstall
    memfs service uninstall --yes
    """
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninstall_command(call: Call, yes: bool) -> int:
    """End the service and take its file away."""
    from memfs.services.background import plan_background, uninstall_background

    background = plan_background(call.memory.vault.layout)
    _ask(call, "really_uninstall", background, yes)
    return _answer_background(call, "service_uninstalled", background, uninstall_background(background))


@group(show_command, install_command, uninstall_command)
def service_command() -> None:
    """Keep `memfs up` running in the background, from login on.

    As a systemd user unit (Linux) or a launchd agent (macOS), of yours alone.
    """


def _ask(call: Call, question: str, background: Background, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("this asks first; say --yes where nobody can answer")
    click.confirm(call.text(question, path=str(background.path)), abort=True, err=True)


def _answer_background(call: Call, done: str, background: Background, failed: tuple[str, ...]) -> int:
    data = background_json(background) | {"by_hand": list(failed)}
    call.answer(data, lambda: [call.text(done, name=background.name)])
    for one in failed:
        call.note(call.text("run_by_hand", command=one))
    return WAITING if failed else DONE


def _background_lines(call: Call, background: Background) -> Iterator[str]:
    state = call.text("installed" if background.installed else "not_installed")
    yield f"{one_line(str(background.path))} ({state})"
    yield ""
    yield from background.text.rstrip("\n").split("\n")
