"""What one line of Markdown can be. Every pattern takes time linear in the line's length."""

from __future__ import annotations

import re

_HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)")
_MARKER = re.compile(r"([-+*]|[0-9]{1,9}[.)])(?=[ \t]|$)")
_FENCE = re.compile(r"`{3,}|~{3,}")
_BOX = re.compile(r"\[([^\n])\](?=[ \t]|$)")
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]+)$")
_CALLOUT = re.compile(r"\[!([^\]\n]{1,60})\][-+]?[ \t]*")
_DELIMITER_CELL = re.compile(r":?-+:?")

_HTML_ENDS = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.I),
        ("</script>", "</pre>", "</style>", "</textarea>"),
    ),
    (re.compile(r"<!--"), ("-->",)),
    (re.compile(r"<\?"), ("?>",)),
    (re.compile(r"<!\[CDATA\["), ("]]>",)),
    (re.compile(r"<![A-Za-z]"), (">",)),
)
_HTML_BLOCK = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|"
    r"div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|"
    r"link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|"
    r"thead|title|tr|track|ul)(?=[\s>]|/>|$)",
    re.I,
)
_HTML_TAG = re.compile(
    r"<[A-Za-z][A-Za-z0-9-]*+(?:\s++[A-Za-z_:][\w:.-]*+(?:\s*+=\s*+(?:[^\"'=<>`\s]++|'[^']*+'|\"[^\"]*+\"))?+)*+"
    r"\s*+/?>[ \t]*+$|</[A-Za-z][A-Za-z0-9-]*+\s*+>[ \t]*+$"
)
UNTIL_BLANK: tuple[str, ...] = ()


def heading(text: str) -> tuple[int, str] | None:
    """Level and raw title, when ``text`` (without indentation) is an ATX heading."""
    found = _HEADING.match(text)
    if found is None:
        return None
    title = text[found.end() :].strip(" \t")
    without = title.rstrip("#")
    if without != title and (not without or without[-1] in " \t"):
        title = without.rstrip(" \t")
    return len(found[1]), title


def underline(text: str) -> int | None:
    """Level of the setext heading that ``text`` underlines: 1 for ``===``, 2 for ``---``."""
    line = text.rstrip(" \t")
    if not line or line.strip(line[0]):
        return None
    return {"=": 1, "-": 2}.get(line[0])


def is_rule(text: str) -> bool:
    """True for a thematic break: three or more of one of ``-``, ``*``, ``_`` and blanks."""
    mark = text[:1]
    return mark in ("-", "*", "_") and text.count(mark) >= 3 and not text.strip(f"{mark} \t")


def marker(text: str) -> str | None:
    """The list marker that ``text`` begins with."""
    found = _MARKER.match(text)
    return found[1] if found else None


def fence(text: str) -> str | None:
    """The run of backticks or tildes that opens a code fence."""
    found = _FENCE.match(text)
    if found is None or (text[0] == "`" and "`" in text[found.end() :]):
        return None
    return found[0]


def closes_fence(text: str, opener: str) -> bool:
    """True when ``text`` (without indentation) closes the fence that ``opener`` began."""
    line = text.rstrip(" \t")
    return len(line) >= len(opener) and not line.strip(opener[0])


def html(text: str, *, in_paragraph: bool) -> tuple[str, ...] | None:
    """What ends the HTML block that begins here (``UNTIL_BLANK``: an empty line); None when there is none."""
    for opens, ends in _HTML_ENDS:
        if opens.match(text):
            return ends
    if _HTML_BLOCK.match(text):
        return UNTIL_BLANK
    if not in_paragraph and _HTML_TAG.match(text):
        return UNTIL_BLANK
    return None


def ends_html(text: str, ends: tuple[str, ...]) -> bool:
    """True when the HTML block that one of ``ends`` closes is closed on this line."""
    lower = text.lower()
    return any(end in lower for end in ends)


def box(text: str) -> str | None:
    """The character in the checkbox that ``text`` begins with."""
    found = _BOX.match(text)
    return found[1] if found else None


def callout(text: str) -> tuple[str, int] | None:
    """Kind of a callout and where its title begins; ``text`` is what follows the ``>``."""
    found = _CALLOUT.match(text)
    return (found[1].strip().lower(), found.end()) if found else None


def split_block_id(line: str) -> tuple[str, str | None]:
    """A line without the block id at its end, and that id without ``^``."""
    stripped = line.rstrip(" \t")
    at = stripped.rfind("^")
    if at < 0 or (at > 0 and stripped[at - 1] not in " \t"):
        return stripped, None
    found = _BLOCK_ID.match(stripped, at)
    return (stripped[:at].rstrip(" \t"), found[1]) if found else (stripped, None)


def table_columns(text: str) -> int:
    r"""How many cells a row has; ``\|`` divides none."""
    row = text.strip(" \t").replace("\\|", "")
    return row.removeprefix("|").removesuffix("|").count("|") + 1


def is_delimiter_row(text: str, header: str) -> bool:
    """True when ``text`` makes the line above it (``header``) the head of a table."""
    row = text.strip(" \t")
    if row.strip("|-: \t") or "-" not in row or ("|" not in row and "|" not in header):
        return False
    cells = row.removeprefix("|").removesuffix("|").split("|")
    return len(cells) == table_columns(header) and all(
        _DELIMITER_CELL.fullmatch(c.strip(" \t")) for c in cells
    )
