"""What the rules make of a sentence: how it was heard, and the parts that may be worth keeping."""

from __future__ import annotations

from dataclasses import dataclass, field

from memfs.extraction.dates import DateMention
from memfs.extraction.phrasebook import Cue, Phrasebook


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part of a sentence that says something of a type. Positions count in the sentence."""

    type: str
    cue: Cue
    start: int
    end: int
    cue_start: int
    cue_end: int
    strength: float
    names: dict[str, str] = field(default_factory=dict)
    remember: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """How a sentence was said: languages, days named in it, the project spoken of.

    ``noted``: how the assistant took note (2 outright, 1 perhaps); ``promised``: for good; ``proposal``: what it
    had said just before; ``echoed``: whether it said the gist of the sentence
    again; ``opening``: whether nobody of that name had spoken before; ``choice``: whether the proposal answers
    the user's "this or that?".
    """

    books: tuple[Phrasebook, ...]
    dates: tuple[DateMention, ...] = ()
    noted: int = 0
    promised: bool = False
    proposal: str = ""
    project: str | None = None
    echoed: bool = False
    opening: bool = False
    choice: bool = False
