"""Edits by line: text in, text out. Every line that an edit does not mean keeps its bytes.

An edit is read back before it is handed out. One that would turn a neighbour into something else, or be
swallowed by an open code fence, is refused with InvalidDocument.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown import syntax
from memfs.markdown.document import Block, Document, Section, parse_document
from memfs.markdown.escape import escape_heading, fold_line
from memfs.markdown.frontmatter import without_bom
from memfs.markdown.lines import BOM, bare, ending, is_blank


class Keep(Enum):
    """Stands for "as it is now"."""

    BOX = "box"


KEEP_BOX: Final = Keep.BOX
_EDITABLE = ("item", "paragraph", "callout")


def replace_block(doc: Document, block: Block, text: str, *, box: str | Keep | None = KEEP_BOX) -> str:
    """The document with another text (one line) in an item, paragraph or callout.

    Mark, indentation and block id stay; so does the checkbox, unless ``box`` gives its character (None: no box).
    The same text and box give the same bytes, wrapped lines included.
    """
    doc.require_writable()
    _require_line(text)
    if block.kind not in _EDITABLE:
        raise InvalidRequest(f"a {block.kind} block is not edited as a line", line=block.line)
    new_box = block.box if isinstance(box, Keep) else box
    if text == block.text and new_box == block.box:
        return doc.text
    lines = _lines(doc)
    first = bare(lines[block.start])
    prefix = _with_box(first[: block.offset], block, new_box)
    if text == block.text:
        lines[block.start] = prefix + first[block.offset :] + ending(lines[block.start])
    else:
        block_id = f" ^{block.block_id}" if block.block_id is not None else ""
        if prefix[-1:] not in ("", " ", "\t"):
            prefix += " "
        line = f"{prefix}{text}{block_id}"
        lines[block.start : block.end] = [line + ending(lines[block.end - 1])]
    result = _join(doc, lines)
    after = parse_document(result)
    if _shape(after) != _shape(doc):
        raise InvalidDocument("the new text would change what stands around it", line=block.line)
    return result


def remove_block(doc: Document, block: Block) -> str:
    """The document without a block's own lines; what is nested in it stays.

    Of the empty lines around it one goes where two would meet. An item whose nested lines would fall apart
    without it keeps its bullet.
    """
    doc.require_writable()
    expected = [key for key in _keys(doc) if key[0] != block.start]
    if len(expected) != len(doc.blocks) - 1:
        raise InvalidRequest("the block is not one of this document", line=block.line)
    wanted = [key[1:] for key in expected]
    for lines in _ways_to_remove(doc, block):
        result = _join(doc, lines)
        after = parse_document(result)
        if [key[1:] for key in _keys(after)] == wanted and _titles(after) == _titles(doc):
            return result
    if block.kind == "item":
        return replace_block(doc, _without_id(block), "", box=None)
    raise InvalidDocument("without this block its neighbours would run together", line=block.line)


def _ways_to_remove(doc: Document, block: Block) -> list[list[str]]:
    lines = _lines(doc)
    start, end = block.start, block.end
    after_blank = start > doc.frontmatter.end and is_blank(lines[start - 1])
    before_blank = end >= len(lines) or is_blank(lines[end])
    closed = lines[: start - 1 if after_blank and before_blank else start] + lines[end:]
    apart = [*lines[:start], ending(lines[end - 1]) or doc.newline, *lines[end:]]
    return [closed, apart]


def _without_id(block: Block) -> Block:
    from dataclasses import replace

    return replace(block, block_id=None)


def insert_item(doc: Document, trail: tuple[str, ...], line: str, *, create: bool = True) -> str:
    """The document with ``line`` (a whole ``- text ^id``) as last item of a section's own list.

    ``trail`` are the headings below the title; ``()`` is the part directly under the title. A section without
    a list takes the item after its text. A section that is not there is made at the end of its parent when
    ``create`` is true, else it is an InvalidDocument error, as is a trail that fits several sections.
    """
    if syntax.marker(line) is None:
        raise InvalidRequest("a list item begins with a bullet")
    return _insert(doc, trail, line, create=create, kind="item")


def insert_paragraph(doc: Document, trail: tuple[str, ...], text: str, *, create: bool = True) -> str:
    """The document with ``text`` (one line, with its block id) as last paragraph of a section's own text."""
    return _insert(doc, trail, text, create=create, kind="paragraph")


def insert_after(doc: Document, block: Block, line: str) -> str:
    """The document with ``line``, such as a callout, directly below a block and indented to belong to it.

    Under an item it goes below the item's own lines; under anything else after an empty line.
    """
    doc.require_writable()
    _require_line(line)
    in_list = block.kind == "item" or block.parent >= 0
    first = bare(_lines(doc)[block.start])
    blanks = first[: len(first) - len(first.lstrip(" \t"))]
    if block.kind == "item":
        blanks += " " * (block.content - block.indent)
    new = f"{blanks if in_list else ''}{line.strip()}"
    return _place(doc, block.end, [new], tight=block.kind == "item")


def remove_section(doc: Document, trail: tuple[str, ...]) -> str:
    """The document without the heading of an empty section; a section that holds anything stays."""
    doc.require_writable()
    section = find_section(doc, trail)
    if section is None or not trail:
        return doc.text
    lines = _lines(doc)
    if section.end != section.body[1] or not all(is_blank(line) for line in lines[slice(*section.body)]):
        return doc.text
    start, end = section.line, section.body[0]
    after_blank = start > doc.frontmatter.end and is_blank(lines[start - 1])
    before_blank = end >= len(lines) or is_blank(lines[end])
    del lines[start - 1 if after_blank and before_blank else start : end]
    return _join(doc, lines)


def find_section(doc: Document, trail: tuple[str, ...]) -> Section | None:
    """The one section with these headings below the title; ``()`` is the title's own.

    Headings match on their raw text. Raises InvalidDocument, naming the candidates, when several match.
    """
    if not trail:
        return next((section for section in doc.sections if section.level == 1), None)
    escaped = tuple(escape_heading(title) for title in trail)
    matches = [s for s in doc.sections if s.level > 1 and s.path in (trail, escaped)]
    if not matches and len(trail) > 1:
        matches = [s for s in doc.sections if s.trail in (trail, escaped)]
    if len(matches) > 1:
        places = ", ".join(f"line {s.line + 1}: {' > '.join(s.trail)}" for s in matches)
        raise InvalidDocument(
            f"{len(matches)} sections are called {' > '.join(trail)} ({places})",
            line=matches[1].line + 1,
            hint="rename all but one of them",
        )
    return matches[0] if matches else None


def _insert(doc: Document, trail: tuple[str, ...], line: str, *, create: bool, kind: str) -> str:
    doc.require_writable()
    _require_line(line)
    section = find_section(doc, trail)
    if trail and section is None:
        return _create_section(doc, trail, line, create=create)
    number = doc.sections.index(section) if section else -1
    start, end = section.body if section else (doc.frontmatter.end, _first_heading(doc))
    own = [b for b in doc.blocks if b.section == number and b.parent < 0]
    items = [b for b in own if b.kind == "item"]
    if kind == "item" and items:
        return _place(doc, items[-1].tail, [line], tight=True)
    lines = _lines(doc)
    while end > start and is_blank(lines[end - 1]):
        end -= 1
    return _place(doc, end, [line], tight=False)


def _first_heading(doc: Document) -> int:
    return doc.sections[0].line if doc.sections else len(doc.lines)


def _create_section(doc: Document, trail: tuple[str, ...], line: str, *, create: bool) -> str:
    if not create:
        known = ", ".join(" > ".join(s.path) for s in doc.sections if s.path) or "none"
        raise InvalidDocument(f"no section {' > '.join(trail)} (there are: {known})")
    titles = [escape_heading(title) for title in trail]
    if not all(titles):
        raise InvalidRequest("a section needs a title")
    parent, depth = None, 0
    for depth in range(len(trail) - 1, 0, -1):
        parent = find_section(doc, trail[:depth])
        if parent is not None:
            break
    else:
        depth = 0
    level = parent.level + 1 if parent else 2
    new: list[str] = []
    for number, title in enumerate(titles[depth:]):
        new += [f"{'#' * min(level + number, 6)} {title}", ""]
    lines = _lines(doc)
    at = parent.end if parent else len(lines)
    while at > doc.frontmatter.end and is_blank(lines[at - 1]):
        at -= 1
    return _place(doc, at, [*new, line], tight=False)


def _place(doc: Document, at: int, new: list[str], *, tight: bool) -> str:
    """Put new lines before line ``at``, with empty lines around them where ``remove_block`` can undo that."""
    lines = _lines(doc)
    before = lines[at - 1] if at else ""
    following = bare(lines[at]) if at < len(lines) else ""
    loose = not tight and bool(before)
    if following.strip(" \t"):
        # between two lines without a gap: none is made, unless the next line would be taken into the new one
        interrupts = following.lstrip(" \t")[:1] in tuple("#>-*+`~<%") or following.lstrip()[:1].isdigit()
        candidates = [_gaps(new, False, False), _gaps(new, loose, False), _gaps(new, loose, True)]
        candidates = candidates if interrupts else candidates[2:] + candidates[:2]
    else:
        candidates = [_gaps(new, loose, False), _gaps(new, True, False)]
    for placed in candidates:
        result, line = _with_new_lines(doc, at, placed)
        if _only_added(doc, result, line + placed.index(new[-1]), new):
            return result
    raise InvalidDocument(
        "a new line here would be swallowed or would change its neighbours",
        line=_culprit(doc, at),
        hint="close what is open above it: a code fence, a comment or HTML",
    )


def _gaps(new: list[str], before: bool, after: bool) -> list[str]:
    return [*([""] if before else []), *new, *([""] if after else [])]


def _with_new_lines(doc: Document, at: int, new: list[str]) -> tuple[str, int]:
    lines = _lines(doc)
    neighbour = next((ending(line) for line in reversed(lines[:at]) if ending(line)), doc.newline)
    if at and not ending(lines[at - 1]):
        lines[at - 1] += neighbour
    lines[at:at] = [line + neighbour for line in new]
    return _join(doc, lines), at


def _only_added(doc: Document, result: str, line: int, new: list[str]) -> bool:
    """True when the result holds all blocks and headings of before, and one block more, on ``line``."""
    after = parse_document(result)
    added = [block for block in after.blocks if block.start == line]
    if len(added) != 1:
        return False
    rest = [key[1:] for key in _keys(after) if key[0] != line]
    made = len(new) // 2
    if made and len(after.sections) != len(doc.sections) + made:
        return False
    return rest == [key[1:] for key in _keys(doc)] and (bool(made) or _titles(after) == _titles(doc))


def _culprit(doc: Document, at: int) -> int:
    above = [block for block in doc.blocks if block.start < at]
    return above[-1].line if above else 1


# -- common to all edits -------------------------------------------------------------------------------


def _lines(doc: Document) -> list[str]:
    lines = list(doc.lines)
    if lines:
        lines[0] = without_bom(lines[0])
    return lines


def _join(doc: Document, lines: list[str]) -> str:
    """The text of edited lines; byte order mark and final newline as the person's file has them."""
    text = "".join(lines)
    if doc.lines and not ending(doc.lines[-1]):
        text = bare(text)
    return BOM + text if doc.text.startswith(BOM) else text


def _with_box(prefix: str, block: Block, box: str | None) -> str:
    if box == block.box:
        return prefix
    if block.box is None:
        gap = "" if prefix[-1:] in (" ", "\t") else " "
        return f"{prefix}{gap}[{box}] "
    at = prefix.index("[")
    return f"{prefix[:at]}[{box}]{prefix[at + 3 :]}" if box is not None else prefix[:at]


def _require_line(text: str) -> None:
    if "\n" in text or "\r" in text:
        raise InvalidRequest("the text of an entry is one line")


def _keys(doc: Document) -> list[tuple[int, str, str | None, str]]:
    return [(block.start, block.kind, block.block_id, block.text) for block in doc.blocks]


def _titles(doc: Document) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in doc.sections]


def _shape(doc: Document) -> tuple[list[tuple[str, str | None]], list[tuple[int, str]]]:
    return [(block.kind, block.block_id) for block in doc.blocks], _titles(doc)


__all__ = [
    "KEEP_BOX",
    "Keep",
    "find_section",
    "fold_line",
    "insert_after",
    "insert_item",
    "insert_paragraph",
    "remove_block",
    "remove_section",
    "replace_block",
]
