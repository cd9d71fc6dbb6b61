"""A transcript being read: turns come out one by one, what is known of the file beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Protocol

from memfs.model import Session, SkippedLine, Turn
from memfs.transcripts.speakers import is_role_line

_LISTED = 1000  # so many skipped lines are remembered one by one; beyond, they are only counted


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What is kept in memory while reading.

    ``tool_text``: characters of a tool's result, and of any one argument, that are kept (None: all).
    ``line``: bytes of the longest line that is read; a longer one is skipped and reported.
    """

    tool_text: int | None = None
    line: int = 64 << 20


@dataclass(slots=True)
class Progress:
    """What is known so far; final when the turns are exhausted."""

    session: Session = field(default_factory=Session)
    consumed: int = 0
    settled: int = 0
    pending_tail: bool = False
    restarted: bool = False
    system: str | None = None
    skipped: list[SkippedLine] = field(default_factory=list)
    ignored: list[SkippedLine] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def skip(self, line: int, reason: str) -> None:
        """Note a whole line from which nothing could be read."""
        self.counts["skipped"] += 1
        if len(self.skipped) < _LISTED:
            self.skipped.append(SkippedLine(line, reason))

    def ignore(self, line: int | None, reason: str) -> None:
        """Note a line that reads well but holds nothing we know."""
        self.counts["ignored"] += 1
        if line is not None and len(self.ignored) < _LISTED:
            self.ignored.append(SkippedLine(line, reason))


class Reader:
    """One conversation; iterate it once for its turns.

    ``format`` names the parser. ``incremental``: offsets mean something; else the file is rewritten whole,
    and turns go by their ids. ``conversations`` holds a reader for each conversation of an export.
    ``session`` is known from the start as far as the head of the file tells it, and complete after the last
    turn. Known after the last turn: ``consumed`` (bytes up to the last whole record), ``settled`` (the offset
    before which no turn can grow any more: an assistant turn at the end may still get text and results),
    ``pending_tail`` (an unfinished line waits), ``skipped`` (malformed lines), ``ignored`` (lines of unknown
    kinds), ``counts``, ``problems``, and ``restarted``: the file was shorter than ``start``, and read anew.
    """

    def __init__(
        self,
        format: str,
        name: str,
        progress: Progress,
        turns: Callable[[], Iterable[Turn]],
        *,
        incremental: bool,
        empty: bool = False,
        conversations: tuple[Reader, ...] = (),
    ) -> None:
        self.format = format
        self.name = name
        self.progress = progress
        self.incremental = incremental
        self.conversations = conversations
        self._turns = turns
        self._may_be_empty = empty

    def __iter__(self) -> Iterator[Turn]:
        found = 0
        for turn in self._turns():
            found += 1
            yield turn
        waiting = self.progress.pending_tail and not self.progress.consumed
        if not (found or waiting or self._may_be_empty):
            self.progress.problems.append(f"{self.name}: read as {self.format}, but no turn was found in it")

    @property
    def session(self) -> Session:
        """What is known of the session by now; whatever a file has as its title, a role line is none."""
        session = self.progress.session
        role = session.title is not None and is_role_line(session.title)
        return replace(session, title=None) if role else session

    @property
    def consumed(self) -> int:
        return self.progress.consumed

    @property
    def settled(self) -> int:
        return self.progress.settled

    @property
    def pending_tail(self) -> bool:
        return self.progress.pending_tail

    @property
    def restarted(self) -> bool:
        return self.progress.restarted

    @property
    def skipped(self) -> tuple[SkippedLine, ...]:
        return tuple(self.progress.skipped)

    @property
    def ignored(self) -> tuple[SkippedLine, ...]:
        return tuple(self.progress.ignored)

    @property
    def counts(self) -> Counter[str]:
        return self.progress.counts

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(self.progress.problems)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: its plain bytes, its name (for messages), and how it is to be read."""

    stream: BinaryIO
    name: str
    start: int = 0
    me: tuple[str, ...] = ()
    limits: ReadLimits = field(default_factory=ReadLimits)


class Parser(Protocol):
    """One format. Further ones register under the entry point group ``memfs.transcripts``."""

    name: str

    def recognise(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` (whole lines where possible) is of this format."""
        ...

    def open(self, source: Source) -> Reader:
        """Start reading it."""
        ...
