"""What becomes of the pairs and the old entries of a review: rules of who gives way to whom. Pure.

A person's words are never rewritten. Where memfs cannot be sure, it offers: under the entry that says less the text
that says more, under the older one the newer. What is accepted then says the same as the other, which makes it
certain, and the next review unites them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from memfs.errors import MemfsError
from memfs.memory.expiry import Patience, is_over, stale_since
from memfs.memory.ledger import as_utc
from memfs.memory.likeness import ALIKE, weighty_words
from memfs.memory.snapshot import Outcome
from memfs.memory.standing import Pair, Standing, covers, fuller_of
from memfs.memory.trust import is_less
from memfs.memory.uniting import (
    Bench,
    archive,
    bare,
    clothed,
    drop_said,
    mark,
    suggest,
    supersede,
    unite,
)
from memfs.memory.wording import stale

SURE_COSINE = 0.86


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader says of a pair. ``text``: what both say together, where they say the same."""

    kind: Literal["same", "contradiction", "different"]
    text: str = ""


def settle(bench: Bench, pair: Pair, verdict: Verdict | None) -> list[Outcome]:
    """What becomes of a pair; ``verdict`` None: nobody read it, so only the words tell."""
    first, second = pair.first, pair.second
    fuller = fuller_of(pair)
    if fuller is not None and (first.untouched or second.untouched):
        return _attempt(bench, first, lambda: _same(bench, pair, bare(fuller.type, fuller.text)))
    if verdict is None:
        return _attempt(bench, first, lambda: _offer(bench, pair))
    if verdict.kind == "same":
        return _attempt(bench, first, lambda: _same(bench, pair, verdict.text))
    if verdict.kind == "contradiction":
        return _attempt(bench, first, lambda: _contradiction(bench, pair))
    return []


def keep_time(bench: Bench, standing: Sequence[Standing], patience: Patience) -> list[Outcome]:
    """Archive what is over, and mark open tasks that nothing was heard of for long; memfs's own entries only."""
    outcomes: list[Outcome] = []
    for each in standing:
        if each.untouched and each.time is not None and each.handle not in bench.spared:
            outcomes += _attempt(bench, each, partial(_keep_time, bench, each, patience))
    return outcomes


def _keep_time(bench: Bench, each: Standing, patience: Patience) -> list[Outcome]:
    document, said = bench.desk.document(each.path), as_utc(each.time or bench.noon).date()
    if is_over(document, each.type, each.text, each.box, said, bench.today, patience):
        return archive(bench, each)
    since = stale_since(each.text, each.box, said, bench.today, patience) if each.type == "actions" else None
    return mark(bench, each, stale(each.text, since)) if since else []


def _same(bench: Bench, pair: Pair, core: str) -> list[Outcome]:
    first, second = pair.first, pair.second
    if first.untouched and second.untouched:
        if bench.trust(first) == bench.trust(second):
            return unite(bench, first, second, clothed(first, second, core))
        return _same_but_trust(bench, first, second, core)
    person, other = (second, first) if first.untouched else (first, second)
    if other.untouched and covers(person, other):
        return drop_said(bench, person, other)
    lesser = person if other.untouched else _lesser(pair)
    return suggest(bench, lesser, _other(pair, lesser), clothed(lesser, _other(pair, lesser), core))


def _same_but_trust(bench: Bench, first: Standing, second: Standing, core: str) -> list[Outcome]:
    """Of two that are not trusted alike the better one stays as it is; what else the lesser says is offered."""
    lesser, better = (first, second) if is_less(bench.trust(first), bench.trust(second)) else (second, first)
    if covers(better, lesser):
        return unite(bench, better, lesser, better.text)
    return suggest(bench, better, lesser, clothed(better, lesser, core))


def _contradiction(bench: Bench, pair: Pair) -> list[Outcome]:
    """The later evidence holds; a person's words hold against what was said before them."""
    old, new = pair.first, pair.second
    if old.time is None or new.time is None or old.time == new.time:
        if old.untouched and new.untouched:
            return []  # nothing tells which holds
        person = new if old.untouched else old
        return suggest(bench, person, _other(pair, person), _other(pair, person).text)
    if old.untouched and not is_less(bench.trust(new), bench.trust(old)):
        return supersede(bench, old, new)
    return suggest(bench, old, new, new.text)


def _offer(bench: Bench, pair: Pair) -> list[Outcome]:
    """Words alone: offer what the pair seems to be, where it is plain enough to bother a person with."""
    if pair.kind == "contradiction":
        return suggest(bench, pair.first, pair.second, pair.second.text)
    close = pair.likeness >= ALIKE or (pair.cosine or 0.0) >= SURE_COSINE
    if pair.kind != "duplicate" and not (close and pair.alike_in_numbers):
        return []
    lesser = _lesser(pair)
    other = _other(pair, lesser)
    return suggest(bench, lesser, other, clothed(lesser, other, bare(other.type, other.text)))


def _lesser(pair: Pair) -> Standing:
    """The one that says less; of equals the later."""
    sizes = [len(set(weighty_words(each.key))) for each in (pair.first, pair.second)]
    return pair.first if sizes[0] < sizes[1] else pair.second


def _other(pair: Pair, one: Standing) -> Standing:
    return pair.second if one.handle == pair.first.handle else pair.first


def _attempt(bench: Bench, each: Standing, change: Callable[[], list[Outcome]]) -> list[Outcome]:
    """All of a change or nothing of it, with the reason."""
    try:
        with bench.desk.attempt():
            return change()
    except MemfsError as error:
        return [Outcome(each.handle, "kept", each.type, each.path, error.message)]
