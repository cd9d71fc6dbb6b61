"""Commit subjects in plain words, in the vault's language. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

Language = Literal["en", "zh"]

_NOUNS: Mapping[str, tuple[str, str, str]] = {  # type -> singular, plural, Chinese
    "profile": ("profile fact", "profile facts", "画像"),
    "preferences": ("preference", "preferences", "偏好"),
    "projects": ("project fact", "project facts", "项目信息"),
    "decisions": ("decision", "decisions", "决策"),
    "actions": ("action", "actions", "待办"),
    "notes": ("note", "notes", "笔记"),
    "entities": ("entity", "entities", "实体"),
    "events": ("event", "events", "事件"),
    "identity": ("identity fact", "identity facts", "身份信息"),
    "soul": ("core truth", "core truths", "核心信念"),
    "cases": ("case", "cases", "案例"),
    "trajectories": ("trajectory", "trajectories", "轨迹"),
    "experiences": ("experience", "experiences", "经验"),
    "skills": ("skill", "skills", "技能"),
    "tools": ("tool note", "tool notes", "工具"),
}
_VERBS: Mapping[str, tuple[str, str]] = {
    "hand": ("edited by hand: {what}", "手工编辑：{what}"),
    "undo": ("undo {what}", "撤销 {what}"),
    "remember": ("remember {what}", "记住 {what}"),
    "forget": ("forget {what}", "忘记 {what}"),
    "move": ("move {what}", "移动 {what}"),
    "accept": ("accept the suggestion for {what}", "采纳建议 {what}"),
    "reject": ("reject the suggestion for {what}", "拒绝建议 {what}"),
    "review": ("review: {what}", "整理：{what}"),
    "redact": ("take secrets out of {what}", "去除机密：{what}"),
    "edit": ("edit {what}", "编辑 {what}"),
    "agent": ("the agent asked to {what}", "智能体操作：{what}"),
    "journal": ("journal of {what}", "{what} 的日志"),
    "training": ("learned {what}", "习得 {what}"),
    "cursor": ("read on in {what}, nothing to record", "已读 {what}，无可记录"),
    "init": ("start a memory vault {what}", "建立记忆库 {what}"),
    "identity": ("add identity {what}", "新增身份 {what}"),
    "init again": ("put back what was missing in {what}", "补充 {what} 中缺失的文件"),
}


def count_phrase(counts: Mapping[str, int], language: Language = "en") -> str:
    """``2 decisions, 1 action``: how many entries of which type, in the order given; zeros are left out."""
    phrases = [_count(name, number, language) for name, number in counts.items() if number]
    return ("、" if language == "zh" else ", ").join(phrases)


def _count(name: str, number: int, language: Language) -> str:
    one, many, chinese = _NOUNS.get(name, (name, name if name.endswith("s") else f"{name}s", name))
    return f"{number} 条{chinese}" if language == "zh" else f"{number} {one if number == 1 else many}"


def merge_subject(
    identity: str, counts: Mapping[str, int], day: date | None = None, language: Language = "en"
) -> str:
    """``coding-assistant: 2 decisions, 1 action from 2026-03-14 session``."""
    what = count_phrase(counts, language)
    if language == "zh":
        return f"{identity}：{what or '无新内容'}" + (f"，来自 {day.isoformat()} 的会话" if day else "")
    return f"{identity}: {what or 'nothing new'}" + (f" from {day.isoformat()} session" if day else "")


def action_subject(kind: str, what: str, *, identity: str | None = None, language: Language = "en") -> str:
    """The subject of any other kind of commit; ``what`` is an entry, a document or a commit."""
    pattern = _VERBS.get(kind, (f"{kind} {{what}}", f"{kind} {{what}}"))[1 if language == "zh" else 0]
    said = pattern.replace("{what}", what).strip()
    return said if identity is None else f"{identity}{'：' if language == 'zh' else ': '}{said}"
