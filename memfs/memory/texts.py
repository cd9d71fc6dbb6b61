"""Three-way merge of whole texts, for a person and memfs who saved in the same moment.

The person (ours) wins.

Lines are compared without their endings. Where only one side changed, its change is taken. Where both
changed the same place, ours stays, and of theirs only what is purely new is kept: added lines, and entries
with an id that neither the base nor ours has. No conflict markers, ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_ID = re.compile(r"\^(m-[a-z0-9-]+)[ \t]*$")


def merge_texts(base: str, ours: str, theirs: str) -> str:
    """The text with the changes of both sides since ``base``; every line of ``ours`` that is new survives."""
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    mine, other = _lines(ours), _lines(theirs)
    merged: list[str] = []
    known = _ids(_lines(base)) | _ids(mine)
    for old, my, their in _chunks(_lines(base), mine, other):
        merged += _merge_chunk(old, my, their, known)
    return _join(merged, ours, theirs)


def is_stale_save(before: str, after: str, now: str) -> bool:
    """Whether an editor saved over a merge (``before`` -> ``after``) from a buffer that never saw it.

    Then every change of the merge is gone from ``now``, and ``now`` differs from ``before`` in other places
    too. Exactly ``before`` is no stale save: the person took the merge back.
    """
    if now in (before, after) or before == after:
        return False
    changed = set(_bare(_lines(after))) - set(_bare(_lines(before)))
    lost = set(_bare(_lines(before))) - set(_bare(_lines(after)))
    present = set(_bare(_lines(now)))
    return bool(changed) and not (changed & present) and lost <= present


def _lines(text: str) -> list[str]:
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _ids(lines: Sequence[str]) -> set[str]:
    return {match[1] for line in _bare(lines) if (match := _ID.search(line))}


def _chunks(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """The texts cut at the lines that all three share: unchanged runs and the changed places between them."""
    mine, other = _matches(base, ours), _matches(base, theirs)
    at, my, their = 0, 0, 0
    for line in range(len(base) + 1):
        both = line == len(base) or (line in mine and line in other)
        if not both:
            continue
        to_my = mine[line] if line < len(base) else len(ours)
        to_their = other[line] if line < len(base) else len(theirs)
        yield base[at:line], ours[my:to_my], theirs[their:to_their]
        if line < len(base):
            yield base[line : line + 1], ours[to_my : to_my + 1], ours[to_my : to_my + 1]
            at, my, their = line + 1, to_my + 1, to_their + 1


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
    if (kept := _added_around(plain[0], plain[1])) is not None:
        above, below = kept
        said = {line for line in plain[2] if line}
        return [
            *(line for at, line in enumerate(ours) if at in above and plain[1][at] not in said),
            *theirs,
            *(line for at, line in enumerate(ours) if at in below and plain[1][at] not in said),
        ]
    return [*ours, *_pure_additions(base, ours, theirs, known)]


def _added_around(base: list[str], ours: list[str]) -> tuple[range, range] | None:
    """The lines that ours has above and below base, which it holds unchanged; None where it does not."""
    size = len(base)
    at = (
        next((at for at in range(len(ours) - size + 1) if ours[at : at + size] == base), None)
        if size
        else None
    )
    return None if at is None else (range(at), range(at + size, len(ours)))


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
