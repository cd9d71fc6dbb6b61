"""Labelled conversations, and what an extractor made of them: files to values. docs/evaluation.md tells the formats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memfs.errors import InvalidRequest

Groups = tuple[tuple[str, ...], ...]
ATTRIBUTES = ("date", "status", "priority", "field")


@dataclass(frozen=True, slots=True)
class Item:
    """What is worth keeping. ``any_of``: groups of keywords; a text with all of one group matches.

    ``types``: the right ones, the first of them its own; ``peers``: whose fact it may be ("" is the identity's own);
    ``attributes``: what else is to be right; ``must``: without it, nothing is lost when it is not found.
    """

    types: tuple[str, ...]
    any_of: Groups
    must: bool = True
    peers: tuple[str, ...] = ("",)
    turns: tuple[int, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ban:
    """What must not be kept: a text that matches ``any_of`` and not ``unless``; of one ``peer`` only, where named."""

    why: str
    any_of: Groups
    unless: Groups = ()
    peer: str | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """One conversation's labels. ``expect_empty``: nothing in it is worth keeping; ``now``: where dates count from."""

    id: str
    language: str
    items: tuple[Item, ...]
    bans: tuple[Ban, ...]
    kinds: tuple[str, ...] = ()
    expect_empty: bool = False
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that an extractor made. ``attributes``: date, status, priority and field, as far as it says them."""

    type: str
    text: str
    peer: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prediction:
    """All entries of one conversation, and the tokens they took."""

    id: str
    entries: tuple[Entry, ...] = ()
    tokens: int = 0


def read_labels(folder: Path) -> tuple[Label, ...]:
    """The labels of a folder, from its ``gold/*.json``, sorted by file.

    Raises:
        InvalidRequest: there are none, or one of them cannot be used; the file and the key are named.
    """
    files = sorted((folder / "gold").glob("*.json"))
    if not files:
        raise InvalidRequest(
            f"{folder} has no gold/*.json", hint="docs/evaluation.md tells how to label conversations"
        )
    labels = tuple(_read_label(path) for path in files)
    if len({label.id for label in labels}) < len(labels):
        raise InvalidRequest(f"two labels in {folder} have the same id")
    return labels


def find_transcript(folder: Path, label: Label) -> Path:
    """The conversation that a label is of. Raises InvalidRequest where there is none, or more than one."""
    found = [path for path in sorted((folder / "transcripts").glob(f"{label.id}.*")) if path.is_file()]
    if len(found) != 1:
        raise InvalidRequest(
            f"{folder / 'transcripts'} has {len(found)} files {label.id}.*; it must have one"
        )
    return found[0]


def read_predictions(path: Path) -> dict[str, Prediction]:
    """Predictions by id, from JSON lines ``{"id", "entries", "tokens"?}``; lines of one id are added up.

    Raises:
        InvalidRequest: the file or a line of it cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path} cannot be read: {error}") from error
    found: dict[str, Prediction] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            one = _read_prediction(line, f"{path}:{number}")
            known = found.get(one.id, Prediction(one.id))
            found[one.id] = Prediction(one.id, known.entries + one.entries, known.tokens + one.tokens)
    return found


def prediction_line(prediction: Prediction) -> str:
    """A prediction as `read_predictions` reads it."""
    entries = [
        {
            "type": each.type,
            "text": each.text,
            **({"peer": each.peer} if each.peer else {}),
            **each.attributes,
        }
        for each in prediction.entries
    ]
    data = {"id": prediction.id, "entries": entries, "tokens": prediction.tokens}
    return json.dumps(data, ensure_ascii=False) + "\n"


def _read_prediction(line: str, where: str) -> Prediction:
    try:
        data = json.loads(line)
        entries = [each for each in data.get("entries") or () if isinstance(each, dict)]
        return Prediction(str(data["id"]), tuple(map(_entry, entries)), int(data.get("tokens") or 0))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRequest(f"{where}: not a prediction ({error!r})") from error


def _entry(data: Mapping[str, Any]) -> Entry:
    said = {name: str(data[name] or "") for name in ATTRIBUTES if name in data}
    return Entry(str(data.get("type") or ""), str(data.get("text") or ""), str(data.get("peer") or ""), said)


def _read_label(path: Path) -> Label:
    try:
        data = json.loads(path.read_bytes())
        return Label(
            id=str(data["id"]),
            language=str(data["lang"]),
            items=tuple(map(_item, data["items"])),
            bans=tuple(map(_ban, data["must_not"])),
            kinds=tuple(map(str, data.get("kinds") or ())),
            expect_empty=bool(data["expect_empty"]),
            now=datetime.fromisoformat(data["now"]) if data.get("now") else None,
        )
    except KeyError as error:
        raise InvalidRequest(f"{path}: {error.args[0]} is missing") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InvalidRequest(f"{path}: cannot be read as a label: {error}") from error


def _item(data: Mapping[str, Any]) -> Item:
    return Item(
        types=(str(data["type"]), *map(str, data.get("also") or ())),
        any_of=_groups(data["any_of"]),
        must=bool(data["must"]),
        peers=(str(data.get("peer") or ""), *map(str, data.get("also_peers") or ())),
        turns=tuple(map(int, data.get("turns") or ())),
        attributes={name: str(data[name]) for name in ATTRIBUTES if data.get(name)},
    )


def _ban(data: Mapping[str, Any]) -> Ban:
    peer = str(data["peer"] or "") if "peer" in data else None
    return Ban(str(data["why"]), _groups(data["any_of"]), _groups(data.get("unless") or ()), peer)


def _groups(data: Sequence[Sequence[Any]]) -> Groups:
    return tuple(tuple(_keywords(group)) for group in data)


def _keywords(group: Sequence[Any]) -> Iterator[str]:
    if isinstance(group, str):
        raise ValueError(f"any_of and unless hold lists of keywords, not {group!r}")
    yield from map(str, group)
