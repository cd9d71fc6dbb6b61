"""Answers of the relay board, the archive and the daily run."""

from __future__ import annotations

from pydantic import BaseModel, Field

from memfs.interfaces.answers import Answer


class Baton(Answer):
    """A line on the relay board. ``dropped`` says why it was not put there, where it was not."""

    id: str | None
    time: str
    channel: str
    sequence: int | None = Field(description="Shared by a question and its replies.")
    role: str
    text: str
    session: str | None
    message: str | None
    bootstrap: bool = Field(description="Put there from durable memory, not by an agent.")
    done: bool = Field(description="Read by an extraction.")
    dropped: str | None
    redacted: bool


class Board(Answer):
    """A relay board, oldest first; ``overdue`` are ids older than a day that nothing has read."""

    batons: list[Baton]
    overdue: list[str]
    problems: list[str]


class ArchivedFile(Answer):
    """A file that was copied; ``deleted``: its original is gone."""

    identity: str
    model: str | None
    original: str
    copy_: str = Field(alias="copy")
    sha256: str | None
    size: int
    deleted: bool


class Left(Answer):
    """A file that was left where it is, and why."""

    path: str
    reason: str


class Archived(Answer):
    """What was archived, what was left, and what failed."""

    files: int
    size: int
    deleted: int
    known: int
    archived: list[ArchivedFile]
    skipped: list[Left]
    errors: list[str]


class DailyExtracted(BaseModel):
    """What a daily run did; with errors ``success`` is false, and what went well stands all the same."""

    success: bool
    extractedCount: int = Field(description="Identities.")
    archivedFiles: int
    errors: list[str]


class ExtractStatus(BaseModel):
    """When the daily run last began and is due next, and whether it is under way."""

    success: bool
    lastRunAt: str | None
    nextRunAt: str | None
    status: str = Field(description="idle, running or error.")


class Success(BaseModel):
    """That it was done."""

    success: bool
