"""Changing and removing one block. Every line that an edit does not mean keeps its bytes.

An edit is read back before it is handed out; one that would turn a neighbour into something else is refused
with InvalidDocument.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown.document import Block, Document, parse_document
from memfs.markdown.frontmatter import without_bom
from memfs.markdown.lines import BOM, bare, ending, is_blank


class Keep(Enum):
    """Stands for "as it is now"."""

    BOX = "box"


KEEP_BOX: Final = Keep.BOX
_EDITABLE = ("item", "paragraph", "callout")
_Key = tuple[str, str | None, str]


def replace_block(doc: Document, block: Block, text: str, *, box: str | Keep | None = KEEP_BOX) -> str:
    """The document with another text (one line) in an item, paragraph or callout.

    Mark, indentation and block id stay; so does the checkbox, unless ``box`` gives its character (None: no
    box). The same text and box give the same bytes, wrapped lines included. Lines below the one of a callout's id
    are somebody's remarks, and stay.
    """
    doc.require_writable()
    require_line(text)
    if block.kind not in _EDITABLE:
        raise InvalidRequest(f"a {block.kind} block is not edited as a line", line=block.line)
    new_box = block.box if isinstance(box, Keep) else box
    if text == block.text and new_box == block.box:
        return doc.text
    lines = edit_lines(doc)
    first = bare(lines[block.start])
    prefix = _with_box(first[: block.offset], block, new_box)
    if text == block.text:
        lines[block.start] = prefix + first[block.offset :] + ending(lines[block.start])
    else:
        block_id = f" ^{block.block_id}" if block.block_id is not None else ""
        gap = "" if prefix[-1:] in ("", " ", "\t") else " "
        end = text_end(doc, block)
        lines[block.start : end] = [f"{prefix}{gap}{text}{block_id}{ending(lines[end - 1])}"]
    result = join_lines(doc, lines)
    after = parse_document(result)
    at = _position(doc, block)
    same = len(after.blocks) == len(doc.blocks) and headings(after) == headings(doc)
    if (
        not same
        or _keys(after, without=at) != _keys(doc, without=at)
        or _mark(after.blocks[at]) != _mark(block)
    ):
        raise InvalidDocument("the new text would change what stands around it", line=block.line)
    return result


def remove_block(doc: Document, block: Block) -> str:
    """The document without a block's own lines; what is nested in it stays.

    Of the empty lines around it one goes where two would meet. An item whose nested lines would fall apart
    without it keeps its bullet, with ``…`` for its text. Lines below the one of a callout's id stay, as a quote.
    """
    doc.require_writable()
    at = _position(doc, block)
    wanted = _keys(doc, without=at)
    for lines, bullet in _ways_to_remove(doc, block):
        result = join_lines(doc, lines)
        after = parse_document(result)
        left = _keys(after, without=at if bullet else None)
        if left == wanted and headings(after) == headings(doc):
            return result
    raise InvalidDocument("without this block its neighbours would run together", line=block.line)


def _ways_to_remove(doc: Document, block: Block) -> Iterator[tuple[list[str], bool]]:
    """Lines without the block, the closest first, and whether a bare bullet or a quote is left of it."""
    lines = edit_lines(doc)
    start, end = block.start, block.end
    if (below := text_end(doc, block)) < end:
        yield [*lines[:start], *map(quoted, lines[below:end]), *lines[end:]], True
        return
    yield without_lines(doc, start, end), False
    newline = ending(lines[end - 1]) or doc.newline
    yield [*lines[:start], newline, *lines[end:]], False
    if block.kind == "item":
        prefix = _with_box(bare(lines[start])[: block.offset], block, None).rstrip(" \t")
        yield [*lines[:start], f"{prefix} …{newline}", *lines[end:]], True


def remarks(doc: Document, block: Block) -> list[str]:
    """The lines of a block below the one that ends with its id: what somebody added to an entry of one line."""
    first = bare(doc.lines[block.start]).rstrip(" \t")
    told = block.block_id is not None and first.endswith(f" ^{block.block_id}")
    return list(doc.lines[block.start + 1 : block.end]) if told else []


def text_end(doc: Document, block: Block) -> int:
    """Where the lines of a block end that are edited and removed with its text: all but a callout's remarks."""
    return block.end - len(remarks(doc, block)) if block.kind == "callout" else block.end


def quoted(line: str) -> str:
    """A line that belonged to a quote, with its mark."""
    text = line.lstrip(" \t")
    return line if text.startswith(">") else f"{line[: len(line) - len(text)]}> {text}"


def without_lines(doc: Document, start: int, end: int) -> list[str]:
    """The document's lines without some, and without the empty line above them where two would meet."""
    lines = edit_lines(doc)
    below = end >= len(lines) or is_blank(lines[end])
    above = start > doc.frontmatter.end and is_blank(lines[start - 1])
    return lines[: start - 1 if above and below else start] + lines[end:]


def edit_lines(doc: Document) -> list[str]:
    """The document's lines without the byte order mark, to be changed and given to ``join_lines``."""
    lines = list(doc.lines)
    if lines:
        lines[0] = without_bom(lines[0])
    return lines


def join_lines(doc: Document, lines: list[str]) -> str:
    """The text of edited lines; byte order mark and final newline as the person's file has them."""
    text = "".join(lines)
    if doc.lines and not ending(doc.lines[-1]):
        text = bare(text)
    return BOM + text if doc.text.startswith(BOM) else text


def require_line(text: str) -> None:
    """Raise InvalidRequest unless ``text`` is one line."""
    if "\n" in text or "\r" in text:
        raise InvalidRequest("the text of an entry is one line")


def headings(doc: Document) -> list[tuple[int, str]]:
    """Level and title of all sections."""
    return [(section.level, section.title) for section in doc.sections]


def _position(doc: Document, block: Block) -> int:
    try:
        return doc.blocks.index(block)
    except ValueError as error:
        raise InvalidRequest("the block is not one of this document", line=block.line) from error


def _keys(doc: Document, *, without: int | None) -> list[_Key]:
    keys = [(block.kind, block.block_id, block.text) for block in doc.blocks]
    if without is not None:
        del keys[without : without + 1]
    return keys


def _mark(block: Block) -> tuple[str, str | None, str | None]:
    return block.kind, block.block_id, block.marker


def _with_box(prefix: str, block: Block, box: str | None) -> str:
    if box == block.box:
        return prefix
    if block.box is None:
        gap = "" if prefix[-1:] in (" ", "\t") else " "
        return f"{prefix}{gap}[{box}] "
    at = prefix.index("[")
    return f"{prefix[:at]}[{box}]{prefix[at + 3 :]}" if box is not None else prefix[:at]
