"""Asking a model for pages, within the budget of an identity: for whatever is made of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from memfs.errors import ModelUnavailable
from memfs.extraction.model.client import ModelClient
from memfs.extraction.model.prompts import Page
from memfs.extraction.model.provider import Question
from memfs.model import Tokens

# What an answer takes beside its prompt, for the budget and for estimates.
EXPECTED_ANSWER = 400


class Meter(Protocol):
    """Counts the tokens of an identity, and keeps them within a budget."""

    def require(self, identity: str, tokens: int) -> None:
        """Raises ModelUnavailable when so many more tokens are not allowed now."""
        ...

    def spend(self, identity: str, tokens: Tokens) -> None:
        """Note what a reply took."""
        ...


class Unmetered:
    """Lets everything through: for looking at what would be extracted, outside of any vault."""

    def require(self, identity: str, tokens: int) -> None:
        """Allow it."""

    def spend(self, identity: str, tokens: Tokens) -> None:
        """Forget it."""


class Asker:
    """One model for one run: when it is gone, it stays gone."""

    def __init__(self, client: ModelClient, meter: Meter) -> None:
        self._client, self._meter = client, meter
        self._gone: ModelUnavailable | None = None

    @property
    def name(self) -> str:
        """As commits say it: ``provider:model``."""
        return str(self._client.endpoint.name)

    def ask(self, page: Page, schema: Mapping[str, Any] | None, identity: str, spent: list[Tokens]) -> str:
        """The text of the answer to a page, held to ``schema`` where there is one; ``spent`` gets all tokens.

        Raises:
            ModelUnavailable: no answer, or the day's budget is used up.
            InvalidAnswer: it was cut off, or the model declined.
        """
        if self._gone is not None:
            raise self._gone
        self._meter.require(identity, page.tokens + EXPECTED_ANSWER)

        def spend(tokens: Tokens) -> None:
            spent.append(tokens)
            self._meter.spend(identity, tokens)

        try:
            return self._client.ask(Question(page.system, page.user, schema), spend)
        except ModelUnavailable as error:
            self._gone = error
            raise
