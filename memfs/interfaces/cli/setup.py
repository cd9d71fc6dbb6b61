"""Commands to start with: init, config, types, completion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import file_argument, read_identity
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.interfaces.shapes.values import Json
    from memfs.services.starting import Started


@command(
    in_vault=False,
    examples="""
    memfs init                          the current folder: empty, an Obsidian vault or a git repository
    memfs init ~/memory --identity coding-assistant --identity home-aide
    memfs init ~/记忆 --language zh --identity assistant
    """,
)
@file_argument("path", default=".", required=False)
@click.option(
    "--identity",
    "identities",
    multiple=True,
    callback=read_identity,
    metavar="ID",
    help="An agent role; may be repeated. Its id has letters a-z, digits, - _ . and one @.",
)
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", help="Of headings and messages.")
@click.option("--branch", metavar="NAME", help="The branch memfs commits to; else the one checked out.")
def init_command(
    call: Call, path: Path, identities: tuple[str, ...], language: str, branch: str | None
) -> None:
    """Make a folder a vault; what is there stays as it is.

    PATH (default: the current folder) becomes a git repository if it is none. memfs adds its own folders and
    commits these alone. Run again, it adds only what is missing.
    """
    from memfs.interfaces.library import Memory
    from memfs.services.starting import init

    started = init(
        path.expanduser(),
        identities=identities,
        language="zh" if language == "zh" else "en",
        branch=branch,
    )
    call.memory = Memory(started.vault)
    call.answer(
        {
            "vault": str(started.vault.top),
            "identities": list(started.vault.identities()),
            "created": list(started.created),
            "taken": list(started.taken),
            "commit": started.commit,
        },
        lambda: _started_lines(call, started),
    )


def _started_lines(call: Call, started: Started) -> Iterator[str]:
    vault = started.vault
    yield call.text("vault_ready" if started.created else "vault_was_ready", path=one_line(str(vault.top)))
    for path in started.created:
        yield call.text("created", path=path)
    for path in started.taken:
        yield call.text("taken", path=path)
    yield call.text("identities", names=", ".join(vault.identities()))
    first = next(iter(vault.identities()), None)
    if first is not None:
        inbox = f"{vault.layout.rel(vault.layout.inbox)}/{first}/"
        yield call.text("drop_here", path=inbox)


@command(
    examples="""
    memfs config                                  all settings
    memfs config extract.delay_seconds            one
    memfs config extract.delay_seconds 30         change it in memfs.toml
    memfs config timezone Europe/Madrid --local   in memfs.local.toml, for this machine alone
    memfs config extract.delay_seconds --unset    back to its default
    """
)
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--unset", is_flag=True, help="Remove KEY, so that its default counts.")
@click.option("--local", is_flag=True, help="Change memfs.local.toml, which is never committed.")
def config_command(call: Call, key: str | None, value: str | None, unset: bool, local: bool) -> None:
    """Show the settings, or change one.

    Comments and layout of the file stay. docs/settings.md lists every setting.
    """
    from memfs.config.settings import SETTINGS
    from memfs.interfaces.shapes.upkeep import setting_json, sources_json

    if key is not None and (unset or value is not None):
        if unset and value is not None:
            raise click.UsageError("give a VALUE or --unset, not both")
        _change_setting(call, key, None if unset else value, local)
        return
    if unset or local:
        raise click.UsageError("--unset and --local need a KEY" + (" and a VALUE" if local else ""))
    config = call.memory.config()
    if key is not None:
        _known_key(key)
        shown = setting_json(SETTINGS[key], config)
        call.answer(shown, lambda: [_value_text(shown["value"])])
        return
    settings = [setting_json(declared, config) for declared in SETTINGS.values()]
    data = {"settings": settings, "sources": sources_json(config)}
    call.answer(data, lambda: _setting_lines(call, settings, data["sources"]))


def _change_setting(call: Call, key: str, value: str | None, local: bool) -> None:
    from memfs.config.reading import LOCAL_NAME, SHARED_NAME, read_text

    before = read_text(call.memory.vault.layout.config.parent / (LOCAL_NAME if local else SHARED_NAME))
    path = call.memory.set_config(key, value, local=local)
    said = "set" if value is not None else "was_unset" if read_text(path) == before else "unset"
    data = {"key": key, "value": value, "path": str(path)}
    words = {"key": key, "value": one_line(value or ""), "path": one_line(str(path))}
    call.answer(data, lambda: [call.text(said, **words)])


def _known_key(key: str) -> None:
    from memfs.config.checks import nearest
    from memfs.config.settings import SETTINGS
    from memfs.errors import ConfigError

    if key not in SETTINGS:
        raise ConfigError(f"no setting is called {key}", key=key, hint=nearest(key, SETTINGS))


def _setting_lines(call: Call, settings: list[Json], sources: list[Json]) -> Iterator[str]:
    from memfs.interfaces.cli.tables import table_lines

    rows = [(one["key"], _value_text(one["value"]), one["origin"] or "") for one in settings]
    yield from table_lines((call.text("setting"), call.text("value"), call.text("from")), rows)
    for source in sources:
        told = ", ".join(f"{name} = {_value_text(value)}" for name, value in source.items() if value)
        yield one_line(f"[[sources]] {told}")


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return "" if value is None else one_line(str(value))


@command(
    examples="""
    memfs types
    memfs types --json
    """
)
def types_command(call: Call) -> None:
    """Show the types of memory that this vault keeps.

    Built-in ones and the vault's own, which are templates under templates/types/.
    """
    from memfs.interfaces.cli.tables import table_lines
    from memfs.interfaces.shapes.upkeep import types_json

    registry = call.memory_anywhere.types()
    rows = [
        (
            one.name if one.enabled else call.text("off", name=one.name),
            one.path,
            one_line(one.description),
        )
        for one in registry.types.values()
    ]
    headings = (call.text("type"), call.text("lives_in"), call.text("holds"))
    call.answer(types_json(registry), lambda: table_lines(headings, rows))
    for problem in registry.problems:
        call.note(call.text("problem", text=problem))


@command(
    in_vault=False,
    as_json=False,
    examples="""
    memfs completion bash > ~/.local/share/bash-completion/completions/memfs
    memfs completion zsh > ~/.zfunc/_memfs            with ~/.zfunc in fpath, before compinit
    memfs completion fish > ~/.config/fish/completions/memfs.fish
    """,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(call: Call, shell: str) -> None:  # noqa: ARG001
    """Print the script that completes memfs commands in your shell."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    root = click.get_current_context().find_root().command
    click.echo(completion(root, {}, "memfs", "_MEMFS_COMPLETE").source())
