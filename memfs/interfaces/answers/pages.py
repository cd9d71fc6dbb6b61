"""Answers of ``search`` and ``fetch`` in the shape that ChatGPT's connectors want."""

from __future__ import annotations

from memfs.interfaces.answers import Answer


class PageLink(Answer):
    """One result: what ``fetch`` takes, what it is, and where it stands."""

    id: str
    title: str
    url: str


class Pages(Answer):
    """Results, the best first."""

    results: list[PageLink]


class Page(PageLink):
    """A result with its whole text."""

    text: str
    metadata: dict[str, str]
