"""What an identity knows already of what a conversation is about, for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.extraction.model.prompts import MAX_EXISTING
from memfs.extraction.model.words import content_words
from memfs.memory.views import view_entries
from memfs.model import Turn
from memfs.vault.scan import scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_LONGEST = 300


def known_entries(vault: Vault, identity: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """The entries that share most words with what the users say in ``turns``, best first, one line each.

    A rare word counts more than a common one. Suggestions and what was superseded are not known.
    """
    entries = list(_entries(vault, identity))
    said = content_words("\n".join(turn.text for turn in turns if turn.role != "assistant"))
    words = {text: content_words(text) & said for text in entries}
    often: dict[str, int] = {}
    for shared in words.values():
        for word in shared:
            often[word] = often.get(word, 0) + 1
    scores = {text: sum(1 / often[word] for word in shared) for text, shared in words.items() if shared}
    best = sorted(scores, key=lambda text: (-scores[text], text))[:MAX_EXISTING]
    return tuple(text[:_LONGEST] for text in best)


def _entries(vault: Vault, identity: str) -> list[str]:
    """Every entry with its type and, as it is listed, its topic or name: the model can keep to it."""
    folder = vault.layout.rel(vault.layout.memories)
    texts: dict[str, None] = {}
    for path in sorted(scan_documents(vault.layout, [f"{folder}/{identity}/**/*.md"]).documents):
        text = (vault.top / path).read_text(encoding="utf-8", errors="replace")
        for view in view_entries(path, text, root=vault.layout.root):
            if view.status not in ("suggestion", "superseded"):
                whose = f" of {view.peer}" if view.peer else ""
                texts[f"{view.type}{whose}: {view.text}"] = None
    return list(texts)
