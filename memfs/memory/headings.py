"""Headings and titles in the vault's language. A document keeps the language it was begun in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

Language = Literal["en", "zh"]

# The first is what memfs writes; the others are known too, so that no second such section appears.
_CHINESE: dict[str, tuple[str, ...]] = {
    "Profile": ("个人信息", "用户信息"),
    "Preferences": ("偏好",),
    "Decisions": ("决策", "决定"),
    "Actions": ("行动项", "待办"),
    "Notes": ("笔记",),
    "Identity": ("身份",),
    "Soul": ("灵魂",),
    "Open": ("待办", "进行中", "未完成"),
    "Done": ("已完成", "完成"),
    "Superseded": ("已被取代", "已取代", "已废弃"),
    "Archived": ("已归档", "归档"),
    "Pitfalls": ("坑与修复", "踩坑"),
    "General": ("一般",),
}


def heading(english: str, language: Language) -> str:
    """The heading in that language; one that memfs does not know stays as it is."""
    return _CHINESE[english][0] if language == "zh" and english in _CHINESE else english


@lru_cache(maxsize=1024)
def same_heading(title: str, other: str) -> bool:
    """Whether two titles are the same heading, in whatever language and case."""
    return bool(_names(title) & _names(other))


def is_superseded_heading(trail: Iterable[str]) -> bool:
    """Whether a section holds what later entries replaced."""
    return any(same_heading(title, "Superseded") for title in trail)


def is_archived_heading(trail: Iterable[str]) -> bool:
    """Whether a section holds what is over: kept, but no longer current."""
    return any(same_heading(title, "Archived") for title in trail)


def is_done_heading(trail: Iterable[str]) -> bool:
    """Whether a section holds finished tasks."""
    return any(same_heading(title, "Done") for title in trail)


def _names(title: str) -> set[str]:
    folded = " ".join(title.split()).casefold()
    names = {folded}
    for english, chinese in _CHINESE.items():
        if folded == english.casefold() or title.strip() in chinese:
            names.add(english.casefold())
    return names
