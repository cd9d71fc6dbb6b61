"""Do a user's words prove what a model says? A plain count of shared content words, the same on every machine.

Content words are words of three letters or more that are no common ones, cut to their first six letters so that
endings do not matter, all numbers, and pairs of neighbouring CJK characters. A text is *said* when at least
a third of its content words stand in what was said, and at least one does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from memfs.extraction.phrasebook import function_words, phrasebook

SAID_SHARE = 1 / 3
_STEM = 6
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]+")
_LANGUAGES = ("en", "zh")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_ASSENT_LONGEST = 60
_ASSENT_ZH = re.compile(
    r"(?:嗯+|好|行|对|對|可以|同意|没问题|沒問題|就这样|是的?|成)(?:的|吧|啊|呀|了)?(?![^\s，。,.！!～~就那])"
)


def content_words(text: str) -> frozenset[str]:
    """The content words of a text."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: set[str] = set()
    for found in _CJK.findall(folded):
        words.update(found[at : at + 2] for at in range(len(found) - 1))
        if len(found) == 1:
            words.add(found)
    for word in _WORD.findall(_CJK.sub(" ", folded)):
        if any(char.isdigit() for char in word):
            words.add(word.lstrip("0") or "0")
        elif len(word) > 2 and word not in _common():
            words.add(word[:_STEM])
    return frozenset(words)


def is_said(text: str, said: Iterable[str]) -> bool:
    """Whether what was ``said`` contains the words of ``text``; a text without content words is said."""
    wanted = content_words(text)
    if not wanted:
        return True
    heard = frozenset[str]().union(*(content_words(each) for each in said))
    shared = sum(word in heard or _begins(word, heard) for word in wanted)
    return shared > 0 and shared >= len(wanted) * SAID_SHARE


def _begins(word: str, heard: frozenset[str]) -> bool:
    """Whether one is the beginning of the other: forms of a word that differ before the sixth letter."""
    return (
        word.isascii()
        and len(word) >= 4
        and any(other.startswith(word) or (len(other) >= 4 and word.startswith(other)) for other in heard)
    )


def is_assent(text: str) -> bool:
    """Whether a turn is little more than a yes, so that what it agrees to was said before it."""
    bare = text.strip()
    yes = phrasebook("en").has("accept", f"{bare}.") or _ASSENT_ZH.match(bare) is not None
    return yes and 0 < len(bare) <= _ASSENT_LONGEST


def asks_to_remember(text: str, said: Iterable[str]) -> bool:
    """Whether a sentence of what was said asks outright to have it remembered, and speaks of ``text``."""
    cues = [cue.pattern for language in _LANGUAGES for cue in phrasebook(language).cues if cue.remember]
    return any(
        is_said(text, (sentence,)) and content_words(sentence) and any(cue.search(sentence) for cue in cues)
        for turn in said
        for sentence in _SENTENCE_END.split(turn)
    )


@cache
def _common() -> frozenset[str]:
    """Words too common to prove anything."""
    listed = (phrasebook(language).stop_words | function_words(language) for language in _LANGUAGES)
    return frozenset[str]().union(*listed)
