"""YAML read as text: every scalar stays what the person typed.

No dates, numbers or booleans are made of it, nothing is constructed from tags, no alias is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_DEPTH = 20
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_KEY = frozenset(" \t#-[]{}&*!|>'\"%@`,?:")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?=\S)")
_EMPTY_KEY = re.compile(r"[^\s#].*:[ \t]*(?:#[ \t].*)?$")


def split_comment(value: str) -> tuple[str, str]:
    """A plain value, and the comment after it with the blanks in between."""
    at = value.find("#")
    while at > 0 and value[at - 1] not in " \t":
        at = value.find("#", at + 1)
    if at <= 0:
        return value, ""
    text = value[:at].rstrip(" \t")
    return text, value[len(text) :]


class UnreadableYaml(ValueError):
    """``line`` counts from 1 within the block."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def read_yaml(text: str) -> Mapping[str, Any]:
    """The mapping that a frontmatter block holds; null values are left out. Raises UnreadableYaml."""
    unprintable = _UNPRINTABLE.search(text)
    if unprintable:
        raise UnreadableYaml(
            f"control character U+{ord(unprintable[0]):04X} in the frontmatter",
            _line(text, unprintable.start()),
        )
    quoted = "\n".join(_quote_odd_values(text.split("\n")))
    try:
        values = YAMLHandler().load(quoted, Loader=_TextLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UnreadableYaml(
            str(error.problem or error.context), _line(quoted, mark.index if mark else 0)
        ) from error
    except yaml.YAMLError as error:
        raise UnreadableYaml(str(error), 1) from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise UnreadableYaml("the frontmatter holds no `key: value` lines", 1)
    return values


def _line(text: str, index: int) -> int:
    # counted here, because YAML also breaks lines at NEL and lone CR
    return text.count("\n", 0, index) + 1


class _TextLoader(_Loader):  # type: ignore[misc]
    """Builds texts, lists and mappings straight from the parser's events."""

    def get_single_data(self) -> Any:
        events = self._events()
        next(events)
        first = next(events)
        if isinstance(first, yaml.StreamEndEvent):
            return None
        value = self._value(next(events), events, 1)
        next(events)
        after = next(events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _error("a second YAML document in the frontmatter", after)
        return value

    def _events(self) -> Iterator[Any]:
        while self.check_event():
            yield self.get_event()

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return f"*{event.anchor}"
        if isinstance(event, yaml.ScalarEvent):
            if not event.style and event.value in _NULLS:
                return None
            return event.value
        if depth > _MAX_DEPTH:
            raise _error(f"nested more than {_MAX_DEPTH} levels deep", event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, depth)
        return self._mapping(events, depth)

    def _sequence(self, events: Iterator[Any], depth: int) -> list[Any]:
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            value = self._value(event, events, depth + 1)
            if value is not None:
                items.append(value)
        return items

    def _mapping(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        seen = set()
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise _error("a key that is no plain text", event)
            if event.value in seen:
                raise _error(f"the key {event.value!r} stands here twice", event)
            seen.add(event.value)
            value = self._value(next(events), events, depth + 1)
            if value is not None:
                values[event.value] = value
        return values


def _error(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def _quote_odd_values(lines: list[str]) -> Iterator[str]:
    """Quote the values that Obsidian shows as text and YAML reads as something else or not at all.

    ``related: [[Note]]``, ``topic: #x``, ``who: @me``, ``p: %5``: one line each, so line numbers stay.
    Only one-line values of top-level keys and items of a top-level key's list are looked at.
    """
    in_list = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line[:1] not in (" ", "\t", "-", "", "#"):
            in_list = bool(_EMPTY_KEY.match(line))
        item = _ITEM.match(line) if in_list else None
        begin = item.end() if item else _value_start(line)
        if begin and not _continues(following, in_list=item is not None):
            odd = _odd(line[begin:])
            if odd is not None:
                quoted = odd.replace("\\", "\\\\").replace('"', '\\"')
                line = f'{line[:begin]}"{quoted}"'
        yield line


def _value_start(line: str) -> int:
    """Where the value of a top-level ``key: value`` line begins; 0 when it is no such line."""
    at = line.find(":") + 1
    rest = line[at:].lstrip(" \t")
    return len(line) - len(rest) if at > 1 and line[0] not in _NO_KEY and rest and line[at] in " \t" else 0


def _continues(following: str, *, in_list: bool) -> bool:
    """True when the line after a value is indented and so belongs to it, and is no next item of its list."""
    return (
        following[:1] in (" ", "\t") and bool(following.strip()) and not (in_list and _ITEM.match(following))
    )


def _odd(value: str) -> str | None:
    """The value as text, when YAML would not read it as the text it is."""
    first, second = value[0], value[1:2]
    if first == "#":
        return value.rstrip() if second.strip() and second != "#" else None
    if first not in "@%`*" and not value.startswith("[[") and not (first == "!" and second != "!"):
        return None
    text = split_comment(value)[0].rstrip()
    if value.startswith("[["):
        return (
            text
            if not text.startswith("[[[") and "[[" in text and text.endswith("]]") and _is_links(text)
            else None
        )
    return text


def _is_links(text: str) -> bool:
    # [[a], [b]] is a list of lists and stays YAML; [[a]], [[b]] is text
    return text.count("[[") == text.count("]]") and text.count("[") == 2 * text.count("[[")
