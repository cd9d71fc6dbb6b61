"""The language-model extractor: a request's pages asked one by one, their answers read and judged."""

from __future__ import annotations

from typing import Protocol

from memfs.errors import InvalidAnswer, ModelUnavailable
from memfs.extraction.model.client import ModelClient
from memfs.extraction.model.judging import Shown, read_operations
from memfs.extraction.model.prompts import Page, Prompter
from memfs.extraction.model.provider import Question
from memfs.extraction.model.schema import answer_schema
from memfs.extraction.redaction import redact_text
from memfs.extraction.request import Request
from memfs.model import Dropped, Extraction, Operation, Tokens

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


class ModelExtractor:
    """Extraction by a language model. One instance serves one run: when the model is gone, it stays gone."""

    def __init__(self, client: ModelClient, prompter: Prompter, meter: Meter) -> None:
        self._client = client
        self._prompter = prompter
        self._meter = meter
        self._gone: ModelUnavailable | None = None

    @property
    def name(self) -> str:
        """As commits say it: ``provider:model``."""
        return str(self._client.endpoint.name)

    def extract(self, request: Request) -> Extraction:
        """Read the request's turns.

        Raises:
            ModelUnavailable: no answer, or the day's budget is used up.
            InvalidAnswer: an answer that cannot be read; its text (without secrets) is with it.
            ConfigError: prompt, key or libraries are not as they must be.
        """
        operations: list[Operation] = []
        dropped: list[Dropped] = []
        spent: list[Tokens] = []
        for page in self._prompter.pages(request):
            text = self._ask(page, request, spent)
            try:
                read = read_operations(text, request.types, Shown(request.turns, page.positions))
            except InvalidAnswer as error:
                raise InvalidAnswer(error.message, answer=redact_text(error.answer).text) from error
            operations += read.operations
            dropped += read.dropped
        return Extraction(tuple(operations), tuple(dropped), sum(spent, Tokens()))

    def _ask(self, page: Page, request: Request, spent: list[Tokens]) -> str:
        if self._gone is not None:
            raise self._gone
        self._meter.require(request.identity, page.tokens + EXPECTED_ANSWER)

        def spend(tokens: Tokens) -> None:
            spent.append(tokens)
            self._meter.spend(request.identity, tokens)

        question = Question(page.system, page.user, answer_schema(request.types, peers=page.peers))
        try:
            return self._client.ask(question, spend)
        except ModelUnavailable as error:
            self._gone = error
            raise
