"""Writing the header of a document: frontmatter keys, title, and whole new documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown.document import Document, parse_document
from memfs.markdown.escape import clean_line, escape_heading
from memfs.markdown.frontmatter import without_bom
from memfs.markdown.lines import BOM, bare, ending, is_blank

_PLAIN = re.compile(r"[^\W_][^\n#:\[\]{},&*!|>'\"%@`\\]*(?<!\s)")
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9_.,eExXoOa-fA-F:+-]*")
_PLAIN_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2})?")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null", ".inf", ".nan", "~"))
_KEY = re.compile(r"[^\s:#\-\[\]{}&*!|>'\"%@`,?][^\n:#]*(?<!\s)")


def set_frontmatter(doc: Document, key: str, value: str | Sequence[str]) -> str:
    """The document with one frontmatter key changed or added; all other lines keep their bytes.

    A document without a header gets one. Raises InvalidDocument when the header cannot be read.
    """
    doc.require_writable()
    header = doc.frontmatter
    wanted: object = clean_line(value) if isinstance(value, str) else [clean_line(item) for item in value]
    if header.values.get(key) == wanted:
        return doc.text
    if not _KEY.fullmatch(key):
        raise InvalidRequest(f"{key!r} cannot be the name of a frontmatter key")
    lines = list(doc.lines)
    if lines:
        lines[0] = without_bom(lines[0])
    if not header.present:
        gap = [""] if lines and not is_blank(lines[0]) else []
        new = ["---", *_key_lines(key, value, flow=False), "---", *gap]
        lines[:0] = [line + doc.newline for line in new]
    else:
        start, end = _key_range(lines, key, header.end - 1)
        old = bare(lines[start]) if end > start else ""
        new = _key_lines(key, value, flow=old.partition(":")[2].lstrip().startswith("["))
        if end == start + 1 and len(new) == 1:
            new[0] += _comment(old)
        lines[start:end] = [line + (ending(lines[start - 1]) or doc.newline) for line in new]
    result = (BOM if doc.text.startswith(BOM) else "") + "".join(lines)
    after = parse_document(result)
    if after.frontmatter.values != {**header.values, key: wanted} or len(after.blocks) != len(doc.blocks):
        raise InvalidDocument(f"the frontmatter key {key} cannot be changed safely", line=header.start + 1)
    return result


def set_title(doc: Document, title: str) -> str:
    """The document with another level 1 heading; one without gets it at the top of its body."""
    doc.require_writable()
    text = escape_heading(title)
    if not text:
        raise InvalidRequest("a title needs at least one character")
    lines = list(doc.lines)
    if lines:
        lines[0] = without_bom(lines[0])
    section = next((section for section in doc.sections if section.level == 1), None)
    if section is not None:
        if section.title == text:
            return doc.text
        lines[section.line : section.body[0]] = [f"# {text}{ending(lines[section.body[0] - 1])}"]
    else:
        at = doc.frontmatter.end
        gap = [] if at < len(lines) and not bare(lines[at]).strip() else [doc.newline]
        above = [doc.newline] if at else []
        lines[at:at] = [*above, f"# {text}{doc.newline}", *(gap if at < len(lines) else [])]
    return (BOM if doc.text.startswith(BOM) else "") + "".join(lines)


def new_document(title: str, frontmatter: Mapping[str, str | Sequence[str]], newline: str = "\n") -> str:
    """A document that holds a header and a title: what memfs begins a new file with."""
    lines: list[str] = []
    if frontmatter:
        lines.append("---")
        for key, value in frontmatter.items():
            lines += _key_lines(key, value, flow=False)
        lines += ["---", ""]
    lines.append(f"# {escape_heading(title) or '-'}")
    return "".join(line + newline for line in lines)


def quote_value(value: str) -> str:
    """A text as a YAML scalar that every reader takes for this text; dates and whole numbers stay plain."""
    text = clean_line(value)
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    if _PLAIN.fullmatch(text) and not _NUMBER_LIKE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    escaped = "".join(_escape(character) for character in text)
    return f'"{escaped}"'


def _escape(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable() or character == "\u3000":
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _key_lines(key: str, value: str | Sequence[str], *, flow: bool) -> list[str]:
    if isinstance(value, str):
        return [f"{key}: {quote_value(value)}"]
    if flow or not value:
        return [f"{key}: [{', '.join(quote_value(item) for item in value)}]"]
    return [f"{key}:", *(f"  - {quote_value(item)}" for item in value)]


def _key_range(lines: Sequence[str], key: str, close: int) -> tuple[int, int]:
    """The lines of a top-level key; where it would be added when it is not there."""
    for number in range(1, close):
        line = bare(lines[number])
        name, colon, _ = line.partition(":")
        if colon and name.rstrip().strip("\"'") == key and line[:1] not in (" ", "\t"):
            end = number + 1
            while end < close and (is_blank(lines[end]) or lines[end][:1] in (" ", "\t", "-")):
                end += 1
            while is_blank(lines[end - 1]):
                end -= 1
            return number, end
    return close, close


def _comment(line: str) -> str:
    from memfs.markdown.yaml_text import split_comment

    value = line.partition(":")[2].lstrip()
    return split_comment(value)[1] if value[:1] not in ("'", '"', "[", "|", ">", "#") else ""
