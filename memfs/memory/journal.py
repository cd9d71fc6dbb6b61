"""Working memory: what a session's block in the journal says, and what a rewrite of it may never lose. Pure.

The guards: a person's lines stay as they are; errors are only added to; a fact or a named file goes only where
another line says as much, with every file, date and number of it; an open issue that vanishes without being solved
is restored once, marked, and goes when it vanishes again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memfs.memory.ids import normalise_key
from memfs.memory.plain import has_cjk, plain_text
from memfs.model import JOURNAL as JOURNAL
from memfs.model import Dropped, Evidence

# What a block has below its heading and its state, in this order, and what each part is headed in en and zh.
SECTIONS: Mapping[str, tuple[str, str]] = {
    "goals": ("Task and goals", "任务与目标"),
    "facts": ("Key facts and decisions", "关键事实与决定"),
    "files": ("Files and context", "文件与背景"),
    "errors": ("Errors and corrections", "错误与更正"),
    "issues": ("Open issues", "未决问题"),
}
UNMENTIONED = {"en": " (no longer mentioned)", "zh": "（未再提及）"}
# The state that is written without a model; it never takes the place of another one.
LAST_SAID = {"en": "Last said at {time}: {words}", "zh": "最后于 {time} 说：{words}"}

_ALIKE = 0.6  # of the words of the shorter of two lines, from which on they are about the same
_COVERED = 0.7  # of the words of a line that another line has to hold to stand for it
_ANCHOR = re.compile(r"(?<![\w.@~-])[\w.@~-]*/[\w./@~-]+|[\w-]{1,200}\.[A-Za-z]\w{0,7}\b|\d+(?:[.,:/-]\d+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_LAST_SAID = re.compile(r"(?:Last said at|最后于) \d\d:\d\d")
_STEM = 6
_COMMON = frozenset(
    ("the", "and", "for", "with", "that", "this", "was", "were", "are", "has", "have", "from")
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a block. ``section`` is a key of ``SECTIONS``; ``evidence`` what proves a line that is new.

    ``id``: its block id, None for a new line. ``own``: memfs wrote it and nobody has changed it. ``box``: the
    character in its task box, where it has one.
    """

    section: str
    text: str
    evidence: Evidence | None = None
    id: str | None = None
    own: bool = True
    box: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What a session's block should say.

    ``whole``: the lines are all of it, so that what is missing may go; else they are added to it. ``solved`` are open
    issues that are none any more. ``state`` empty: it stays as it is, and is the title where there is none.
    """

    title: str
    state: str
    evidence: Evidence
    lines: tuple[Line, ...] = ()
    solved: tuple[str, ...] = ()
    whole: bool = False


def rewrite(
    old: Sequence[Line], new: Sequence[Line], *, solved: Sequence[str] = (), whole: bool, limit: int
) -> tuple[tuple[Line, ...], tuple[Dropped, ...]]:
    """The lines of a block after a rewrite, within its guards, and what of the new lines was left out.

    A line that goes on keeps its id. ``limit``: the most lines of a section; a full one takes no more.
    """
    fresh = _distinct(new)
    left = dict(enumerate(fresh))
    result: list[Line] = []
    for line in old:
        at = next((n for n, each in left.items() if each.section == line.section and alike(line, each)), None)
        says = left.pop(at) if at is not None else None
        if stays := _after(line, says, fresh, solved, whole=whole):
            result.append(stays)
    counts = Counter(line.section for line in result)
    dropped = []
    for line in left.values():
        if counts[line.section] < limit:
            counts[line.section] += 1
            result.append(_task(line))
        else:
            heading = SECTIONS[line.section][0].lower()
            dropped.append(Dropped(JOURNAL, f"{heading}: there are {limit} lines already"))
    return tuple(result), tuple(dropped)


def alike(old: Line, new: Line) -> bool:
    """Whether a new line is the old one, said again or anew.

    A line of memfs's own gives way only to one with all its files, dates and numbers; next to a person's line
    whatever is about the same is left out.
    """
    ours, theirs = _bare(old.text), _bare(new.text)
    if normalise_key(ours) == normalise_key(theirs):
        return True
    one, other = words(ours), words(theirs)
    shared = len(one & other)
    near = shared >= 2 and shared >= _ALIKE * min(len(one), len(other))
    return near and (not old.own or anchors(ours) <= anchors(theirs))


def only_quotes(state: str) -> bool:
    """Whether a state was written without a model."""
    return _LAST_SAID.match(state) is not None


def anchors(text: str) -> frozenset[str]:
    """The files, dates and numbers that a text names."""
    return frozenset(found.casefold().strip(".") for found in _ANCHOR.findall(plain_text(text)))


def words(text: str) -> frozenset[str]:
    """The words that tell what a text is about, endings aside; of CJK its pairs of letters."""
    key = normalise_key(text)
    pairs = {run[at : at + 2] for run in _WIDE.findall(key) for at in range(len(run) - 1)}
    plain = {word[:_STEM] for word in _WIDE.sub(" ", key).split() if len(word) > 2 and word not in _COMMON}
    return frozenset(pairs | plain)


def _after(
    line: Line, says: Line | None, fresh: Sequence[Line], solved: Sequence[str], *, whole: bool
) -> Line | None:
    """What becomes of an old line when ``says`` goes on with it, or nothing does; None: it goes."""
    if not line.own or line.section == "errors":
        return line
    if says is not None:
        return replace(line, text=_bare(says.text), evidence=says.evidence)
    if line.section == "issues":
        return _missing_issue(line, solved, whole=whole)
    return None if whole and _may_go(line, fresh) else line


def _missing_issue(line: Line, solved: Sequence[str], *, whole: bool) -> Line | None:
    if any(alike(replace(line, own=False), Line("issues", text)) for text in solved):
        return replace(line, text=_bare(line.text), box="x")
    if not whole:
        return line
    if line.box == "x" or is_unmentioned(line.text):
        return None
    return replace(line, text=line.text + UNMENTIONED["zh" if has_cjk(line.text) else "en"])


def _may_go(line: Line, fresh: Sequence[Line]) -> bool:
    """Whether nothing is lost with a line: a goal's anchors, all of a fact or file."""
    said, named = words(line.text), anchors(line.text)
    if line.section == "goals":
        return named <= frozenset[str]().union(*(anchors(each.text) for each in fresh))
    return any(
        named <= anchors(each.text) and len(said & words(each.text)) >= _COVERED * len(said) for each in fresh
    )


def _distinct(lines: Iterable[Line]) -> list[Line]:
    """The lines that say something, none twice in a section."""
    found: dict[tuple[str, str], Line] = {}
    for line in lines:
        if line.text.strip() and line.section in SECTIONS:
            found.setdefault((line.section, normalise_key(_bare(line.text))), line)
    return list(found.values())


def _task(line: Line) -> Line:
    """A new line as it is written: an open issue has a box to be ticked."""
    return replace(line, text=_bare(line.text), box=" " if line.section == "issues" else None)


def is_unmentioned(text: str) -> bool:
    """Whether an issue was restored and marked."""
    return text.rstrip().endswith(tuple(mark.strip() for mark in UNMENTIONED.values()))


def _bare(text: str) -> str:
    for mark in UNMENTIONED.values():
        text = text.rstrip().removesuffix(mark.strip())
    return text.strip()
