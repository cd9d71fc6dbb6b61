"""What an identity knows already of what a conversation is about, for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.extraction.model.prompts import MAX_EXISTING
from memfs.extraction.model.words import content_words
from memfs.markdown import parse_document
from memfs.memory.views import section_path, view_entries
from memfs.model import EntryView, Turn
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
    folder = vault.layout.rel(vault.layout.memories)
    texts: dict[str, None] = {}
    for path in sorted(scan_documents(vault.layout, [f"{folder}/{identity}/**/*.md"]).documents):
        text = (vault.top / path).read_text(encoding="utf-8", errors="replace")
        document = parse_document(text)
        sections = {block.line: section_path(document, block) for block in document.blocks}
        for view in view_entries(path, text, root=vault.layout.root):
            if view.status not in ("suggestion", "superseded"):
                texts[_shown(view, sections.get(view.line, ()), path)] = None
    return list(texts)


def _shown(view: EntryView, section: tuple[str, ...], path: str) -> str:
    """An entry with what its key needs: topic or name, so that the model can keep to it."""
    about = section[-1] if view.type == "preferences" and section else ""
    if "/" in path.partition(f"/{view.identity}/")[2]:
        about = path.rpartition("/")[2].removesuffix(".md")
    whose = f" of {view.peer}" if view.peer else ""
    return f"{view.type}{whose}: " + (f"[{about}] {view.text}" if about else view.text)
