"""Answers about entries."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memfs.interfaces.answers import Answer

Origin = Literal["extracted", "hand", "remembered"]


class Entry(Answer):
    """One memory. ``id`` is its block id, null where its line has none; ``line`` counts from 1."""

    id: str | None = Field(
        description="Block id, which every call that takes an entry takes; null: the line has none."
    )
    identity: str = Field(description="Whose memory it is; empty: a note of the person's own.")
    peer: str | None = Field(description="The peer it is about.")
    type: str = Field(description="Memory type, such as decisions or notes.")
    field: str | None
    text: str
    status: str | None = Field(description="pending, in_progress, done, superseded or suggestion.")
    date: str | None = Field(description="The day it was said, or is due.")
    path: str = Field(description="The document, relative to the vault.")
    line: int
    origin: Origin = Field(description="Who wrote its words: a person (hand), or memfs.")
    source: str | None = Field(description="The transcript it was extracted from.")
    commit: str | None
    trust: str | None = Field(description="Whose words it rests on.")


class Hit(Entry):
    """An entry, or a part of a note, that a search found."""

    score: float
    snippet: str


class FoundTurn(Answer):
    """What was said in a conversation; that is no memory."""

    identity: str
    session: str
    message: str | None
    role: str
    peer: str | None
    date: str | None
    path: str
    line: int | None
    score: float
    snippet: str
    before: str | None
    after: str | None


class Span(Answer):
    """What words for a time were taken for."""

    words: str
    since: str
    until: str


class Found(Answer):
    """What a search found, the best first; ``degraded`` says why it was less than it could be."""

    hits: list[Hit]
    degraded: str | None
    understood: list[Span] = Field(description="What words for times in the query were taken for.")
    commit: str | None = Field(description="Memory was searched as it was there.")
    turns: list[FoundTurn] = Field(
        description="What was said in conversations, where these were searched too."
    )


class Entries(Answer):
    """Entries by path and line."""

    entries: list[Entry]


class Shown(Answer):
    """The Markdown of an entry or a document."""

    reference: str
    at: str | None
    text: str


class Context(Answer):
    """What to read before beginning or answering: fenced and labelled as data."""

    text: str
    tokens: int
    left_out: int


class Changed(Answer):
    """What became of an entry: its id and document now, and the commit (null: it was so already)."""

    id: str
    path: str
    action: str
    commit: str | None


class Outcome(Answer):
    """What became of one entry of several."""

    id: str
    action: str
    type: str
    document: str
    reason: str | None


class Undone(Answer):
    """What an undo did; ``commit`` null: nothing was left to take back."""

    undone: str
    commit: str | None
    entries: list[Outcome]
