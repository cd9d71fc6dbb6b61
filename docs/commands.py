"""Writes the page of all commands: ``docs/commands.md`` is this script's output (``make docs``)."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

_HEAD = """\
# Commands

<!-- Made by `make docs` from the commands themselves; change them in memfs/interfaces/cli/. -->

Answers go to stdout, progress and errors to stderr. With `--json` the answer is JSON, and an error is printed twice: as
a line for people on stderr, and on stdout as one line
`{"error": {"message": ..., "path": ..., "line": ..., "hint": ..., "code": ...}}`, where what there is not is null and
`code` is the exit code. Codes above 0 but for 10 come with an error.

"""


def commands(
    command: click.Command, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all beneath it, in the order of ``--help``; hidden ones are left out."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from commands(inner, (*words, name))


def render_commands(main: click.Command) -> str:
    """The page as it must read: what ``--help`` prints, command by command."""
    parts = [_HEAD]
    for words, command in commands(main, ("memfs",)):
        context = click.Context(command, info_name=" ".join(words), terminal_width=98, max_content_width=98)
        parts.append(f"## {' '.join(words)}\n\n```text\n{command.get_help(context).rstrip()}\n```\n\n")
    return "".join(parts).rstrip("\n") + "\n"


if __name__ == "__main__":
    from memfs.interfaces.cli import main

    sys.stdout.write(render_commands(main))
