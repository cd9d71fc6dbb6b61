"""The words that people use for memfs's own kinds, so that "open tasks" or 已知问题 finds them.

They are indexed with the headings of an entry, in every language that memfs writes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memfs.model import EntryView

_TYPES = {
    "profile": "profile 个人信息",
    "preferences": "preference prefer 偏好",
    "projects": "project 项目",
    "decisions": "decision decide decided 决定 决策",
    "actions": "task action item todo 任务 待办 タスク",
    "notes": "note 笔记",
    "events": "event 事件",
    "cases": "case 案例",
    "experiences": "experience lesson 经验",
    "journal": "journal 日志",
}
_FIELDS = {
    "name": "name called 名字 姓名",
    "role": "role job position 角色 职位",
    "team": "team 团队",
    "timezone": "time zone 时区",
    "tech_stack": "technology stack 技术栈",
    "current_project": "current project 当前项目",
    "style": "style 风格",
    "description": "description about 介绍",
    "stage": "stage state progress 阶段 进度",
    "key_tasks": "key task 关键任务",
    "known_issues": "known issue problem trouble 已知问题 問題",
    "dependencies": "dependency depends 依赖",
    "summary": "summary 概要",
    "goal": "goal aim 目标",
}
_STATUS = {
    "pending": "open pending due deadline 未完成 截止 到期 期限",
    "in_progress": "open in progress due deadline 进行中 截止 到期 期限",
    "done": "done finished completed 已完成",
    "superseded": "superseded old former 已取代",
}
_PRIORITY = {
    "high": "high priority 高优先级",
    "medium": "medium priority 中优先级",
    "low": "low priority 低优先级",
}


_JOURNAL = re.compile(r"\b(?:journals?|diary|working memory)\b|日志|日记|工作记忆", re.IGNORECASE)


def asks_of_journal(query: str) -> bool:
    """Whether a question names the journal itself."""
    return bool(_JOURNAL.search(query))


def in_chinese(view: EntryView) -> str:
    """An entry's text with the name of its field (``name: Priya``) in Chinese, where memfs has one for it."""
    names = _FIELDS.get(view.field or "", "").split()
    name = next((name for name in names if not name.isascii()), None)
    label = f"{view.field}: "
    if name is None or label not in view.text:
        return view.text
    before, _, after = view.text.partition(label)
    return f"{before}{name}：{after}"


@lru_cache(maxsize=1024)
def labels_of(type_name: str, field: str | None, status: str | None, priority: str | None) -> str:
    """Return the words for what kind of entry it is that an `EntryView` has these of."""
    parts = (
        _TYPES.get(type_name, ""),
        _FIELDS.get(field or "", ""),
        _STATUS.get(status or "", ""),
        _PRIORITY.get(priority or "", ""),
    )
    return " ".join(part for part in parts if part)
