"""Jinja2, sandboxed: templates come from the vault, values from transcripts; neither may run code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memfs.errors import ConfigError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment


@lru_cache(maxsize=1)
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(autoescape=False, keep_trailing_newline=False)


@lru_cache(maxsize=256)
def _compiled(source: str) -> Template:
    return _environment().from_string(source)


def check_template(name: str, source: str) -> None:
    """Raises ConfigError where the source is no Jinja2 template."""
    from jinja2 import TemplateError

    try:
        _compiled(source)
    except TemplateError as error:
        raise ConfigError(f"the template of {name} does not parse: {error}", key=name) from error


def render(name: str, source: str, values: Mapping[str, Any]) -> str:
    """The template filled in. Raises ConfigError, naming the type, where that fails."""
    from jinja2 import TemplateError

    try:
        return _compiled(source).render(**values)
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise ConfigError(f"the template of {name} fails: {error}", key=name) from error
