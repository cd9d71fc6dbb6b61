"""Where in a document secrets stand, by line, and the document without some of them. Findings never hold a secret."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memfs.extraction.redaction import redact_text

_KEY = "[redacted: private key]"
_KEY_END = re.compile(r"-----END |Private-(?:MAC|Hash):")
_PLACEHOLDER = re.compile(r"\[redacted: ([a-z ]{1,30})\]")


@dataclass(frozen=True, slots=True)
class SecretLines:
    """Lines (from 0, ``end`` exclusive) that hold secrets, what they read without, and a kind and line of each."""

    start: int
    end: int
    clean: tuple[str, ...]
    kinds: tuple[tuple[int, str], ...]


def secret_lines(text: str) -> tuple[SecretLines, ...]:
    """Where secrets stand in a document."""
    redacted = redact_text(text)
    if not redacted.findings:
        return ()
    old, new = text.splitlines(keepends=True), redacted.text.splitlines(keepends=True)
    walked = _walk(old, new)
    if walked is not None:
        return walked
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changed = (code for code in matcher.get_opcodes() if code[0] != "equal")
    return tuple(_part(start, old[start:end], new[first:last]) for _, start, end, first, last in changed)


def without_secrets(
    text: str, found: Iterable[SecretLines], wanted: Callable[[SecretLines], bool] = lambda _: True
) -> str:
    """The document without the secrets in the ``wanted`` ones of the lines that were ``found`` in it."""
    lines = text.splitlines(keepends=True)
    for part in sorted(found, key=lambda each: each.start, reverse=True):
        if wanted(part):
            lines[part.start : part.end] = part.clean
    return "".join(lines)


def brings_secrets(before: str, after: str) -> tuple[tuple[int, str], ...]:
    """Line (from 1) and kind of the secrets that a text holds and the one before it did not."""
    if before == after:
        return ()
    held = Counter(_told(before))
    fresh = Counter(_told(after)) - held
    return tuple(
        (line + 1, kind) for part in secret_lines(after) for line, kind in part.kinds if fresh[kind] > 0
    )


def hidden_secrets(before: str, after: str) -> tuple[tuple[int, str], ...]:
    """Line (from 1) and kind of the placeholders in the lines of a text that are not in the one before it."""
    known = set(before.splitlines())
    return tuple(
        (number, kind)
        for number, line in enumerate(after.splitlines(), 1)
        if line not in known
        for kind in _PLACEHOLDER.findall(line)
    )


def _told(text: str) -> Iterator[str]:
    return (kind for part in secret_lines(text) for _, kind in part.kinds)


def _walk(old: list[str], new: list[str]) -> tuple[SecretLines, ...] | None:
    """Line by line; a private key takes as many as it had. None where that does not come out even."""
    parts: list[SecretLines] = []
    keys = sum(_KEY in line for line in new)
    at = 0
    for number, clean in enumerate(new):
        spare, size = len(old) - at - (len(new) - number), 1
        if _KEY in clean:
            keys -= 1
            ends = (n for n in range(spare + 1) if _KEY_END.search(old[at + n]))
            size += spare if not keys else next(ends, 0)
        if "".join(old[at : at + size]) != clean:
            parts.append(_part(at, old[at : at + size], [clean]))
        at += size
    even = at == len(old) and all(part.kinds for part in parts)
    return tuple(parts) if even else None


def _part(start: int, old: list[str], new: list[str]) -> SecretLines:
    kinds = _fresh("".join(old), "".join(new))
    return SecretLines(start, start + len(old), tuple(new), tuple((start, kind) for kind in kinds))


def _fresh(old: str, new: str) -> list[str]:
    """The kinds of the placeholders that are new."""
    return list((Counter(_PLACEHOLDER.findall(new)) - Counter(_PLACEHOLDER.findall(old))).elements())
