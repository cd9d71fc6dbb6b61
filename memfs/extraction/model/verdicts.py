"""A model's verdicts on pairs of entries: read whatever they are wrapped in, and checked one by one.

A text that unites two entries may say nothing that neither says, and must keep every number and name of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memfs.extraction.model.answers import read_answer
from memfs.extraction.model.words import content_words
from memfs.extraction.redaction import redact_text
from memfs.memory.likeness import numbers
from memfs.memory.plain import negates, plain_text
from memfs.memory.reviewing import Verdict
from memfs.memory.standing import Pair, Standing
from memfs.memory.uniting import MAX_TEXT, bare
from memfs.model import Dropped

_NEW_WORDS = 0.2  # share of words that may be neither entry's: words that join
_LEAST_FORM = 4  # letters; shorter names have no other forms
_LONGEST_ENDING = 3
_LEAST_KEPT = 0.5  # share of each entry's words that a united text must keep
_NAME = re.compile(
    r"(?<![\w.])[A-Z][\w.+#/-]*\w|(?<![\w.])\w+[._/+#-]\w[\w._/+#-]*|(?<![A-Za-z])[A-Za-z]*\d[\w.-]*"
)
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("same", "duplicate", "equal", "相同", "重复", "同"), "same"),
    **dict.fromkeys(
        ("contradiction", "contradicts", "contradictory", "conflict", "矛盾", "冲突"), "contradiction"
    ),
    **dict.fromkeys(("different", "unrelated", "distinct", "none", "不同", "无关"), "different"),
}


def judge(text: str, pairs: Sequence[Pair]) -> tuple[dict[str, Verdict], list[Dropped]]:
    """The verdicts in an answer, by `Pair.name`; each that cannot be used is left out with its reason.

    Raises:
        InvalidAnswer: the text is no answer at all.
    """
    said: dict[int, Verdict | str] = {}
    for number, verdict in _items(read_answer(text)):
        said[number] = "it is answered twice" if said.get(number, verdict) != verdict else verdict
    verdicts: dict[str, Verdict] = {}
    refused: list[Dropped] = []
    for number, pair in enumerate(pairs, 1):
        found = said.pop(number, "the answer leaves it out")
        reason = found if isinstance(found, str) else _objection(found, pair)
        if reason is not None:
            refused.append(Dropped(pair.first.type, f"{pair.first.handle}, {pair.second.handle}: {reason}"))
        elif isinstance(found, Verdict):
            verdicts[pair.name] = found
    refused += [Dropped("pairs", f"pair {number} was not asked about") for number in said]
    return verdicts, refused


def _items(value: Any) -> Iterator[tuple[int, Verdict | str]]:
    """(number, verdict or why it is none), however the answer wraps them."""
    if isinstance(value, dict) and not any(key in value for key in ("pair", "verdict")):
        if all(str(key).isdigit() for key in value):
            value = [{"pair": key, **item} for key, item in value.items() if isinstance(item, dict)]
        else:
            value = next((inner for inner in value.values() if isinstance(inner, list | dict)), [])
            yield from _items(value) if isinstance(value, dict) else _listed(value)
            return
    yield from _listed(value if isinstance(value, list) else [value])


def _listed(items: Sequence[Any]) -> Iterator[tuple[int, Verdict | str]]:
    for item in items:
        if not isinstance(item, dict):
            continue
        named = str(next((item[key] for key in ("pair", "id", "number", "n") if key in item), "")).strip(
            "[] "
        )
        if not named.isdecimal():
            continue
        kind = _KINDS.get(str(item.get("verdict", item.get("kind", ""))).strip().casefold())
        text = item.get("text")
        if kind is None:
            yield int(named), "its verdict cannot be read"
        else:
            said = " ".join(text.split()) if isinstance(text, str) else ""
            yield int(named), Verdict(kind, said)  # type: ignore[arg-type]  # one of the kinds


def _objection(verdict: Verdict, pair: Pair) -> str | None:
    """Why a verdict is not used; None where it may be."""
    if verdict.kind != "same":
        return None
    return objection_to(verdict.text, core_of(pair.first), core_of(pair.second))


def objection_to(text: str, first: str, second: str) -> str | None:
    """What is wrong with a text as what two entries say together; None where nothing is."""
    both = f"{first}\n{second}"
    if not text:
        return "the united text is missing"
    if len(text) > MAX_TEXT:
        return f"the united text has more than {MAX_TEXT} characters"
    if redact_text(text).text != text and redact_text(both).text == both:
        return "the united text holds a secret"
    if invented := sorted((numbers(text) - numbers(both)) | _unknown(_names(text), both)):
        return f"the united text says what neither says: {', '.join(invented)}"
    if lost := sorted((numbers(both) - numbers(text)) | _unknown(_names(first) | _names(second), text)):
        return f"the united text leaves out: {', '.join(lost)}"
    words = content_words(text)
    if words and len(words - content_words(both)) > _NEW_WORDS * len(words):
        return "the united text says more than the two"
    for each in (first, second):
        own = content_words(each)
        if own and len(own & words) < _LEAST_KEPT * len(own):
            return "the united text leaves out too much"
    if negates(text.casefold()) not in (negates(first.casefold()), negates(second.casefold())):
        return "the united text turns a yes into a no"
    return None


def core_of(each: Standing) -> str:
    """What an entry says, as a model is shown it."""
    return plain_text(bare(each.type, each.text))


def _names(text: str) -> frozenset[str]:
    """What is written like a name: words with capitals that are no common ones, identifiers, versions.

    At the beginning of a sentence nothing tells a name from a verb, so there every such word counts as one.
    """
    found = (match[0].strip(".-/") for match in _NAME.finditer(text))
    return frozenset(word.casefold() for word in found if not word.isalpha() or content_words(word))


def _unknown(names: frozenset[str], text: str) -> frozenset[str]:
    """The names that a text does not have, other forms of them (Mondays, Postgres for PostgreSQL) not counted."""
    words = _all_words(text)
    return frozenset(
        name
        for name in names - words
        if len(name) < _LEAST_FORM
        or not any(_are_forms(name, word) for word in words if len(word) >= _LEAST_FORM)
    )


def _are_forms(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING


def _all_words(text: str) -> frozenset[str]:
    """Every way in which a name may stand in a text."""
    folded = text.casefold()
    whole = {match[0].strip(".-/") for match in re.finditer(r"[\w.+#/-]+", folded)}
    return frozenset(whole | set(re.findall(r"[a-z0-9]+", folded)) | _names(text))
