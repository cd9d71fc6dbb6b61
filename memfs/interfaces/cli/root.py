"""The command ``memfs``: finds commands without loading them, and turns errors into lines and exit codes."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from memfs.errors import InvalidRequest, MemfsError
from memfs.interfaces.cli import exits
from memfs.interfaces.cli.call import HELP_NAMES
from memfs.interfaces.cli.catalogue import COMMANDS, SECTIONS
from memfs.interfaces.cli.messages import message
from memfs.interfaces.cli.printing import one_line
from memfs.interfaces.cli.wording import say_error

_MERGING = ("ingest", "retry")


class Root(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(HELP_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        listed = COMMANDS.get(cmd_name)
        if listed is None:
            return None
        found = getattr(import_module(f"memfs.interfaces.cli.{listed.module}"), f"{cmd_name}_command")
        assert isinstance(found, click.Command)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command is called {args[0]}{_nearest(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(10), listed.summary) for name, listed in commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Exit codes"):
            formatter.write_dl([(f"{code}".ljust(10), words) for code, words in exits.MEANINGS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors of memfs and of files become one line each, and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except MemfsError as error:
            report_error(ctx, error, exits.exit_code(error))
            raise click.exceptions.Exit(exits.exit_code(error)) from error
        except KeyboardInterrupt:
            key = "interrupted_merge" if ctx.invoked_subcommand in _MERGING else "interrupted"
            click.echo(message(_language(ctx), key), err=True)
            raise click.exceptions.Exit(exits.INTERRUPTED) from None
        except BrokenPipeError:
            _drop_output()
            raise click.exceptions.Exit(exits.PIPE_CLOSED) from None
        except UnicodeEncodeError as error:  # bytes of an argument that are no text in this locale
            told = InvalidRequest("an argument is not text that can be read", hint="write it in UTF-8")
            report_error(ctx, told, exits.exit_code(told))
            raise click.exceptions.Exit(exits.exit_code(told)) from error
        except OSError as error:
            place = str(error.filename) if error.filename is not None else None
            report_error(ctx, MemfsError(error.strerror or str(error), path=place), exits.VAULT)
            raise click.exceptions.Exit(exits.VAULT) from error
        return result

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run a command line and leave the process with the exit code."""
        if sys.stdout is None:  # closed by the caller: there is nobody to read
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # for as long as we run
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        extra["standalone_mode"] = False
        if os.environ.get("NO_COLOR"):
            extra.setdefault("color", False)
        try:
            code = super().main(args, *rest, **extra)
        except click.UsageError as error:
            usage = error.ctx.command_path if error.ctx else "memfs"
            told, code = MemfsError(error.format_message(), hint=f"{usage} --help"), exits.USAGE
            _print_error(told, code, as_json="--json" in (sys.argv[1:] if args is None else args))
        except click.ClickException as error:
            code = exits.OTHER
            _print_error(MemfsError(error.format_message()), code)
        except click.Abort:
            code = exits.INTERRUPTED
        sys.exit(code or exits.DONE)


def report_error(ctx: click.Context, error: MemfsError, code: int) -> None:
    """Print an error as one line, with what to do next in a second one; with ``--json`` as an object too."""
    _print_error(error, code, _language(ctx), as_json=getattr(ctx.obj, "as_json", False))


def _print_error(error: MemfsError, code: int, language: str = "en", *, as_json: bool = False) -> None:
    place = f"{error.path}:" if error.path is not None else ""
    place += f"{error.line}:" if place and error.line is not None else ""
    told = one_line(f"{place} {say_error(language, error.message)}")
    hint = say_error("en", error.hint) if error.hint else None
    click.echo(message(language, "error", text=told), err=True)
    if hint:
        click.echo(message(language, "hint", text=one_line(say_error(language, hint))), err=True)
    if as_json:
        import json

        shown = {name: getattr(error, name) for name in ("message", "path", "line")}
        click.echo(
            json.dumps({"error": {**shown, "hint": hint, "code": code}})
        )  # a line, as the events of watch are


def _language(ctx: click.Context) -> str:
    return getattr(ctx.obj, "language", "en")


def _drop_output() -> None:
    """Nobody reads on: what is still buffered must not raise again when the process ends."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nearest(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"; did you mean {close[0]}?" if close else ""
