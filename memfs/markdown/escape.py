"""Untrusted text made safe: one line that can never become structure (design 3.5)."""

from __future__ import annotations

import re

from memfs.markdown import syntax
from memfs.markdown.inline import code_spans

# controls, soft hyphen, zero-width and direction marks, lone surrogates, tag characters, noncharacters
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\ufdd0-\ufdef\uffa0\ufff9-\uffff\U000e0000-\U000e0fff]"
)
_BREAKS = re.compile("[ \t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
_COMMENT = re.compile(r"(?<!\\)(\\*)<!--")
_TOGGLES = re.compile(r"%{2,}|\${2,}")  # Obsidian's comments and blocks of mathematics
# What a reader's program would do by itself: load an image, show another note, run a template, read a field.
_BANG = re.compile(r"(?<!\\)(\\*)!(?=\[)")
_TAG = re.compile(r"(?<!\\)(\\*)<(?=[A-Za-z/?!])")
_TEMPLATE = re.compile(r"<(?=%)")
_FIELD = re.compile(r"(?<=[^\s:\\])::(?=\s)")
_QUERY = re.compile(r"`+\s*\$?=")
_DEFINITION = re.compile(r"\[[^\]\n]{0,999}\]:")
_BREAKING_ID = re.compile(r"(?:(?<=\s)|^)\^(?=[A-Za-z0-9-]+(?:\s*$)|m-[a-z0-9])")
_RUN = re.compile(r"[=<>|~`]{7}")


def clean_line(text: str) -> str:
    """The text on one line, without control, zero-width and direction characters; nothing is escaped."""
    return _BREAKS.sub(" ", _INVISIBLE.sub("", text)).strip()


def fold_line(text: str) -> str:
    """The text on one line, without invisible characters; comments and block ids in it show as text.

    So do images, embedded notes, HTML, templates, and the fields and queries of Dataview: nothing in it acts.
    """
    line = _COMMENT.sub(lambda m: f"{m[1]}{'' if len(m[1]) % 2 else chr(92)}<!--", clean_line(text))
    line = _TOGGLES.sub(lambda m: "".join(f"\\{mark}" for mark in m[0]), line)
    line = _disarm(line)
    line = _BREAKING_ID.sub(r"\\^", line)
    trailing = len(line) - len(line.rstrip("\\"))
    return line + "\\" if trailing % 2 else line


def _disarm(line: str) -> str:
    """The line with what would act in a reader's program as text; code is text already, but for queries in it."""
    line = _TEMPLATE.sub(r"<\\", line)
    parts: list[str] = []
    at = 0
    for start, end, ticks in code_spans(line):
        span = line[start:end]
        if _QUERY.match(span):
            span = "\\`" * ticks + _disarm_text(span[ticks:-ticks]) + "\\`" * ticks
        parts += [_disarm_text(line[at:start]), span]
        at = end
    return "".join((*parts, _disarm_text(line[at:])))


def _disarm_text(text: str) -> str:
    for pattern in (_BANG, _TAG):
        text = pattern.sub(
            lambda found: f"{found[1]}{'' if len(found[1]) % 2 else chr(92)}{found[0][-1]}", text
        )
    return _FIELD.sub(r":\\:", text)


def escape_line(text: str) -> str:
    """Any text as the content of one item or paragraph: whatever it holds stays text.

    Newlines are folded; a heading, list mark, checkbox, quote, fence, table, HTML, link definition, rule,
    conflict marker or block id in it is escaped by a backslash. Emphasis, code, links and wikilinks are left.
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
