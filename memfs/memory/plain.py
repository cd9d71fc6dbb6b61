"""What a reader sees of an entry's text, and whether one text says no more than another."""

from __future__ import annotations

import re
import unicodedata

_WIKILINK = re.compile(r"!?\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_ASIDE = re.compile(r"\0(\d+)\0")
_CODE = re.compile(r"(`{1,100})(.+?)\1")
_MARKED = re.compile(r"[`\\*_~]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|except|instead|former|formerly|cannot|dont|doesnt|didnt|isnt|arent|wasnt|wont|cant"
    r"|(?:don|doesn|didn|isn|aren|wasn|won|can|couldn|shouldn) t"
    r"|nicht|kein|keine|nie|ohne|pas|jamais|sans|sin|nunca)\b"
)
_CJK_NEGATIONS = ("不", "没", "別", "别", "勿", "无", "無", "非", "未", "ない", "ません", "않", "없")


def plain_text(text: str) -> str:
    """The text on one line with wikilinks as the words shown, in NFC."""
    shown = text
    if "[[" in text:
        shown = _WIKILINK.sub(lambda link: link[2] if link[2] is not None else link[1], text)
    return unicodedata.normalize("NFC", " ".join(shown.split()))


def reader_text(text: str) -> str:
    """The text as a reader sees it: links as words, emphasis and escapes gone, code spans as they are."""
    plain = plain_text(text).replace("\0", "")
    if _MARKED.search(plain) is None:  # as most texts
        return plain
    spans: list[str] = []

    def set_aside(span: re.Match[str]) -> str:
        spans.append(span.group())
        return f"\0{len(spans) - 1}\0"

    shown = _CODE.sub(set_aside, plain)
    for _ in range(2):  # bold inside struck text, and the other way round
        shown = _EMPHASIS.sub(r"\2", shown)
    shown = _ESCAPE.sub(r"\1", shown)
    return _ASIDE.sub(lambda mark: spans[int(mark[1])], shown)


def has_cjk(text: str) -> bool:
    """Whether the text has Chinese, Japanese or Korean letters."""
    return _CJK.search(text) is not None


def says_no_more(short: str, long: str) -> bool:
    """Whether ``short`` is contained in ``long``, both normalised keys, so that ``long`` alone is enough.

    At least three words or six CJK letters must be shared, so that "React" is not lost in "React Native";
    and what ``long`` adds must not hold a negation ("deploy on Friday" is not "never deploy on Friday").
    """
    if not _weighty(short):
        return False
    at = find_words(short, long)
    if at < 0:
        return False
    rest = f"{long[:at]} {long[at + len(short) :]}"
    return not negates(rest)


def negates(text: str) -> bool:
    """Whether there is a word of negation in a text (normalised or folded)."""
    return _NEGATION.search(text) is not None or any(mark in text for mark in _CJK_NEGATIONS)


def _weighty(key: str) -> bool:
    return len(key.split()) >= 3 or len(_CJK.findall(key)) >= 6


def find_words(short: str, long: str) -> int:
    """Where ``short`` stands in ``long`` with no word cut; -1 where it does not."""
    at = long.find(short)
    while at >= 0:
        end = at + len(short)
        if _boundary(long, at) and _boundary(long, end):
            return at
        at = long.find(short, at + 1)
    return -1


def _boundary(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    return " " in (before, after) or has_cjk(before) or has_cjk(after)
