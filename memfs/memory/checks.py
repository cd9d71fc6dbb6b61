"""The last look at every edit: only the entries it names changed, and something is left."""

from __future__ import annotations

from memfs.errors import InvalidDocument
from memfs.markdown.document import Document, parse_document
from memfs.markdown.edits import quoted, text_end


def is_blank(text: str) -> bool:
    """Whether a document has nothing in it. Spaces that only Unicode knows are somebody's text."""
    return not text.strip("\ufeff \t\r\n")


def check_edit(before: str, after: str, entries: frozenset[str]) -> None:
    """Raises InvalidDocument where an edit changes anything but these entries, or leaves nothing.

    Outside of the lines of these entries every line must still be there, in order; new ones may only be
    empty lines and, for a section or document that was made, headings and frontmatter.
    """
    if not is_blank(before) and is_blank(after):
        raise InvalidDocument("the merge would empty the document")
    old, new = _other_lines(parse_document(before), entries), _other_lines(parse_document(after), entries)
    rest = iter(new)
    added: list[str] = []
    for line in old:
        for candidate in rest:
            if _same_line(candidate, line):
                break
            added.append(candidate[0])
        else:
            raise InvalidDocument("the merge would change a line that is not its own")
    added += [line for line, _ in rest]
    if not is_blank(before) and any(not line.lstrip().startswith("#") for line in added):
        raise InvalidDocument("the merge would add a line that is no entry of its own")


def _same_line(one: tuple[str, str | None], other: tuple[str, str | None]) -> bool:
    return one[0] in (other[0], quoted(other[0])) and (one[1] == other[1] or None in (one[1], other[1]))


def _other_lines(document: Document, entries: frozenset[str]) -> list[tuple[str, str | None]]:
    """The lines outside of these entries as (text, ending); of the last line the ending does not count.

    Empty lines are left out: one more or less beside an entry of its own is part of adding or removing it.
    """
    own = {
        line
        for block in document.blocks
        if block.block_id in entries
        for line in range(block.start, text_end(document, block))
    }
    last = len(document.lines) - 1
    split = [(line.rstrip("\r\n"), number) for number, line in enumerate(document.lines) if number not in own]
    return [
        (text, None if number == last else document.lines[number][len(text) :])
        for text, number in split
        if text.strip()
    ]
