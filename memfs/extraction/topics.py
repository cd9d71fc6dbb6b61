"""What a decision is about, in a few words: a listed topic, its main noun phrase, or how it begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.purposes import thing_decided_for, with_thing
from memfs.extraction.wording import CJK_RUN, WORD

MOST_WORDS, FIRST_WORDS = 4, 6
MOST_WIDE, LEAST_WIDE = 14, 3
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLAUSE_END = re.compile(r"[,;:.!?，。；：！？、()（）\u2026]+(?=\s|$|[\u2e80-\uffef])|[，。；：！？、]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MARKS = " ,.;:!?，。；：！？、()（）\u2026"
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
Word = re.Match[str]


def decision_topic(text: str, books: Sequence[Phrasebook], *, general: str) -> str:
    """A few words to file the decision ``text`` under; it is also what a later one on the matter is told by."""
    for book in books:
        for name, pattern in book.topics:
            if pattern.search(text):
                return with_thing(name, thing_decided_for(text, _naming(pattern)))
    wide = not books[0].spaced and _WIDE.search(text) is not None
    topic = (_wide_phrase(text, books) if wide else _phrase(text, books)) or _beginning(text, wide=wide)
    topic = " ".join(topic.split()).strip(_MARKS)
    return (topic[:1].upper() + topic[1:60]).strip() if topic else general


def _naming(topic: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda words: topic.search(words) is not None


def _phrase(text: str, books: Sequence[Phrasebook]) -> str:
    """The longest run of words with meaning; where all stand alone, what goes on from the first of them."""
    for sentence in _SENTENCE_END.split(text):
        best = max(_runs(sentence, books), key=lambda run: min(len(run), MOST_WORDS), default=[])
        if len(best) > 1:
            told = best[: MOST_WORDS + (len(best) > MOST_WORDS and best[MOST_WORDS][0].isdecimal())]
            return sentence[told[0].start() : told[-1].end()]
        if found := next(filter(None, (_going_on(clause, books) for clause in _clauses(sentence))), ""):
            return found
    return ""


def _going_on(clause: str, books: Sequence[Phrasebook]) -> str:
    """From the first telling word to the last of the next few; "" for a scrap."""
    words = list(WORD.finditer(clause))
    first = next((n for n, word in enumerate(words) if _tells(word[0], books)), len(words))
    span = words[first : first + FIRST_WORDS - 1]
    while span and not _tells(span[-1][0], books):
        span.pop()
    if not span or (len(span) == 1 and len(span[0][0]) < 4):
        return ""
    return clause[span[0].start() : span[-1].end()]


def _clauses(text: str) -> list[str]:
    """The parts between marks, with the mark that ends them."""
    cuts = [0, *(mark.end() for mark in _CLAUSE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if text[start:end].strip(_MARKS)]


def _tells(word: str, books: Sequence[Phrasebook]) -> bool:
    """Whether a word says what is decided: neither a common word, nor the deciding itself, nor a day."""
    bare = word.strip("'’.-").lower().replace("’", "'")
    return not (
        _DAY.fullmatch(bare) or any(bare in book.stop_words or _is_deciding(bare, book) for book in books)
    )


def _is_deciding(word: str, book: Phrasebook) -> bool:
    return "deciding" in book.words and book.words["deciding"].fullmatch(word) is not None


def _runs(text: str, books: Sequence[Phrasebook]) -> list[list[Word]]:
    """Telling words side by side, with nothing but a space or a hyphen between; a number alone is none."""
    runs: list[list[Word]] = [[]]
    for word in WORD.finditer(text):
        if not _tells(word[0], books):
            runs.append([])
            continue
        if len(word[0]) == 1 and word[0].isalpha():
            continue
        if runs[-1] and text[runs[-1][-1].end() : word.start()].strip(" -"):
            runs.append([])
        runs[-1].append(word)
    return [run for run in runs if _is_said(word[0] for word in run)]


def _is_said(words: Iterable[str]) -> bool:
    return any(len(word) > 2 and not word[0].isdigit() for word in words)


def _wide_phrase(text: str, books: Sequence[Phrasebook]) -> str:
    """The longest piece between the little words; "" when all are scraps."""
    for name in ("cjk_stop", "deciding"):
        for book in books:
            if not book.spaced and name in book.words:
                text = book.words[name].sub("\n", text)
    pieces = [piece.strip() for piece in re.split(r"[^\w\s+#.%-]|\n", _DAY.sub("\n", text))]
    best = max(pieces, key=_width, default="")
    return best[:MOST_WIDE] if _width(best) >= LEAST_WIDE else ""


def _width(piece: str) -> int:
    """Characters of a script without spaces; of others a word counts two, a number none."""
    return sum(
        len(run[0]) if _WIDE.match(run[0]) else 2
        for run in CJK_RUN.finditer(piece)
        if not run[0][0].isdigit()
    )


def _beginning(text: str, *, wide: bool) -> str:
    """The first words, of the first part if that is long enough to be understood."""
    first = ""
    for clause in _clauses(_DAY.sub("", text)):
        first += clause
        if _width(first) >= 2 * LEAST_WIDE if wide else len(first.split()) > 1:
            break
    if wide:
        return re.sub(r"[A-Za-z0-9]+$", "", first[:MOST_WIDE]) if len(first) > MOST_WIDE + 4 else first
    return " ".join(first.split()[:FIRST_WORDS])
