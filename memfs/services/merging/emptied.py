"""Headings with nothing under them any more: those that memfs wrote go with what it took out, a person's stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from memfs.errors import InvalidDocument
from memfs.markdown.document import Document, Section, parse_document
from memfs.markdown.inserts import remove_section
from memfs.markdown.lines import is_blank
from memfs.memory.snapshot import MergeResult, Snapshot

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_NOT_OF_MEMFS = ("hand", "agent", "agent-undo", "init")


def without_emptied(vault: Vault, identity: str, snapshot: Snapshot, result: MergeResult) -> MergeResult:
    """The result of a change without the headings of memfs's that the change left with nothing under them."""
    texts: dict[str, str | None] = {}
    for name, text in result.documents.items():
        was = snapshot.documents.get(name)
        path = vault.layout.document_rel(identity, name)
        texts[name] = text if text is None or was is None else _tidied(vault, path, parse_document(was), text)
    return replace(result, documents=texts)


def _tidied(vault: Vault, path: str, was: Document, text: str) -> str:
    """The text without emptied sections, the inner ones first; one that was empty before is left alone."""
    filled = {section.path for section in was.sections if not _is_empty(was, section)}
    looked: set[tuple[str, ...]] = set()
    while (section := next(_emptied(parse_document(text), filled - looked), None)) is not None:
        document = parse_document(text)
        looked.add(section.path)
        if _is_of_memfs(vault, path, document.lines[section.line].rstrip("\r\n")):
            try:
                text = remove_section(document, section.path)
            except InvalidDocument:  # several are called so: which of them cannot be told
                continue
    return text


def _emptied(document: Document, filled: set[tuple[str, ...]]) -> Iterator[Section]:
    sections = (each for each in reversed(document.sections) if each.path)
    return (each for each in sections if each.path in filled and _is_empty(document, each))


def _is_empty(document: Document, section: Section) -> bool:
    return section.end == section.body[1] and all(map(is_blank, document.lines[slice(*section.body)]))


def _is_of_memfs(vault: Vault, path: str, line: str) -> bool:
    """Whether memfs brought a heading into its document; one that is not committed is a person's."""
    from memfs.history.tracing import line_author

    brought = line_author(vault.repository, path, line)
    return brought is not None and brought.message is not None and brought.kind not in _NOT_OF_MEMFS
