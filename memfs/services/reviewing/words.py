"""What a review did, in words: for commit subjects and for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.services.opening import Language
    from memfs.services.review import IdentityReview

WORDS: Mapping[str, tuple[str, str]] = {
    "united": ("{} united", "合并 {}"),
    "superseded": ("{} superseded", "取代 {}"),
    "suggested": ("{} offered", "建议 {}"),
    "stale": ("{} stale", "标记停滞 {}"),
    "archived": ("{} archived", "归档 {}"),
}


def counted(done: Mapping[str, int], language: Language = "en") -> str:
    """``2 united, 1 archived``; nothing where nothing was done."""
    zh = language == "zh"
    words = [form[zh].format(done[name]) for name, form in WORDS.items() if done.get(name)]
    return ("，" if zh else ", ").join(words)


def describe(one: IdentityReview, language: Language = "en") -> str:
    """One line: what a review did to an identity's memory."""
    zh = language == "zh"
    words = counted({name: getattr(one, name) for name in WORDS}, language)
    commit = f" [{one.commit[:8]}]" if one.commit else ""
    return f"{one.identity}{'：' if zh else ': '}{words or ('无需整理' if zh else 'nothing to do')}{commit}"
