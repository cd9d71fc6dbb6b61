"""The text of the files that a new vault begins with. Pure."""

from __future__ import annotations

import json
from datetime import date
from typing import Literal

from memfs.memory.views import INTRODUCTION
from memfs.vault.layout import Layout

Language = Literal["en", "zh"]

_CONFIG = {
    "en": (
        "Settings of this vault; memfs.local.toml beside it overrides them on this machine.",
        'Language of headings, messages and commit subjects: "en" or "zh".',
        "The folder of this vault that memfs keeps its own folders in.",
        "The branch memfs commits to; on any other it waits.",
        "What extracts memories from transcripts; empty turns it off.",
    ),
    "zh": (
        "本库的设置；同目录的 memfs.local.toml 在本机覆盖它们。",
        '标题、消息和提交说明的语言："en" 或 "zh"。',
        "memfs 在本库中存放自己文件夹的目录。",
        "memfs 提交到的分支；在其他分支上它会等待。",
        "从对话记录中提取记忆的方式；留空则关闭。",
    ),
}
_PAGES = {
    "profile": ("Profile", "个人信息"),
    "preferences": ("Preferences", "偏好"),
    "decisions": ("Decisions", "决策"),
    "actions": ("Actions", "行动项"),
    "notes": ("Notes", "笔记"),
}


def render_config(language: Language, root: str, branch: str) -> str:
    """A ``memfs.toml`` with the settings that init decides and a word on each."""
    about, about_language, about_root, about_branch, about_model = _CONFIG[language]
    lines = [f"# {about}", "", f"# {about_language}", f"language = {_quote(language)}"]
    if root:
        lines += ["", f"# {about_root}", f"root = {_quote(root)}"]
    if branch:
        lines += ["", "[git]", f"# {about_branch}", f"branch = {_quote(branch)}"]
    lines += ["", "[extract]", f"# {about_model}", 'model = "rules"']
    return "\n".join(lines) + "\n"


def render_identity(layout: Layout, identity: str, language: Language, today: date) -> str:
    """The ``identity.md`` of a new identity: frontmatter and links to its documents."""
    folder = layout.rel(layout.identity_dir(identity))
    links = [f"- [[{folder}/{page}|{names[language == 'zh']}]]" for page, names in _PAGES.items()]
    head = [
        f"identity: {_scalar(identity)}",
        "type: identity",
        f"created: {today.isoformat()}",
        f"updated: {today.isoformat()}",
    ]
    return (
        "\n".join(["---", *head, "---", "", f"# {identity}", "", INTRODUCTION[language], "", *links]) + "\n"
    )


def _quote(text: str) -> str:
    # A JSON string is a TOML basic string, but for DEL, which no branch or folder name holds.
    return json.dumps(text, ensure_ascii=False)


def _scalar(name: str) -> str:
    """A safe name as a YAML scalar that stays text (``no``, ``1e3`` and ``2026-01-01`` would not)."""
    plain = name[0].isalpha() and "-" in name and not name.endswith("-")
    return name if plain else f'"{name}"'
