"""Errors in the words of the command line, and in Chinese: each row is that of an error that is really raised."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memfs.errors import MemfsError, VaultLocked
from memfs.interfaces.cli.wording import CHINESE, COMMANDS, say_error, say_remark
from memfs.interfaces.library import open_memory
from memfs.vault.lock import hold_vault
from tests.conftest import PROJECT, Git
from tests.interfaces.conftest import Memfs, run_memfs

HAN = re.compile("[\u4e00-\u9fff]")
SOURCES = {
    path: path.read_text("utf-8")
    for path in (PROJECT / "memfs").rglob("*.py")
    if path.parts[-2:] not in {("cli", "wording.py"), ("cli", "chinese.py"), ("cli", "remarks.py")}
}
RAISED = "".join(SOURCES.values())


@pytest.fixture
def chinese(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMFS_LANGUAGE", "zh")
    return vault


def literal(pattern: str) -> str:
    """The longest stretch of a pattern that an error says word for word."""
    parts = re.split(r"waits: |the transcript: |holds |; |\\S\+|\(?\.[+*]\)?|\(\\d\+\)|\(\\S\+\)", pattern)
    return re.sub(r"\\(.)", r"\1", max(parts, key=len)).strip()


@pytest.mark.parametrize("row", [*COMMANDS, *CHINESE], ids=lambda row: row[0])
def test_each_row_is_of_words_that_are_raised(row: tuple[str, str]) -> None:
    pattern, said = row
    of_the_command_line = {told for _, told in COMMANDS}
    assert literal(pattern) in RAISED or any(re.fullmatch(pattern, told) for told in of_the_command_line)
    groups = re.compile(pattern).groups
    assert said.count("{") == groups
    assert row in COMMANDS or HAN.search(said)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("undo", "deadbeef"), "没有提交 deadbeef", "memfs log 会列出所有提交"),
        (("undo", "--", "-x"), "不是提交：'-x'", "memfs log 会列出所有提交"),
        (("why", "m-nothere"), "没有编号为 'm-nothere' 的条目", "memfs list 会列出编号"),
        (
            ("forget", "m-nothere", "--purge", "--yes"),
            "没有、也不曾有编号为 'm-nothere' 的条目",
            "memfs list",
        ),
        (("accept", "m-nothere"), "m-nothere 没有待处理的建议", "memfs list 会列出建议"),
        (("show", "nope.md"), "没有这个文档", ""),
        (
            ("show", "nope"),
            "没有名为 nope.md 的文档，也没有编号为 nope 的条目",
            "memfs list 会列出文档与条目",
        ),
        (("show", "nope.md", "--at", "1999-01-01"), "1999-01-01 时还没有任何提交", "memfs log"),
        (
            ("remember", "x"),
            "此记忆库有多个身份，请说明是哪一个",
            "--identity 取其一：coding-assistant, home-aide",
        ),
        (
            ("remember", "x", "--identity", "home-aid"),
            "没有名为 home-aid 的身份",
            "现有：home-aide, coding-assistant；新建：memfs init . --identity home-aid",
        ),
        (("daily", "--backup-path", "/far"), "归档路径 /far 不在 archive.roots 之下", "archive.roots"),
        (("config", "file_archive_path", "memories"), "文件不会归档到此文件夹", ""),
        (("token", "remove", "nope"), "没有编号为 'nope' 的令牌", "memfs token list 会列出令牌"),
        (("transcript", "/nope"), "无法读取对话记录：文件不存在", ""),
        (("list", "--type", "nope"), "没有记忆类型 'nope'", "可选："),
        (
            ("config", "extract.delay_second"),
            "没有名为 extract.delay_second 的设置",
            "您是否想用 extract.delay_seconds？",
        ),
    ],
)
def test_common_errors_are_told_in_chinese(
    chinese: Path, arguments: tuple[str, ...], message: str, hint: str
) -> None:
    done = run_memfs("--vault", chinese, *arguments)
    lines = done.err.splitlines()
    assert done.code != 0
    assert message in lines[0], done.err
    assert hint in lines[-1], done.err


def test_what_is_wrong_with_the_vault_is_told_in_chinese(chinese: Path, tmp_path: Path, git: Git) -> None:
    (tmp_path / "odd.txt").write_bytes(b"%PDF \x00\x01")
    assert "不是对话记录" in run_memfs("transcript", tmp_path / "odd.txt").err
    (tmp_path / "odd.json").write_text('{"a": 1}\n')
    assert "无法识别的对话格式" in run_memfs("transcript", tmp_path / "odd.json").err
    assert "都不是记忆库" in run_memfs("status", "--vault", tmp_path).err
    git(chinese, "checkout", "-q", "--detach")
    detached = run_memfs("remember", "x", "--vault", chinese, "--identity", "home-aide")
    assert "HEAD 处于游离状态" in detached.err
    assert "请先用 git 完成" in detached.err


def test_what_waits_and_what_is_not_sound_is_told_in_chinese(chinese: Path, git: Git) -> None:
    here = ("--vault", chinese)
    memory = chinese / "memories" / "home-aide"
    (memory / "linked.md").symlink_to("identity.md")
    (memory / "bad.md").write_bytes(b"- \xff\xfe\n")
    git(chinese, "checkout", "-q", "-b", "other")
    status = run_memfs("status", *here).out
    assert "memfs 只提交到分支 main，当前检出的是 other，正在等待" in status
    assert "memfs 不写入 memories/home-aide/bad.md:1: 不是 UTF-8，memfs 不会写入" in status
    assert "it is 是符号链接" not in status
    git(chinese, "checkout", "-q", "main")
    checked = run_memfs("check", *here).out
    assert "linked.md: 是符号链接（指向 identity.md），memfs 不经链接写入" in checked
    (memory / "bad.md").unlink()
    assert "无法识别 'last week'" in run_memfs("show", "identity.md", "--at", "last week", *here).err
    done = run_memfs("undo", "HEAD", *here)
    assert done.code == 0 or HAN.search(done.err.splitlines()[0]), done.err


@pytest.mark.parametrize(
    ("remark", "said"),
    [
        (
            "memories/a/notes.md: the document is missing; commit its removal, or put it back",
            "memories/a/notes.md: 文档不见了；请提交删除，或放回原处",
        ),
        (
            "/t/x.jsonl: there is no key for openai (mend it by hand first)",
            "/t/x.jsonl: 缺少 openai 的密钥（请先手工修正）",
        ),
        ("a: b: of none of these words", "a: b: of none of these words"),
        (
            "the hook session-end: /t/x: the client keeps no transcript there (last at 2026-12-01 10:30, 2 times)",
            "钩子 session-end：/t/x: 客户端没有在那里保存对话记录（最近一次：2026-12-01 10:30, 2 times）",
        ),
    ],
)
def test_a_remark_is_told_in_its_parts(remark: str, said: str) -> None:
    assert say_remark("zh", remark) == said
    assert say_remark("en", remark) == remark


def test_who_holds_the_vault_is_told_in_chinese(vault: Path) -> None:
    layout = open_memory(vault).vault.layout
    with hold_vault(layout), ThreadPoolExecutor(1) as other:
        error = other.submit(hold_vault(layout, 0).__enter__).exception()
    assert isinstance(error, VaultLocked)
    assert re.fullmatch(r"记忆库正被 \S+ 上的进程 \d+ 占用", say_error("zh", error.message))
    assert say_error("zh", error.hint or "") == "请等它结束后再试"


def test_only_the_command_line_speaks_of_its_options(memfs: Memfs, vault: Path) -> None:
    memory = open_memory(vault)
    calls: list[Callable[[], object]] = [
        lambda: memory.remember("x"),
        lambda: memory.remember("x", identity="home-aid"),
        lambda: memory.why("m-nothere"),
        lambda: memory.undo("deadbeef"),
        lambda: memory.relay_add("x", channel="", identity="home-aide"),
        lambda: memory.token_remove("nope"),
    ]
    for call in calls:
        with pytest.raises(MemfsError) as caught:
            call()
        hint = caught.value.hint or ""
        assert hint
        assert "--" not in hint
        assert "memfs " not in hint
        assert say_error("en", hint) != hint
    assert "try: --identity with one of: coding-assistant, home-aide" in memfs("remember", "x").err
