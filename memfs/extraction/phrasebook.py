"""What the rules know of a language, read from ``phrases/<language>.toml`` (the format is told there)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "zh", "de", "es", "fr", "ja")
GAP = r"[^.!?;。！？；\n]{0,60}?"
STRENGTHS = {"weak": 1.0, "strong": 2.0, "sure": 3.0}
NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cue:
    """A way of saying something worth keeping. ``value``: which part of the clause is the field's value."""

    type: str
    pattern: re.Pattern[str]
    strength: float = 2.0
    field: str | None = None
    value: str = "all"
    status: str | None = None
    needs: str | None = None
    remember: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """A reason not to keep what is said. ``types`` are the ones it blocks, () for all."""

    name: str
    pattern: re.Pattern[str]
    scope: str = "sentence"
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DateRule:
    """A way of naming a day; ``means`` is one of the meanings in ``dates.py``."""

    pattern: re.Pattern[str]
    means: str


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """One language, compiled. ``lists`` are words with their numbers, ``topics`` what a decision is about."""

    language: str
    spaced: bool
    cues: tuple[Cue, ...]
    guards: tuple[Guard, ...]
    dates: tuple[DateRule, ...]
    words: Mapping[str, re.Pattern[str]]
    lists: Mapping[str, Mapping[str, int]]
    topics: tuple[tuple[str, re.Pattern[str]], ...]
    stop_words: frozenset[str]

    def has(self, name: str, text: str) -> bool:
        """Whether ``text`` holds one of the phrases listed under ``[words] name``."""
        return self.words.get(name, NOTHING).search(text) is not None


@cache
def _read(language: str) -> Mapping[str, Any]:
    return tomllib.loads((resources.files(__package__) / "phrases" / f"{language}.toml").read_text("utf-8"))


def function_words(language: str) -> frozenset[str]:
    """Common words that tell the language, without compiling all of its phrases."""
    return frozenset(_read(language).get("function_words", ()))


@cache
def phrasebook(language: str) -> Phrasebook:
    """The phrasebook of ``language``, one of ``LANGUAGES``; read and compiled once."""
    data = _read(language)
    slots = dict(data.get("slots", {}))
    slots.update({name: _any_of(words) for name, words in data.get("lists", {}).items()})
    for name, phrases in data.get("words", {}).items():
        slots.setdefault(name, f"(?:{'|'.join(phrases)})")
    spaced = bool(data.get("spaced", True))

    def pattern(phrases: Sequence[str]) -> re.Pattern[str]:
        return compile_phrases(phrases, slots, spaced=spaced)

    words = {name: pattern(phrases) for name, phrases in data.get("words", {}).items()}
    words["filler_start_run"], words["filler_end_run"] = _fillers(data.get("words", {}), slots, spaced)
    return Phrasebook(
        language=language,
        spaced=spaced,
        cues=tuple(_cue(entry, pattern(entry["any"])) for entry in data.get("cue", ())),
        guards=tuple(_guard(entry, pattern(entry["any"])) for entry in data.get("guard", ())),
        dates=tuple(DateRule(pattern(entry["any"]), entry["means"]) for entry in data.get("date", ())),
        words=words,
        lists=data.get("lists", {}),
        topics=tuple((name, pattern(phrases)) for name, phrases in data.get("topics", {}).items()),
        stop_words=frozenset(data.get("stop_words", ())),
    )


def _fillers(
    words: Mapping[str, Sequence[str]], slots: Mapping[str, str], spaced: bool
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Small talk at the start and the end of a clause, as runs of fillers."""

    def listed(name: str) -> str:
        return "|".join(_expand(phrase, slots, spaced) for phrase in words.get(name, ())) or "(?!)"

    marks = r"[\s,.!:;，。！：、；~～…–-]"
    start = rf"^(?:(?:{listed('filler_start')}){marks}*|(?:{listed('filler_before_mark')})\s*[,.!:;，。！：、；~～…]+\s*)+"
    end = rf"(?:{marks}*(?:{listed('filler_end')})[\s.!。！~～]*)+$"
    return re.compile(start, re.IGNORECASE), re.compile(end, re.IGNORECASE)


def _cue(entry: Mapping[str, Any], pattern: re.Pattern[str]) -> Cue:
    options = {key: entry[key] for key in ("field", "value", "status", "needs", "remember") if key in entry}
    return Cue(entry["type"], pattern, STRENGTHS[entry.get("strength", "strong")], **options)


def _guard(entry: Mapping[str, Any], pattern: re.Pattern[str]) -> Guard:
    return Guard(entry["name"], pattern, entry.get("scope", "sentence"), tuple(entry.get("types", ())))


def compile_phrases(phrases: Iterable[str], slots: Mapping[str, str], *, spaced: bool) -> re.Pattern[str]:
    """One pattern for all ``phrases``; named groups get a number each, see ``named_groups``."""
    parts = []
    for number, phrase in enumerate(phrases):
        part = _expand(phrase, slots, spaced)
        parts.append(re.sub(r"\(\?P<(\w+)>", rf"(?P<\1__{number}>", part))
    return re.compile("|".join(parts) or "(?!)", re.IGNORECASE)


def named_groups(match: re.Match[str]) -> dict[str, str]:
    """The named groups that took part, under their names as written in the phrasebook."""
    return {name.partition("__")[0]: text for name, text in match.groupdict().items() if text is not None}


def _expand(phrase: str, slots: Mapping[str, str], spaced: bool) -> str:
    """Slots, ``...``, loose spaces and apostrophes, word boundaries."""
    text = phrase.replace("...", GAP)
    for _ in range(4):  # slots may hold slots
        text = re.sub(r"\{([a-z_]+)\}", lambda match: slots[match[1]], text)
    text = _loose_quotes(text)
    if not spaced:
        return f"(?:{text})"
    text = re.sub(r"(?<!\\) (?![?*+{\]])", r"\\s+", text)
    before = r"(?<!\w)" if re.match(r"[\w(]", text) and not phrase.startswith("{start}") else ""
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


def _any_of(words: Mapping[str, int] | Sequence[str]) -> str:
    return (
        "(?:"
        + "|".join(sorted((re.escape(word).replace("\\ ", " ") for word in words), key=len, reverse=True))
        + ")"
    )
