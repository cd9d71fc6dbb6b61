"""Inside a line: links, and the text without its markup. Linear in the length of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WIKILINK = re.compile(r"(!?)(?<!\\)\[\[([^\[\]\n]+)\]\]")
_MD_LINK = re.compile(r"(!?)(?<!\\)\[([^\[\]\n]*)\]\((?:<([^<>\n]*)>|([^()\s]*))(?:[ \t]+\"[^\"\n]*\")?\)")
_TICKS = re.compile(r"`+")
_DELIMITER = re.compile(r"\*{1,3}|_{1,3}|~~|==")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_PROTECTED = re.compile(r"\ue000(\d+)\ue001")


@dataclass(frozen=True, slots=True)
class Link:
    """A wikilink or Markdown link. ``alias`` is the text shown, None when that is the target itself."""

    target: str
    alias: str | None = None
    embed: bool = False


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link and where it starts in the text; ``wiki``: in double brackets."""

    start: int
    link: Link
    wiki: bool


def links(text: str) -> tuple[Link, ...]:
    r"""All links of a text, in order; none are seen in code. ``[[a\|b]]``, as in tables, points at ``a``."""
    return tuple(found.link for found in find_links(text))


def find_links(text: str) -> tuple[FoundLink, ...]:
    """The same with their places and kinds."""
    visible = _blank_code(text)
    found: list[FoundLink] = []
    for match in _WIKILINK.finditer(visible):
        target, alias = _split_alias(match[2])
        if target:
            found.append(FoundLink(match.start(), Link(target, alias, bool(match[1])), True))
    for match in _MD_LINK.finditer(visible):
        target = (match[3] or match[4] or "").strip()
        if target:
            alias = match[2].strip() or None
            found.append(FoundLink(match.start(), Link(target, alias, bool(match[1])), False))
    return tuple(sorted(found, key=lambda one: one.start))


def plain_text(text: str) -> str:
    """The words of a text: no emphasis, code ticks, links (their alias is kept), escapes and comments."""
    kept: list[str] = []

    def keep(content: str) -> str:
        kept.append(content)
        return f"\ue000{len(kept) - 1}\ue001"

    text = text.replace("\ue000", "").replace("\ue001", "")
    parts: list[str] = []
    at = 0
    for start, end, ticks in code_spans(text):
        parts += [text[at:start], keep(_code_content(text[start + ticks : end - ticks]))]
        at = end
    text = "".join((*parts, text[at:]))
    text = _WIKILINK.sub(lambda match: _shown(match[2]), text)
    text = _ESCAPE.sub(lambda match: keep(match[1]), text)
    text = _drop_comments(text)
    text = _MD_LINK.sub(lambda match: match[2] or match[3] or match[4] or "", text)
    text = _drop_emphasis(text)
    return _PROTECTED.sub(lambda match: kept[int(match[1])], text)


def _split_alias(inner: str) -> tuple[str, str | None]:
    target, bar, alias = inner.partition("|")
    if bar:
        target = target.removesuffix("\\")
    return target.strip(), alias.strip() or None


def _shown(inner: str) -> str:
    target, alias = _split_alias(inner)
    return alias or target


def code_spans(text: str) -> list[tuple[int, int, int]]:
    """The code spans of a text, each as start, end and number of ticks: a run of backticks to the next run as long."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[number][1] - runs[number][0], []).append(number)
    spans: list[tuple[int, int, int]] = []
    number = 0
    while number < len(runs):
        start, end = runs[number]
        if _escaped(text, start):
            start += 1
        later = following.get(end - start, [])
        while later and later[-1] <= number:
            later.pop()
        if later and end > start:
            closing = later.pop()
            spans.append((start, runs[closing][1], end - start))
            number = closing
        number += 1
    return spans


def _escaped(text: str, at: int) -> bool:
    before = text[max(0, at - 50) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _code_content(content: str) -> str:
    inner = content.replace("\n", " ")
    padded = inner[:1] == " " and inner[-1:] == " " and bool(inner.strip(" "))
    return inner[1:-1] if padded else inner


def _blank_code(text: str) -> str:
    parts: list[str] = []
    at = 0
    for start, end, _ in code_spans(text):
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join((*parts, text[at:]))


def _drop_comments(text: str) -> str:
    # a pattern with a lazy middle is quadratic in unclosed comments, so look for the last end first
    last = text.rfind("-->")
    return _COMMENT.sub("", text[: last + 3]) + text[last + 3 :] if last >= 0 else text


def _drop_emphasis(text: str) -> str:
    """Remove the marks of emphasis that open and close; marks that stand alone are text."""
    opened: dict[str, list[tuple[int, int]]] = {}
    removed: list[tuple[int, int]] = []
    for match in _DELIMITER.finditer(text):
        mark, (start, end) = match[0], match.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        can_close = bool(before) and not before.isspace()
        can_open = bool(after) and not after.isspace()
        if mark[0] == "_":  # snake_case is no emphasis
            can_close = can_close and not _is_word(after)
            can_open = can_open and not _is_word(before)
        if can_close and opened.get(mark):
            removed += [opened[mark].pop(), (start, end)]
        elif can_open:
            opened.setdefault(mark, []).append((start, end))
    parts: list[str] = []
    at = 0
    for start, end in sorted(removed):
        parts.append(text[at:start])
        at = end
    return "".join((*parts, text[at:]))


def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_")
