"""Summaries by a language model: the block so far and the new turns, page by page; the answer is read and judged.

A new fact, goal or issue that no user said is dropped; what the block said already needs no new proof.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, cast, get_args

from memfs.errors import InvalidAnswer
from memfs.extraction.model.answers import read_answer
from memfs.extraction.model.asking import Asker
from memfs.extraction.model.judging import Shown, turn_numbers
from memfs.extraction.model.prompts import Prompter
from memfs.extraction.model.wire import plain_name
from memfs.extraction.model.words import is_said
from memfs.extraction.redaction import redact_text
from memfs.extraction.summary import TITLE, Item, Section, Summary, SummaryRequest, shorten
from memfs.memory.journal import JOURNAL, Line, alike, is_unmentioned, rewrite
from memfs.model import Dropped, Tokens

_SECTIONS: tuple[Section, ...] = get_args(Section)
_FROM_USERS = ("goals", "facts", "issues")
_MOST_LINES = 60
_LONGEST_STATE = 600
# Other words that models use for the keys.
_ALIASES: Mapping[str, str] = {
    "sessiontitle": "title",
    "currentstate": "state",
    "taskandgoals": "goals",
    "keyfacts": "facts",
    "keyfactsanddecisions": "facts",
    "decisions": "facts",
    "filesandcontext": "files",
    "errorsandcorrections": "errors",
    "openissues": "issues",
    "resolved": "solved",
}
_TEXT_KEYS = ("text", "content", "description", "path", "file", "fact", "issue", "goal", "error")


class ModelSummariser:
    """Asks a model for a block. ``characters``: the longest line; ``between`` is called before each question."""

    def __init__(
        self, asker: Asker, prompter: Prompter, characters: int, between: Callable[[], object]
    ) -> None:
        self._asker, self._prompter, self._characters, self._between = asker, prompter, characters, between

    def summarise(self, asked: SummaryRequest) -> Summary | None:
        """The block anew, from all pages of the turns.

        Raises:
            ModelUnavailable, InvalidAnswer, ConfigError: as `ModelExtractor.extract`.
        """
        request = asked.request
        reading = _Reading(asked, self._characters)
        spent: list[Tokens] = []
        for page in self._prompter.pages(request, reading.values):
            self._between()
            text = self._asker.ask(page, summary_schema(), request.identity, spent)
            try:
                reading.take(read_answer(text), Shown(request.turns, page.positions))
            except InvalidAnswer as error:
                raise InvalidAnswer(error.message, answer=redact_text(text).text) from error
        return reading.summary(sum(spent, Tokens()))


def summary_schema() -> dict[str, Any]:
    """The JSON schema of an answer."""
    item = _object({"text": {"type": "string"}, "turns": _list({"type": "integer"})})
    lists: dict[str, Any] = {name: _list(item) for name in _SECTIONS}
    texts = {"title": {"type": "string"}, "state": {"type": "string"}}
    return _object({**texts, **lists, "solved": _list({"type": "string"})})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


class _Reading:
    """The block as it becomes, page by page."""

    def __init__(self, asked: SummaryRequest, characters: int) -> None:
        self._asked, self._characters = asked, characters
        self._title, self._state = asked.title, asked.state
        self._lines = asked.lines
        self._proofs: dict[tuple[str, str], tuple[int, ...]] = {}
        self._solved: list[str] = []
        self._dropped: list[Dropped] = []

    def values(self) -> Mapping[str, object]:
        """What the prompt shows of the block."""
        block: dict[str, list[str]] = {}
        for line in self._lines:
            block.setdefault(line.section, []).append(
                f"{line.text} [x]" if line.box in ("x", "X") else line.text
            )
        return {"title": self._title, "state": self._state, "block": block}

    def take(self, answer: Any, shown: Shown) -> None:
        """Read one answer. Raises InvalidAnswer for one that is no block."""
        told = _by_name(answer)
        if not told.keys() & {"state", *_SECTIONS}:
            raise InvalidAnswer("the answer has none of the parts of a journal")
        self._title = self._text(told.get("title"), TITLE) or self._title
        self._state = self._text(told.get("state"), _LONGEST_STATE) or self._state
        new = [line for name in _SECTIONS for line in self._section(name, told.get(name), shown)]
        solved = [text for each in _items(told.get("solved")) if (text := self._text(each, self._characters))]
        self._solved += solved
        self._lines, _ = rewrite(self._lines, new, solved=solved, whole=True, limit=_MOST_LINES)

    def summary(self, tokens: Tokens) -> Summary | None:
        """What came of all pages."""
        if not self._lines and not self._state:
            return None
        items = tuple(
            Item(cast(Section, line.section), line.text, self._proofs.get((line.section, line.text), ()))
            for line in self._lines
            if line.box not in ("x", "X")
            and not is_unmentioned(line.text)  # which the block's own rewrite will say
        )
        solved = (*self._solved, *(line.text for line in self._lines if line.box in ("x", "X")))
        return Summary(self._title, self._state, items, solved, True, tuple(self._dropped), tokens)

    def _section(self, name: Section, raw: Any, shown: Shown) -> Iterator[Line]:
        for each in _items(raw)[:_MOST_LINES]:
            text = self._text(each, self._characters)
            if not text:
                continue
            positions = _positions(each, text, shown)
            line = Line(name, text)
            known = any(old.section == name and alike(old, line) for old in self._lines)
            users = shown.user_turns(positions)
            if not known and name in _FROM_USERS and not users:
                self._dropped.append(Dropped(JOURNAL, f"no user turn proves it: {shorten(text, 80)}"))
                continue
            self._proofs[name, text] = tuple(users or positions)
            yield line

    def _text(self, raw: Any, characters: int) -> str:
        """The words of an item, without secrets, on one line."""
        if isinstance(raw, dict):
            raw = next((raw[key] for key in _TEXT_KEYS if isinstance(raw.get(key), str)), "")
        return shorten(redact_text(raw).text, characters) if isinstance(raw, str) else ""


def _by_name(answer: Any) -> dict[str, Any]:
    """The parts of an answer by our names; of an object around them what is in it."""
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, dict):
        return {}
    told = {_ALIASES.get(plain_name(name), plain_name(name)): value for name, value in answer.items()}
    inner = next(iter(told.values()), None)
    return _by_name(inner) if len(told) == 1 and isinstance(inner, dict) else told


def _items(raw: Any) -> list[Any]:
    if raw is None or raw == "":
        return []
    return raw if isinstance(raw, list) else [raw]


def _positions(raw: Any, text: str, shown: Shown) -> Sequence[int]:
    """The turns that prove an item: those it names that were shown, else those of users with its words."""
    named: Collection[int] = turn_numbers(raw.get("turns")) if isinstance(raw, dict) else ()
    positions = sorted({number - 1 for number in named} & set(shown.positions))
    if positions:
        return positions
    users = shown.user_turns(sorted(shown.positions))
    return [at for at in users if is_said(text, (shown.turns[at].text,))]
