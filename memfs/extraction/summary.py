"""Summaries of a conversation for the journal: what a summariser gives, and the offline one.

The offline summary holds only what the turns say themselves: sentences in which users ask for something, correct it
or say that it is not done, the names of files, and which tools failed. Precise before complete; no word is its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Literal, Protocol

from memfs.extraction.languages import choose_languages
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.request import Request
from memfs.extraction.secret_talk import tells_secret
from memfs.extraction.segments import local_time
from memfs.extraction.sentences import split_turn
from memfs.memory.journal import LAST_SAID, Line
from memfs.model import Dropped, Tokens, ToolCall, Turn

Section = Literal["goals", "facts", "files", "errors", "issues"]

MOST = 8  # of a section, from one batch
TITLE = 60
_SHORTEST, _LONGEST = 12, 240  # bytes, characters
_FILE_KEYS = ("file_path", "path", "notebook_path", "target_file", "filename", "file")
_FILE = re.compile(r"(?=.*[./])[\w./@+~ -]{3,120}")
_WANTS = re.compile(
    r"^\W*(?:i|we) (?:want|need|plan|have|would like|am trying|are trying) to\b"
    r"|^\W*(?:i|we)'(?:d like|m trying|re trying) to\b"
    r"|^\W*let'?s\b|^(?:我|我们|咱们)(?:想要?|要|打算|需要|正在|得)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"^\W*(?:no|nope|wrong|not quite)\s*[,.!;:]|\bthat(?:'?s| is) (?:wrong|not right|incorrect|not what)\b"
    r"|^\W*(?:不对|错了|不是这样)|(?:搞|写|弄|改)错了",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\bstill (?:fail|broken|crash|hang|not |does ?n.t|do ?n.t|open\b|unclear|missing)"
    r"|\b(?:does ?n.t|do ?n.t|is ?n.t|not) work(?:ing)?\b|\bnot (?:clear|sure|decided)\b|\bopen question\b"
    r"|\bto be (?:decided|clarified)\b|^\W*(?:todo|tbd)\b"
    r"|还是?(?:不行|没|失败|报错|有问题|不清楚)|待定|尚未|未解决|没(?:解决|搞定|想好)|不确定",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b[A-Z]\w{2,40}(?:Error|Exception)\b|\bexit (?:code|status) \d{1,3}\b|\bHTTP [45]\d\d\b"
    r"|\bcommand not found\b|\bNo such file or directory\b|\bPermission denied\b|\btimed out\b",
    re.IGNORECASE,
)
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"failed": "{tool} failed", "why": "{failed}: {why}", "talk": "Conversation"},
    "zh": {"failed": "{tool} 失败", "why": "{failed}：{why}", "talk": "对话"},
}


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a summary. ``turns``: positions in the request of the turns that prove it; none: it is not new."""

    section: Section
    text: str
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """What a summariser is asked: a conversation, its title, and the state and lines of its block so far.

    ``cwd``: the folder that it was held in; files in it are named from there.
    """

    request: Request
    title: str = ""
    state: str = ""
    lines: tuple[Line, ...] = ()
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the block should say. ``whole``: the items are all of it, else they are added; ``solved``: closed issues.

    ``state_turns``: the turns whose words the state is, where it is a quotation.
    """

    title: str
    state: str
    items: tuple[Item, ...] = ()
    solved: tuple[str, ...] = ()
    whole: bool = False
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    state_turns: tuple[int, ...] = ()


class Summariser(Protocol):
    """Makes summaries of conversations."""

    def summarise(self, asked: SummaryRequest) -> Summary | None:
        """The summary; None where there is nothing to say. Raises ExtractionError when it could not."""
        ...


class PlainSummariser:
    """The offline summary."""

    def summarise(self, asked: SummaryRequest) -> Summary | None:
        """What users asked for, corrected and left open; files; failed tools. None where there is none of it."""
        request = asked.request
        books = choose_languages(request.turns)
        items = _limited([*_said(request, books), *_done(request, asked.cwd)])
        if not items:
            return None
        goals = [item.text for item in items if item.section == "goals"]
        title = asked.title or (shorten(goals[0], TITLE) if goals else _WORDS[request.language]["talk"])
        state, turns = _last_said(request, books)
        return Summary(title, state, tuple(items), state_turns=turns)


def shorten(text: str, characters: int) -> str:
    """A text cut at a word, with a mark that it was."""
    line = " ".join(text.split())
    if len(line) <= characters:
        return line
    words = line[:characters].rpartition(" ")[0]
    return f"{words if len(words) > characters // 2 else line[: characters - 1]}…"


def _said(request: Request, books: Sequence[Phrasebook]) -> Iterator[Item]:
    """What users say of the work, in their own words: quotes, code and pasted text are not theirs."""
    for at, sentence, masked in _sentences(request, books):
        if _CORRECTS.search(masked):
            yield Item("errors", sentence, (at,))
        elif _OPEN.search(masked) and not masked.rstrip().endswith(("?", "？")):
            yield Item("issues", sentence, (at,))
        elif _WANTS.search(masked) or any(book.asks(masked) for book in books):
            yield Item("goals", sentence, (at,))


def _sentences(request: Request, books: Sequence[Phrasebook]) -> Iterator[tuple[int, str, str]]:
    for at, turn in enumerate(request.turns):
        if turn.role not in ("user", "participant"):
            continue
        for sentence in split_turn(turn.text, books):
            text = " ".join(sentence.text.split())
            if len(text.encode()) >= _SHORTEST and not tells_secret(text):
                yield at, shorten(text, _LONGEST), sentence.masked


def _done(request: Request, cwd: str) -> Iterator[Item]:
    """Files that were attached or worked on, and tools that failed."""
    words = _WORDS[request.language]
    for at, turn in enumerate(request.turns):
        for path in _files(turn):
            yield Item("files", f"`{path.removeprefix(f'{cwd}/') if cwd else path}`", (at,))
        for call in turn.tool_calls:
            if call.is_error and (name := re.sub(r"[^\w.:-]+", " ", call.name).strip()):
                failed = words["failed"].format(tool=name[:60])
                why = _why(call)
                yield Item("errors", words["why"].format(failed=failed, why=why) if why else failed, (at,))


def _files(turn: Turn) -> Iterator[str]:
    named: list[Any] = [each.path for each in turn.attachments]
    for call in turn.tool_calls:
        if isinstance(call.arguments, dict):
            named += [call.arguments.get(key) for key in _FILE_KEYS]
    for path in named:
        if isinstance(path, str) and _FILE.fullmatch(path.strip()):
            yield path.strip()


def _why(call: ToolCall) -> str:
    """What kind of failure it was; the tool's own words stay out, they are nobody's."""
    found = _FAILURE.search(call.result or "")
    return found[0] if found else ""


def _limited(items: Sequence[Item]) -> list[Item]:
    """The items of each section, none twice, not too many; of the errors the last ones."""
    found: list[Item] = []
    for section in ("goals", "files", "errors", "issues"):
        own = list({item.text.casefold(): item for item in items if item.section == section}.values())
        found += own[-MOST:] if section == "errors" else own[:MOST]
    return found


def _last_said(request: Request, books: Sequence[Phrasebook]) -> tuple[str, tuple[int, ...]]:
    """The user's last words, quoted, and their turn."""
    said = list(_sentences(request, books))
    if not said:
        return "", ()
    at, text, _ = said[-1]
    zone: tzinfo | None = request.now.tzinfo
    time = (local_time(request.turns[at], zone) if zone else None) or request.now
    return LAST_SAID[request.language].format(time=f"{time:%H:%M}", words=shorten(text, 160)), (at,)
