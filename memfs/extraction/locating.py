"""Where in a document secrets stand, by line, and the document without some of them. Findings never hold a secret."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memfs.extraction.redaction import redact_text

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
    if len(old) == len(new):
        return tuple(_parts(0, old, new))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)  # a key of several lines became one
    return tuple(
        part
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
        for part in _parts(start, old[start:end], new[first:last])
    )


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


def _told(text: str) -> Iterator[str]:
    return (kind for part in secret_lines(text) for _, kind in part.kinds)


def _parts(start: int, old: list[str], new: list[str]) -> Iterator[SecretLines]:
    """Line by line where as many are left, else all at once (a key of several lines)."""
    if len(old) != len(new):
        kinds = _fresh("".join(old), "".join(new))
        yield SecretLines(start, start + len(old), tuple(new), tuple((start, kind) for kind in kinds))
        return
    for at, (was, clean) in enumerate(zip(old, new, strict=True), start):
        if was != clean:
            yield SecretLines(at, at + 1, (clean,), tuple((at, kind) for kind in _fresh(was, clean)))


def _fresh(old: str, new: str) -> list[str]:
    """The kinds of the placeholders that are new."""
    return list((Counter(_PLACEHOLDER.findall(new)) - Counter(_PLACEHOLDER.findall(old))).elements())
