"""One run of a command: its vault, its language, and how its answer is printed."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memfs.interfaces.cli.messages import message
from memfs.interfaces.cli.printing import one_line, render_json
from memfs.interfaces.cli.wording import say_remark

if TYPE_CHECKING:
    from memfs.interfaces.library import Memory

Function = TypeVar("Function", bound=Callable[..., int | None])
_FOLDER = click.Path(path_type=Path)
HELP_NAMES = ("-h", "--help")


class Call:
    """What a command gets besides its own arguments.

    ``folder``: the vault asked for; None: the one around the current folder.
    """

    def __init__(self, folder: Path | None, as_json: bool) -> None:
        self.folder = folder
        self.as_json = as_json

    @cached_property
    def memory(self) -> Memory:
        """The vault's memory, opened when first used."""
        from memfs.interfaces.library import open_memory

        return open_memory(self.folder)

    @cached_property
    def memory_anywhere(self) -> Memory:
        """As `memory`; outside of any vault an empty one with the built-in types. For mere looking."""
        from memfs.errors import VaultError
        from memfs.interfaces.library import Memory, open_memory
        from memfs.services.vaultless import open_without_vault

        if self.folder or os.environ.get("MEMFS_VAULT"):
            return self.memory
        try:
            self.memory = open_memory()
        except VaultError:
            self.memory = Memory(open_without_vault())
        return self.memory

    @property
    def language(self) -> str:
        """The language of messages: the vault's, once it is open."""
        if "memory" in self.__dict__:
            return self.memory.vault.language
        return os.environ.get("MEMFS_LANGUAGE", "en")

    def text(self, key: str, /, **values: object) -> str:
        """A message in the person's language."""
        return message(self.language, key, **values)

    def note(self, text: str) -> None:
        """Progress and remarks: one line to stderr."""
        click.echo(one_line(text), err=True)

    def tell(self, text: str) -> None:
        """One event of a command that goes on: a line, or with ``--json`` an object on a line."""
        if self.as_json:
            import json

            click.echo(json.dumps({"event": text}, ensure_ascii=True))
        else:
            click.echo(one_line(text))

    def remark(self, key: str, text: str) -> str:
        """A message about what waits or is not sound, on one line."""
        return self.text(key, text=one_line(say_remark(self.language, text)))

    def answer(self, data: object, lines: Callable[[], Iterable[str]]) -> None:
        """Print the answer: ``data`` as JSON when that was asked for, else the lines for people."""
        if self.as_json:
            click.echo(render_json(data))
            return
        for line in lines():
            click.echo(line)


class Command(click.Command):
    """A command whose help ends in examples, as they are to be typed."""

    examples: str = ""

    def get_help_option_names(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(HELP_NAMES)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Examples"):
            for line in inspect.cleandoc(self.examples).splitlines():
                formatter.write(f"  {line}\n")


def command(*, examples: str, in_vault: bool = True, as_json: bool = True) -> Callable[[Function], Command]:
    """Make a function a command: it gets a `Call`, then its parameters; what it returns is the exit code.

    The function is called after the command, with ``_command`` at its end; its docstring is the help.
    """

    def make(function: Function) -> Command:
        @wraps(function)
        def run(folder: Path | None = None, as_json: bool = False, **arguments: Any) -> int | None:
            context = click.get_current_context()
            root = context.find_root()
            root.obj = call = Call(folder or root.params.get("folder"), as_json)
            return function(call, **arguments)

        options = [vault_option()] * in_vault + [json_option()] * as_json
        own = list(reversed(getattr(function, "__click_params__", [])))
        made = Command(
            function.__name__.removesuffix("_command"),
            callback=run,
            params=[*own, *options],
            help=inspect.cleandoc(function.__doc__ or ""),
        )
        made.examples = examples
        return made

    return make


class Group(Command, click.Group):
    """Commands under a common first word; its examples are the first of each."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])


def group(*commands: Command) -> Callable[[Callable[[], None]], Group]:
    """Make a function a group of ``commands``; its docstring is the help, its name as that of a command."""

    def make(function: Callable[[], None]) -> Group:
        made = Group(
            function.__name__.removesuffix("_command"),
            commands=list(commands),
            help=inspect.cleandoc(function.__doc__ or ""),
        )
        made.examples = "\n".join(inspect.cleandoc(each.examples).splitlines()[0] for each in commands)
        return made

    return make


def vault_option() -> click.Option:
    """``--vault``, the same for the program and for each command."""
    return click.Option(
        ["--vault", "folder"],
        type=_FOLDER,
        metavar="PATH",
        help="The vault's folder; else $MEMFS_VAULT, else the vault around the current folder.",
    )


def json_option() -> click.Option:
    """``--json``."""
    return click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")
