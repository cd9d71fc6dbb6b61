"""What stands where a secret stood."""

from __future__ import annotations

import re
from collections.abc import Callable

Replacer = Callable[[re.Match[str]], tuple[str, str] | None]  # (kind, text instead), None: leave it


def placeholder(kind: str) -> str:
    """The visible stand-in for a secret of that kind."""
    return f"[redacted: {kind}]"


def recording(replacer: Replacer, findings: list[str]) -> Callable[[re.Match[str]], str]:
    """A function for ``re.sub`` that notes the kinds of what it replaces in ``findings``."""

    def replace_one(match: re.Match[str]) -> str:
        answer = replacer(match)
        if answer is None:
            return match[0]
        findings.append(answer[0])
        return answer[1]

    return replace_one


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
