"""Adding lines: entries to a section's list or text, callouts below a block, sections that are missing.

What is added can be removed again to the same bytes (``remove_block``, then ``remove_section``): an empty
line is only put above a new entry where an empty line or the end of the file follows it.
"""

from __future__ import annotations

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown import syntax
from memfs.markdown.document import Block, Document, Section, parse_document
from memfs.markdown.edits import edit_lines, headings, join_lines, require_line, without_lines
from memfs.markdown.escape import escape_heading
from memfs.markdown.lines import bare, ending, is_blank


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
    require_line(line)
    first = bare(edit_lines(doc)[block.start])
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if block.kind == "item":
        indent += " " * (block.content - block.indent)
    elif block.parent < 0:
        indent = ""
    owner = block.start if block.kind == "item" else None
    return _place(doc, block.end, [indent + line.strip(" \t")], gap=owner is None, owner=owner)


def remove_section(doc: Document, trail: tuple[str, ...]) -> str:
    """The document without the heading of an empty section; a section that holds anything stays."""
    doc.require_writable()
    section = find_section(doc, trail)
    if section is None or not trail or section.end != section.body[1]:
        return doc.text
    lines = edit_lines(doc)
    start, end = section.line, section.body[0]
    if not all(is_blank(line) for line in lines[end : section.end]):
        return doc.text
    if end < len(lines) and is_blank(lines[end]) and not (start and is_blank(lines[start - 1])):
        end += 1
    return join_lines(doc, without_lines(doc, start, end))


def find_section(doc: Document, trail: tuple[str, ...]) -> Section | None:
    """The one section with these headings below the title; ``()`` is the title's own.

    Headings match on their raw text. Raises InvalidDocument, naming the candidates, when several match.
    """
    if not trail:
        return next((section for section in doc.sections if section.level == 1), None)
    wanted = (trail, tuple(escape_heading(title) for title in trail))
    matches = [s for s in doc.sections if s.level > 1 and s.path in wanted]
    if not matches and len(trail) > 1:
        matches = [s for s in doc.sections if s.trail in wanted]
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
    require_line(line)
    section = find_section(doc, trail)
    if trail and section is None:
        return _create_section(doc, trail, line, create=create, kind=kind)
    number = doc.sections.index(section) if section else -1
    if kind == "item":
        items = [b for b in doc.blocks if b.section == number and b.parent < 0 and b.kind == "item"]
        if items:
            return _place(doc, items[-1].tail, [line], gap=False, kind=kind)
    first_heading = doc.sections[0].line if doc.sections else len(doc.lines)
    start, end = section.body if section else (doc.frontmatter.end, first_heading)
    return _place(doc, _end_of_text(doc, start, end), [line], gap=True, kind=kind)


def _end_of_text(doc: Document, start: int, end: int) -> int:
    while end > start and is_blank(doc.lines[end - 1]):
        end -= 1
    return end


def _create_section(doc: Document, trail: tuple[str, ...], line: str, *, create: bool, kind: str) -> str:
    if not create:
        known = ", ".join(" > ".join(s.path) for s in doc.sections if s.path) or "none"
        raise InvalidDocument(f"no section {' > '.join(trail)} (there are: {known})")
    titles = [escape_heading(title) for title in trail]
    if not all(titles):
        raise InvalidRequest("a section needs a title")
    depth = len(trail) - 1
    while depth and find_section(doc, trail[:depth]) is None:
        depth -= 1
    parent = find_section(doc, trail[:depth]) if depth else None
    level = parent.level + 1 if parent else 2
    new: list[str] = []
    for number, title in enumerate(titles[depth:]):
        new += [f"{'#' * min(level + number, 6)} {title}", ""]
    end = parent.end if parent else len(doc.lines)
    return _place(doc, _end_of_text(doc, doc.frontmatter.end, end), [*new, line], gap=True, kind=kind)


def _place(
    doc: Document, at: int, new: list[str], *, gap: bool, kind: str | None = None, owner: int | None = None
) -> str:
    """Put new lines before line ``at``; ``gap``: below an empty line, where the lines after it allow that.

    What is added must be a block of this ``kind``, nested in the item that begins on line ``owner``.
    """
    crowded = at < len(doc.lines) and not is_blank(doc.lines[at])
    if crowded:
        ways = [(False, False), (True, False), (False, True), (True, True)]
    else:
        ways = [(gap and at > 0, False), (True, False)]
    for above, below in ways:
        placed = [*([""] if above else []), *new, *([""] if below else [])]
        result = _with_lines(doc, at, placed)
        after = parse_document(result)
        added = _added(doc, after, range(at, at + len(placed)))
        if added is None or (kind is not None and added.kind != kind):
            continue
        if owner is None or (added.parent >= 0 and after.blocks[added.parent].start == owner):
            return result
    opened = [block for block in doc.blocks if block.start < at]
    raise InvalidDocument(
        "a new line here would be swallowed, or would change its neighbours",
        line=opened[-1].line if opened else 1,
        hint="close what is open there: a code fence, a comment, HTML",
    )


def _with_lines(doc: Document, at: int, new: list[str]) -> str:
    lines = edit_lines(doc)
    newline = next((ending(line) for line in reversed(lines[:at]) if ending(line)), doc.newline)
    if at and not ending(lines[at - 1]):
        lines[at - 1] += newline
    lines[at:at] = [line + newline for line in new]
    return join_lines(doc, lines)


def _added(doc: Document, after: Document, new: range) -> Block | None:
    """The one block that the new lines hold; None when they hold another number, or change anything else."""
    added = [block for block in after.blocks if block.start in new]
    kept = [_key(block) for block in after.blocks if block.start not in new]
    titles = [(s.level, s.title) for s in after.sections if s.line not in new]
    same = kept == [_key(block) for block in doc.blocks] and titles == headings(doc)
    return added[0] if len(added) == 1 and same else None


def _key(block: Block) -> tuple[str, str | None, str, bool]:
    return block.kind, block.block_id, block.text, block.parent >= 0
