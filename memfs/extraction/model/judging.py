"""From the items of an answer to operations: each judged by itself, a bad one dropped with its reason.

An operation must name turns that were shown to the model, a turn of a user among them. One that names none is
given the user turns that contain its words. What no user turn proves is dropped; only a pitfall or a fix
stays, as a note of the agent's own. What the proving turns do not contain (`words.is_said`) is *inferred*:
it lands as a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memfs.errors import InvalidAnswer
from memfs.extraction.model.answers import Conflict, read_answer
from memfs.extraction.model.wire import TURN_NAMES, Item, Refused, plain_field, read_items
from memfs.extraction.model.words import asks_to_remember, is_assent, is_said
from memfs.extraction.request import Known
from memfs.memory.fields import main_field
from memfs.memory.filling import facts
from memfs.memory.types import MemoryType
from memfs.model import Dropped, Extraction, FieldValue, Operation, Turn

# Notes that no user's words prove carry this tag: the agent learned it, nobody said it.
AGENT_TAG = "agent"
MAX_OPERATIONS = 200
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–~]\s*(\d{1,6}))?")
_WIDEST_RANGE = 40
_YES = frozenset(("true", "yes", "1", "是"))


@dataclass(frozen=True, slots=True)
class Shown:
    """What one call showed: the request's turns, the positions of those that stood in this call, known entries."""

    turns: Sequence[Turn]
    positions: Collection[int]
    known: Mapping[str, Known] = field(default_factory=dict)

    def complete(self, item: Item) -> Item:
        """The item with the key of the known entry that it names, where it gives none itself."""
        known = self.known.get(str(item.meta.get("id", "")).strip())
        if known is None or known.type != item.type.name:
            return item
        said = {name: value for name, value in item.fields.items() if value not in (None, "", [])}
        return replace(item, fields={**known.fields, **said})

    def user_turns(self, positions: Collection[int]) -> list[int]:
        """Those of ``positions`` in which a user or participant speaks."""
        return [at for at in positions if self.turns[at].role in ("user", "participant")]

    def said(self, positions: Collection[int]) -> list[str]:
        """What proves: the user's words there, and for a mere yes also the turn that it answers."""
        texts = []
        for at in self.user_turns(positions):
            texts.append(self.turns[at].text)
            if at > 0 and is_assent(self.turns[at].text):
                texts.append(self.turns[at - 1].text)
        return texts


def read_operations(text: str, types: Sequence[MemoryType], shown: Shown) -> Extraction:
    """The operations that an answer's text asks for, and what was dropped of it.

    Raises:
        InvalidAnswer: the text is no answer at all.
    """
    operations: list[Operation] = []
    dropped: list[Dropped] = []
    try:
        for item in read_items(read_answer(text), types):
            judged = [item] if isinstance(item, Refused) else _judge(shown.complete(item), shown)
            operations += [each for each in judged if isinstance(each, Operation)]
            dropped += [Dropped(each.type, each.reason) for each in judged if isinstance(each, Refused)]
    except InvalidAnswer as error:
        raise InvalidAnswer(error.message, answer=text) from error
    surplus = operations[MAX_OPERATIONS:]
    dropped += [
        Dropped(each.type, f"more than {MAX_OPERATIONS} operations in one answer") for each in surplus
    ]
    return Extraction(tuple(operations[:MAX_OPERATIONS]), tuple(dropped))


def _judge(item: Item, shown: Shown) -> list[Operation | Refused]:
    fields, problems = _values(item)
    refused: list[Operation | Refused] = [Refused(item.type.name, reason) for reason in problems]
    missing = _missing(item.type, fields)
    if missing:
        return refused or [Refused(item.type.name, missing)]
    positions = _positions(item, fields, shown)
    if isinstance(positions, str):
        return [*refused, Refused(item.type.name, positions)]
    operation = Operation(item.type.name, fields, tuple(positions), peer=_peer(item))
    if not shown.user_turns(positions):
        return [*refused, _agents_own(operation)]
    return [*refused, *_proved(item, operation, shown)]


def _proved(item: Item, operation: Operation, shown: Shown) -> Iterator[Operation]:
    """The operation, in parts where its fields are memories of their own and not all are said."""
    positions = operation.turns
    said = shown.said(positions)
    told = str(item.meta.get("inferred", "")).strip().lower() in _YES
    ranges = (
        ()
        if operation.peer or not _has_peers(shown)
        else tuple((at, at) for at in shown.user_turns(positions))
    )
    for part in _parts(item.type, operation.fields):
        text = _text(item.type, part)
        inferred = told or not is_said(text, said)
        insist = not inferred and asks_to_remember(
            text, [shown.turns[at].text for at in shown.user_turns(positions)]
        )
        yield replace(operation, fields=part, ranges=ranges, inferred=inferred, insist=insist)


def _agents_own(operation: Operation) -> Operation | Refused:
    """What no user's words prove: only a pitfall or a fix is kept, and says whose it is."""
    tags = operation.fields.get("tags", ())
    if operation.type != "notes" or not facts({"tags": tags})["pitfall"]:
        return Refused(operation.type, "no user turn proves it")
    marked = tuple(dict.fromkeys((*(tags if isinstance(tags, tuple) else ()), AGENT_TAG)))
    return replace(operation, fields={**operation.fields, "tags": marked}, peer=None)


def _positions(item: Item, fields: Mapping[str, FieldValue], shown: Shown) -> list[int] | str:
    """The turns that an item names, by position; why not, where they cannot be."""
    named = next((item.meta[name] for name in TURN_NAMES if item.meta.get(name) not in (None, [], "")), None)
    if named is None:
        text = _text(item.type, fields)
        users = shown.user_turns(shown.positions)
        found = [at for at in users if is_said(text, (shown.turns[at].text,))]
        return found or "it names no turns, and no user turn contains its words"
    numbers = turn_numbers(named)
    if not numbers:
        return "the turns it names cannot be read"
    positions = sorted({number - 1 for number in numbers})
    if any(at not in shown.positions for at in positions):
        return "it names turns that were not shown"
    return positions


def turn_numbers(named: Any) -> list[int]:
    """Turn numbers: 3, "3", "[3]", "3-5", and lists of these."""
    if isinstance(named, bool | Conflict):
        return []
    if isinstance(named, int | float):
        return [int(named)]
    if isinstance(named, list):
        return [number for each in named for number in turn_numbers(each)]
    if not isinstance(named, str):
        return []
    numbers: list[int] = []
    for first, last in _RANGE.findall(named):
        end = int(last or first)
        numbers += range(int(first), end + 1) if end - int(first) <= _WIDEST_RANGE else (int(first), end)
    return numbers


def _values(item: Item) -> tuple[dict[str, FieldValue], list[str]]:
    """The item's fields as values, and what was wrong with those that are none."""
    values: dict[str, FieldValue] = {}
    problems = []
    for name, raw in item.fields.items():
        value = _value(raw)
        if value is None and raw not in (None, "", [], {}):
            twice = isinstance(raw, Conflict)
            problems.append(f"{name} is given twice, differently" if twice else f"{name} is no text")
        elif value is not None:
            values[name] = value
    return values, problems


def _missing(memory_type: MemoryType, fields: Mapping[str, FieldValue]) -> str | None:
    """What an item lacks to be a memory at all."""
    main = main_field(memory_type) or plain_field(memory_type)
    if memory_type.shape == "fields":
        empty = all(name in memory_type.key for name in fields)
    else:
        empty = main.name not in fields if main else not fields
    return f"{main.name if main else 'its text'} is missing" if empty else None


def _value(raw: Any) -> FieldValue | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    if isinstance(raw, float):
        return f"{raw:g}"
    if isinstance(raw, str):
        return raw.strip() or None
    if isinstance(raw, list):
        texts = (
            _value(next(iter(each.values())) if isinstance(each, dict) and len(each) == 1 else each)
            for each in raw
        )
        flat = tuple(str(each) for each in texts if isinstance(each, str | int))
        return flat or None
    return None


def _parts(memory_type: MemoryType, fields: Mapping[str, FieldValue]) -> Iterator[dict[str, FieldValue]]:
    """The memories in an item: all of it, or, where every field is an entry of its own, each with the key."""
    if memory_type.shape != "fields" or {"field", "value"} <= fields.keys():
        yield dict(fields)
        return
    key = {name: value for name, value in fields.items() if name in memory_type.key}
    for name, value in fields.items():
        if name not in memory_type.key:
            alone: tuple[FieldValue, ...] = (
                tuple((each,) for each in value) if isinstance(value, tuple) else (value,)
            )
            yield from ({**key, name: each} for each in alone)


def _text(memory_type: MemoryType, fields: Mapping[str, FieldValue]) -> str:
    """The words that must be said: not the key where other fields say more, nor choices, dates and tags."""
    spoken = {
        name: value
        for name, value in fields.items()
        if (declared := memory_type.field(name)) is None
        or (declared.kind in ("text", "list", "number") and name not in ("tags", "status", "priority"))
    }
    rest = {name: value for name, value in spoken.items() if name not in memory_type.key and name != "field"}
    values = (rest or spoken).values()
    return "\n".join(" ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in values)


def _peer(item: Item) -> str | None:
    named = item.meta.get("peer", item.meta.get("peerid"))
    return named.strip() or None if isinstance(named, str) else None


def _has_peers(shown: Shown) -> bool:
    return any(turn.peer for turn in shown.turns)
