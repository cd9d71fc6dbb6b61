"""The block structure of Markdown, one pass over the lines.

An own scanner: markdown-it-py needs about five times as long and knows neither block ids, callouts nor
``%%`` comments. It is the reference in the property tests, which compare headings, fences and items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from memfs.markdown import syntax
from memfs.markdown.lines import columns, indentation

_MAX_DEPTH = 100
_MAX_QUOTES = 20
_INTERRUPTERS = frozenset(">#`~<%-+*_0123456789")
_INSIDE_ITEM = _INTERRUPTERS | {"["}
Leaf = Literal["paragraph", "quote", "table", "code", "pending"]


@dataclass(slots=True)
class RawBlock:
    """A block while it is being read. ``parent`` is a position in the list of blocks, -1 at the top."""

    kind: str
    start: int
    end: int
    parent: int
    section: int
    indent: int
    content: int
    offset: int
    marker: str | None = None
    box: str | None = None
    label: str | None = None
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RawHeading:
    """A heading at the top level; ``body`` is the line after it (after its underline)."""

    level: int
    title: str
    line: int
    body: int


@dataclass(frozen=True, slots=True)
class _Verbatim:
    """A fence or HTML block that is open: all lines belong to it until it ends."""

    block: int
    base: int
    opener: str | None
    ends: tuple[str, ...]


class Scanner:
    """Reads ``texts`` (lines without endings) from line ``first`` on into ``blocks`` and ``headings``."""

    def __init__(self, texts: Sequence[str], first: int, quote_depth: int = 0) -> None:
        self.texts = list(texts)
        self.blocks: list[RawBlock] = []
        self.headings: list[RawHeading] = []
        self._stack: list[tuple[int, int]] = []  # (content column, block) of the open list items
        self._leaf: Leaf | None = None
        self._leaf_block = -1
        self._verbatim: _Verbatim | None = None
        self._quoted: Scanner | None = None  # reads what is inside the open quote
        self._quote_depth = quote_depth
        self._comments = [i for i in range(first, len(texts)) if "%%" in texts[i]]
        self._comments.reverse()
        line = first
        while line < len(texts):
            line = self._read(line)

    # -- one line ------------------------------------------------------------------------------------

    def _read(self, i: int) -> int:
        text = self.texts[i]
        if not text.strip(" \t"):
            self._read_blank()
            return i + 1
        indent, offset = indentation(text)
        if self._verbatim is not None:
            if self._read_verbatim(i, indent, offset):
                return i + 1
            self._verbatim = None
        depth = len(self._stack)
        while depth and indent < self._stack[depth - 1][0]:
            depth -= 1
        base = self._stack[depth - 1][0] if depth else 0
        matched = depth == len(self._stack)
        if indent - base >= 4:
            self._read_indented(i, indent, offset, depth, matched)
            return i + 1
        if matched and self._continue_leaf(i, offset):
            return i + 1
        if text[offset] in _INTERRUPTERS:
            following = self._start(i, indent, offset, depth)
            if following:
                return following
        self._read_text(i, indent, offset, depth, matched)
        return i + 1

    def _read_blank(self) -> None:
        if self._verbatim is not None:
            if self._verbatim.opener is None and not self._verbatim.ends:
                self._verbatim = None
            return
        if self._leaf == "pending":  # an item that begins with two empty lines is empty
            self._stack.pop()
        if self._leaf != "code":
            self._leaf = None

    def _read_verbatim(self, i: int, indent: int, offset: int) -> bool:
        """Take the line into the open fence or HTML block; False when its list item ended before it."""
        open_block = self._verbatim
        assert open_block is not None
        if indent < open_block.base:
            return False
        self._extend(open_block.block, i, offset)
        text = self.texts[i][offset:]
        if open_block.opener is not None:
            if indent - open_block.base < 4 and syntax.closes_fence(text, open_block.opener):
                self._verbatim = None
        elif syntax.ends_html(text, open_block.ends):
            self._verbatim = None
        return True

    def _read_indented(self, i: int, indent: int, offset: int, depth: int, matched: bool) -> None:
        if self._takes_lazy_text() or (self._leaf == "code" and matched):
            self._extend(self._leaf_block, i, offset)
        else:
            self._close_to(depth)
            self._open(i, "code", indent, offset)
            self._leaf = "code"

    def _read_text(self, i: int, indent: int, offset: int, depth: int, matched: bool) -> None:
        if self._takes_lazy_text() or (self._leaf == "table" and matched):
            self._extend(self._leaf_block, i, offset)
        elif self._leaf == "pending" and matched:
            self._extend(self._leaf_block, i, offset)
            self._leaf = "paragraph"
        else:
            self._close_to(depth)
            self._open(i, "paragraph", indent, offset)
            self._leaf = "paragraph"

    def _takes_lazy_text(self) -> bool:
        if self._leaf == "quote" and self._quoted is not None:
            return self._quoted._takes_lazy_text()
        return self._leaf == "paragraph"

    # -- lines that go on with the open block ----------------------------------------------------------

    def _continue_leaf(self, i: int, offset: int) -> bool:
        text = self.texts[i][offset:]
        if self._leaf == "quote" and text[0] == ">":
            inner = text[1:].lstrip(" \t")
            if syntax.callout(inner) and self.blocks[self._leaf_block].kind != "item":
                return False
            self._extend(self._leaf_block, i, offset)
            self._read_quoted(i, offset)
            return True
        if self._leaf != "paragraph":
            return False
        block = self.blocks[self._leaf_block]
        level = syntax.underline(text)
        if level is not None:
            return self._read_underline(i, offset, level)
        if block.kind == "paragraph" and syntax.is_delimiter_row(text, block.texts[-1]):
            self._begin_table(i, offset)
            return True
        return False

    def _read_underline(self, i: int, offset: int, level: int) -> bool:
        block = self.blocks[self._leaf_block]
        self._leaf = None
        if self._stack:
            self._extend(self._leaf_block, i, offset)
            return True
        self.blocks.pop()
        title = " ".join(line.strip(" \t") for line in block.texts)
        self.headings.append(RawHeading(level, title, block.start, i + 1))
        return True

    def _begin_table(self, i: int, offset: int) -> None:
        block = self.blocks[self._leaf_block]
        if block.end - block.start > 1:
            block.end -= 1
            header = block.texts.pop()
            self._leaf_block = self._open(i - 1, "table", block.indent, 0)
            self.blocks[self._leaf_block].texts = [header]
        block = self.blocks[self._leaf_block]
        block.kind = "table"
        self._extend(self._leaf_block, i, offset)
        self._leaf = "table"

    # -- lines that begin a block ------------------------------------------------------------------------

    def _start(self, i: int, indent: int, offset: int, depth: int) -> int:
        """Begin the block that starts on this line; the number of the next line to read, or 0."""
        text = self.texts[i][offset:]
        mark = syntax.marker(text)
        if mark is not None and not syntax.is_rule(text):
            return self._start_item(i, indent, offset, depth, mark)
        return self._start_leaf(i, indent, offset, depth, None)

    def _start_item(self, i: int, indent: int, offset: int, depth: int, mark: str) -> int:
        text = self.texts[i]
        in_paragraph = self._leaf == "paragraph" and depth == len(self._stack)
        empty = not text[offset + len(mark) :].strip(" \t")
        ordered_late = mark[0].isdigit() and int(mark[:-1]) != 1
        if (in_paragraph and (empty or ordered_late)) or depth >= _MAX_DEPTH:
            return 0
        self._close_to(depth)
        item = self._open(i, "item", indent, offset)
        block = self.blocks[item]
        block.marker = mark
        while True:
            column = indent + len(mark)
            rest = text[offset + len(mark) :]
            blanks = rest[: len(rest) - len(rest.lstrip(" \t"))]
            width = columns(blanks, column) - column
            code = width > 4
            content = column + (1 if code or empty else width)
            self._stack.append((content, item))
            offset += len(mark) + len(blanks)
            if len(self._stack) == depth + 1:
                block.content, block.offset = content, offset
                block.texts[0] = text[offset:]
            if empty or code:
                self._leaf, self._leaf_block = ("pending" if empty else None), item
                return i + 1
            if text[offset] not in _INSIDE_ITEM:  # plain words, as most
                break
            if len(self._stack) == depth + 1 and self._take_box(block):
                break
            indent = content
            inner = syntax.marker(text[offset:])
            if inner is None or syntax.is_rule(text[offset:]) or len(self._stack) >= _MAX_DEPTH:
                following = self._start_leaf(i, indent, offset, len(self._stack), item)
                if following:
                    return following
                break
            mark = inner
            empty = not text[offset + len(mark) :].strip(" \t")
        self._leaf, self._leaf_block = "paragraph", item
        return i + 1

    def _take_box(self, block: RawBlock) -> bool:
        text = block.texts[0]
        block.box = syntax.box(text)
        if block.box is None:
            return False
        rest = text[3:].lstrip(" \t")
        block.offset += len(text) - len(rest)
        block.texts[0] = rest
        return True

    def _start_leaf(self, i: int, indent: int, offset: int, depth: int, owner: int | None) -> int:
        """Begin a block that holds no items. ``owner`` is the list item on whose first line it begins."""
        text = self.texts[i][offset:]
        first = text[0]
        if first == ">":
            return self._start_quote(i, indent, offset, depth, owner)
        if first == "#":
            return self._start_heading(i, indent, offset, depth, owner)
        if first in "`~":
            opener = syntax.fence(text)
            return self._start_verbatim(i, indent, offset, depth, owner, opener, ()) if opener else 0
        if first == "<":
            in_paragraph = owner is None and self._takes_lazy_text()
            ends = syntax.html(text, in_paragraph=in_paragraph)
            return 0 if ends is None else self._start_verbatim(i, indent, offset, depth, owner, None, ends)
        if first == "%":
            return self._start_comment(i, indent, offset, depth, owner)
        if syntax.is_rule(text):
            self._own(i, "rule", indent, offset, depth, owner)
            return i + 1
        return 0

    def _own(self, i: int, kind: str, indent: int, offset: int, depth: int, owner: int | None) -> int:
        """The block that a leaf belongs to: its list item, else a new one."""
        if owner is not None:
            self._leaf = None
            return owner
        self._close_to(depth)
        return self._open(i, kind, indent, offset)

    def _start_quote(self, i: int, indent: int, offset: int, depth: int, owner: int | None) -> int:
        if self._quote_depth >= _MAX_QUOTES:
            return 0
        block = self._own(i, "quote", indent, offset, depth, owner)
        text = self.texts[i][offset:]
        inner = text[1:].lstrip(" \t")
        found = syntax.callout(inner)
        if found and owner is None:
            raw = self.blocks[block]
            raw.kind, raw.label = "callout", found[0]
            raw.offset = offset + len(text) - len(inner) + found[1]
            raw.texts[0] = self.texts[i][raw.offset :]
        self._quoted = Scanner([], 0, self._quote_depth + 1)
        self._read_quoted(i, offset)
        self._leaf, self._leaf_block = "quote", block
        return i + 1

    def _read_quoted(self, i: int, offset: int) -> None:
        """Give what is behind the ``>`` to the quote's scanner, which knows whether a paragraph is open."""
        if self._quoted is None:
            return
        text = self.texts[i]
        rest = text[offset + 1 :].lstrip(" \t")
        start = columns(text[: offset + 1], 0)
        width = columns(text[offset + 1 : len(text) - len(rest)], start) - start
        self._quoted.texts.append(f"{' ' * (width - 1)}{rest}")
        self._quoted._read(len(self._quoted.texts) - 1)

    def _start_heading(self, i: int, indent: int, offset: int, depth: int, owner: int | None) -> int:
        found = syntax.heading(self.texts[i][offset:])
        if found is None:
            return 0
        if depth or owner is not None:
            self._own(i, "heading", indent, offset, depth, owner)
            return i + 1
        self._close_to(0)
        self.headings.append(RawHeading(found[0], found[1], i, i + 1))
        return i + 1

    def _start_verbatim(
        self,
        i: int,
        indent: int,
        offset: int,
        depth: int,
        owner: int | None,
        opener: str | None,
        ends: tuple[str, ...],
    ) -> int:
        block = self._own(i, "code" if opener else "html", indent, offset, depth, owner)
        text = self.texts[i][offset:]
        if opener and owner is None:
            self.blocks[block].label = text[len(opener) :].strip() or None
        base = self._stack[-1][0] if self._stack else 0
        if opener or not syntax.ends_html(text, ends):
            self._verbatim = _Verbatim(block, base, opener, ends)
        return i + 1

    def _start_comment(self, i: int, indent: int, offset: int, depth: int, owner: int | None) -> int:
        """An Obsidian comment, ``%%`` to ``%%``; one that is never closed is text."""
        text = self.texts[i][offset:]
        if not text.startswith("%%"):
            return 0
        closing = text.find("%%", 2)
        if closing >= 0:
            if text[closing + 2 :].strip(" \t"):
                return 0
            last = i
        else:
            while self._comments and self._comments[-1] <= i:
                self._comments.pop()
            if not self._comments:
                return 0
            last = self._comments[-1]
        block = self._own(i, "comment", indent, offset, depth, owner)
        self.blocks[block].end = last + 1
        return last + 1

    # -- the open blocks -----------------------------------------------------------------------------

    def _close_to(self, depth: int) -> None:
        del self._stack[depth:]
        self._leaf = None

    def _open(self, i: int, kind: str, indent: int, offset: int) -> int:
        parent = self._stack[-1][1] if self._stack else -1
        text = self.texts[i][offset:]
        section = len(self.headings) - 1
        self.blocks.append(RawBlock(kind, i, i + 1, parent, section, indent, indent, offset, texts=[text]))
        self._leaf_block = len(self.blocks) - 1
        return self._leaf_block

    def _extend(self, block: int, i: int, offset: int) -> None:
        self.blocks[block].end = i + 1
        self.blocks[block].texts.append(self.texts[i][offset:])
