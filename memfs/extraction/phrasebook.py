"""What the rules know of a language, read from ``phrases/<language>.toml`` (the format is told there)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from memfs.extraction.patterns import any_of, compile_phrases, expand

LANGUAGES = ("en", "zh", "de", "es", "fr", "ja")
STRENGTHS = {"weak": 1.0, "strong": 2.0, "sure": 3.0}
REQUEST = "request for the moment"
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

    def asks(self, text: str) -> bool:
        """Whether ``text`` asks for something to be done at once."""
        return any(guard.name == REQUEST and guard.pattern.search(text) for guard in self.guards)


@cache
def read_phrases(language: str) -> Mapping[str, Any]:
    """The phrases of ``language`` as they stand in its file; read once."""
    return tomllib.loads((resources.files(__package__) / "phrases" / f"{language}.toml").read_text("utf-8"))


def function_words(language: str) -> frozenset[str]:
    """Common words that tell the language, without compiling all of its phrases."""
    return frozenset(read_phrases(language).get("function_words", ()))


@cache
def phrasebook(language: str) -> Phrasebook:
    """The phrasebook of ``language``, one of ``LANGUAGES``; read and compiled once."""
    data = read_phrases(language)
    slots = dict(data.get("slots", {}))
    slots.update({name: any_of(words) for name, words in data.get("lists", {}).items()})
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
        return "|".join(expand(phrase, slots, spaced) for phrase in words.get(name, ())) or "(?!)"

    marks = r"[\s,.!:;，。！：、；~～…–-]"
    before_mark = rf"(?:{listed('filler_before_mark')})\s*[,.!:;，。！：、；~～…]+\s*"
    start = rf"^(?:(?:{listed('filler_start')}){marks}*|{before_mark})+"
    end = rf"(?:{marks}*(?:{listed('filler_end')})[\s.!。！~～]*)+$"
    return re.compile(start, re.IGNORECASE), re.compile(end, re.IGNORECASE)


def _cue(entry: Mapping[str, Any], pattern: re.Pattern[str]) -> Cue:
    options = {key: entry[key] for key in ("field", "value", "status", "needs", "remember") if key in entry}
    return Cue(entry["type"], pattern, STRENGTHS[entry.get("strength", "strong")], **options)


def _guard(entry: Mapping[str, Any], pattern: re.Pattern[str]) -> Guard:
    return Guard(entry["name"], pattern, entry.get("scope", "sentence"), tuple(entry.get("types", ())))
