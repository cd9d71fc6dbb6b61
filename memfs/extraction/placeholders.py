"""What stands where a secret stood."""

from __future__ import annotations

import re
from collections.abc import Callable

Replacer = Callable[[re.Match[str]], tuple[str, str] | None]  # (kind, text instead), None: leave it


def placeholder(kind: str) -> str:
    """The visible stand-in for a secret of that kind."""
    return f"[redacted: {kind}]"


def whole(kind: str) -> Replacer:
    """Replace all of a match."""
    return lambda _match: (kind, placeholder(kind))


def group(kind: str) -> Replacer:
    """Replace only the group ``secret``, keeping what is around it."""

    def replacer(match: re.Match[str]) -> tuple[str, str] | None:
        if match["secret"].startswith("[redacted"):
            return None
        before = match[0][: match.start("secret") - match.start()]
        return kind, before + placeholder(kind) + match[0][match.end("secret") - match.start() :]

    return replacer
