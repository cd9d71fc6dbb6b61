"""Chats of several people written down as text: exports of Feishu, DingTalk, WeChat and their like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memfs.model import Attachment, Turn
from memfs.transcripts.speakers import role_of
from memfs.transcripts.times import loose_stamp

_HALF = r"(?:上午|下午|凌晨|早上|中午|晚上|AM|PM)"
_DATE = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
_WEEKDAY = r"[ (（]*(?:星期|周)[一二三四五六日天][)）]*"
_CLOCK = rf"(?:{_HALF}\s*)?\d{{1,2}}[:：]\d{{2}}(?:[:：]\d{{2}})?(?:[.,]\d{{1,6}})?(?:\s?[AaPp][Mm])?"
_WHEN = rf"(?P<when>{_DATE}(?:{_WEEKDAY})?[ T,]*{_CLOCK})"
_NAME = r"(?P<name>[^\s:：\[\]【】<>\"“”|][^\n:：\[\]<>\"“”|]{0,39}?)"
_TEXT = r"\s*[:：]\s?(?P<text>.*)\Z"

# How a message begins, by style. A log keeps to one of them.
_STYLES: dict[str, tuple[re.Pattern[str], ...]] = {
    # [2026-03-04 09:15] Ana: text      2026-03-04 09:15 - Ana: text      Ana (2026-03-04 09:15): text
    "inline": (
        re.compile(rf"[\[(（【]?{_WHEN}[\])）】]?\s*[-–—]?\s*{_NAME}{_TEXT}"),
        re.compile(rf"{_NAME}\s*[\[(（]\s*{_WHEN}\s*[\])）]{_TEXT}"),
    ),
    # 张三 2026-03-04 09:15:12      张三(老张)  2026年3月4日 上午9:15
    "name first": (
        re.compile(rf"{_NAME}[:：]?\s+[\[(（]?{_WHEN}[\])）]?\s*\Z"),
        re.compile(rf"{_NAME}[(（]{_WHEN}[)）]\s*\Z"),
    ),
    # 2026-03-04 09:15:12 张三
    "time first": (re.compile(rf"[\[(（]?{_WHEN}[\])）]?\s*[-–—]?\s*{_NAME}\s*[:：]?\s*\Z"),),
    # ———— 2026-03-04 ————, then 张三 09:15      09:15 张三: text
    "clock": (
        re.compile(rf"{_NAME}[:：]?\s+(?P<clock>{_CLOCK})\s*\Z"),
        re.compile(rf"[\[(（]?(?P<clock>{_CLOCK})[\])）]?\s+{_NAME}{_TEXT}"),
    ),
    # 张三, and below it 2026-03-04 09:15
    "name above time": (re.compile(rf"{_NAME}[:：]?\s*\n\s*[\[(（]?{_WHEN}[\])）]?\s*\Z"),),
    # 2026-03-04 09:15, and below it 张三: text
    "time above name": (re.compile(rf"\s*[\[(（]?{_WHEN}[\])）]?\s*\n{_NAME}{_TEXT}"),),
}
_TWO_LINES = frozenset({"name above time", "time above name"})
_DAY = re.compile(rf"[\s—–\-=*#]*(?P<day>{_DATE})(?:{_WEEKDAY})?[\s—–\-=*#]*\Z")
_WEEKDAYS = re.compile(rf"(?<![ (（]){_WEEKDAY}")
_FRACTION = re.compile(r"[.,]\d{1,6}\Z")
# Logs of programs look alike.
_NO_NAMES = frozenset(
    {"info", "warn", "warning", "error", "debug", "trace", "fatal", "notice", "critical", "verbose"}
)
_ACCOUNT = re.compile(
    r"(?P<name>.+?)\s*[(（<](?P<id>(?:wxid_|ou_|on_|gh_|u_)?[A-Za-z0-9_.@-]*[0-9_@][A-Za-z0-9_.@-]*)[)）>]\Z"
)
_FILE = re.compile(
    r"\[(?:文件|附件|File|file)\][:：]?\s*(\S+\.\w{1,8})|\[(?:文件|附件|File|file)[:：]\s*([^\]]+\.\w{1,8})\]"
)
_NICKNAME = re.compile(r"(?<!\s)\s*[(（][^()（）]*[)）]\Z")
_RECALLED = re.compile(r"\A.{0,40}(?:撤回了一条消息|recalled a message)\s*\Z")
_HEADER_LINES = 12  # a title, member counts and the like may stand above the first message


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a chat; ``timestamp`` is local, ``line`` where it begins."""

    speaker: str
    timestamp: str | None
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ChatLog:
    """A chat: how its messages begin, what stands above the first of them, and the messages."""

    style: str
    title: str
    messages: tuple[Said, ...]


def read_chat_log(text: str) -> ChatLog | None:
    """The chat that a text is, None if it is none."""
    lines = text.split("\n")
    style = _style_of(lines)
    if style is None:
        return None
    above: list[str] = []
    messages: list[tuple[str, str | None, list[str], int]] = []
    for number, speaker, when, rest in _entries(lines, style):
        if speaker is not None:
            messages.append((speaker, when, rest, number))
        elif messages:
            messages[-1][2].extend(rest)
        else:
            above.extend(rest)
    said = (Said(name, when, "\n".join(rest).strip(), at) for name, when, rest, at in messages)
    kept = tuple(one for one in said if one.text and not _RECALLED.match(one.text))
    return ChatLog(style, "\n".join(above).strip(), kept) if kept else None


def _style_of(lines: list[str]) -> str | None:
    """The style in which most messages begin, if the text begins with one."""
    found: dict[str, int] = {}
    for style in _STYLES:
        starts = [
            number for number, line in enumerate(lines) if _begins(lines, number, line, style) is not None
        ]
        blank = sum(not line.strip() for line in lines[: starts[0]]) if starts else 0
        if starts and starts[0] - blank <= _HEADER_LINES:
            found[style] = len(starts)
    if not found:
        return None
    style = max(found, key=lambda one: (found[one], one in _TWO_LINES))
    days = any(_DAY.match(line) for line in lines)
    enough = 1 if style == "inline" else 2
    return style if found[style] >= enough and (style != "clock" or days) else None


def _begins(lines: list[str], number: int, line: str, style: str) -> re.Match[str] | None:
    if style in _TWO_LINES:
        line = "\n".join(lines[number : number + 2])
    for pattern in _STYLES[style]:
        found = pattern.match(line)
        if found is not None and found["name"].strip().casefold() not in _NO_NAMES:
            return found
    return None


def _entries(lines: list[str], style: str) -> Iterator[tuple[int, str | None, str | None, list[str]]]:
    """The start of each message with its line, speaker and time, and the lines between without the latter."""
    day: str | None = None
    skip = False
    for number, line in enumerate(lines):
        if skip:
            skip = False
            continue
        found = _begins(lines, number, line, style)
        if found is not None:
            parts = found.groupdict()
            when = parts.get("when") or (f"{day} {parts['clock']}" if day else None)
            skip = style in _TWO_LINES
            yield number + 1, found["name"].strip(), _time(when), [parts.get("text") or ""]
        elif style == "clock" and (separator := _DAY.match(line)) is not None:
            day = separator["day"]
        else:
            yield number + 1, None, None, [line]


def _time(when: str | None) -> str | None:
    if when is None:
        return None
    return loose_stamp(_FRACTION.sub("", _WEEKDAYS.sub(" ", when)))


def chat_turns(log: ChatLog, me: Sequence[str]) -> Iterator[Turn]:
    """The turns of a chat. ``me`` names the user; the others are participants, and peers."""
    mine = frozenset(me)
    for said in log.messages:
        account = _ACCOUNT.match(said.speaker)
        name, id = (account["name"], account["id"]) if account is not None else (said.speaker, None)
        files = tuple(Attachment(found[1] or found[2]) for found in _FILE.finditer(said.text))
        named = {name, id, said.speaker, _NICKNAME.sub("", said.speaker)}
        role = "user" if mine & named else role_of(name) or "participant"
        peer = (id or name) if role == "participant" else None
        yield Turn(
            role, said.text, said.timestamp, speaker=name, peer=peer, attachments=files, line=said.line
        )
