"""Answers about what is read of transcripts."""

from __future__ import annotations

from memfs.interfaces.answers import Answer
from memfs.interfaces.answers.history import Tokens
from memfs.interfaces.answers.upkeep import SetAside


class Pushed(Answer):
    """What became of pushed turns; all of them are on disk."""

    session: str
    accepted: int
    known: int


class Dropped(Answer):
    """An operation that was not used."""

    type: str
    reason: str


class SessionMerged(Answer):
    """What came of one session."""

    source: str
    session: str
    identity: str
    turns: int
    added: int
    updated: int
    superseded: int
    kept: int
    trained: int
    dropped: list[Dropped]
    skipped_lines: int
    commit: str | None
    path: str
    withheld: int
    off_record: bool
    undone: list[str]
    problems: list[str]
    tokens: Tokens | None


class Ingested(Answer):
    """What an ingest did, what waits, and what could not be read."""

    sessions: list[SessionMerged]
    waiting: list[str]
    problems: list[str]
    left_out: int


class FailedAgain(SetAside):
    """A range that failed once more."""


class Cases(Answer):
    """Cases that could not be learned from, and why."""

    identity: str
    source: str
    session: str
    cases: list[str]
    reason: str


class Retried(Ingested):
    """What a retry did, and the ingest after it."""

    retried: list[SetAside]
    failed: list[FailedAgain]
    learned: list[Cases]
    unlearned: list[Cases]
