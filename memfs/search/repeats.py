"""What says the same again among the items of a context: each thing is told once, and by the entry. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from memfs.memory.ids import normalise_key

_MOST = 0.5  # of the longer text, at least, is the shorter one: then the longer one hardly says more


class Told(Protocol):
    """An item with a text; ``working``: a line of the journal, which gives way to an entry."""

    @property
    def text(self) -> str: ...

    @property
    def working(self) -> bool: ...


Item = TypeVar("Item", bound=Told)


def same_again(one: str, other: str) -> bool:
    """Whether one of two keys (`normalise_key`) is the other one, or most of it."""
    short, long = sorted((one, other), key=len)
    if short == long:
        return True
    return len(short) >= _MOST * len(long) and (
        f" {short} " in f" {long} " or (not short.isascii() and short in long)
    )


def without_repeats(sections: Sequence[Sequence[Item]]) -> list[list[Item]]:
    """The items of each section without what an earlier one says, nor journal lines that say what an entry says.

    Items of the same section are only compared for being the same: lists are of things that are alike.
    """
    keys = [[normalise_key(item.text) for item in section] for section in sections]
    entries = [
        key
        for section, own in zip(sections, keys, strict=True)
        for item, key in zip(section, own, strict=True)
        if not item.working
    ]
    told: list[str] = []
    out: list[list[Item]] = []
    for section, own in zip(sections, keys, strict=True):
        fresh: dict[str, Item] = {}
        for item, key in zip(section, own, strict=True):
            others = (*told, *entries) if item.working else told
            if key and key not in fresh and not says_any(key, others):
                fresh[key] = item
        told += fresh
        out.append(list(fresh.values()))
    return out


def says_any(key: str, others: Iterable[str]) -> bool:
    """Whether a key says what one of the others says."""
    return any(same_again(key, other) for other in others)
