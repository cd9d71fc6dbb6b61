"""What in a turn is not the user's own words: code, quotations, logs, pasted documents, mails and dialogues.

It is blanked out, place for place, so that every position still points into the turn's text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfs.extraction.phrasebook import Phrasebook

BLANK = "\ufffc"

# --- quotations

_QUOTES = (
    re.compile(r"`[^`\n]{1,400}`"),
    re.compile(r"(?<!\w)\"[^\"\n]{1,600}\"(?!\w)"),
    re.compile(r"“[^”\n]{1,600}”|„[^“”\n]{1,600}[“”]|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』"),
    re.compile(r"(?<![\w'’])'[^'\n]{1,400}'(?![\w'’])|(?<!\w)‘[^’\n]{1,400}’(?!\w)"),
    re.compile(r"https?://\S{1,400}"),
)


def mask_quotes(text: str) -> str:
    """Blank code spans, addresses and quotations; a short quoted term stays, it is only named."""
    for pattern in _QUOTES:
        text = pattern.sub(_blank_long, text)
    return text


def _blank_long(match: re.Match[str]) -> str:
    inner = match[0][1:-1]
    wide = sum(char > "\u2e7f" for char in inner)
    if match[0][0] not in "`h" and inner.count(" ") < 3 and wide < 8:
        return match[0]
    return BLANK * len(match[0])


# --- foreign lines

_FENCE = re.compile(r"\s*(?:```|~~~)")
_TAG = re.compile(r"\s*<(?P<tag>[A-Za-z][\w-]{1,30})(?:\s[^>\n]{0,200})?>")
_RULE = re.compile(r"\s*(?:[-=*_#~+<>]{3,}+|\"{3}|'{3})(?:\s?[\w ,.:'-]{1,60}\s?[-=*_#~+<>]{3,})?\s*$")
_CODE_LINE = re.compile(
    r"\s*(?:Traceback|File \"|at [\w.$<>]+\(|>>>|\$ |# |//|/\*|\* |import \w|from [\w.]+ import|def \w+\("
    r"|class \w+[(:]|return\b.{0,80}[;)]|const |let \w+ =|var \w+ =|function \w*\(|public |private |#include"
    r"|SELECT |select \w+.{0,60} from |INSERT |UPDATE \w+ SET|CREATE |[{}\[\]<>]|\.[\w-]+ ?\{"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d|\[\d|[A-Z]{4,}:"
    r"|(?:FAIL|ERROR|WARN|INFO|DEBUG|panic|fatal|error|warning|note|thread '|E   )\b.{0,4}[:!\['(]|error\["
    r"|\+{1,3} |-{2,3} |@@ |diff --git|[\w.\[\]\"']+ ?(?:=|:=|\+=) ?\S.{0,200}$|with [\w.]+\("
    r"|[\w.]+\([^)]*\)\s*[;{]?\s*$|\w+(?:\.\w+)+(?::\d+)?:? )"
)
_CODE_SIGNS = re.compile(r"[{}()\[\]<>=;|\\/_$#&*+~^@]")
_DIALOGUE = re.compile(
    r"\s*[A-Z][A-Z .'-]{1,30}:\s|\s*\[?\d{1,2}:\d\d(?::\d\d)?\]?\s+\S+:|\s*(?:Q|A|Me|Them|You):\s"
    r"|\s*\S{1,12}[：:]\s*\S.{0,200}\d{1,2}:\d\d$"
)
_LETTER = re.compile(
    r"(?i)\s*(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)) [\w .'-]{1,40},\s*$"
    r"|(?:from|to|subject|cc|sent|date|re|fwd?):\s|(?:kind |best |warm )?regards\b|sincerely|yours\b"
    r"|尊敬的|亲爱的.{1,12}[：:,，]|您好[，,：:]|发件人|收件人|主题[：:]|此致)"
)
_QUOTED_LINE = re.compile(r"\s*(?:>|＞|\|)")
LONG_PASTE = 1500


def mask_foreign_lines(text: str, books: Sequence[Phrasebook]) -> str:
    """Blank the lines that are not the user's own words: code, logs, pasted text, quoted lines."""
    if "\n" not in text:
        return BLANK * len(text) if _TAG.match(text) or _QUOTED_LINE.match(text) else text
    lines = text.split("\n")
    kept = _own_lines(lines, books, len(text))
    return "\n".join(line if own else BLANK * len(line) for line, own in zip(lines, kept, strict=True))


def mask_marked(text: str, books: Sequence[Phrasebook]) -> str:
    """Blank only what is marked as somebody else's: fenced, tagged, quoted lines, and what is announced as pasted."""
    kept: list[str] = []
    closing: re.Pattern[str] | None = None
    pasted = False
    for line in text.split("\n"):
        opened = None if closing or _RULE.match(line) else _opens(line)
        own = not (pasted or closing or opened or _QUOTED_LINE.match(line))
        kept.append(line if own else BLANK * len(line))
        if closing is not None:
            closing = None if closing.search(line) else closing
        elif opened is not None:
            closing = None if _closed_at_once(line, opened) else opened
        elif own:
            pasted = any(book.has("paste_intro", line) for book in books)
    return "\n".join(kept)


def _own_lines(lines: Sequence[str], books: Sequence[Phrasebook], size: int) -> list[bool]:
    kept: list[bool] = []
    closing: re.Pattern[str] | None = None  # what ends the block we are in
    pasted = False
    for number, line in enumerate(lines):
        if closing is not None:
            kept.append(False)
            closing = None if closing.search(line) else closing
            continue
        opened = _opens(line)
        if opened is not None:
            kept.append(False)
            closing = None if _closed_at_once(line, opened) else opened
            continue
        if _LETTER.match(line) and number > 0:
            pasted = True
        own = not pasted and not _looks_foreign(line)
        kept.append(own)
        if own and not pasted and number + 1 < len(lines) and _introduces(line, books, first=number == 0):
            pasted = True
        if number and not line.strip() and not pasted and _asks("\n".join(lines[:number]), books):
            pasted = True  # a question, a gap, and what it is about
    if size > LONG_PASTE and len(lines) > 15:  # a wall of text: only its first paragraph is surely the user's
        first_gap = next((n for n, line in enumerate(lines) if not line.strip()), 1)
        kept = [own and n < first_gap for n, own in enumerate(kept)]
    return kept


def _opens(line: str) -> re.Pattern[str] | None:
    if _FENCE.match(line):
        return re.compile(r"^\s*(?:```|~~~)\s*$")
    tag = _TAG.match(line)
    if tag is not None:
        return re.compile(rf"</{re.escape(tag['tag'])}\s*>", re.IGNORECASE)
    if _RULE.match(line):
        return _RULE
    return None


def _closed_at_once(line: str, closing: re.Pattern[str]) -> bool:
    return closing is not _RULE and not _FENCE.match(line) and closing.search(line) is not None


def _looks_foreign(line: str) -> bool:
    if _QUOTED_LINE.match(line) or _CODE_LINE.match(line) or _DIALOGUE.match(line):
        return True
    if line.startswith(("    ", "\t")) and not line.lstrip().startswith(("-", "*", "•")):
        return True
    if (line.count(";") >= 2 and " " not in line.strip()) or line.count("\t") >= 2:
        return True
    bare = line.strip()
    return len(bare) > 20 and len(_CODE_SIGNS.findall(bare)) > len(bare) * 0.15


def _asks(paragraph: str, books: Sequence[Phrasebook]) -> bool:
    """Whether a first paragraph asks for something to be done with what follows."""
    if paragraph.rstrip().endswith(("?", "？")):
        return True
    return any(book.has("question_start", paragraph) or book.asks(paragraph) for book in books)


def _introduces(line: str, books: Sequence[Phrasebook], *, first: bool) -> bool:
    """Whether what follows this line is pasted."""
    if any(book.has("own_list", line) for book in books):
        return False
    return any(book.has("paste_intro", line) for book in books) or (
        first and line.rstrip().endswith((":", "："))
    )
