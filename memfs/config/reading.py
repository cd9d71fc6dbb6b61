"""From TOML text and environment to a `Config`, or to an error that names file, key, line and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memfs.config.checks import check_value, choice_hint, nearest, parse_typed
from memfs.config.settings import SETTINGS, SOURCE_SETTINGS, Config, Rule, Setting, SourceConfig, Value
from memfs.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SHARED_NAME = "memfs.toml"
LOCAL_NAME = "memfs.local.toml"
ENVIRONMENT_PREFIX = "MEMFS_"

_SECRET_NAME = r"(?i)(^|_)(api_?key|token|secret|password)$"
_SECRET_VALUE = r"(sk|pk|key)-[A-Za-z0-9_-]{20,}"
Trail = tuple[str | int, ...]


def load_config(top: Path, environ: Mapping[str, str]) -> Config:
    """Read a vault's settings: environment over ``memfs.local.toml`` over ``memfs.toml`` over defaults.

    Sources of both files are joined; of two with one name (else path) the local one counts.

    Raises:
        ConfigError: a file cannot be read, or a setting is unknown or out of range.
    """
    values: dict[str, tuple[Value, str]] = {}
    sources: dict[str, SourceConfig] = {}
    for name in (SHARED_NAME, LOCAL_NAME):
        text = read_text(top / name)
        if text is not None:
            found, listed = read_settings(text, str(top / name), shared=name == SHARED_NAME)
            values.update({key: (value, name) for key, value in found.items()})
            sources.update({source.name or source.path: source for source in listed})
    values.update(_read_environment(environ))
    return _build(values, tuple(sources.values()))


def read_text(path: Path) -> str | None:
    """A settings file's text without byte order mark; None when there is no such file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigError("this file is not UTF-8", path=str(path), hint="save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=str(path)) from error


def read_settings(
    text: str, path: str, *, shared: bool = False
) -> tuple[dict[str, Value], list[SourceConfig]]:
    """Check every key of one file and give the values it sets; ``shared``: the file is committed."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, position = str(error).partition(" (at ")
        number = re.search(r"line (\d+)", position)
        line = int(number[1]) if number else text.count("\n") + 1
        raise ConfigError(f"not valid TOML: {message}", path=path, line=line) from error
    return _Reader(text, path, shared).read(document)


class _Reader:
    """Reads one file's settings; knows where each stands, for errors."""

    def __init__(self, text: str, path: str, shared: bool) -> None:
        self.text, self.path, self.shared = text, path, shared

    def read(self, document: Mapping[str, Any]) -> tuple[dict[str, Value], list[SourceConfig]]:
        blocks = document.get("sources", [])
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise self.error("sources are written as [[sources]] blocks", "sources", ("sources",))
        values = dict(self.settings({k: v for k, v in document.items() if k != "sources"}, (), SETTINGS))
        return values, [self.source(block, number) for number, block in enumerate(blocks)]

    def settings(
        self, table: Mapping[str, Any], trail: Trail, known: Mapping[str, Setting], prefix: str = ""
    ) -> Iterator[tuple[str, Value]]:
        """The values of ``table``; ``known`` are settings by full name, ``prefix`` where ``table`` lies."""
        for name, value in table.items():
            key, here = prefix + name, (*trail, name)
            self.refuse_secret(name, key, value, here)
            if key in known:
                if self.shared and known[key].rule.local and value:
                    hint = f"set it in {LOCAL_NAME}, which is not committed"
                    raise self.error(f"{key} belongs to this machine alone", key, here, hint)
                yield key, self.checked(known[key].rule, value, key, here)
            elif isinstance(value, dict) and any(other.startswith(key + ".") for other in known):
                yield from self.settings(value, here, known, key + ".")
            else:
                raise self.error(f"no setting is called {key}", key, here, nearest(key, known))

    def source(self, block: Mapping[str, Any], number: int) -> SourceConfig:
        trail: Trail = ("sources", number)
        values = dict(self.settings(block, trail, SOURCE_SETTINGS, "sources."))
        if "sources.path" not in values:
            raise self.error("a source needs a path", "sources.path", trail, 'add path = "FOLDER"')
        given: dict[str, Any] = {SOURCE_SETTINGS[key].place[-1]: value for key, value in values.items()}
        return SourceConfig(**given)

    def checked(self, rule: Rule, value: Any, key: str, trail: Trail) -> Value:
        problem = check_value(rule, value)
        if problem:
            raise self.error(f"{key} {problem}", key, trail, choice_hint(rule, value))
        return tuple(value) if isinstance(value, list) else value

    def refuse_secret(self, name: str, key: str, value: Any, trail: Trail) -> None:
        if re.search(_SECRET_NAME, name) or (isinstance(value, str) and re.match(_SECRET_VALUE, value)):
            raise self.error(
                f"{key} looks like a key or password, and settings files are no place for one",
                key,
                trail,
                "remove it, renew it if it was committed, and put it in the environment: "
                "OPENAI_API_KEY, ANTHROPIC_API_KEY or the variable your provider names",
            )

    def error(self, message: str, key: str, trail: Trail, hint: str | None = None) -> ConfigError:
        return ConfigError(message, key=key, path=self.path, line=find_line(self.text, trail), hint=hint)


def find_line(text: str, trail: Trail) -> int | None:
    """The line, from 1, on which the value at ``trail`` begins.

    Parses ever longer beginnings of the text until the value is there: exact for every form TOML has
    (dotted keys, inline tables, multi-line values), and only ever run for an error message.
    """
    import tomllib

    lines = text.split("\n")
    begin = 0
    for end in range(1, len(lines) + 1):
        try:
            document: Any = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        if _contains(document, trail):
            return begin + 1
        begin = end
    return None


def _contains(document: Any, trail: Trail) -> bool:
    for step in trail:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _read_environment(environ: Mapping[str, str]) -> dict[str, tuple[Value, str]]:
    found: dict[str, tuple[Value, str]] = {}
    for setting in SETTINGS.values():
        variable = setting.variable
        if variable is not None and variable in environ:
            value = parse_typed(setting.rule, environ[variable])
            problem = check_value(setting.rule, value)
            if problem:
                raise ConfigError(
                    f"environment variable {variable} {problem}",
                    key=setting.key,
                    hint=choice_hint(setting.rule, value) or f"it overrides {setting.key}",
                )
            found[setting.key] = (tuple(value) if isinstance(value, list) else value, variable)
    return found


def _build(values: Mapping[str, tuple[Value, str]], sources: tuple[SourceConfig, ...]) -> Config:
    groups: dict[str, dict[str, Any]] = {}
    single: dict[str, Any] = {}
    for key, (value, _) in values.items():
        *group, name = SETTINGS[key].place
        (groups.setdefault(group[0], {}) if group else single)[name] = value
    defaults = Config()
    built = {name: type(getattr(defaults, name))(**given) for name, given in groups.items()}
    origins = {key: origin for key, (_, origin) in values.items()}
    return Config(**single, **built, sources=sources, origins=origins)
