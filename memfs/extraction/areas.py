"""The area a wish is filed under: the heading that wishes on several topics share (``[areas]`` of the phrases)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from memfs.extraction.patterns import compile_phrases
from memfs.extraction.phrasebook import read_phrases
from memfs.memory.headings import heading

GENERAL = "General"
# Words like "commit" stand in any language: where one of its own languages knows no area, English is asked.
_LAST = "en"
_SCRIPTS_MEET = re.compile(
    r"(?<=[A-Za-z0-9])(?=[\u3040-\u30ff\u3400-\u9fff])|(?<=[\u3040-\u30ff\u3400-\u9fff])(?=[A-Za-z0-9])"
)


def area_of(text: str, languages: Sequence[str], *, language: Literal["en", "zh"]) -> str:
    """The area most of whose words are in ``text``, of equals the first; named in the vault's ``language``."""
    spread = _SCRIPTS_MEET.sub(" ", text)
    for own in dict.fromkeys((*languages, _LAST)):
        found = {name: len(set(pattern.findall(spread.lower()))) for name, pattern in _areas(own).items()}
        best = max(found, key=lambda name: found[name], default=GENERAL)
        if found.get(best):
            return _called(best, language)
    return heading(GENERAL, language)


@cache
def _areas(language: str) -> Mapping[str, re.Pattern[str]]:
    data = read_phrases(language)
    spaced = bool(data.get("spaced", True))
    return {name: compile_phrases(words, {}, spaced=spaced) for name, words in data.get("areas", {}).items()}


def _called(area: str, language: str) -> str:
    names: Mapping[str, str] = read_phrases(language).get("area_names", {})
    return names.get(area, area)
