"""What the archive says: its log lines and why a file was left, in the vault's language."""

from __future__ import annotations

from collections.abc import Mapping

_LINES: Mapping[str, tuple[str, str]] = {
    "found": ("found {count} file{s} to archive", "发现 {count} 个文件需要归档"),
    "archived": ("archived: {source} -> {copy}", "归档文件: {source} -> {copy}"),
    "deleted": ("deleted the original: {source}", "删除原文件: {source}"),
    "would": ("would archive: {source} -> {copy}", "将归档文件: {source} -> {copy}"),
    "would_delete": ("would delete the original: {source}", "将删除原文件: {source}"),
    "left": ("left as it is: {source} ({reason})", "保留原处: {source} ({reason})"),
    "no_roots": ("archive.roots: {why}", "archive.roots：{why}"),
    "failed": ("failed: {text}", "失败: {text}"),
    "total": ("archived {count} file{s} ({size} in all)", "归档完成: {count} 个文件 (总计 {size})"),
    "total_would": (
        "would archive {count} file{s} ({size} in all)",
        "将归档: {count} 个文件 (总计 {size})",
    ),
}
_REASONS: Mapping[str, tuple[str, str]] = {
    "absent": ("missing", "文件不存在"),
    "no_folder": (
        "missing: no folder is known that its name counts from",
        "文件不存在：相对路径没有所属目录",
    ),
    "outside": ("outside archive.roots", "不在 archive.roots 之内"),
    "no_roots": (
        "no folder is named from which files may be archived, so {count} mentioned file{s} stayed; "
        'name some in memfs.toml under [archive]: roots = ["/home/robin/work"]',
        "没有设置允许归档的文件夹，{count} 个提到的文件保留原处；"
        '请在 memfs.toml 的 [archive] 中设置：roots = ["/home/robin/work"]',
    ),
    "link": ("a symbolic link", "符号链接"),
    "special": ("no regular file", "不是普通文件"),
    "unreadable": ("cannot be read", "无法读取"),
    "too_large": ("larger than archive.max_megabytes", "超过 archive.max_megabytes"),
    "changing": ("still being written", "仍在写入"),
    "own": ("a file of memfs itself", "memfs 自己的文件"),
    "original_changed": (
        "archived; the original stays, since it changed or is open",
        "已归档；原文件已变化或被占用，故保留",
    ),
}
UNSETTLED = frozenset({"unreadable", "too_large", "changing", "original_changed"})


def log_line(language: str, key: str, /, **values: object) -> str:
    """A line as monitoring expects it: ``[FileArchiver] ...``."""
    english, chinese = _LINES[key]
    plural = "" if values.get("count") == 1 else "s"
    return "[FileArchiver] " + (chinese if language == "zh" else english).format(**values, s=plural)


def reason(language: str, key: str, *, count: int = 0) -> str:
    """Why a file was left where it is, or ``count`` files were."""
    english, chinese = _REASONS[key]
    return (chinese if language == "zh" else english).format(count=count, s="" if count == 1 else "s")


def size_text(size: int) -> str:
    """A number of bytes for people."""
    amount, unit = float(size), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"
