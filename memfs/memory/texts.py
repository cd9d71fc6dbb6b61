"""Three-way merge of whole texts, for a person and memfs who saved in the same moment.

The person (ours) wins.

Lines are compared without their endings. Where only one side changed, its change is taken. Where both
changed the same place, ours stays, and of theirs only what is purely new is kept: added lines, and entries
with an id that neither the base nor ours has. No conflict markers, ever.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_ID = re.compile(r"\^(m-[a-z0-9-]+)[ \t]*$")


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """The base's lines from ``start`` to ``end`` become the side's from ``first`` to ``last``."""

    start: int
    end: int
    first: int
    last: int


def merge_texts(base: str, ours: str, theirs: str) -> str:
    """The text with the changes of both sides since ``base``; every line of ``ours`` that is new survives."""
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    old, mine, other = _lines(base), _lines(ours), _lines(theirs)
    spans = _spans(len(old), _edits(old, mine), _edits(old, other))
    known = _ids(old) | _ids(mine)
    brought = _names(mine) - _names(old)  # by both sides, when theirs has it too: it stands where ours put it
    merged: list[str] = []
    for span, my, their in spans:
        added = [line for line in other[their] if not brought & _names([line])]
        merged += _merge_chunk(old[span], mine[my], added, known)
    return _join(merged, ours, theirs)


def is_stale_save(before: str, after: str, now: str) -> bool:
    """Whether an editor saved over a merge (``before`` -> ``after``) from a buffer that never saw it.

    Then all that the merge brought is gone from ``now``, no id of its new entries is left, and ``now`` differs from
    ``before`` too. Exactly ``before``, blank lines aside, is no stale save: the person took the merge back.
    """
    if now in (before, after) or before == after:
        return False
    old, new, seen = ([line for line in _bare(_lines(text)) if line.strip()] for text in (before, after, now))
    brought = set(Counter(new) - Counter(old))
    return (
        seen != old and bool(brought) and not brought & set(seen) and not (_ids(new) - _ids(old)) & _ids(seen)
    )


def entry_ids(text: str) -> set[str]:
    """The ids of the entries that stand in a text."""
    return _ids(_lines(text))


def _lines(text: str) -> list[str]:
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _ids(lines: Sequence[str]) -> set[str]:
    return set(_ids_by_line(lines).values())


def _names(lines: Sequence[str]) -> set[str]:
    """What there should be one of: entries by their ids, headings by their words."""
    return _ids(lines) | {line for line in _bare(lines) if line.startswith("#")}


def _ids_by_line(lines: Sequence[str]) -> dict[int, str]:
    return {at: match[1] for at, line in enumerate(_bare(lines)) if (match := _ID.search(line))}


def _edits(base: Sequence[str], side: Sequence[str]) -> list[_Edit]:
    """What a side changed, in small pieces: an entry with the same id is the same line, with other words."""
    pairs, old, new = _matches(base, side), _ids_by_line(base), _ids_by_line(side)
    edits: list[_Edit] = []
    start = first = 0
    for at in range(len(base) + 1):
        if at < len(base) and at not in pairs:
            continue
        last = pairs.get(at, len(side))
        if start < at or first < last:
            edits += _pieces(_Edit(start, at, first, last), old, new)
        start, first = at + 1, last + 1
    return edits


def _pieces(edit: _Edit, old: Mapping[int, str], new: Mapping[int, str]) -> Iterator[_Edit]:
    """A change cut where it has a line for a line: by ids, or where both have as many lines."""
    places = {new[at]: at for at in range(edit.first, edit.last) if at in new}
    even = edit.end - edit.start == edit.last - edit.first
    start, first = edit.start, edit.first
    for at in range(edit.start, edit.end):
        partner = edit.first + at - edit.start if even else places.get(old.get(at, ""), -1)
        if partner < first:
            continue
        if start < at or first < partner:
            yield _Edit(start, at, first, partner)
        yield _Edit(at, at + 1, partner, partner + 1)
        start, first = at + 1, partner + 1
    if start < edit.end or first < edit.last:
        yield _Edit(start, edit.end, first, edit.last)


def _spans(
    length: int, mine: Sequence[_Edit], other: Sequence[_Edit]
) -> Iterator[tuple[slice, slice, slice]]:
    """The base cut into what neither side changed and what at least one did, with the same place in each side.

    Changes that only touch, such as a line added below one that was changed, stay apart.
    """
    at, ahead, further = 0, 0, 0  # where the base is, and how much longer each side is by then
    for start, end, ours, theirs in _groups(mine, other):
        for line in range(at, start):
            yield (
                slice(line, line + 1),
                slice(line + ahead, line + ahead + 1),
                slice(line + further, line + further + 1),
            )
        grown, longer = (sum(e.last - e.first - e.end + e.start for e in edits) for edits in (ours, theirs))
        yield (
            slice(start, end),
            slice(start + ahead, end + ahead + grown),
            slice(start + further, end + further + longer),
        )
        at, ahead, further = end, ahead + grown, further + longer
    if at < length:
        yield slice(at, length), slice(at + ahead, length + ahead), slice(at + further, length + further)


def _groups(
    mine: Sequence[_Edit], other: Sequence[_Edit]
) -> Iterator[tuple[int, int, list[_Edit], list[_Edit]]]:
    """Changes of both sides in order, those of the same place together: start, end, ours, theirs."""
    waiting = sorted(
        [(edit, True) for edit in mine] + [(edit, False) for edit in other], key=lambda pair: pair[0]
    )
    while waiting:
        (edit, own), *waiting = waiting
        start, end = edit.start, edit.end
        sides: tuple[list[_Edit], list[_Edit]] = ([], [])
        sides[not own].append(edit)
        while waiting and _meet(start, end, waiting[0][0]):
            (edit, own), *waiting = waiting
            sides[not own].append(edit)
            end = max(end, edit.end)
        yield start, end, *sides


def _meet(start: int, end: int, edit: _Edit) -> bool:
    """Whether a change is in the same place as the lines ``start`` to ``end``; edges that touch are not."""
    return edit.start < end or (start == end == edit.start == edit.end)


def _matches(base: Sequence[str], side: Sequence[str]) -> dict[int, int]:
    """Which line of ``side`` each line of ``base`` is.

    Equal beginnings and ends are set aside: the rest is short.
    """
    old, new = _bare(base), _bare(side)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    pairs = {at: at for at in range(head)}
    pairs |= {len(old) - at: len(new) - at for at in range(1, tail + 1)}
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for block in matcher.get_matching_blocks():
        pairs |= {head + block.a + step: head + block.b + step for step in range(block.size)}
    return pairs


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    return next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]),
        min(len(old), len(new)),
    )


def _merge_chunk(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], known: set[str]
) -> list[str]:
    plain = _bare(base), _bare(ours), _bare(theirs)
    if plain[0] == plain[2] or plain[1] == plain[2]:
        return list(ours)
    if plain[0] == plain[1]:
        return list(theirs)
    return [*ours, *_pure_additions(base, ours, theirs, known)]


def _pure_additions(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], known: set[str]
) -> list[str]:
    """Lines of theirs that replace nothing: inserts between base lines, and entries with a new id."""
    present = set(_bare(ours))
    added: list[str] = []
    matcher = SequenceMatcher(None, _bare(base), _bare(theirs), autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        for line in theirs[start:end] if tag in ("insert", "replace") else ():
            bare = line.rstrip("\r\n")
            entry = _ID.search(bare)
            new = entry is not None and entry[1] not in known
            if bare.strip() and bare not in present and (new or (tag == "insert" and entry is None)):
                added.append(line)
    return added


def _join(lines: list[str], ours: str, theirs: str) -> str:
    """The lines as one text; a line that has no ending and is not the last one gets that of the text."""
    newline = "\r\n" if "\r\n" in (ours or theirs) else "\n"
    whole = [line if line.endswith("\n") else line + newline for line in lines[:-1]]
    return "".join([*whole, *lines[-1:]])
