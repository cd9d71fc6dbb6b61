"""Answers about what belongs together."""

from __future__ import annotations

from pydantic import Field

from memfs.interfaces.answers import Answer


class Link(Answer):
    """A link: where it stands, what it says, and where it leads."""

    path: str
    line: int
    target: str
    state: str = Field(description="ok, external, no_document, no_heading or no_block.")
    to: str | None
    embed: bool


class Links(Answer):
    """Links out of a document or entry and back to it; of the whole vault what is broken (``out``), and orphans."""

    document: str | None
    entry: str | None
    out: list[Link]
    back: list[Link]
    orphans: list[str]
