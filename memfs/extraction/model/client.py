"""Asking a model until it answers or it is certain that it will not, now.

Tries again with growing pauses; asks for JSON by the strictest way the server knows; asks once more, with a
higher ceiling, for what was cut off. At most two calls are under way in a process at any time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memfs.errors import InvalidAnswer, ModelUnavailable
from memfs.extraction.model.provider import CallFailed, Endpoint, Mode, Question, Reply, call_model
from memfs.model import Tokens

CONCURRENT_CALLS = 2
TRIES = 4
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
# A question that takes longer is given up: the identity's lease must not run out under it.
LONGEST_QUESTION = 520.0
ANSWER_CEILINGS = (2000, 8000)

_WEAKER: Mapping[Mode, Mode] = {"json_schema": "json_object", "json_object": "text"}
_slots = threading.BoundedSemaphore(CONCURRENT_CALLS)
_modes: dict[tuple[str, str], Mode] = {}  # what each model's server turned out to know, for this process


@dataclass(frozen=True, slots=True)
class Patience:
    """How time passes: ``sleep`` and ``clock`` in seconds, ``chance`` a random number from 0 to 1."""

    sleep: Callable[[float], object]
    clock: Callable[[], float]
    chance: Callable[[], float]


class ModelClient:
    """Asks one model at one endpoint."""

    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        self.endpoint = endpoint
        self._patience = patience
        self._place = (str(endpoint.name), endpoint.base_url)

    def ask(self, question: Question, spend: Callable[[Tokens], None]) -> str:
        """The text of a complete answer. ``spend`` is told the tokens of every reply, also of those thrown away.

        Raises:
            ModelUnavailable: there is no answer now; the same question may have one later.
            InvalidAnswer: it was cut off even at the higher ceiling, or the model declined.
        """
        reply = Reply("", Tokens())
        for ceiling in ANSWER_CEILINGS:
            reply = self._insist(question, ceiling)
            spend(reply.tokens)
            if reply.refused:
                raise InvalidAnswer("the model declined to answer", answer=reply.text)
            if not reply.cut:
                return reply.text
        raise InvalidAnswer(f"the answer was cut off at {ANSWER_CEILINGS[-1]:,} tokens", answer=reply.text)

    def _insist(self, question: Question, ceiling: int) -> Reply:
        """Try until there is a reply."""
        began = self._patience.clock()
        tries = 0
        while True:
            known = _modes.get(self._place, "json_schema")
            mode = "json_object" if question.schema is None and known == "json_schema" else known
            try:
                with _slots:
                    reply = call_model(self.endpoint, question, mode, ceiling)
                if question.schema is not None:
                    _modes[self._place] = mode
                return reply
            except CallFailed as failed:
                if failed.of_format and mode in _WEAKER:
                    _modes[self._place] = _WEAKER[mode]
                    continue
                tries += 1
                pause = self._pause(failed, tries)
                spent = self._patience.clock() - began
                if pause is None or spent + pause + self.endpoint.timeout > LONGEST_QUESTION:
                    raise self._given_up(failed, tries) from failed
                self._patience.sleep(pause)

    def _pause(self, failed: CallFailed, tries: int) -> float | None:
        """How long to wait before the next try; None when there is none."""
        if not failed.again or tries >= TRIES or (failed.wait or 0) > LONGEST_PAUSE:
            return None
        pause = FIRST_PAUSE * 4.0 ** (tries - 1) * (0.75 + 0.5 * self._patience.chance())
        return min(LONGEST_PAUSE, max(pause, failed.wait or 0.0))

    def _given_up(self, failed: CallFailed, tries: int) -> ModelUnavailable:
        often = f" ({tries} tries)" if tries > 1 else ""
        wait = f"; it asks to wait {failed.wait:,.0f} seconds" if failed.wait else ""
        return ModelUnavailable(
            f"{self.endpoint.name} does not answer{often}: {failed.message}{wait}", hint=failed.hint
        )
