"""Parsers of text exports of Feishu, DingTalk and WeChat chats."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from memfs.model import Session
from memfs.transcripts.chat_log import ChatLog, chat_turns, read_chat_log
from memfs.transcripts.documents import head_text, read_text, whole_reader
from memfs.transcripts.message_ids import with_ids
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import layout

# What a program leaves in its exports: above the first message, or in the messages.
_ABOVE = {
    "feishu": re.compile(r"飞书|feishu|\blark\b", re.IGNORECASE),
    "dingtalk": re.compile(r"钉钉|dingtalk|ding talk", re.IGNORECASE),
    "wechat": re.compile(r"微信|wechat|weixin", re.IGNORECASE),
}
_WITHIN = {
    "feishu": re.compile(r"feishu\.cn|larksuite\.com|\b(?:ou|on|oc)_[0-9a-f]{16,}|\[(?:飞书|云)文档\]"),
    "dingtalk": re.compile(
        r"dingtalk\.com|alidocs\.|\[(?:钉钉|DING|钉一下|日程|审批)[^\]]*\]|@所有人[^\n]*DING"
    ),
    "wechat": re.compile(
        r"wxid_\w+|\[(?:动画表情|表情|语音|红包|转账|拍一拍|视频号|小程序)\]|拍了拍|mp\.weixin\.qq\.com"
    ),
}
# Without such traces: who writes like this.
_BY_STYLE = {
    "name first": "wechat",
    "time first": "wechat",
    "name above time": "dingtalk",
    "time above name": "feishu",
    "clock": "feishu",
}


class GroupChat:
    """Parser of one program's exports."""

    def __init__(self, name: str) -> None:
        self.name = name

    def recognise(self, head: bytes) -> bool:
        log = _log_in(head)
        return log is not None and program_of(log) == self.name

    def open(self, source: Source) -> Reader:
        log = read_chat_log(read_text(source))
        turns = list(with_ids(chat_turns(log, source.me))) if log is not None else []
        title = log.title.split("\n")[0].strip(" -—–=*#") if log is not None else ""
        session = Session(title=title or None, channel=self.name)
        started = next((turn.timestamp for turn in turns if turn.timestamp), None)
        progress = Progress(session=replace(session, started_at=started))
        return whole_reader(self.name, source, progress, lambda: turns)


@lru_cache(maxsize=1)  # the parsers of all programs ask in turn
def _log_in(head: bytes) -> ChatLog | None:
    text = head_text(head) if layout(head) == "text" else None
    return read_chat_log(text) if text is not None else None


def program_of(log: ChatLog) -> str | None:
    """Which program a chat comes from; None when it could be any text with times."""
    for program, trace in _ABOVE.items():
        if trace.search(log.title):
            return program
    said = "\n".join(f"{message.speaker}\n{message.text}" for message in log.messages[:500])
    for program, trace in _WITHIN.items():
        if trace.search(said):
            return program
    return _BY_STYLE.get(log.style)
