"""What an identity knows already of what a conversation is about, for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memfs.extraction.model.prompts import MAX_EXISTING
from memfs.extraction.model.words import content_words
from memfs.extraction.request import Known
from memfs.memory.views import view_entries
from memfs.memory.wording import parse_action
from memfs.model import EntryView, Turn
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_LONGEST = 300
# Types whose entries are shown as "key: rest", and the field that the key is.
_KEYS: Mapping[str, str] = {
    "preferences": "topic",
    "decisions": "topic",
    "projects": "project",
    "entities": "name",
    "events": "name",
}
_BRIEF = 5
_BRIEF_LONGEST = 100


def known_entries(vault: Vault, identity: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """The entries that share most words with what the users say in ``turns``, best first, one line each.

    Each with its type and, as it is listed, its topic or name: the model can keep to it. A rare word counts more
    than a common one. Suggestions and what was superseded are not known.
    """
    best = _nearest(vault, identity, turns)[:MAX_EXISTING]
    return tuple(f"{view.type}{_whose(view)}: {view.text}"[:_LONGEST] for view in best)


def brief_entries(
    vault: Vault, identity: str, turns: Sequence[Turn]
) -> tuple[tuple[str, ...], Mapping[str, Known]]:
    """As `known_entries`, but a few, cut short, and by short names (``k1``) that an answer may use as ``id``."""
    best = _nearest(vault, identity, turns)[:_BRIEF]
    names = {f"k{number}": view for number, view in enumerate(best, 1)}
    lines = tuple(
        f"{name} {view.type}{_whose(view)}: {_cut(view.text, _BRIEF_LONGEST)}" for name, view in names.items()
    )
    return lines, {name: Known(view.type, _key(view)) for name, view in names.items()}


def _nearest(vault: Vault, identity: str, turns: Sequence[Turn]) -> list[EntryView]:
    entries = {f"{view.type}{_whose(view)}: {view.text}": view for view in _entries(vault, identity)}
    said = content_words("\n".join(turn.text for turn in turns if turn.role != "assistant"))
    words = {text: content_words(text) & said for text in entries}
    often: dict[str, int] = {}
    for shared in words.values():
        for word in shared:
            often[word] = often.get(word, 0) + 1
    scores = {text: sum(1 / often[word] for word in shared) for text, shared in words.items() if shared}
    return [entries[text] for text in sorted(scores, key=lambda text: (-scores[text], text))]


def _entries(vault: Vault, identity: str) -> Iterator[EntryView]:
    folder = vault.layout.rel(vault.layout.memories)
    for path in sorted(scan_documents(vault.layout, [f"{folder}/{identity}/**/*.md"]).documents):
        text = (vault.top / path).read_text(encoding="utf-8", errors="replace")
        for view in view_entries(path, text, root=vault.layout.root):
            if view.status not in ("suggestion", "superseded"):
                yield view


def _whose(view: EntryView) -> str:
    return f" of {view.peer}" if view.peer else ""


def _key(view: EntryView) -> Mapping[str, str]:
    """The key of an entry, read back from how it is shown."""
    if view.type == "actions":
        return {"task": parse_action(view.text).task}
    key, colon, _ = view.text.partition(": ")
    return {_KEYS[view.type]: key} if view.type in _KEYS and colon else {}


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1].rstrip()}…"
