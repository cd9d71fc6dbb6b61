"""How alike two entries are by their words. It only nominates: what becomes of a pair is decided elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from memfs.memory.ids import normalise_key
from memfs.memory.plain import negates
from memfs.memory.wording import core_key

Kind = Literal["duplicate", "contradiction", "near"]

# Words shared, of both; from here on two texts may say the same, and from there on they hardly say anything else.
NEAR, ALIKE = 0.4, 0.7
_STEM = 5
_LEAST_SHARED = 2
_LEAST_BEFORE = 3  # words that two texts must have in common before a number that differs
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been being but by can did do does for from had has have he her his i if in into is "
        "it its may me my of on or our ours she should so than that the their them then there these they this those "
        "to us was we were when which who will with would you your always user prefers wants",
    )
)


@lru_cache(maxsize=16384)
def weighty_words(key: str) -> tuple[str, ...]:
    """The words of a normalised key that say something, in order: stems, numbers, pairs of CJK characters."""
    words: list[str] = []
    for word in _CJK_RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", key).split():
        if any(char.isdigit() for char in word) or not word.isascii():
            words.append(word)
        elif word not in _STOP:
            words.append(word[:_STEM])
    return tuple(words)


def numbers(text: str) -> frozenset[str]:
    """The numbers, dates and versions in a text."""
    return frozenset(_NUMBER.findall(text))


def likeness(first: str, second: str) -> float:
    """The share of their weighty words that two normalised keys have in common, 0 to 1 (Dice)."""
    one, other = set(weighty_words(first)), set(weighty_words(second))
    shared = len(one & other)
    if shared < _LEAST_SHARED:
        return 0.0
    return 2 * shared / (len(one) + len(other))


def kind_of_pair(type_name: str, first: str, second: str) -> Kind:
    """What two texts that are alike seem to be, by words alone; ``near``: only a reader can tell."""
    one, other = core_key(type_name, first), core_key(type_name, second)
    if negates(one) != negates(other):
        bare = likeness(*(_without_negation(key) for key in (one, other)))
        return "contradiction" if bare >= ALIKE and numbers(first) == numbers(second) else "near"
    if numbers(one) != numbers(other):
        return "contradiction" if type_name != "actions" and _differ_late(one, other) else "near"
    return "duplicate" if likeness(one, other) >= ALIKE else "near"


def _differ_late(first: str, second: str) -> bool:
    """Whether only numbers differ, and what they are said of comes before them ("Sprint 12" is a name)."""
    one, other = weighty_words(first), weighty_words(second)
    if len(one) != len(other):
        return False
    differing = [at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
    only_numbers = all(numbers(one[at]) and numbers(other[at]) for at in differing)
    return only_numbers and bool(differing) and differing[0] >= _LEAST_BEFORE


def _without_negation(key: str) -> str:
    return " ".join(word for word in key.split() if not negates(word) or len(word) > _STEM)


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


__all__ = ["ALIKE", "NEAR", "Kind", "kind_of_pair", "likeness", "normalise_key", "numbers", "weighty_words"]
