"""A model's answer to JSON, tolerant of how models wrap it; never of what was cut off.

The whole text is tried first, so nothing inside of a valid answer (a fence in a note, the word ``<think>``)
can damage it. Only then edge fences, thinking and prose are taken away, and trailing commas mended, once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memfs.errors import InvalidAnswer

MAX_CHARACTERS = 400_000
_MAX_CANDIDATES = 200

_OPEN_FENCE = re.compile(r"\A\s*(?:```|~~~)[^\n`]*(?:\n|\Z)")
_EMPTY_FENCE = re.compile(r"(?:```|~~~)\w*\s*(?:```|~~~)\s*")
_CLOSE_FENCE = re.compile(r"(?:```|~~~)\s*\Z")
_THINKING_END = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_THINKING_START = re.compile(r"\A\s*<(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_BEGINS_JSON = re.compile(r'\{\s*"[^"]*"\s*:|\[\s*\{\s*"')
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_NOTHING = re.compile(
    r"\b(?:no|nothing|none|without)\b.{0,60}?\b(?:observations?|memor(?:y|ies)|record\w*|remember\w*|extract\w*"
    r"|stor(?:e|ing)|sav(?:e|ing)|not(?:e|ing)|found|entries|facts|updates?|information)\b"
    r"|(?:没有|無|无|暂无|未发现).{0,20}?(?:记录|记忆|提取|信息|内容|保存|记住)",
    re.IGNORECASE | re.DOTALL,
)
_NOTHING_LONGEST = 300


class Conflict:
    """The value of a key that an answer gives twice, differently."""


def read_answer(text: str) -> Any:
    """The JSON value of an answer: an object or a list; ``{}`` when it says in words that there is nothing.

    A key given twice has both lists joined, or `Conflict` where two other values differ.

    Raises:
        InvalidAnswer: empty, cut off, or nothing that can be read; the caller must not take it for "nothing".
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidAnswer(f"the answer has {len(text):,} characters", answer=text)
    bare = text.lstrip("\ufeff").strip()
    if not bare:
        raise InvalidAnswer("the answer is empty")
    for source in (bare, _without_thinking(bare)):
        if source:
            value = _read(source)
            if value is not None:
                return value
    if len(bare) <= _NOTHING_LONGEST and not set("{[`") & set(bare) and _NOTHING.search(bare):
        return {}
    raise InvalidAnswer("the answer holds no JSON that can be read", answer=text)


def _read(text: str) -> Any:
    """Whole, without its fence, mended, and at last what stands in prose; None when nothing fits."""
    unfenced = _without_fence(text)
    if unfenced == "":
        raise InvalidAnswer("the answer is an empty code fence", answer=text)
    for mend in (False, True):
        for source in dict.fromkeys((text, unfenced)):
            if source is not None:
                value = _load(_without_trailing_commas(source) if mend else source)
                if value is not None:
                    return value
    if unfenced is None and _OPEN_FENCE.match(text):
        raise InvalidAnswer("the answer is a code fence that does not end", answer=text)
    if _THINKING_START.match(text):
        return None  # drafts are no answer
    return _last_in_prose(text) or _last_in_prose(_without_trailing_commas(text))


def _without_fence(text: str) -> str | None:
    """What stands in a fence around the whole text; None when there is none, or no end to it."""
    start, end = _OPEN_FENCE.match(text), _CLOSE_FENCE.search(text)
    if _EMPTY_FENCE.fullmatch(text):
        return ""
    if start is None or end is None or end.start() < start.end():
        return None
    return text[start.end() : end.start()].strip()


def _without_thinking(text: str) -> str:
    """What follows the last end of thinking."""
    ends = list(_THINKING_END.finditer(text))
    return text[ends[-1].end() :].strip() if ends else ""


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda found: "" if found[0] == "," else found[0], text)


def _load(text: str) -> Any:
    """The object or list that all of the text is; raw newlines in strings are let through."""
    try:
        value = json.loads(text, strict=False, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):  # JSON told as a text of JSON
        try:
            value = json.loads(value, strict=False, object_pairs_hook=_object)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict | list) else None


def _last_in_prose(text: str) -> Any:
    """The last object that stands anywhere in the text, else the last list of objects."""
    found = list(_embedded(text))
    objects = [value for value in found if isinstance(value, dict) and value]
    lists = [value for value in found if isinstance(value, list) and any(isinstance(x, dict) for x in value)]
    return (objects or lists or [None])[-1]


def _embedded(text: str) -> Iterator[Any]:
    """JSON values that begin somewhere in the text, none inside of another; a bounded number of tries."""
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_object)
    at = 0
    for _ in range(_MAX_CANDIDATES):
        start = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if start < 0:
            return
        try:
            value, at = decoder.raw_decode(text, start)
            yield value
        except ValueError:
            if _BEGINS_JSON.match(text, start):
                return  # what follows is the inside of a value that is broken or never ends
            at = start + 1
        except RecursionError:
            return


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a repeated key loses nothing in silence."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key not in made or made[key] == value:
            made[key] = value
        elif isinstance(made[key], list) and isinstance(value, list):
            made[key] = [*made[key], *value]
        else:
            made[key] = Conflict()
    return made
