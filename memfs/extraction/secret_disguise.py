"""Secrets in disguise: a plain view of text whose letters are fullwidth, styled or cut by invisible characters.

Patterns are matched on the view; what they leave goes back to how it was written, character by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from memfs.extraction.placeholders import Replacer

_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_FULLWIDTH = "\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a\uff1d\uff1a\uff0d\uff0e\uff20"
_STYLED = "\u24b6-\u24e9\U0001d400-\U0001d7ff"  # circled, and the alphabets of mathematics
_DISGUISED = re.compile(f"(?P<invisible>[{_INVISIBLE}])|[{_FULLWIDTH}{_STYLED}]")


@dataclass(slots=True)
class View:
    """Text to match on, and what each of its characters was before; ``lead`` is what stood before the first."""

    text: str
    pieces: list[str] | None
    lead: str = ""

    def replace_all(self, pattern: re.Pattern[str], replacer: Replacer, findings: list[str]) -> None:
        """Replace every match for which ``replacer`` has an answer, and note its kind in ``findings``."""
        changes = []
        for match in pattern.finditer(self.text):
            answer = replacer(match)
            if answer is not None:
                findings.append(answer[0])
                changes.append(_changed(match, answer[1]))
        self.replace_spans(changes)

    def replace_spans(self, changes: Sequence[tuple[int, int, str]]) -> None:
        """Put new text at (start, end) spans, which are in order and apart."""
        parts: list[str] = []
        pieces: list[str] = []
        done = 0
        for start, end, new in changes:
            parts += [self.text[done:start], new]
            if self.pieces is not None:
                pieces += [*self.pieces[done:start], *new]
            done = end
        if changes:
            self.text = "".join(parts) + self.text[done:]
            self.pieces = None if self.pieces is None else pieces + self.pieces[done:]

    def written(self) -> str:
        """The text as it was written, but for what was replaced."""
        return self.text if self.pieces is None else self.lead + "".join(self.pieces)


def plain_view(text: str) -> View:
    """``text`` without invisible characters and with styled letters as plain ones; linear."""
    if text.isascii() or _DISGUISED.search(text) is None:
        return View(text, None)
    plain: list[str] = []
    pieces: list[str] = []
    lead, done = "", 0
    for match in _DISGUISED.finditer(text):
        plain += text[done : match.start()]
        pieces += text[done : match.start()]
        done = match.end()
        if match["invisible"] is None:
            letters = unicodedata.normalize("NFKC", match[0])
            plain += letters
            pieces += [match[0], *[""] * (len(letters) - 1)]
        elif pieces:
            pieces[-1] += match[0]
        else:
            lead += match[0]
    return View("".join(plain) + text[done:], pieces + list(text[done:]), lead)


def _changed(match: re.Match[str], new: str) -> tuple[int, int, str]:
    """The part of a match that its replacement changes, so that what stays keeps its own characters."""
    old = match[0]
    before = 0
    while before < min(len(old), len(new)) and old[before] == new[before]:
        before += 1
    after = 0
    while after < min(len(old), len(new)) - before and old[-1 - after] == new[-1 - after]:
        after += 1
    return match.start() + before, match.end() - after, new[before : len(new) - after]
