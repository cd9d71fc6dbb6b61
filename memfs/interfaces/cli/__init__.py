"""The command line: `catalogue` lists the commands, `root` finds them, a module per group holds them."""

from __future__ import annotations

import click

from memfs import __version__
from memfs.interfaces.cli.call import vault_option
from memfs.interfaces.cli.root import Root

__all__ = ["main"]


def _program(folder: object) -> None:
    """Long-term memory for AI agents and their people: Markdown files in git.

    memfs reads transcripts, keeps what is worth keeping in a vault of Markdown notes, and commits every
    change. Hand edits always win. `memfs COMMAND --help` shows examples.
    """


main = Root(
    "memfs",
    callback=_program,
    help=_program.__doc__,
    params=[vault_option()],
    context_settings={"max_content_width": 100},
)
main = click.version_option(__version__, prog_name="memfs", message="%(prog)s %(version)s")(main)
