"""detect-secrets, the yardstick of redaction: what it finds in a text, with all of its rules or those for formats."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings, get_plugins, transient_settings

# Rules that know no format: how random a text looks, and what name stands before it.
_GUESSING = ("Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector")


@contextmanager
def all_rules() -> Iterator[None]:
    """As ``detect-secrets scan`` comes."""
    with default_settings():
        yield


@contextmanager
def format_rules() -> Iterator[None]:
    """Only the rules that know a format."""
    with default_settings():
        names = [plugin.__class__.__name__ for plugin in get_plugins()]
    kept = [{"name": name} for name in names if name not in _GUESSING]
    with transient_settings({"plugins_used": kept}):
        yield


def found_in(text: str, folder: Path) -> tuple[str, ...]:
    """The secrets that it finds in a file of this text, the longest first."""
    file = folder / "sample.txt"
    file.write_text(text, encoding="utf-8")
    values = {secret.secret_value for secret in scan_file(str(file)) if secret.secret_value}
    return tuple(sorted(values, key=len, reverse=True))


def taken_out(text: str, folder: Path) -> str:
    """The text without what it finds."""
    for value in found_in(text, folder):
        text = text.replace(value, "[found]")
    return text
