"""A document: lines, frontmatter, sections and blocks. Reading loses nothing and never fails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from memfs.errors import InvalidDocument
from memfs.markdown.frontmatter import Frontmatter, Problem, read_frontmatter, without_bom
from memfs.markdown.lines import bare, majority_ending, split_lines
from memfs.markdown.scanner import RawBlock, RawHeading, Scanner
from memfs.markdown.syntax import split_block_id

_CONFLICT = re.compile(r"(?:<{7}|>{7})(?: |$)")
_WITH_ID = ("item", "paragraph", "callout")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is under it. Lines count from 0.

    ``body`` are the lines from after the heading to the next heading of any level, ``end`` is where the
    section with all below it ends. ``trail`` are the titles from the top heading down, its own included;
    ``path`` is the trail below the document's title (its level 1 heading).
    """

    level: int
    title: str
    trail: tuple[str, ...]
    line: int
    body: tuple[int, int]
    end: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One block: an entry when it is an item or a paragraph.

    ``kind``: item, paragraph, callout, quote, code, table, html, comment, heading (inside an item), rule.
    ``start`` to ``end`` (exclusive, from 0) are its own lines; ``tail`` is where what is nested in it ends.
    ``indent`` and ``content`` are columns of its mark and its text; ``offset`` is where ``text`` begins in
    the line ``start``. ``box`` is the character in the checkbox. ``label`` is a callout's kind, or the info
    of a code fence. ``text`` has no mark, box and block id; further lines are joined dedented, by newlines.
    ``section`` is a position in the document's sections, -1 before the first; ``parent`` one in its blocks.
    """

    kind: str
    start: int
    end: int
    tail: int
    indent: int
    content: int
    offset: int
    marker: str | None
    box: str | None
    label: str | None
    text: str
    block_id: str | None
    section: int
    trail: tuple[str, ...]
    parent: int

    @property
    def line(self) -> int:
        """The number of its first line, counted from 1."""
        return self.start + 1


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown text as read. ``"".join(lines) == text``; ``problem`` says why it must not be written."""

    text: str
    lines: tuple[str, ...]
    newline: str
    frontmatter: Frontmatter
    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]
    problem: Problem | None
    _by_id: Mapping[str, Sequence[Block]] = field(repr=False, compare=False)

    @property
    def writable(self) -> bool:
        """False when an edit could destroy something: see ``problem``."""
        return self.problem is None

    @property
    def title(self) -> str | None:
        """The first level 1 heading."""
        return next((section.title for section in self.sections if section.level == 1), None)

    def find(self, block_id: str) -> tuple[Block, ...]:
        """Every block that carries this id (without ``^``), from the top."""
        return tuple(self._by_id.get(block_id, ()))

    @property
    def block_ids(self) -> tuple[str, ...]:
        """All block ids of items, paragraphs and callouts, in the order of the document."""
        return tuple(self._by_id)

    def require_writable(self) -> None:
        """Raise InvalidDocument, with the line, when the document must not be written."""
        if self.problem is not None:
            raise InvalidDocument(
                self.problem.message,
                line=self.problem.line,
                hint="mend this line by hand, then run the command again",
            )


def decode_document(data: bytes) -> str:
    """The text of a document's bytes, a BOM included. Raises InvalidDocument when they are not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidDocument(
            f"not UTF-8: byte 0x{data[error.start]:02x}", line=line, hint="save the file as UTF-8"
        ) from error


def parse_document(text: str) -> Document:
    """Read any text; takes time linear in its length and never raises."""
    return _parse(text)


@lru_cache(maxsize=8)  # an edit reads its own result back, and so does whoever edits next
def _parse(text: str) -> Document:
    lines = split_lines(text)
    texts = [bare(line) for line in lines]
    if texts:
        texts[0] = without_bom(texts[0])
    header = read_frontmatter(texts)
    scanner = Scanner(texts, header.end)
    sections = _sections(scanner.headings, len(lines))
    blocks = _blocks(scanner.blocks, texts, sections)
    by_id: dict[str, list[Block]] = {}
    for block in blocks:
        if block.block_id is not None:
            by_id.setdefault(block.block_id, []).append(block)
    problem = _find_problem(text, texts, header, blocks)
    return Document(text, lines, majority_ending(lines), header, sections, blocks, problem, by_id)


def _sections(headings: Sequence[RawHeading], line_count: int) -> tuple[Section, ...]:
    ends = [line_count] * len(headings)
    open_ones: list[int] = []
    trails: list[tuple[str, ...]] = []
    paths: list[tuple[str, ...]] = []
    for number, heading in enumerate(headings):
        while open_ones and headings[open_ones[-1]].level >= heading.level:
            ends[open_ones.pop()] = heading.line
        open_ones.append(number)
        above = [headings[n] for n in open_ones]
        trails.append(tuple(h.title for h in above))
        paths.append(tuple(h.title for h in above if h.level > 1))
    return tuple(
        Section(
            heading.level,
            heading.title,
            trails[number],
            heading.line,
            (heading.body, headings[number + 1].line if number + 1 < len(headings) else line_count),
            ends[number],
            paths[number],
        )
        for number, heading in enumerate(headings)
    )


def _blocks(raws: Sequence[RawBlock], texts: Sequence[str], sections: Sequence[Section]) -> tuple[Block, ...]:
    tails = [raw.end for raw in raws]
    for number in range(len(raws) - 1, -1, -1):
        parent = raws[number].parent
        if parent >= 0:
            tails[parent] = max(tails[parent], tails[number])
    return tuple(_block(raw, tails[number], texts, sections) for number, raw in enumerate(raws))


def _block(raw: RawBlock, tail: int, texts: Sequence[str], sections: Sequence[Section]) -> Block:
    text, block_id = _text_and_id(raw, texts)
    return Block(
        kind=raw.kind,
        start=raw.start,
        end=raw.end,
        tail=tail,
        indent=raw.indent,
        content=raw.content,
        offset=raw.offset,
        marker=raw.marker,
        box=raw.box,
        label=raw.label,
        text=text,
        block_id=block_id,
        section=raw.section,
        trail=sections[raw.section].trail if raw.section >= 0 else (),
        parent=raw.parent,
    )


def _text_and_id(raw: RawBlock, texts: Sequence[str]) -> tuple[str, str | None]:
    """The id stands at the end of any line of the entry: people wrap and add lines below it."""
    if raw.kind not in _WITH_ID:
        return "\n".join(texts[raw.start : raw.end]), None
    parts = [line.strip(" \t") for line in raw.texts]
    for number in range(len(parts) - 1, -1, -1):
        parts[number], block_id = split_block_id(parts[number])
        if block_id is not None:
            break
    if raw.kind == "callout":
        return parts[0], block_id
    return "\n".join(part for number, part in enumerate(parts) if part or number == 0), block_id


def _find_problem(
    text: str, texts: Sequence[str], header: Frontmatter, blocks: Sequence[Block]
) -> Problem | None:
    if header.problem is not None:
        return header.problem
    if "\0" in text:
        return Problem("the document holds a NUL character", text.count("\n", 0, text.index("\0")) + 1)
    code = {line for block in blocks if block.kind == "code" for line in range(block.start, block.end)}
    if "<<<<<<<" in text or ">>>>>>>" in text:
        for number, line in enumerate(texts):
            if _CONFLICT.match(line) and number not in code:
                return Problem("conflict markers of an unfinished git merge", number + 1)
    return _find_doubled_header(texts, header, code)


def _find_doubled_header(texts: Sequence[str], header: Frontmatter, code: Set[int]) -> Problem | None:
    """A union merge of git can put the whole document in twice, its header included."""
    if header.end < 3:
        return None
    lines = list(texts[: header.end])
    for number in range(header.end, len(texts) - header.end + 1):
        if texts[number] != lines[0] or texts[number + 1] != lines[1] or number in code:
            continue
        if texts[number : number + header.end] == lines:
            return Problem("the document holds its own frontmatter twice (a doubled git merge)", number + 1)
    return None
