"""A document cut into what search finds: its entries, and its free prose by section.

Each chunk knows where it stands (title, heading trail, tags, neighbours); its id is the path and its
position, so equal sections stay apart. Headings in code fences are none; a table stays whole or repeats its
header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from memfs.memory.headings import same_heading
from memfs.model import EntryView
from memfs.search.analysis import has_content
from memfs.search.labels import labels_of
from memfs.search.prose import split_prose
from memfs.search.vectors import text_key
from memfs.search.when import day_words

if TYPE_CHECKING:
    from memfs.markdown.document import Block, Document

CHUNKER_VERSION = 7
_SEQUENCES = {"journal", "events", "cases", "trajectories"}  # lines that follow from each other
_NEAR, _FAR = 2, 4  # how many lines before and after still belong to what one is about
_SILENT = {"comment", "rule", "heading"}
_TOPIC = re.compile(r"\W*\*\*(.+?)\*\*")
_LINK = re.compile(r"\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_TAG = re.compile(r"(?<![\w/#])#([^\W\d][\w/-]*)")
_DATE = re.compile(r"(?<![\d-])((?:19|20)\d\d)[-/](\d\d)[-/](\d\d)(?![\d-])")
_MARK = re.compile(r"[*~`#>\[]")
_MARKS = re.compile(r"\*\*|~~|`|^[^\S\n]*[#>]+ ", re.MULTILINE)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One unit of search.

    ``body`` is its own text, without Markdown marks; ``topic`` what a decision is on; ``links`` the names of the notes
    it links to; ``days`` the dates in it, its own first, as 20261130. Where the document is a sequence, ``near`` and
    ``far`` are the texts of its neighbours and of theirs, and ``around`` the keys of the nearer ones' vectors.
    """

    id: str
    view: EntryView
    body: str
    title: str = ""
    trail: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    topic: str = ""
    near: tuple[str, ...] = ()
    far: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    days: tuple[int, ...] = ()

    @property
    def above(self) -> tuple[str, ...]:
        """The title and the headings it stands under; a finished task may still stand under "Open"."""
        return _above(self.title, self.trail, self.view.status == "done")

    @property
    def head(self) -> str:
        """What says where it belongs: file, title, headings, kind, peer, tags, and its day in words."""
        view = self.view
        stem = view.path.rpartition("/")[2].removesuffix(".md")
        said = labels_of(view.type, view.field, view.status, view.priority)
        return _lines((stem, *self.above, view.field, view.peer, *self.tags, said, day_words(view.date)))

    @property
    def meaning(self) -> str:
        """The text that its vector is made of; headings that are only a date or a time say nothing there."""
        above = _spoken(self.above)
        return f"{above}: {self.body}" if above else self.body

    @property
    def key(self) -> str:
        """The key of its vector."""
        return text_key(self.meaning, self.view.identity)


# Entries that stand together have these in common.
@lru_cache(maxsize=1024)
def _above(title: str, trail: tuple[str, ...], done: bool) -> tuple[str, ...]:
    titles = (title, *(each for each in trail if not (done and same_heading(each, "Open"))))
    return tuple(dict.fromkeys(part for part in titles if part))


@lru_cache(maxsize=1024)
def _lines(parts: tuple[str | None, ...]) -> str:
    return "\n".join(dict.fromkeys(part for part in parts if part))


@lru_cache(maxsize=1024)
def _spoken(above: tuple[str, ...]) -> str:
    return " - ".join(part for part in above if _LETTER.search(part))


@dataclass(frozen=True, slots=True)
class _Unit:
    """What becomes a chunk: an entry or a piece of prose, and its text in the document."""

    view: EntryView
    source: str
    trail: tuple[str, ...]


def plain(text: str) -> str:
    """Return ``text`` with its Markdown marks taken off: emphasis, code ticks, strikes, link syntax."""
    if _MARK.search(text) is None:  # as most texts
        return text.strip()
    text = _LINK.sub(lambda match: f"{match[1]} {match[2] or ''}".replace("/", " "), text)
    return _MARKS.sub("", text).strip()


def chunk_document(path: str, text: str, root: str = "") -> tuple[Chunk, ...]:
    """Cut a document into chunks; any text will do. The relay board gives none.

    Args:
        path: relative to the vault.
        root: the folder of memfs's own folders within the vault ("" at its top).
    """
    from memfs.markdown.document import parse_document
    from memfs.memory.views import locate

    place = locate(path, root=root)
    if place is not None and place.below == "relay.md":
        return ()
    document = parse_document(text)
    tags = _frontmatter_tags(document)
    units = sorted(_units(document, path, root), key=lambda unit: unit.view.line)
    chunks = [_chunk(units, position, document.title or "", tags) for position in range(len(units))]
    return tuple(_in_sequence(chunks, position) for position in range(len(chunks)))


def _chunk(units: Sequence[_Unit], position: int, title: str, tags: tuple[str, ...]) -> Chunk:
    unit = units[position]
    body, topic = plain(unit.source), _TOPIC.match(unit.source)
    if unit.view.id and unit.view.type in ("entities", "experiences") and title:
        body = f"{title}: {body}"  # the whole small file is the entry
    found = _TAG.findall(unit.source) if "#" in unit.source else ()
    links = _LINK.findall(unit.source) if "[[" in unit.source else ()
    return Chunk(
        id=f"{unit.view.path}#{position}",
        view=unit.view,
        body=body,
        title=title,
        trail=unit.trail[1:] if unit.trail[:1] == (title,) else unit.trail,
        tags=(*tags, *(tag for tag in found if tag not in tags)),
        topic=" ".join(topic[1].lower().split()).rstrip(":：") if topic else "",
        links=tuple(dict.fromkeys(_note_name(target) for target, _ in links)),
        days=_days(unit),
    )


def _note_name(target: str) -> str:
    return target.strip().rpartition("/")[2].removesuffix(".md").lower()


def _days(unit: _Unit) -> tuple[int, ...]:
    written = _DATE.findall(unit.source) if "20" in unit.source or "19" in unit.source else ()
    found = [unit.view.date or "", *("-".join(parts) for parts in written)]
    return tuple(dict.fromkeys(day for text in found if (day := day_number(text))))


def day_number(text: str) -> int | None:
    """Return ``2026-11-30`` (or a longer ISO time) as 20261130; None where it is no day."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return None
    return day.year * 10_000 + day.month * 100 + day.day


_VIEW_VALUES = attrgetter(*(field.name for field in fields(EntryView)))


def chunk_to_json(chunk: Chunk) -> bytes:
    """Return a chunk as JSON, for the index; without its neighbours' texts, which are only there as terms."""
    import orjson

    lists = (chunk.trail, chunk.tags, chunk.links, chunk.around, chunk.days)
    return orjson.dumps((chunk.id, _VIEW_VALUES(chunk.view), chunk.body, chunk.title, chunk.topic, *lists))


def chunk_from_json(data: bytes) -> Chunk:
    """Return the chunk that `chunk_to_json` wrote."""
    import orjson

    name, view, body, title, topic, trail, tags, links, around, days = orjson.loads(data)
    return Chunk(
        name,
        EntryView(*view),
        body,
        title,
        tuple(trail),
        tuple(tags),
        topic,
        links=tuple(links),
        around=tuple(around),
        days=tuple(days),
    )


def _units(document: Document, path: str, root: str) -> Iterator[_Unit]:
    """Yield every entry, and the free prose between them in pieces.

    Only in ``memories/`` are list items entries of their own; elsewhere they are part of their section's
    prose.
    """
    from memfs.memory.views import is_navigation, locate, view_entries

    place = locate(path, root=root)
    views = {view.line: view for view in view_entries(path, document.text, root=root)}
    model = _place(document, path, root)
    run: list[Block] = []
    for block in document.blocks:
        view = views.get(block.line) or _journal_item(block, model)
        silent = block.kind in _SILENT or is_navigation(block, place)
        if run and (view or silent or block.section != run[-1].section):
            yield from _prose(document, run, model)
            run = []
        if view is not None:
            if view.status != "suggestion":
                yield _Unit(view, block.text, block.trail)
        elif not silent and not (block.kind == "callout" and block.block_id):
            run.append(block)
    if run:
        yield from _prose(document, run, model)


def _place(document: Document, path: str, root: str) -> EntryView:
    """Return a view without text: what the path and the header say of all that is in a document."""
    from memfs.memory.views import document_type, locate

    place = locate(path, root=root)
    kind = document_type(place, document) if place else document.frontmatter.text("type") or "note"
    if place and place.below.startswith("journal/"):
        kind = "journal"
    dates = ["-".join(parts) for parts in _DATE.findall(path)] + [document.frontmatter.text("date") or ""]
    return EntryView(
        id=None,
        identity=place.identity if place else "",
        peer=place.peer if place else None,
        type=kind,
        field=None,
        text="",
        status=None,
        date=next((day for day in dates if day_number(day)), None),
        path=path,
        line=1,
    )


def _journal_item(block: Block, model: EntryView) -> EntryView | None:
    if model.type != "journal" or block.kind != "item" or not block.text.strip():
        return None
    return replace(model, id=block.block_id, text=plain(block.text), line=block.line)


def _prose(document: Document, run: Sequence[Block], model: EntryView) -> Iterator[_Unit]:
    """Yield the pieces of neighbouring blocks that are no entries."""
    first = run[0].start
    text = "".join(document.lines[first : max(block.end for block in run)])
    for before, piece in split_prose(text):
        if has_content(piece):
            yield _Unit(replace(model, text=piece, line=first + before + 1), piece, run[0].trail)


def _in_sequence(chunks: Sequence[Chunk], position: int) -> Chunk:
    """Return a chunk with what stands around it under the same heading, where its document is a sequence."""
    chunk = chunks[position]
    if chunk.view.type not in _SEQUENCES:
        return chunk
    reach = range(max(0, position - _FAR), min(len(chunks), position + _FAR + 1))
    others = [i for i in reach if i != position and chunks[i].trail == chunk.trail]
    near = [chunks[i] for i in others if abs(i - position) <= _NEAR]
    far = tuple(chunks[i].body for i in others if abs(i - position) > _NEAR)
    around = tuple(other.key for other in near)
    return replace(chunk, near=tuple(other.body for other in near), far=far, around=around)


def _frontmatter_tags(document: Document) -> tuple[str, ...]:
    tags = document.frontmatter.values.get("tags") or ()
    listed = re.split(r"[,\s]+", tags) if isinstance(tags, str) else [str(tag) for tag in tags]
    return tuple(dict.fromkeys(tag.lstrip("#") for tag in listed if tag.strip("#")))
