"""What links go by: the links of a document with their lines, and what can be linked to in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memfs.markdown.document import Document, parse_document
from memfs.markdown.inline import find_links, plain_text

_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\[\]\n]+\]:[ \t]*(?:<([^<>\n]+)>|(\S+))", re.MULTILINE)
_BLOCK = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)[ \t]*$")
_NO_TEXT = ("code", "comment", "html", "rule")
_NOT_IN_HEADING = re.compile(r"[\[\]#|^:%\\]+")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]+")


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link on a line (from 1): its target as written; ``wiki``: in double brackets; ``embed``: shown in place."""

    line: int
    target: str
    wiki: bool = True
    embed: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """A document for links: its ``headings`` in order, as they are compared, its block ids, its other names."""

    links: tuple[PlacedLink, ...] = ()
    headings: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def outline(text: str) -> Outline:
    """Read a document for links. None are seen in code and comments; those in the properties count."""
    document = parse_document(text)
    silent = {
        line for block in document.blocks if block.kind in _NO_TEXT for line in range(block.start, block.end)
    }
    header = document.frontmatter
    return Outline(
        links=tuple(sorted(_links(document), key=lambda link: link.line)),
        headings=tuple(heading_key(section.title) for section in document.sections),
        blocks=tuple(_block_ids(document.lines, silent)),
        aliases=tuple(dict.fromkeys((*header.texts("aliases"), *header.texts("alias")))),
    )


def heading_key(title: str) -> str:
    """A heading as links to it are compared: without marks, in small letters, blanks as one."""
    return " ".join(_NOT_IN_HEADING.sub(" ", plain_text(title)).split()).casefold()


def heading_slug(key: str) -> str:
    """A heading's key as Markdown renderers write it after ``#``."""
    return _NOT_IN_SLUG.sub("", key).replace(" ", "-")


def _links(document: Document) -> Iterator[PlacedLink]:
    header = document.frontmatter
    yield from _links_in(document.lines, header.start, header.end, wiki_only=True)
    for section in document.sections:
        yield from _links_in(document.lines, section.line, section.body[0])
    for block in document.blocks:
        if block.kind not in (*_NO_TEXT, "heading"):
            yield from _links_in(document.lines, block.start, block.end)


def _links_in(lines: Sequence[str], start: int, end: int, *, wiki_only: bool = False) -> Iterator[PlacedLink]:
    text = "".join(lines[start:end])
    if "[" not in text:
        return
    for found in find_links(text):
        if found.wiki or not wiki_only:
            line = start + 1 + text.count("\n", 0, found.start)
            yield PlacedLink(line, found.link.target, found.wiki, found.link.embed)
    for match in () if wiki_only else _DEFINITION.finditer(text):
        yield PlacedLink(start + 1 + text.count("\n", 0, match.start()), match[1] or match[2], wiki=False)


def _block_ids(lines: Sequence[str], silent: set[int]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if "^" in line and number not in silent and (found := _BLOCK.search(line.rstrip("\r\n"))):
            yield found[1]
