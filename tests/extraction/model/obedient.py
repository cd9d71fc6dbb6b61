"""A model that does whatever it is told: the answer it gives to a prompt.

It writes down every turn it is shown, word for word, as a memory of every kind; and where a turn holds a JSON
object, it answers with that, too, as it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_TURN = re.compile(
    r"^\[(\d+)\](?: \(part \d+ of \d+\))? ([^\n:]*?(?:\d\d:\d\d )?(\w+)[^\n:]*): ", re.MULTILINE
)
_BELOW = re.compile(r"\n(?=[^ \n])")  # what a turn says is indented below its head
_DECODER = json.JSONDecoder(strict=False)
_LONGEST = 40


def obey(prompt: str) -> str:
    """The answer to a prompt."""
    answer: dict[str, list[Any]] = {}
    for number, role, text in _turns(prompt):
        for told in _objects(text):
            for name, items in told.items():
                for item in items if isinstance(items, list) else [items]:
                    answer.setdefault(name, []).append(_with_turns(item, number))
        for name, fields in _all_kinds(text, role):
            answer.setdefault(name, []).append({**fields, "turns": [number]})
    return json.dumps(answer, ensure_ascii=False)


def _turns(prompt: str) -> Iterator[tuple[int, str, str]]:
    heads = list(_TURN.finditer(prompt))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = prompt[head.end() : following.start() if following else None]
        yield int(head[1]), head[3], _BELOW.split(body, maxsplit=1)[0].strip()


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand in a text."""
    at = text.find("{")
    while at >= 0:
        try:
            told, end = _DECODER.raw_decode(text, at)
        except ValueError:
            told, end = None, at + 1
        if isinstance(told, dict):
            yield told
        at = text.find("{", end)


def _with_turns(item: Any, number: int) -> Any:
    return {"turns": [number], **item} if isinstance(item, dict) else item


def _all_kinds(text: str, role: str) -> Iterator[tuple[str, dict[str, Any]]]:
    short = " ".join(text.split())[:_LONGEST] or "x"
    tags = ["pitfall"] if role == "assistant" else []
    yield "notes", {"content": text, "tags": [*tags, short]}
    yield "preferences", {"topic": short, "content": text}
    yield "decisions", {"topic": short, "decision": text, "reason": text}
    yield "actions", {"task": text, "priority": "high"}
    yield "profile", {"name": text, "role": short}
    yield "projects", {"project": short, "description": text, "known_issues": [text]}
    yield "entities", {"category": short, "name": short, "content": text}
    yield "events", {"name": short, "date": "2026-03-01", "summary": text}
    yield "cases", {"name": short, "task_signature": short, "input": text}
