"""Answers about where memory comes from."""

from __future__ import annotations

from pydantic import Field

from memfs.interfaces.answers import Answer
from memfs.interfaces.answers.entries import Entry


class Tokens(Answer):
    """Tokens of model calls."""

    input: int
    output: int


class LoggedEntry(Answer):
    """What a commit did to one entry, and the messages that prove it."""

    id: str
    action: str
    source: str | None
    messages: list[str]


class LogItem(Answer):
    """One commit."""

    commit: str
    time: str
    author: str
    kind: str
    subject: str
    identity: str | None
    source: str | None
    extractor: str | None
    tokens: Tokens | None
    entries: list[LoggedEntry]


class Log(Answer):
    """Commits, newest first."""

    commits: list[LogItem]


class Diff(Answer):
    """A commit's changes in memory, as a patch."""

    commit: str | None
    patch: str


class Said(Answer):
    """A turn that proves an entry; its text is null where no copy of the transcript is left."""

    message: str
    role: str | None
    text: str | None
    timestamp: str | None
    speaker: str | None
    path: str | None
    kept: bool


class Reason(Answer):
    """A commit that wrote the entry, and the turns it went by."""

    commit: str
    time: str
    action: str
    kind: str
    source: str | None
    extractor: str | None
    tokens: Tokens | None
    turns: list[Said]


class Why(Answer):
    """Where an entry comes from, newest first."""

    entry: Entry
    author: str | None = Field(description="Who wrote its words, where they are a person's.")
    commit: str | None
    reasons: list[Reason]
