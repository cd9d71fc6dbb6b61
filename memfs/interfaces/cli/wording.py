"""What the command line says of an error: its own commands as hints, and the commonest errors in Chinese.

Errors are raised in English, and in words that fit every interface.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A hint of all interfaces -> what to type instead.
COMMANDS: Sequence[tuple[str, str]] = (
    (r"the list of entries shows the ids", "memfs list shows the ids"),
    (r"the list of entries shows what is offered", "memfs list shows suggestions"),
    (r"the list of entries shows both", "memfs list shows both"),
    (
        r"one of (.+); init with the identity (\S+) makes a new one",
        "one of {0}; memfs init . --identity {1} makes a new one",
    ),
    (r"init with the identity (\S+) makes it", "memfs init . --identity {0} makes it"),
    (r"name a new one", "name one with --identity"),
    (r"name the identity: (.+)", "--identity with one of: {0}"),
    (r"the log lists the commits there are", "`memfs log` lists the commits there are"),
    (r"the list of tokens shows them", "memfs token list shows them"),
    (r"forget the entry to take it out", "memfs forget takes it out"),
    (r"where an entry comes from names its source", "memfs why ENTRY names sources"),
    (r"the role is user or assistant", "--role user"),
    (r"name the channel, such as feishu", "--channel feishu"),
    (r"the relay board shows them", "memfs relay show"),
    (r"the list of settings has them all", "`memfs config` lists the settings"),
)

# A message or a hint, as it is printed in English -> the same in Chinese, with the same values.
CHINESE: Sequence[tuple[str, str]] = (
    # nothing of that name
    (r"no entry has the id (\S+)", "没有编号为 {0} 的条目"),
    (r"no entry has or had the id (\S+)", "没有、也不曾有编号为 {0} 的条目"),
    (r"nothing is offered for (\S+)", "{0} 没有待处理的建议"),
    (r"no commit (\S+)", "没有提交 {0}"),
    (r"not a commit: (.+)", "不是提交：{0}"),
    (r"(\S+) fits several commits", "{0} 对应多个提交"),
    (r"nothing was committed yet on (\S+)", "{0} 时还没有任何提交"),
    (r"no such document", "没有这个文档"),
    (r"no such document at (.+)", "{0} 时没有这个文档"),
    (
        r"no document is called (.+), and no entry has the id (.+)",
        "没有名为 {0} 的文档，也没有编号为 {1} 的条目",
    ),
    (r"no memory type (.+)", "没有记忆类型 {0}"),
    (r"no setting is called (.+)", "没有名为 {0} 的设置"),
    # identities
    (
        r"several identities live in this vault, so the call must say which one is meant",
        "此记忆库有多个身份，请说明是哪一个",
    ),
    (r"this vault has no identity yet", "此记忆库还没有身份"),
    (r"no identity is called (\S+)", "没有名为 {0} 的身份"),
    # the vault
    (r"no vault here or above", "此处及上级文件夹都不是记忆库"),
    (r"not a git repository", "不是 git 仓库"),
    (r"not the top level of a git repository", "不是 git 仓库的顶层文件夹"),
    (r"process (\d+) on (\S+) holds the vault", "记忆库正被 {1} 上的进程 {0} 占用"),
    (r"process (\d+) on (\S+) holds the archive", "归档正被 {1} 上的进程 {0} 占用"),
    (r"process (\d+) on (\S+) holds the daily run", "每日运行正被 {1} 上的进程 {0} 占用"),
    (r"process (\d+) on (\S+) holds (.+)", "被 {1} 上的进程 {0} 占用：{2}"),
    (r"git's index is locked", "git 的索引被锁定"),
    (r"git holds a lock on (\S+)", "git 锁定了 {0}"),
    (r"memfs waits: HEAD is detached", "memfs 正在等待：HEAD 处于游离状态"),
    (r"memfs waits: a (.+) is under way", "memfs 正在等待：{0} 尚未完成"),
    # the archive, tokens
    (r"files are not archived into this folder", "文件不会归档到此文件夹"),
    (r"the archive path (.+) does not lie under archive\.roots", "归档路径 {0} 不在 archive.roots 之下"),
    (r"no token has the id (\S+)", "没有编号为 {0} 的令牌"),
    # transcripts
    (r"cannot read the transcript: No such file or directory", "无法读取对话记录：文件不存在"),
    (r"cannot read the transcript: Permission denied", "无法读取对话记录：没有权限"),
    (r"not a conversation in any known format", "无法识别的对话格式"),
    (r"binary file \(NUL bytes\), not a transcript", "二进制文件（含 NUL 字节），不是对话记录"),
    (r"not UTF-8 \(byte (\d+)\)", "不是 UTF-8（第 {0} 字节）"),
    (r"there is nothing to remember: the text is empty", "没有可记住的内容：文本为空"),
    # hints
    (r"memfs list shows the ids", "memfs list 会列出编号"),
    (r"memfs list shows suggestions", "memfs list 会列出建议"),
    (r"memfs list shows both", "memfs list 会列出文档与条目"),
    (r"`memfs log` lists the commits there are", "memfs log 会列出所有提交"),
    (r"`memfs config` lists the settings", "memfs config 会列出所有设置"),
    (r"memfs token list shows them", "memfs token list 会列出令牌"),
    (r"choose a folder under one of them, or .+", "请选择其下的文件夹，或把它加入设置 archive.roots"),
    (r"name one with --identity", "用 --identity 指定一个"),
    (r"--identity with one of: (.+)", "--identity 取其一：{0}"),
    (
        r"one of (.+); memfs init \. --identity (\S+) makes a new one",
        "现有：{0}；新建：memfs init . --identity {1}",
    ),
    (r"memfs init \. --identity (\S+) makes it", "新建：memfs init . --identity {0}"),
    (r"one of (.+)", "可选：{0}"),
    (r"did you mean (.+)\?", "您是否想用 {0}？"),
    (r"give more of its digits", "请多给几位"),
    (r"run `memfs init`.*", "请在该文件夹运行 memfs init"),
    (r"try again when it has finished", "请等它结束后再试"),
    (r"finish it with git, then run the command again", "请先用 git 完成，再重新运行"),
    (
        r"finish the git command that runs; .+",
        "请先结束正在运行的 git 命令；若没有，则是崩溃残留，请删除该文件",
    ),
    (
        r"finish the git command that runs, or .+",
        "请先结束正在运行的 git 命令；若没有，请删除 memfs status 指出的锁",
    ),
    (r"save it as UTF-8 and try again", "请另存为 UTF-8 后再试"),
    (r"see docs/transcripts\.md", "参见 docs/transcripts.md"),
)


def say_error(language: str, text: str) -> str:
    """A message or hint of an error as the command line says it."""
    told = _said(COMMANDS, text)
    return _said(CHINESE, told) if language == "zh" else told


def _said(rows: Sequence[tuple[str, str]], text: str) -> str:
    for pattern, said in rows:
        if found := re.fullmatch(pattern, text):
            return said.format(*found.groups())
    return text
