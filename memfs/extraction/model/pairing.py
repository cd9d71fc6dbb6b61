"""Asking a model about pairs of entries: do they say the same? Its answer is checked (`verdicts`), never trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from memfs.errors import ConfigError, InvalidAnswer, ModelUnavailable
from memfs.extraction.model.client import ModelClient
from memfs.extraction.model.extractor import Meter
from memfs.extraction.model.provider import Question
from memfs.extraction.model.verdicts import core_of, judge
from memfs.memory.render import check_template, render
from memfs.memory.reviewing import Verdict
from memfs.memory.standing import Pair
from memfs.model import Dropped, Tokens
from memfs.transcripts.cues import OWN_CALL_MARK

NAME = "review"
PAIRS_AT_ONCE = 20
_ANSWER_A_PAIR = 60  # tokens, for the budget
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "pairs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer"},
                    "verdict": {"type": "string", "enum": ["same", "contradiction", "different"]},
                    "text": {"type": ["string", "null"]},
                },
                "required": ["pair", "verdict", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["pairs"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Read:
    """What a model made of pairs: verdicts by `Pair.name`, what was refused and why.

    ``names``: all pairs that it was asked about and answered; ``waiting``: why it was not asked about the others.
    """

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    refused: tuple[Dropped, ...] = ()
    names: frozenset[str] = frozenset()
    tokens: Tokens = field(default_factory=Tokens)
    waiting: str | None = None


class PairReader:
    """Reads pairs with a model. ``count`` counts tokens, ``tag`` gives a random word, ``ceiling`` bounds a prompt."""

    def __init__(
        self,
        client: ModelClient,
        template: str,
        meter: Meter,
        *,
        count: Callable[[str], int],
        tag: Callable[[], str],
        ceiling: int,
        zone: tzinfo,
        zh: bool,
    ) -> None:
        check_template(f"the prompt {NAME}", template)
        self._client, self._template, self._meter = client, template, meter
        self._count, self._tag, self._ceiling = count, tag, ceiling
        self._zone, self._zh = zone, zh

    @property
    def name(self) -> str:
        """As commits say it: ``provider:model``."""
        return str(self._client.endpoint.name)

    def read(self, identity: str, pairs: Sequence[Pair]) -> Read:
        """Ask about all pairs, in as many calls as they take. A call that fails leaves its pairs for the next time."""
        verdicts: dict[str, Verdict] = {}
        refused: list[Dropped] = []
        names: set[str] = set()
        spent: list[Tokens] = []

        def spend(tokens: Tokens) -> None:
            spent.append(tokens)
            self._meter.spend(identity, tokens)

        for page in self._pages(pairs):
            question = self._question(identity, page)
            size = self._count(question.system) + self._count(question.user)
            try:
                self._meter.require(identity, size + _ANSWER_A_PAIR * len(page))
                found, dropped = judge(self._client.ask(question, spend), page)
            except (ModelUnavailable, InvalidAnswer) as error:
                return Read(verdicts, tuple(refused), frozenset(names), sum(spent, Tokens()), str(error))
            verdicts |= found
            refused += dropped
            names.update(pair.name for pair in page)
        return Read(verdicts, tuple(refused), frozenset(names), sum(spent, Tokens()))

    def _pages(self, pairs: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
        page: list[Pair] = []
        for pair in pairs:
            if page and (len(page) >= PAIRS_AT_ONCE or not self._fits([*page, pair])):
                yield page
                page = []
            page.append(pair)
        if page:
            yield page

    def _fits(self, pairs: Sequence[Pair]) -> bool:
        question = self._question("", pairs)
        return self._count(question.system) + self._count(question.user) <= self._ceiling

    def _question(self, identity: str, pairs: Sequence[Pair]) -> Question:
        lines = [line for number, pair in enumerate(pairs, 1) for line in self._lines(number, pair)]
        fence = self._fence("\n".join(lines))
        values = {"zh": self._zh, "identity": identity or "an agent", "lines": lines, "fence": fence}
        system = render(NAME, self._template, {**values, "part": "system"}).strip()
        user = render(NAME, self._template, {**values, "part": "user"}).strip()
        if user.count(fence) < 2 or any(line not in user for line in lines):
            raise ConfigError(
                f"the prompt {NAME} does not show the fenced pairs",
                key=f"templates/prompts/{NAME}.md",
                hint="it must print every one of `lines` between two lines of `fence`",
            )
        return Question(system, f"{OWN_CALL_MARK}\n{user}", SCHEMA)

    def _lines(self, number: int, pair: Pair) -> Iterator[str]:
        yield f"[{number}] {pair.first.type}"
        yield f"    A ({self._day(pair.first.time)}): {core_of(pair.first)}"
        yield f"    B ({self._day(pair.second.time)}): {core_of(pair.second)}"

    def _day(self, time: datetime | None) -> str:
        return time.astimezone(self._zone).date().isoformat() if time else "-"

    def _fence(self, text: str) -> str:
        while True:
            fence = f"=====entries-{self._tag()}====="
            if fence not in text:
                return fence
