"""What the watcher says: one line per event, in the vault's language. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_LINES: Mapping[str, tuple[str, str]] = {
    "watching": ("watching {vault}", "正在监视 {vault}"),
    "ended": ("stopped", "已停止"),
    "polling": (
        "looking every {seconds} s, as watch.polling says",
        "按 watch.polling 设置，每 {seconds} 秒查看一次",
    ),
    "exhausted": (
        "the system has no more {limit} for change events; looking every {seconds} s instead",
        "系统的文件变更通知（{limit}）已用尽；改为每 {seconds} 秒查看一次",
    ),
    "lost": ("{path} is not there; looking for it to return", "找不到 {path}；等它回来"),
    "back": ("{path} is back", "{path} 已恢复"),
    "unreadable": ("cannot look into {path}: {reason}", "无法查看 {path}：{reason}"),
    "conflict": (
        "conflict copy {path}: never searched or written; settle it by hand",
        "冲突副本 {path}：不检索也不写入，请手工处理",
    ),
    "twins": (
        "names that differ in Unicode form only, both kept: {paths}",
        "文件名仅 Unicode 形式不同，均保留：{paths}",
    ),
    "renamed": ("renamed {old} -> {new}", "已改名 {old} -> {new}"),
    "choose": ("waiting: {reason}", "等待：{reason}"),
    "noticed": (
        "{identity}: noticed {what}, waiting {seconds} s",
        "{identity}：发现 {what}，等待 {seconds} 秒",
    ),
    "noticed_now": ("{identity}: noticed {what}", "{identity}：发现 {what}"),
    "deferred": (
        "{identity}: noticed {what}, deferred {seconds} s by the interval between runs",
        "{identity}：发现 {what}，因运行间隔推迟 {seconds} 秒",
    ),
    "pending": ("{identity}: noticed {what}, pending: {reason}", "{identity}：发现 {what}，待处理：{reason}"),
    "off": ("extraction is off (extract.model is empty)", "提取已关闭（extract.model 为空）"),
    "daily": ("left to the daily run", "留给每日运行"),
    "policy": ("the memory policy allows nothing", "记忆策略不允许任何写入"),
    "waiting": ("waiting: {reason}; next try in {seconds} s", "等待：{reason}；{seconds} 秒后重试"),
    "problem": ("{reason}", "{reason}"),
    "skipped": ("skipped {what}: it is gone", "跳过 {what}：文件已不在"),
    "indexing": ("indexing documents: {part}", "正在索引文档：{part}"),
    "indexed": ("index updated: {count} documents", "索引已更新：{count} 篇文档"),
    "moved_cursors": (
        "{identity}: committed how far was read [{commit}]",
        "{identity}：已提交读取进度 [{commit}]",
    ),
    "settings": ("settings read again", "已重新读取设置"),
    "settings_wrong": ("the old settings stay: {reason}", "沿用旧设置：{reason}"),
    "failed": ("went wrong, going on: {reason}", "出错，继续运行：{reason}"),
    "transcripts": ("{count} transcripts", "{count} 份对话"),
}
_ONE: Mapping[str, str] = {"indexed": "index updated: 1 document", "transcripts": "1 transcript"}


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be said: the name of its line, and what is filled in."""

    word: str
    values: tuple[tuple[str, object], ...] = ()


def notice(word: str, **values: object) -> Notice:
    """A notice of the line ``word``."""
    return Notice(word, tuple(sorted(values.items())))


def say(language: str, said: Notice) -> str:
    """The line of a notice in ``en`` or ``zh``."""
    values = dict(said.values)
    if language != "zh" and values.get("count") == 1 and said.word in _ONE:
        return _ONE[said.word]
    return _LINES[said.word][language == "zh"].format(**values)
