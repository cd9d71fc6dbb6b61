"""How right entries are, by labelled conversations. Pure and deterministic; docs/evaluation.md says the rules.

An entry matches an item when its peer is right and it holds every keyword of one of the item's groups. It may earn
two items, and two entries may be right for one item; what breaks a ban earns nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memfs.services.evaluating.labels import ATTRIBUTES, Entry, Label, Prediction
from memfs.services.evaluating.matching import (
    breaks,
    is_right,
    is_superseded,
    is_typed,
    matches,
    may_tell,
    type_of,
)

MAX_ITEMS = 2  # how many items one entry may earn
MAX_SAME = 2  # how many entries may be right for one item; more only repeat it
_SHOWN = 160


@dataclass(slots=True)
class Tally:
    """Counts of one row: what there was to find and what was found, what was made and what of it is right."""

    must: int = 0
    found: int = 0
    found_any: int = 0
    entries: int = 0
    good: int = 0
    good_typed: int = 0
    optional: int = 0
    violations: int = 0

    def add(self, other: Tally) -> None:
        """Add the counts of another row."""
        for name in Tally.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def recall(self) -> float | None:
        """The share of the must items that were found with a right type."""
        return _share(self.found, self.must)

    @property
    def recall_any(self) -> float | None:
        """The same, whatever the type."""
        return _share(self.found_any, self.must)

    @property
    def precision(self) -> float | None:
        """The share of the entries that match an item."""
        return _share(self.good, self.entries)

    @property
    def precision_typed(self) -> float | None:
        """The same, with a right type."""
        return _share(self.good_typed, self.entries)

    @property
    def precision_must(self) -> float | None:
        """The precision without entries that match optional items only."""
        return _share(self.good - self.optional, self.entries - self.optional)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return _harmonic(self.recall, self.precision)

    @property
    def f1_any(self) -> float:
        """The harmonic mean of recall_any and precision."""
        return _harmonic(self.recall_any, self.precision)


@dataclass(frozen=True, slots=True)
class Violation:
    """An entry that must not be, and why."""

    id: str
    why: str
    text: str


@dataclass(frozen=True, slots=True)
class Score:
    """All figures. ``tables``: rows by type, language and kind; ``attributes``: (how many, how many right) of each.

    ``missing``: labelled conversations without a prediction; ``unknown``: predictions without a label.
    """

    all: Tally
    tables: Mapping[str, Mapping[str, Tally]]
    attributes: Mapping[str, tuple[int, int]]
    violations: tuple[Violation, ...]
    transcripts: int
    repeats: int
    tokens: int
    empty: int
    left_empty: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(slots=True)
class _Sums:
    all: Tally = field(default_factory=Tally)
    by_type: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_language: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_kind: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    attributes: defaultdict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    violations: list[Violation] = field(default_factory=list)
    repeats: int = 0


def score(labels: Sequence[Label], predictions: Mapping[str, Prediction]) -> Score:
    """Compare what was predicted with what is labelled. One without a prediction counts as left without entries."""
    sums = _Sums()
    for label in labels:
        _score_one(label, predictions.get(label.id, Prediction(label.id)).entries, sums)
    known = {label.id for label in labels}
    empty = [label for label in labels if label.expect_empty]
    return Score(
        all=sums.all,
        tables={
            name: dict(sorted(table.items()))
            for name, table in (
                ("by_type", sums.by_type),
                ("by_language", sums.by_language),
                ("by_kind", sums.by_kind),
            )
        },
        attributes={name: (each.total(), each[True]) for name, each in sorted(sums.attributes.items())},
        violations=tuple(sums.violations),
        transcripts=len(labels),
        repeats=sums.repeats,
        tokens=sum(predictions[label.id].tokens for label in labels if label.id in predictions),
        empty=len(empty),
        left_empty=sum(not predictions.get(each.id, Prediction(each.id)).entries for each in empty),
        missing=tuple(label.id for label in labels if label.id not in predictions),
        unknown=tuple(sorted(set(predictions) - known)),
    )


def _score_one(label: Label, entries: Sequence[Entry], sums: _Sums) -> None:
    own = Tally()

    def count(type_name: str, row: Tally) -> None:
        own.add(row)
        sums.by_type[type_name].add(row)

    broken = [[ban for ban in label.bans if breaks(entry, ban)] for entry in entries]
    for entry, bans in zip(entries, broken, strict=True):
        count(type_of(entry) or "?", Tally(violations=len(bans)))
        sums.violations += [Violation(label.id, ban.why, entry.text[:_SHOWN]) for ban in bans]
    fair = [at for at, bans in enumerate(broken) if not bans]
    _count_found(label, entries, fair, sums, count)
    _count_right(label, entries, fair, sums, count)
    sums.all.add(own)
    sums.by_language[label.language].add(own)
    for kind in label.kinds:
        sums.by_kind[kind].add(own)


def _count_found(
    label: Label,
    entries: Sequence[Entry],
    fair: Sequence[int],
    sums: _Sums,
    count: Callable[[str, Tally], None],
) -> None:
    """Which must items were found, and with what attributes."""
    must = [item for item in label.items if item.must]
    edges = [[at for at in fair if matches(entries[at], item)] for item in must]
    typed = [
        [at for at in edge if is_typed(entries[at], item)] for item, edge in zip(must, edges, strict=True)
    ]
    found_any, found = _place(edges, MAX_ITEMS), _place(typed, MAX_ITEMS)
    for number, item in enumerate(must):
        row = Tally(must=1, found=int(number in found), found_any=int(number in found_any))
        count(item.types[0], row)
        if number not in found_any:
            continue
        for name in ATTRIBUTES:
            able = [entries[at] for at in edges[number] if may_tell(name, entries[at], item)]
            if name in item.attributes and able:
                sums.attributes[name][any(is_right(name, each, item) for each in able)] += 1


def _count_right(
    label: Label,
    entries: Sequence[Entry],
    fair: Sequence[int],
    sums: _Sums,
    count: Callable[[str, Tally], None],
) -> None:
    """Which entries are right; those of a conversation that only say again what others say are not."""
    hits = [
        [n for n, item in enumerate(label.items) if at in fair and matches(entry, item)]
        for at, entry in enumerate(entries)
    ]
    useful = _place(hits, MAX_SAME)
    for at, entry in enumerate(entries):
        if at in fair and is_superseded(entry):
            continue
        mine = [label.items[n] for n in hits[at]] if at in useful else []
        row = Tally(
            entries=1,
            good=int(bool(mine)),
            good_typed=int(any(is_typed(entry, item) for item in mine)),
            optional=int(bool(mine) and not any(item.must for item in mine)),
        )
        count(type_of(entry) or "?", row)
        sums.repeats += bool(hits[at]) and not mine


def _place(edges: Sequence[Sequence[int]], room: int) -> set[int]:
    """The rows that find a place in a largest matching with the columns they list; a column has room for ``room``."""
    held: defaultdict[int, list[int]] = defaultdict(list)

    def place(row: int, seen: set[int]) -> bool:
        for column in edges[row]:
            if column in seen:
                continue
            seen.add(column)
            if len(held[column]) < room:
                held[column].append(row)
                return True
            moved = next((other for other in list(held[column]) if place(other, seen)), None)
            if moved is not None:
                held[column].remove(moved)
                held[column].append(row)
                return True
        return False

    return {row for row in range(len(edges)) if place(row, set())}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _harmonic(one: float | None, other: float | None) -> float:
    first, second = one or 0.0, other or 0.0
    return round(2 * first * second / (first + second), 4) if first + second else 0.0
