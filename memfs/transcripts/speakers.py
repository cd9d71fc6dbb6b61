"""Names that stand for the user or the assistant in written-down conversations."""

from __future__ import annotations

import re

from memfs.model import Role

_USER = (
    *(
        "user",
        "you",
        "human",
        "me",
        "prompt",
        "question",
        "用户",
        "我",
        "你",
        "提问",
        "人类",
        "ユーザー",
        "あなた",
    ),
    *("사용자", "benutzer", "nutzer", "du", "usuario", "utilisateur", "vous"),
)
_ASSISTANT = (
    *("assistant", "ai", "bot", "model", "agent", "answer", "response", "chatgpt", "gpt", "claude", "gemini"),
    *(
        "copilot",
        "codex",
        "deepseek",
        "kimi",
        "qwen",
        "grok",
        "mistral",
        "llama",
        "lobsterai",
        "ai assistant",
    ),
    *(
        "助手",
        "助理",
        "智能助手",
        "机器人",
        "模型",
        "豆包",
        "通义",
        "文心一言",
        "元宝",
        "アシスタント",
        "어시스턴트",
    ),
    *("assistent", "asistente", "claude code", "gemini cli", "chatgpt said", "you said"),
)
_SURE = frozenset(
    {"user", "human", "用户", "人类", "ユーザー", "사용자", "benutzer", "nutzer", "usuario", "utilisateur"}
)
_VERSION = re.compile(
    r"(?<![\s-])[\s-]+(?:v?\d[\w.]*|opus|sonnet|haiku|pro|flash|mini|turbo|plus)\b(?s:.*)\Z"
)

_WHEN = re.compile(
    r"\A(?P<name>|.*?[^ \t])[ \t]*(?:[-–—·|,][ \t]*)?"
    r"[(\[（]?(?P<when>\d{4}[-/.年]\d{1,2}[-/.月][^)\]）]*+)[)\]）]?[ \t]*\Z"
)
_ORNAMENT = re.compile(r"\A[^\w一-鿿]+|[^\w一-鿿]+\Z")


def read_label(label: str) -> tuple[str, str | None]:
    """The name that a label gives, without ornaments, and the time where it has one: ``User (2026-11-10 09:15)``."""
    when = _WHEN.match(label)
    name, time = (when["name"], when["when"]) if when is not None else (label, None)
    return _ORNAMENT.sub("", name), time


def is_role_line(text: str) -> bool:
    """Whether a line only says who speaks, and perhaps when: such a line is never a title.

    "Gemini 3 for the archive" may be one: a version counts as part of a role only where a time follows.
    """
    name, when = read_label(text)
    return role_of(name) is not None and (when is not None or name.casefold() in _USER + _ASSISTANT)


def role_of(name: str) -> Role | None:
    """The role that a label names, None for anybody else's name."""
    plain = name.strip().strip("*_`：:").strip().casefold()
    plain = "you" if plain == "you said" else _VERSION.sub("", plain)
    if plain in _USER:
        return "user"
    if plain in _ASSISTANT:
        return "assistant"
    return None


def is_surely_role(name: str) -> bool:
    """Whether a label names the user and is no word that a chapter may have as its heading, as "Question" is."""
    return name.strip().casefold() in _SURE
