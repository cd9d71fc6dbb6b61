"""Reading memory types from their templates: the built-in ones, and a vault's own, which replace or add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, cast, get_args

from memfs.errors import ConfigError
from memfs.markdown.document import parse_document
from memfs.memory.render import check_template
from memfs.memory.types import FieldType, Kind, MemoryType, Mode, Operator, Registry, Shape, Stage

_KEYS = frozenset(each.name for each in fields(MemoryType)) - {"name", "template"}
_FIELD_KEYS = frozenset(("name", "type", "description", "operator", "choices"))
_MAX_LIMIT = 1200


def parse_type(name: str, text: str) -> MemoryType:
    """One memory type from its template.

    Raises ConfigError, naming the template and the key, for anything that is not as documented.
    """
    document = parse_document(text)
    front = document.frontmatter
    if not front.present:
        raise ConfigError("a memory type begins with frontmatter", key=name, hint="first line: ---")
    values = _mapping(name, "".join(document.lines[front.start + 1 : front.end - 1]))
    _known(name, values, _KEYS)
    declared = tuple(_field(name, each) for each in _sequence(name, "fields", values.get("fields")))
    body = "".join(document.lines[front.end :]).strip()
    if not declared or not body:
        raise ConfigError("a memory type needs fields and a body", key=name)
    parsed = MemoryType(
        name=name,
        description=_text(name, "description", values.get("description", "")),
        fields=declared,
        path=_path(name, values.get("path")),
        section=_text(name, "section", values.get("section", "")),
        title=_text(name, "title", values.get("title", "")),
        key=tuple(_text(name, "key", each) for each in _sequence(name, "key", values.get("key"))),
        stage=cast(Stage, _one_of(name, "stage", values.get("stage", "user"), Stage)),
        peer_enabled=_flag(name, "peer_enabled", values.get("peer_enabled", True)),
        self_enabled=_flag(name, "self_enabled", values.get("self_enabled", True)),
        mode=cast(Mode, _one_of(name, "mode", values.get("mode", "upsert"), Mode)),
        enabled=_flag(name, "enabled", values.get("enabled", True)),
        shape=cast(Shape, _one_of(name, "shape", values.get("shape", "item"), Shape)),
        supersedes=_flag(name, "supersedes", values.get("supersedes", False)),
        open_fields=_flag(name, "open_fields", values.get("open_fields", False)),
        limit=_limit(name, values.get("limit", 600)),
        template=body,
    )
    _check(parsed)
    return parsed


def build_registry(builtin: Mapping[str, str], overrides: Mapping[str, str]) -> Registry:
    """The types of these templates by name; a template that cannot be read is a problem that names it.

    An override replaces the built-in of its name; a broken override does not bring the built-in back, since
    the vault asked for something else.
    """
    types: dict[str, MemoryType] = {}
    problems: list[str] = []
    for name, text in sorted({**builtin, **overrides}.items()):
        try:
            types[name] = parse_type(name, text)
        except ConfigError as error:
            problems.append(f"memory type {name} is skipped: {error.message}")
    return Registry(types, tuple(problems))


def _check(parsed: MemoryType) -> None:
    declared = {each.name for each in parsed.fields}
    for part in parsed.key:
        if part not in declared and not (parsed.shape == "fields" and part == "field"):
            raise ConfigError(
                f"key names {part}, which is no field", key=parsed.name, hint=nearest(part, declared)
            )
    if not parsed.key:
        raise ConfigError("a memory type needs a key", key=parsed.name)
    for source in (parsed.template, parsed.section, parsed.title):
        check_template(parsed.name, source)


def _mapping(name: str, source: str) -> Mapping[str, Any]:
    import yaml

    try:
        values = yaml.safe_load(source) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else None
        raise ConfigError(f"its frontmatter is not YAML (line {line})", key=name, line=line) from error
    if not isinstance(values, dict):
        raise ConfigError("its frontmatter is not a mapping", key=name)
    return values


def _field(name: str, value: Any) -> FieldType:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ConfigError("each field is a mapping with a name", key=name)
    _known(name, value, _FIELD_KEYS)
    return FieldType(
        name=value["name"],
        kind=cast(Kind, _one_of(name, "type", value.get("type", "text"), Kind)),
        description=_text(name, "description", value.get("description", "")),
        operator=cast(Operator, _one_of(name, "operator", value.get("operator", "replace"), Operator)),
        choices=tuple(str(each) for each in _sequence(name, "choices", value.get("choices"))),
    )


def _path(name: str, value: Any) -> str:
    path = _text(name, "path", value or "")
    parts = path.split("/")
    if not path.endswith(".md") or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        raise ConfigError(f"path {path!r} is not a Markdown file below the identity", key=name)
    return path


def _limit(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 20 <= value <= _MAX_LIMIT:
        raise ConfigError(f"limit is a number from 20 to {_MAX_LIMIT}", key=name)
    return value


def _text(name: str, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{key} is a text", key=name)
    return value.strip()


def _flag(name: str, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} is true or false", key=name)
    return value


def _sequence(name: str, key: str, value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise ConfigError(f"{key} is a list", key=name)
    return value


def _one_of(name: str, key: str, value: Any, choices: Any) -> str:
    allowed = get_args(choices)
    if value not in allowed:
        raise ConfigError(
            f"{key} is one of {', '.join(allowed)}", key=name, hint=nearest(str(value), allowed)
        )
    return cast(str, value)


def _known(name: str, values: Mapping[str, Any], allowed: frozenset[str]) -> None:
    for key in values:
        if key not in allowed:
            raise ConfigError(f"unknown key {key}", key=name, hint=nearest(str(key), allowed))


def nearest(word: str, allowed: Any) -> str:
    """A hint that names the nearest right word, or all of them."""
    close = get_close_matches(word, list(allowed), n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(allowed))}"
