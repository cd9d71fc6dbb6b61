"""A document cut into what search finds: its entries, and its free prose by section.

Each chunk knows where it stands (title, heading trail, tags, neighbours); its id is the path and its position, so
equal sections stay apart. Headings in code fences are none; a table stays whole or repeats its header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from memfs.model import EntryView
from memfs.search.analysis import has_content

if TYPE_CHECKING:
    from memfs.markdown.document import Block, Document

CHUNKER_VERSION = 1
MAX_CHARS = 1200
_SEQUENCES = {"journal", "events", "cases", "trajectories"}  # lines that follow from each other
_REACH = 2
_SILENT = {"comment", "rule", "heading"}
_Unit = tuple[EntryView, tuple[str, ...]]
_TOPIC = re.compile(r"\W*\*\*(.+?)\*\*")
_LINK = re.compile(r"\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|([^\]]*))?\]\]")
_TAG = re.compile(r"(?<![\w/#])#([^\W\d][\w/-]*)")


@dataclass(frozen=True)
class Chunk:
    """One unit of search. ``near`` is the text of its neighbours, where the document is a sequence."""

    id: str
    view: EntryView
    title: str
    trail: tuple[str, ...]
    tags: tuple[str, ...] = ()
    near: str = ""

    @property
    def head(self) -> str:
        """What stands above it: file, title, headings, field, peer, tags and where its links lead."""
        stem = self.view.path.rpartition("/")[2].removesuffix(".md")
        links = [part for link in _LINK.findall(self.view.text) for part in link if part]
        parts = [stem, self.title, *self.trail, self.view.field, self.view.peer, *self.tags, *links]
        return "\n".join(dict.fromkeys(part for part in parts if part))

    @property
    def meaning(self) -> str:
        """The text that its vector is made of."""
        above = [part for part in dict.fromkeys((self.title, *self.trail)) if part]
        return f"{' - '.join(above)}: {plain(self.view.text)}" if above else plain(self.view.text)

    @cached_property
    def topic(self) -> str:
        """What a decision is on: its bold beginning, lower case; else empty."""
        match = _TOPIC.match(self.view.text)
        return " ".join(match[1].lower().split()).rstrip(":：") if match else ""

    @cached_property
    def day(self) -> int | None:
        """Its date as 20261130, if it has one."""
        try:
            day = date.fromisoformat((self.view.date or "")[:10])
        except ValueError:
            return None
        return day.year * 10_000 + day.month * 100 + day.day


def plain(text: str) -> str:
    """Return ``text`` with its Markdown marks taken off: emphasis, code ticks, strikes, link syntax."""
    text = _LINK.sub(lambda match: match[2] or match[1].rpartition("/")[2], text)
    return re.sub(r"\*\*|~~|`|^\s*[#>]+ ", "", text, flags=re.MULTILINE).strip()


def chunk_document(path: str, text: str, root: str = "") -> tuple[Chunk, ...]:
    """Cut a document into chunks; any text will do.

    Args:
        path: relative to the vault.
        root: the folder of memfs's own folders within the vault ("" at its top).
    """
    from memfs.markdown.document import parse_document

    document = parse_document(text)
    title = next((section.title for section in document.sections if section.level == 1), "")
    tags = _frontmatter_tags(document)
    units = sorted(_units(document, path, text, root), key=lambda unit: unit[0].line)
    chunks = []
    for position, (view, trail) in enumerate(units):
        own_tags = (*tags, *(tag for tag in _TAG.findall(view.text) if tag not in tags))
        near = _near(units, position)
        below = trail[1:] if trail and trail[0] == title else trail
        chunks.append(Chunk(f"{path}#{position}", view, title, below, own_tags, near))
    return tuple(chunks)


def chunk_to_json(chunk: Chunk) -> bytes:
    """Return a chunk as JSON, for the index."""
    import orjson

    view = {name: value for name, value in asdict(chunk.view).items() if value is not None}
    return orjson.dumps([chunk.id, view, chunk.title, chunk.trail, chunk.tags, chunk.near])


def chunk_from_json(data: bytes) -> Chunk:
    """Return the chunk that `chunk_to_json` wrote."""
    import orjson

    chunk_id, view, title, trail, tags, near = orjson.loads(data)
    absent = dict.fromkeys(("id", "peer", "field", "status", "date"))
    return Chunk(chunk_id, EntryView(**{**absent, **view}), title, tuple(trail), tuple(tags), near)


def split_prose(text: str, limit: int = MAX_CHARS) -> Iterator[tuple[int, str]]:
    """Yield (lines before it, piece) of a long text: whole paragraphs up to ``limit`` characters together.

    A paragraph longer than that is cut between lines, then sentences; a table repeats its header.
    """
    piece, start = "", 0
    for paragraph in _paragraphs(text, limit):
        if piece.strip() and len(piece) + len(paragraph.text) > limit:
            yield start, piece.strip("\n")
            piece = ""
        if not piece:
            start = paragraph.line
        piece += paragraph.text
    if piece.strip():
        yield start, piece.strip("\n")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    line: int
    text: str


def _paragraphs(text: str, limit: int) -> Iterator[_Paragraph]:
    line = 0
    for part in re.findall(r"(?:[^\n]*\S[^\n]*(?:\n|$))+(?:[^\S\n]*(?:\n|$))*|(?:[^\S\n]*\n)+", text):
        yield from _cut(part, line, limit) if len(part) > limit else [_Paragraph(line, part)]
        line += part.count("\n")


def _cut(paragraph: str, line: int, limit: int) -> Iterator[_Paragraph]:
    lines = paragraph.splitlines(keepends=True)
    table = len(lines) > 2 and lines[0].lstrip().startswith("|") and set(lines[1].strip()) <= set("|:- ")
    header = "".join(lines[:2]) if table else ""
    piece, start = "", line
    for number, row in enumerate(lines):
        if piece and len(piece) + len(row) > limit:
            yield _Paragraph(start, piece)
            piece, start = header if number > 1 else "", line + number
        if len(row) > limit and not table:
            yield from (_Paragraph(line + number, part) for part in _sentences(row, limit))
            start = line + number + 1
        else:
            piece += row
    if piece:
        yield _Paragraph(start, piece)


def _sentences(row: str, limit: int) -> Iterator[str]:
    piece = ""
    for sentence in re.findall(r".+?(?:[.!?](?=\s)\s*|[。！？]|$)", row, flags=re.DOTALL):
        if piece and len(piece) + len(sentence) > limit:
            yield piece
            piece = ""
        piece += sentence
        while len(piece) > limit:
            yield piece[:limit]
            piece = piece[limit:]
    if piece:
        yield piece


def _units(document: Document, path: str, text: str, root: str) -> Iterator[_Unit]:
    """Yield every entry, then every piece of free prose, with its heading trail."""
    from memfs.memory.views import view_entries

    views = {view.line: view for view in view_entries(path, text, root=root)}
    model = next(iter(views.values()), None) or _view_of(path, document, root)
    run: list[Block] = []
    for block in document.blocks:
        if run and (block.line in views or block.kind in _SILENT or block.section != run[-1].section):
            yield from _prose(document, run, model)
            run = []
        if view := views.get(block.line):
            if view.status != "suggestion":
                yield view, block.trail
        elif block.kind not in _SILENT and not (block.kind == "callout" and block.block_id):
            run.append(block)
    if run:
        yield from _prose(document, run, model)


def _prose(document: Document, run: Sequence[Block], model: EntryView) -> Iterator[_Unit]:
    """Yield the pieces of neighbouring blocks that are no entries."""
    first = run[0].start
    text = "".join(document.lines[first : max(block.end for block in run)])
    for before, piece in split_prose(text):
        if has_content(piece):
            line = first + before + 1
            yield replace(model, id=None, field=None, text=piece, status=None, line=line), run[0].trail


def _view_of(path: str, document: Document, root: str) -> EntryView:
    """Return a view without text for a document that has no entries."""
    parts = path.removeprefix(f"{root}/" if root else "").split("/")
    identity = parts[1] if len(parts) > 2 and parts[0] == "memories" else ""
    peer = parts[3] if identity and len(parts) > 4 and parts[2] == "peers" else None
    values = document.frontmatter.values
    kind, day = values.get("type"), values.get("date") or values.get("updated")
    return EntryView(
        id=None,
        identity=identity,
        peer=peer,
        type=kind if isinstance(kind, str) else "note",
        field=None,
        text="",
        status=None,
        date=day if isinstance(day, str) else None,
        path=path,
        line=1,
    )


def _near(units: Sequence[_Unit], position: int) -> str:
    """Return the text around a unit: in a sequence its neighbours under the same heading, else nothing."""
    view, trail = units[position]
    if view.type not in _SEQUENCES:
        return ""
    around = range(max(0, position - _REACH), min(len(units), position + _REACH + 1))
    return "\n".join(units[i][0].text for i in around if i != position and units[i][1] == trail)


def _frontmatter_tags(document: Document) -> tuple[str, ...]:
    tags = document.frontmatter.values.get("tags") or ()
    listed = re.split(r"[,\s]+", tags) if isinstance(tags, str) else [str(tag) for tag in tags]
    return tuple(dict.fromkeys(tag.lstrip("#") for tag in listed if tag.strip("#")))
