"""The list of commands agrees with the commands; each can do what every command can."""

from __future__ import annotations

import inspect
import shlex

import click
import pytest

from memfs.interfaces.cli import main
from memfs.interfaces.cli.call import Command
from memfs.interfaces.cli.catalogue import COMMANDS
from tests.interfaces.conftest import run_memfs

CONTEXT = click.Context(main, info_name="memfs")
NAMES = list(COMMANDS)
OUTSIDE = {"init", "completion"}

# What spec 9 fixes.
FIXED = {
    "init": {"path"},
    "ingest": {"paths", "--identity", "--backfill"},
    "transcript": {"file"},
    "extract": {"file", "--now", "--estimate"},
    "list": {"--identity", "--type", "--peer"},
    "search": {
        "query",
        "--identity",
        "--type",
        "--tag",
        "--since",
        "--until",
        "--at",
        "--limit",
        "--sessions",
    },
    "context": {"message", "--identity", "--budget"},
    "why": {"entry"},
    "forget": {"entry", "--purge"},
    "accept": {"entry"},
    "reject": {"entry"},
    "show": {"reference", "--at"},
    "undo": {"commit"},
    "move": {"entry", "--to"},
    "status": set(),
    "check": set(),
}


def load(name: str) -> Command:
    found = main.get_command(CONTEXT, name)
    assert isinstance(found, Command)
    return found


def leaves(command: click.Command) -> list[click.Command]:
    """The commands that do something: those of a group, else the command itself."""
    return list(command.commands.values()) if isinstance(command, click.Group) else [command]


def parameters(command: click.Command) -> set[str]:
    """What all of its leaves take."""
    return set.intersection(*(_own_parameters(each) for each in leaves(command)))


def _own_parameters(command: click.Command) -> set[str]:
    return {
        name for one in command.params for name in (one.opts if isinstance(one, click.Option) else [one.name])
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_command_is_what_the_list_says(name: str) -> None:
    command = load(name)
    assert command.name == name
    assert inspect.cleandoc(command.help or "").split("\n\n")[0].replace("\n", " ") == COMMANDS[name].summary


@pytest.mark.parametrize("name", NAMES)
def test_every_command_takes_vault_and_json(name: str) -> None:
    assert ("--json" in parameters(load(name))) == (name != "completion")
    assert ("--vault" in parameters(load(name))) == (name not in OUTSIDE)


@pytest.mark.parametrize("name", FIXED)
def test_fixed_points_of_the_command_line(name: str) -> None:
    assert parameters(load(name)) >= FIXED[name]


@pytest.mark.parametrize("name", NAMES)
def test_help_ends_in_examples_that_name_what_exists(name: str) -> None:
    shown = run_memfs(name, "-h")
    assert shown.code == 0
    assert "Examples:" in shown.out
    options = set().union(*(_own_parameters(each) for each in leaves(load(name))))
    for line in inspect.cleandoc(load(name).examples).splitlines():
        words = shlex.split(line.partition("   ")[0].partition("| ")[2] or line.partition("   ")[0])
        assert words[:2] == ["memfs", name]
        assert {word for word in words if word.startswith("--")} <= options, line


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_explained(name: str) -> None:
    for parameter in [one for each in leaves(load(name)) for one in each.params]:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name


def test_help_lists_all_commands_with_what_they_do() -> None:
    shown = " ".join(run_memfs("--help").out.split())
    for name, listed in COMMANDS.items():
        assert f"{name} {listed.summary}" in shown
    assert run_memfs().out == run_memfs("-h").out == run_memfs("--help").out


def test_a_mistyped_command_is_answered_with_the_nearest_one() -> None:
    done = run_memfs("serach", "x")
    assert done.code == 2
    assert done.out == ""
    assert done.err == "error: no command is called serach; did you mean search?\n  try: memfs --help\n"


@pytest.mark.parametrize(
    "arguments", [("list", "--nope"), ("why",), ("search", "x", "--since", "soon"), ("config", "--unset")]
)
def test_wrong_use_is_one_line_and_a_way_on(arguments: tuple[str, ...]) -> None:
    done = run_memfs(*arguments)
    assert done.code == 2
    assert done.out == ""
    first, second = done.err.splitlines()
    assert first.startswith("error: ")
    assert second == f"  try: memfs {arguments[0]} --help"
