"""The words of an entry: cleaned of chat, with absolute days, and a topic to file it under."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfs.extraction.dates import DateMention
from memfs.extraction.phrasebook import Phrasebook

MAX_CONTENT = 400
WORD = re.compile(r"[^\W_][\w'’+#.%-]*[\w+#%]|[^\W_]")
CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[A-Za-z0-9][A-Za-z0-9_.+#%-]*")


def tidy(text: str, books: Sequence[Phrasebook], *, keep_start: bool = False) -> str:
    """One line, without the small talk at its ends."""
    text = re.sub(r"\s+", " ", text).strip()
    for _ in range(4):
        before = text
        for book in books:
            if not keep_start:
                text = book.words["filler_start_run"].sub("", text, count=1)
            text = book.words["filler_end_run"].sub("", text, count=1)
        text = text.strip(" ,，、;；:：-–—").strip()
        if text == before:
            break
    text = text.strip().rstrip(".。!！?？,，;；")  # a question is kept only as "can you remember that ...?"
    if text.count("(") > text.count(")"):
        text += ")"
    return text[:MAX_CONTENT]


def absolute(text: str, offset: int, dates: Sequence[DateMention]) -> str:
    """``text``, which begins at ``offset`` of its sentence, with relative days written as yyyy-mm-dd.

    Several days ("the weekend") stay as they are said: one day would be wrong.
    """
    parts, position = [], 0
    for mention in dates:
        start, end = mention.start - offset, mention.end - offset
        if not mention.relative or mention.until is not None or start < position or end > len(text):
            continue
        lead = re.match(
            r"(?:on|by|until|till|before|since|am|bis|zum|el|le|avant) ", mention.text, re.IGNORECASE
        )
        kept = mention.text[: lead.end()] if lead else ""
        tail = "之前" if mention.text.endswith("前") else "'s" if re.search(r"['’]s$", mention.text) else ""
        day = mention.day.isoformat()
        parts += [text[position:start], kept, day, tail]
        position = end
    return "".join(parts) + text[position:]


def without_dates(text: str, offset: int, dates: Sequence[DateMention]) -> str:
    """``text`` with the words for days taken out."""
    for mention in reversed(dates):
        start, end = mention.start - offset, mention.end - offset
        if start >= 0 and end <= len(text):
            text = text[:start] + " " + text[end:]
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,，")


def content_words(text: str, books: Sequence[Phrasebook]) -> list[str]:
    """Words that carry meaning, in order, lower case; runs of CJK characters count as words."""
    words = []
    stop = frozenset().union(*(book.stop_words for book in books)) if books else frozenset()
    cjk = any(not book.spaced for book in books)
    if cjk:
        for book in books:
            if not book.spaced and "cjk_stop" in book.words:
                text = book.words["cjk_stop"].sub(" ", text)
    for match in (CJK_RUN if cjk else WORD).finditer(text):
        word = match[0].strip("'’.-").lower()
        if word and word not in stop and not re.fullmatch(r"[\d.:-]+", word):
            words.append(word)
    return words


def shingles(text: str, books: Sequence[Phrasebook]) -> set[str]:
    """Words with meaning; of CJK runs all pairs of characters."""
    found = set()
    for word in content_words(text, books):
        found |= {word} if word[0] < "\u2e80" else {word[n : n + 2] for n in range(len(word) - 1)}
    return found


def topic_of(text: str, books: Sequence[Phrasebook], *, general: str) -> str:
    """A few words that tell an entry from others."""
    words = content_words(text, books)
    if not words:
        return general
    wide = all(word[0] > "\u2e7f" for word in words[:2])
    topic = "".join(words[:2])[:14] if wide else " ".join(words[:3])
    return topic[:1].upper() + topic[1:60]
