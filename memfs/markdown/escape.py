"""Untrusted text made safe: one line that can never become structure (design 3.5)."""

from __future__ import annotations

import re

from memfs.markdown import syntax

# controls, soft hyphen, zero-width and direction marks, lone surrogates, tag characters, noncharacters
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\ufdd0-\ufdef\uffa0\ufff9-\uffff\U000e0000-\U000e0fff]"
)
_BREAKS = re.compile("[ \t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
_COMMENT = re.compile(r"(?<!\\)(\\*)<!--")
_TOGGLES = re.compile(r"%{2,}|\${2,}")  # Obsidian's comments and blocks of mathematics
_DEFINITION = re.compile(r"\[[^\]\n]{0,999}\]:")
_BREAKING_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+(?:\s*$)|m-[a-z0-9])")
_RUN = re.compile(r"[=<>|~`]{7}")


def clean_line(text: str) -> str:
    """The text on one line, without control, zero-width and direction characters; nothing is escaped."""
    return _BREAKS.sub(" ", _INVISIBLE.sub("", text)).strip()


def fold_line(text: str) -> str:
    """The text on one line, without invisible characters; comments and block ids in it show as text."""
    line = _COMMENT.sub(lambda m: f"{m[1]}{'' if len(m[1]) % 2 else chr(92)}<!--", clean_line(text))
    line = _TOGGLES.sub(lambda m: "".join(f"\\{mark}" for mark in m[0]), line)
    line = _BREAKING_ID.sub(r"\\^", line)
    trailing = len(line) - len(line.rstrip("\\"))
    return line + "\\" if trailing % 2 else line


def escape_line(text: str) -> str:
    """Any text as the content of one item or paragraph: whatever it holds stays text.

    Newlines are folded; a heading, list mark, checkbox, quote, fence, table, HTML, link definition, rule,
    conflict marker or block id in it is escaped by a backslash. Emphasis, code and wikilinks are left.
    Escaping twice changes nothing more.
    """
    line = fold_line(text)
    numbered = syntax.marker(line)
    if numbered is not None and numbered[0].isdigit():
        at = len(numbered) - 1
        return f"{line[:at]}\\{line[at:]}"
    return f"\\{line}" if _begins_structure(line) else line


def escape_heading(title: str) -> str:
    """Any text as the title of an ATX heading."""
    line = fold_line(title)
    without = line.rstrip("#")
    if without != line and (not without or without[-1] in " \t"):
        return f"{without}\\{line[len(without) :]}"
    return line


def _begins_structure(line: str) -> bool:
    first = line[:1]
    if first == "#":
        return syntax.heading(line) is not None
    if first == "<":
        return line[1:2].isalpha() or line[1:2] in ("/", "!", "?", "<")
    if first == "[":
        return syntax.box(line) is not None or _DEFINITION.match(line) is not None
    if first in (">", "|"):
        return True
    return (
        syntax.marker(line) is not None
        or syntax.fence(line) is not None
        or syntax.is_rule(line)
        or syntax.underline(line) is not None
        or _RUN.match(line) is not None
    )
