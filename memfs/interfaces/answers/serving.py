"""Answers about the server itself."""

from __future__ import annotations

from memfs.interfaces.answers import Answer


class Health(Answer):
    """That the server answers, and which version it is."""

    status: str
    version: str
