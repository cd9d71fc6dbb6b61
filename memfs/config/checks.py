"""Is a value right for its setting, and what did the person probably mean?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memfs.config.schedules import schedule_problem
from memfs.config.settings import Rule, describe_rule

_TYPES: Mapping[str, tuple[Any, str]] = {
    "text": (str, "text in quotes"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "list": (list, "a list of texts"),
}
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def check_value(rule: Rule, value: Any) -> str | None:
    """What is wrong with a value as TOML gave it, as the end of a sentence; None when nothing is."""
    kind, name = _TYPES[rule.kind]
    wrong_item = isinstance(value, list) and not all(isinstance(item, str) for item in value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int) or wrong_item:
        return f"must be {name}"
    expected = describe_rule(rule).replace("`", "")
    if rule.choices and value not in rule.choices:
        return f"must be one of {expected}"
    if rule.pattern and not re.fullmatch(rule.pattern, value):
        return f"must be {expected}"
    if rule.zone and value and not _is_zone(value):
        return f"must be {expected}"
    if rule.cron and (problem := schedule_problem(value)):
        return f"must be {expected} ({problem})"
    if kind is int and not _within(rule, value):
        return f"must be {expected}, not {value}"
    if kind is str and not _within(rule, len(value)):
        return f"must have {expected}" if value else "must not be empty"
    return None


def _within(rule: Rule, size: int) -> bool:
    low = size if rule.low is None else rule.low
    high = size if rule.high is None else rule.high
    return low <= size <= high or size in rule.also


def _is_zone(name: str) -> bool:
    import zoneinfo

    return name in zoneinfo.available_timezones()


def parse_typed(rule: Rule, text: str) -> Any:
    """A value as a person types it, in the rule's kind; what does not parse stays text and fails the check.

    Lists are ``a, b`` or ``["a", "b"]``.
    """
    kind, stripped = rule.kind, text.strip()
    if kind == "boolean":
        return _TRUTH.get(stripped.lower(), text)
    if kind == "integer":
        try:
            return int(stripped)
        except ValueError:
            return text
    if kind == "list":
        return _parse_list(stripped)
    return text


def _parse_list(text: str) -> Any:
    import tomllib

    if text.startswith("["):
        try:
            return tomllib.loads(f"list = {text}")["list"]
        except tomllib.TOMLDecodeError:
            return text
    return [item.strip() for item in text.split(",") if item.strip()]


def nearest(key: str, known: Mapping[str, Any]) -> str:
    """A hint that names the known key most like ``key``."""
    import difflib

    close = difflib.get_close_matches(key, known, n=1)
    if not close:
        by_name = {name.rpartition(".")[2]: name for name in reversed(list(known))}
        found = difflib.get_close_matches(key.rpartition(".")[2], by_name, n=1)
        close = [by_name[name] for name in found]
    return f"did you mean {close[0]}?" if close else "the list of settings has them all"


def choice_hint(rule: Rule, value: Any) -> str | None:
    """A hint that names the allowed value most like ``value``, where there is one."""
    import difflib
    import zoneinfo

    choices = sorted(zoneinfo.available_timezones()) if rule.zone else rule.choices
    spelled = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(str(value).lower(), spelled, n=1)
    return f"did you mean {spelled[close[0]]}?" if close else None
