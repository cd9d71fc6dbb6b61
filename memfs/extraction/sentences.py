"""A user turn taken apart: the user's own words, in sentences and clauses.

Sentences are cut by sentencex (compiled, fast, and right on chat without capitals); what ends a sentence in
Chinese is added here. Clauses are cut where the phrasebook says. Foreign words are blanked out (``foreign``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memfs.extraction.foreign import BLANK, mask_foreign_lines, mask_quotes
from memfs.extraction.phrasebook import NOTHING, Phrasebook

MAX_SENTENCE = 600
_MARK = re.compile(
    r"\s*(?:[-*•·・]\s+|\[[ x]\]\s+|\d{1,2}(?:[.)]\s+|、\s*)|[(（]\d{1,2}[)）]\s*|[①-⑳]\s*"
    r"|[一二三四五六七八九十]{1,2}、\s*)+"
)  # what begins an item of a list

# Encoded data and the like: nobody's words, and slow to search for any.
_BLOB = re.compile(r"[^\s\u2e80-\uffef]{200,}")
_MARKS = re.compile(r"[,;:，；：、—–()（）]")
_LONG, _LONG_WIDE = 60, 20  # letters of a piece without a mark that is rather speech than one sentence
_TAIL = 80  # characters at the end of a part that tell whether it ends there
_LONGEST = 5_000  # and beyond this it is nothing that anyone said
_IMAGINED = re.compile(
    r"(?i)\b(?:if|imagine|suppose|pretend|says?|said|thinks?|wish|would)\b|如果|要是|假如|说(?=我)"
)
_ORDINAL = re.compile(r"(?i)\b(?:am|vom|zum|bis|der|den|dem|ab|le|el) \d{1,2}\.\s*$")
_INSIDE = re.compile(r"[A-Za-z0-9_]\.$")  # a dot of a name: "fmt.Errorf", no space after it
_NAME = re.compile(r"[A-Za-z0-9]")
_CODE = re.compile(r"\w+\(|[A-Za-z]+[a-z][A-Z]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text`` as written; ``masked`` the same with foreign words blanked; ``clauses`` are spans in both.

    ``listed``: an item of a list that was announced as rules.
    """

    text: str
    masked: str
    clauses: tuple[tuple[int, int], ...]
    listed: bool = False


def split_turn(text: str, books: Sequence[Phrasebook]) -> list[Sentence]:
    """The sentences of a turn that are the user's own words."""
    from sentencex import segment  # type: ignore[import-untyped]  # compiled: only when rules run

    masked = mask_quotes(mask_foreign_lines(_BLOB.sub(_blank, text), books))
    sentences = []
    position, announced = 0, False
    for line in masked.split("\n"):
        start = position
        position += len(line) + 1
        if not line.strip(BLANK + " \t\r"):
            continue
        item = _MARK.match(line) is not None
        if not item:
            announced = any(book.has("rules_follow", line) for book in books)
        for piece in _pieces(segment("en", line), books):
            begin, end = start + piece[0], start + piece[1]
            if 0 < end - begin <= MAX_SENTENCE:
                sentences.append(_sentence(text[begin:end], masked[begin:end], books, item and announced))
    return sentences


def _blank(found: re.Match[str]) -> str:
    return BLANK * len(found[0])


def _pieces(parts: Sequence[str], books: Sequence[Phrasebook]) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of a line, without outer space and list marks."""
    position = 0
    for part in _whole(parts):
        for piece in _spoken(re.split(r"(?<=[。！？!?；])|(?<=……)", part), books):
            marks = _MARK.match(piece)
            lead = marks.end() if marks else len(piece) - len(piece.lstrip())
            stripped = piece[lead:].rstrip()
            if stripped.strip(BLANK + " "):
                yield position + lead, position + lead + len(stripped)
            position += len(piece)


def _spoken(pieces: Sequence[str], books: Sequence[Phrasebook]) -> Iterator[str]:
    """Pieces, with speech that was written down without marks cut where a new sentence begins."""
    for piece in pieces:
        start = 0
        wide = sum(char > "\u2e7f" for char in piece)
        spoken = (len(piece) >= _LONG or wide >= _LONG_WIDE) and len(piece) <= _LONGEST
        if spoken and not _MARKS.search(piece):
            for book in books:
                pattern = book.words.get("new_start", NOTHING)
                if _IMAGINED.search(piece) or book.spaced == (wide > len(piece) // 2):
                    continue
                for match in pattern.finditer(piece):
                    yield piece[start : match.end()]
                    start = match.end()
        yield piece[start:]


def _whole(parts: Sequence[str]) -> Iterator[str]:
    """Parts, with those that were cut after an ordinal or in a name ("am 14. | April", "fmt. | Errorf") together."""
    held = ""
    for part, after in itertools.zip_longest(parts, parts[1:], fillvalue=""):
        held += part
        if not _ORDINAL.search(held[-_TAIL:]) and not _is_inside(held[-_TAIL:], after):
            yield held
            held = ""
    if held:
        yield held


def _is_inside(before: str, after: str) -> bool:
    """Whether the dot between is one in a name: in other scripts, or where what follows is no plain word."""
    if not _INSIDE.search(before) or not _NAME.match(after):
        return False
    if _WIDE.search(before + after):
        return True
    word = re.split(r"[\s,;:]", before)[-1]
    return not word[:-1].isalpha() or _CODE.match(after) is not None


def _sentence(text: str, masked: str, books: Sequence[Phrasebook], listed: bool) -> Sentence:
    cuts = [0]
    for book in books:
        cuts += (
            [match.end() for match in book.words["split"].finditer(masked)] if "split" in book.words else []
        )
    cuts = [*sorted(set(cuts)), len(masked)]
    spans = ((a, b) for a, b in itertools.pairwise(cuts) if masked[a:b].strip())
    return Sentence(text, masked, tuple(spans), listed)
