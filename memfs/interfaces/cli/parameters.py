"""Parameters that several commands take: identities, types, days, paths."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from memfs.services.opening import Vault

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def read_day(ctx: click.Context, param: click.Parameter, value: str | None) -> date | None:
    """A day, or a moment, as ISO 8601 writes it."""
    from memfs.errors import InvalidRequest
    from memfs.interfaces import days

    try:
        return days.read_day(value)
    except InvalidRequest as error:
        raise click.BadParameter(error.message, ctx, param) from None


def read_moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """A moment as ISO 8601 writes it; a day means its beginning."""
    try:
        return None if value is None else datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            f"not a time: {value!r} (write it like 2026-11-30T10:30)", ctx, param
        ) from None


def read_policy(ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, Any] | None:
    """A memory policy as JSON, in the shape of ``memory_policy`` in ``memfs.toml``."""
    import json

    try:
        policy = None if value is None else json.loads(value)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", ctx, param) from None
    if policy is not None and not isinstance(policy, dict):
        raise click.BadParameter('write it like {"peer": {"enabled": false}}', ctx, param)
    return policy


def read_identity(
    ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...] | None
) -> str | tuple[str, ...] | None:
    """An identity's id, or several, each one that can name a folder anywhere."""
    from memfs.memory.slugs import ascii_slug
    from memfs.vault.paths import is_safe_name

    for name in value if isinstance(value, tuple) else (value,):
        if name and not is_safe_name(name):
            better = ascii_slug(name)
            tip = f"; try: {better}" if better and is_safe_name(better) else ", as in home-assistant"
            raise click.BadParameter(
                f"{name!r} cannot name an identity, whose id is a folder's name on every machine: use letters a-z, "
                f"digits, '-', '_', '.' and one '@'{tip}",
                ctx,
                param,
            )
    return value


def complete_identity(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The identities of the vault that begin so, for the shell."""
    vault = _vault_of(ctx)
    return [name for name in (vault.identities() if vault else ()) if name.startswith(incomplete)]


def complete_type(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The memory types of the vault that begin so, for the shell."""
    vault = _vault_of(ctx)
    return [name for name in (vault.registry.types if vault else ()) if name.startswith(incomplete)]


def _vault_of(ctx: click.Context) -> Vault | None:
    from memfs.errors import MemfsError
    from memfs.services.opening import open_vault

    try:
        return open_vault(ctx.params.get("folder") or ctx.find_root().params.get("folder"))
    except MemfsError:
        return None


def identity_option(help: str = "Only this identity.") -> Callable[[Decorated], Decorated]:
    """``--identity``."""
    return click.option(
        "--identity", shell_complete=complete_identity, callback=read_identity, metavar="ID", help=help
    )


def type_option(help: str = "Only this type of memory.", **more: Any) -> Callable[[Decorated], Decorated]:
    """``--type``."""
    return click.option("--type", "kind", shell_complete=complete_type, metavar="TYPE", help=help, **more)


def peer_option(help: str = "Only what is known of this peer.") -> Callable[[Decorated], Decorated]:
    """``--peer``."""
    return click.option("--peer", metavar="PEER", help=help)


def span_options(function: Decorated) -> Decorated:
    """``--since`` and ``--until``; both days are included."""
    until = click.option("--until", callback=read_day, metavar="DATE", help="Up to this day.")
    since = click.option("--since", callback=read_day, metavar="DATE", help="From this day on.")
    return since(until(function))


def limit_option(function: Decorated) -> Decorated:
    """``--limit``."""
    return click.option(
        "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most so many."
    )(function)


def why_option(function: Decorated) -> Decorated:
    """``--why-score``."""
    return click.option("--why-score", is_flag=True, help="Say what each score is made of.")(function)


policy_option = click.option(
    "--policy",
    callback=read_policy,
    metavar="JSON",
    help="What may be remembered this time, as memory_policy in memfs.toml: it goes before all others.",
)


def me_option(function: Decorated) -> Decorated:
    """``--me``."""
    return click.option(
        "--me", multiple=True, metavar="NAME", help="Your own name in a group chat; may be repeated."
    )(function)


def file_argument(name: str, **more: Any) -> Callable[[Decorated], Decorated]:
    """A path of a file or folder."""
    return click.argument(name, type=click.Path(path_type=Path), **more)
