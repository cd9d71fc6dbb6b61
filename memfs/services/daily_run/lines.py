"""What the daily run says: its log lines, in the vault's language, and the local file that keeps them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from memfs.vault.folders import ensure_folder

TAG = "[DailyMemoryExtraction]"
LOG_BYTES = 1_000_000  # a log that is longer becomes `daily.log.1`

_LINES: Mapping[str, tuple[str, str]] = {
    "begin": ("starting the daily run", "开始执行每日任务"),
    "begin_slot": ("starting the daily run of {slot}", "开始执行每日任务 ({slot})"),
    "off": (
        "extraction is turned off (extract.model is empty)",
        "提取已关闭（extract.model 为空）",
    ),
    "found": ("active identities: {count}", "发现 {count} 个激活的身份"),
    "identity": ("identity: {identity}", "处理身份: {identity}"),
    "read": (
        "read: turns {turns}, sessions {sessions}, batons {batons} ({size})",
        "读取到 {turns} 条今天对话（{sessions} 个会话），{batons} 条接力 ({size})",
    ),
    "extracted": (
        "extraction done ({seconds:.1f} s, tokens: {tokens})",
        "提取完成 (耗时 {seconds:.1f}s, tokens: {tokens})",
    ),
    "merged": (
        "memory updated: added {added}, updated {updated}, superseded {superseded}, dropped {dropped}",
        "更新 Identity Memory: 新增 {added}, 更新 {updated}, 取代 {superseded}, 舍弃 {dropped}",
    ),
    "nothing": ("nothing to record", "无可记录"),
    "cleared": ("relay board: batons that left it: {count}", "接力板: 清除 {count} 条"),
    "again": (
        "{step} failed, trying again ({attempt} of {attempts}): {reason}",
        "{step} 失败，重试 {attempt}/{attempts}: {reason}",
    ),
    "failed": ("{step} failed: {reason}", "{step} 失败: {reason}"),
    "problem": ("problem: {reason}", "问题: {reason}"),
    "stopped": ("stopped before its end; the rest is left to the next run", "已提前停止，其余留给下次运行"),
    "end": ("done ({seconds:.1f} s)", "任务完成 (总耗时 {seconds:.1f}s)"),
    "total": (
        "extraction: identities {identities}; archiving: files {files} ({size} in all)",
        "记忆抽取: {identities} 个身份, 文件归档: {files} 个文件 (总计 {size})",
    ),
}


class DailyLog:
    """Says the lines of one run to ``announce``, and keeps them with their time in ``path``."""

    def __init__(
        self,
        path: Path,
        language: str,
        announce: Callable[[str], None] | None,
        now: Callable[[], datetime],
    ) -> None:
        self._path, self._now = path, now
        self._chinese = language == "zh"
        self._announce = announce or (lambda _: None)

    def say(self, word: str, /, **values: object) -> None:
        """The line called ``word``."""
        self.tell_of(_LINES[word][self._chinese].format(**values))

    def tell_of(self, text: str) -> None:
        """A line of the daily run itself."""
        self.tell(f"{TAG} {text}")

    def tell(self, line: str) -> None:
        """A line as it is, without secrets."""
        from memfs.extraction.redaction import redact_text

        clean = redact_text(" ".join(line.split())).text
        self._keep(clean)
        self._announce(clean)

    def _keep(self, line: str) -> None:
        ensure_folder(self._path.parent, mode=0o700)
        if self._path.is_file() and self._path.stat().st_size > LOG_BYTES:
            os.replace(self._path, self._path.with_suffix(".log.1"))
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(f"{self._now().isoformat(timespec='seconds')} {line}\n")
