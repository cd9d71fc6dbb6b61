"""Phrases of a phrasebook as regular expressions (the notation is told in ``phrases/en.toml``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_BEGINS_WITH_MARK = re.compile(r"(?:\(\?:)+\^\|\[")  # "(?:^|[,;] ?": the word before may touch the mark
GAP = r"[^.!?;。！？；\n]{0,60}?"


def compile_phrases(phrases: Iterable[str], slots: Mapping[str, str], *, spaced: bool) -> re.Pattern[str]:
    """One pattern for all ``phrases``; named groups get a number each, see ``named_groups``."""
    parts = []
    for number, phrase in enumerate(phrases):
        part = expand(phrase, slots, spaced)
        parts.append(re.sub(r"\(\?P<(\w+)>", rf"(?P<\1__{number}>", part))
    return re.compile("|".join(parts) or "(?!)", re.IGNORECASE)


def named_groups(match: re.Match[str]) -> dict[str, str]:
    """The named groups that took part, under their names as written in the phrasebook."""
    return {name.partition("__")[0]: text for name, text in match.groupdict().items() if text is not None}


def expand(phrase: str, slots: Mapping[str, str], spaced: bool) -> str:
    """Slots, ``...``, loose spaces and apostrophes, word boundaries."""
    text = phrase.replace("...", GAP)
    for _ in range(4):  # slots may hold slots
        text = re.sub(r"\{([a-z_]+)\}", lambda match: slots[match[1]], text)
    text = _loose_quotes(text)
    if not spaced:
        return f"(?:{text})"
    text = re.sub(r"(?<!\\) (?![?*+{\]])", r"\\s+", text)
    before = r"(?<!\w)" if re.match(r"[\w(]", text) and not _BEGINS_WITH_MARK.match(text) else ""
    after = r"(?!\w)" if re.search(r"[\w)?]$", text) and not _ends_looking(text) else ""
    return f"{before}(?:{text}){after}"


def _ends_looking(text: str) -> bool:
    """Whether the pattern ends in a look-ahead, which no word boundary can follow."""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        escaped = text[position - 1 : position] == "\\"
        if not escaped and text[position] in "()":
            depth += 1 if text[position] == ")" else -1
        if depth == 0:
            return text.startswith(("(?=", "(?!"), position)
    return False


def _loose_quotes(text: str) -> str:
    """Apostrophes outside of character classes may be missing or curly."""
    parts = re.split(r"(\[[^\]]*\])", text)
    return "".join(part if part.startswith("[") else part.replace("'", "['’]?") for part in parts)


def any_of(words: Mapping[str, int] | Sequence[str]) -> str:
    return (
        "(?:"
        + "|".join(sorted((re.escape(word).replace("\\ ", " ") for word in words), key=len, reverse=True))
        + ")"
    )
