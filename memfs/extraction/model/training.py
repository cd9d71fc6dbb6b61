"""Training by a language model: from cases how they were worked on, from that experiences, and skills where enabled.

Each step has its own prompt and is asked only with what the step before gave. What an answer holds is the agent's own;
its proof are the turns of the cases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memfs.errors import InvalidAnswer
from memfs.extraction.model.answers import read_answer
from memfs.extraction.model.asking import Asker
from memfs.extraction.model.prompts import Page, Prompter
from memfs.extraction.model.wire import Item, Refused, read_items
from memfs.extraction.redaction import redact_text
from memfs.extraction.request import Request
from memfs.memory.ids import normalise_key
from memfs.memory.types import MemoryType
from memfs.model import Dropped, FieldValue, Operation, Tokens

STAGES = ("trajectories", "experiences", "skills")
_MOST = 8  # operations of one step
_COUNTERS = ("total", "success", "fail")


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is trained on: the turns of the cases (``request``), the cases in words, and by type what is known.

    ``types``: the execution types that are allowed; the steps of the others are left out.
    """

    request: Request
    cases: tuple[str, ...]
    types: tuple[MemoryType, ...]
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Learned:
    """The operations of all steps, what was dropped, and the tokens."""

    operations: tuple[Operation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)


class ModelTrainer:
    """Trains with one model; ``prompter`` gives the prompt of a step, ``between`` is called before each question."""

    def __init__(
        self, asker: Asker, prompter: Callable[[str], Prompter], between: Callable[[], object]
    ) -> None:
        self._asker, self._prompter, self._between = asker, prompter, between

    def train(self, lesson: Lesson) -> Learned:
        """All steps, in order.

        Raises:
            ModelUnavailable, InvalidAnswer, ConfigError: a step failed; nothing of the lesson counts.
        """
        told: dict[str, tuple[str, ...]] = {"cases": lesson.cases, **dict.fromkeys(STAGES, ())}
        operations: list[Operation] = []
        dropped: list[Dropped] = []
        spent: list[Tokens] = []
        allowed = {each.name: each for each in lesson.types}
        for stage in STAGES:
            if stage not in allowed:
                continue
            known = lesson.known.get(stage, ())
            shown = {**told, stage: known}
            for page in self._pages(stage, lesson.request, shown):
                self._between()
                text = self._asker.ask(page, _schema(allowed[stage]), lesson.request.identity, spent)
                made = list(_read(text, allowed[stage], known))
                operations += [each for each in made if isinstance(each, Operation)]
                dropped += [each for each in made if isinstance(each, Dropped)]
            told[stage] = tuple(_words(each) for each in operations if each.type == stage)
        return Learned(tuple(operations), tuple(dropped), sum(spent, Tokens()))

    def _pages(self, stage: str, request: Request, shown: Mapping[str, object]) -> Iterator[Page]:
        """The record of the work is read for the first step only."""
        prompter = self._prompter(stage)
        if stage == "trajectories":
            yield from prompter.pages(request, lambda: shown)
        else:
            yield prompter.page(replace(request, turns=(), context=()), more=shown)


def _read(text: str, memory_type: MemoryType, known: Collection[str]) -> Iterator[Operation | Dropped]:
    try:
        items = list(read_items(read_answer(text), (memory_type,)))
    except InvalidAnswer as error:
        raise InvalidAnswer(error.message, answer=redact_text(text).text) from error
    for number, item in enumerate(items):
        if isinstance(item, Refused):
            yield Dropped(item.type, item.reason)
        elif number >= _MOST:
            yield Dropped(memory_type.name, f"more than {_MOST} in one answer")
        else:
            yield from _operations(item, known)


def _operations(item: Item, known: Collection[str]) -> Iterator[Operation | Dropped]:
    """The operation of an item; an experience can only replace one that there is."""
    kind = item.type.name
    fields = {name: value for name, raw in item.fields.items() if (value := _value(raw)) is not None}
    if kind == "skills":
        fields = _counted(fields)
    replaced = fields.get("supersedes")
    if replaced is not None and not _is_known(str(replaced), known):
        del fields["supersedes"]
        yield Dropped(kind, f"it would replace {replaced!r}, which there is not")
    if not fields.get("name") or len(fields) == 1:
        yield Dropped(kind, "it has no name, or nothing but a name")
    elif replaced is not None and normalise_key(str(replaced)) == normalise_key(str(fields["name"])):
        yield Operation(kind, {name: value for name, value in fields.items() if name != "supersedes"})
    else:
        yield Operation(kind, fields)


def _value(raw: Any) -> FieldValue | None:
    if isinstance(raw, bool) or raw is None:
        return None
    if isinstance(raw, int):
        return raw
    if isinstance(raw, list):
        raw = "; ".join(str(each) for each in raw if isinstance(each, str | int))
    return redact_text(" ".join(raw.split())).text or None if isinstance(raw, str) else None


def _counted(fields: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    """A skill's counters, none below zero, and no more outcomes than uses."""
    counts = {name: value for name in _COUNTERS if isinstance(value := fields.get(name), int) and value > 0}
    outcomes = counts.get("success", 0) + counts.get("fail", 0)
    total = max(counts.get("total", 0), outcomes)
    rest = {name: value for name, value in fields.items() if name not in _COUNTERS}
    return {**rest, **counts, **({"total": total} if total else {})}


def _is_known(name: str, known: Collection[str]) -> bool:
    wanted = normalise_key(name)
    return bool(wanted) and any(normalise_key(each.partition(": ")[0]) == wanted for each in known)


def _words(operation: Operation) -> str:
    """An operation in a line, for the next step."""
    fields = operation.fields
    rest = [f"{name}: {value}" for name, value in fields.items() if name != "name"]
    return f"{fields.get('name', '')}: {'; '.join(rest)}"


def _schema(memory_type: MemoryType) -> dict[str, Any]:
    """The JSON schema of a step's answer."""
    properties: dict[str, Any] = {}
    for each in memory_type.fields:
        if each.choices:
            properties[each.name] = {"type": "string", "enum": list(each.choices)}
        else:
            kind = "integer" if each.kind == "number" else "string"
            properties[each.name] = {"type": kind if each.name in memory_type.key else [kind, "null"]}
    return _object({memory_type.name: {"type": "array", "items": _object(properties)}})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
