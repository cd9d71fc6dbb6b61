"""The language-model extractor: a request's pages asked one by one, their answers read and judged."""

from __future__ import annotations

from memfs.errors import InvalidAnswer
from memfs.extraction.model.asking import EXPECTED_ANSWER as EXPECTED_ANSWER
from memfs.extraction.model.asking import Asker
from memfs.extraction.model.asking import Meter as Meter
from memfs.extraction.model.asking import Unmetered as Unmetered
from memfs.extraction.model.client import ModelClient
from memfs.extraction.model.judging import Shown, read_operations
from memfs.extraction.model.prompts import Prompter
from memfs.extraction.model.schema import answer_schema
from memfs.extraction.redaction import redact_text
from memfs.extraction.request import Request
from memfs.model import Dropped, Extraction, Operation, Tokens


class ModelExtractor:
    """Extraction by a language model. One instance serves one run: when the model is gone, it stays gone."""

    def __init__(self, client: ModelClient, prompter: Prompter, meter: Meter) -> None:
        self.asker = Asker(client, meter)
        self._prompter = prompter

    @property
    def name(self) -> str:
        """As commits say it: ``provider:model``."""
        return self.asker.name

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
            # A schema makes a model name every field, also those that are empty: too long for a brief answer.
            brief = self._prompter.brief
            schema = None if brief else answer_schema(request.types, peers=page.peers)
            text = self.asker.ask(page, schema, request.identity, spent)
            try:
                read = read_operations(
                    text, request.types, Shown(request.turns, page.positions, request.known)
                )
            except InvalidAnswer as error:
                raise InvalidAnswer(error.message, answer=redact_text(error.answer).text) from error
            operations += read.operations
            dropped += read.dropped
        return Extraction(tuple(operations), tuple(dropped), sum(spent, Tokens()))
