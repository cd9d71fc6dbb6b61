"""The journal of a day as it is read: a session's block, and what the whole of it has to tell. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from memfs.markdown.document import Block, Document, parse_document
from memfs.memory.ids import entry_id
from memfs.memory.journal import JOURNAL, SECTIONS, Line
from memfs.memory.plain import reader_text
from memfs.memory.views import locate, section_path
from memfs.model import EntryView

Trail = tuple[str, ...]


def journal_document(day: date) -> str:
    """The journal of a day, below the identity."""
    return f"journal/{day.isoformat()}.md"


def anchor_id(identity: str, day: date, session: str) -> str:
    """The block id of a session's block of a day."""
    return entry_id(identity, None, JOURNAL, [day.isoformat(), session])


def read_block(
    document: Document, anchor: str, owned: Callable[[Block], bool] = lambda _: True
) -> tuple[str, tuple[Line, ...]] | None:
    """The state and the lines of a block as they stand in a document; None where it is not there."""
    found = document.find(anchor)
    if not found:
        return None
    base = section_path(document, found[0])
    return reader_text(found[0].text), tuple(_lines(document, base, owned))


def journal_views(path_in_vault: str, text: str, *, root: str) -> tuple[EntryView, ...]:
    """The lines of a day's journal that have an id, as entries are viewed; nothing of any other document."""
    place = locate(path_in_vault, root=root)
    if place is None or not place.below.startswith("journal/"):
        return ()
    day = place.below.removeprefix("journal/").removesuffix(".md")
    return tuple(
        EntryView(
            id=block.block_id,
            identity=place.identity,
            peer=place.peer,
            type=JOURNAL,
            field=None,
            text=reader_text(block.text),
            status="done" if block.box in ("x", "X") else None,
            date=day,
            path=path_in_vault,
            line=block.line,
        )
        for block in parse_document(text).blocks
        if block.block_id and block.kind in ("item", "paragraph")
    )


def told_lines(document: Document) -> Iterator[tuple[Block, str]]:
    """What a day's journal has to tell now, the latest session first: each line with the heading it stands under.

    A solved issue is left out.
    """
    told: dict[str, list[tuple[Block, str]]] = {}
    for block in document.blocks:
        if block.kind in ("item", "paragraph") and block.box not in ("x", "X") and block.text.strip():
            path = section_path(document, block)
            told.setdefault(path[0] if path else "", []).append((block, path[-1] if path else ""))
    for session in reversed(told.values()):
        yield from session


def _lines(document: Document, base: Trail, owned: Callable[[Block], bool]) -> Iterator[Line]:
    for block in document.blocks:
        path = section_path(document, block)
        name = _section_name(path[-1]) if path and path[:-1] == base else None
        if name is not None and block.kind in ("item", "paragraph") and block.text.strip():
            yield Line(name, reader_text(block.text), id=block.block_id, own=owned(block), box=block.box)


def _section_name(title: str) -> str | None:
    folded = title.strip().casefold()
    return next((n for n, both in SECTIONS.items() if folded in (each.casefold() for each in both)), None)
