"""Errors and hints of the command line in Chinese: those that people meet in everyday use."""

from __future__ import annotations

from collections.abc import Sequence

# A message, as it is printed in English -> the same in Chinese, with the same values.
ERRORS: Sequence[tuple[str, str]] = (
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
    # dates and commits
    (
        r"(.+) was not understood: it is no date, and no commit, branch or tag is called so",
        "无法识别 {0}：既不是日期，也没有这样的提交、分支或标签",
    ),
    (r"not a date: (.+) \(write it like 2026-11-30\)", "不是日期：{0}（写法如 2026-11-30）"),
    (r"no entry (\S+) in (.+)", "{1} 中没有条目 {0}"),
    (r"no entry (\S+) at (\S+)", "{1} 时没有条目 {0}"),
    # changing entries
    (r"there is nothing to write: the text is empty", "没有可写入的内容：文本为空"),
    (
        r"an entry holds at most (\d+) characters, and this text (\d+)",
        "条目最多 {0} 个字符，这段文本有 {1} 个",
    ),
    (r"no entry (\S+) that can be edited", "没有可编辑的条目 {0}"),
    (r"(\S+) is in (\S+) already", "{0} 已经在 {1} 中"),
    (r"it cannot be kept as (\S+): (.+)", "无法作为 {0} 保存：{1}"),
    (r"it cannot be written now: (.+)", "现在无法写入：{0}"),
    (r"(\S+) has no field (.+)", "{0} 没有字段 {1}"),
    (r"(\S+) is kept by field: (.+)", "{0} 按字段保存：{1}"),
    # undo
    (r"(\S+) is no merge of memfs \((.+)\)", "{0} 不是 memfs 的合并（{1}）"),
    (r"it would bring a secret \((.+)\) back into (.+):(\d+)", "这会把机密（{0}）带回 {1}:{2}"),
    (r"nothing came from (\S+)", "没有内容来自 {0}"),
    (
        r"(.+) was begun anew since it was renamed to (.+); both stay as they are",
        "{0} 改名为 {1} 之后又有了新的文件；两者都保持原样",
    ),
    (
        r"(.+) is no longer where the rename put it, and would stand twice under (.+)",
        "{0} 已不在改名后的位置，撤销会在 {1} 处出现第二份",
    ),
    (
        r"the entry (\S+) would come back into (.+), and stands in (.+) by now",
        "条目 {0} 会回到 {1}，但它现在位于 {2}",
    ),
    # the relay board
    (r"a baton has at most (\d+) characters; this one has (\d+)", "一条接力最多 {0} 个字符，这条有 {1} 个"),
    (r"a baton needs the channel it was said in", "接力需要说明所在渠道"),
    (r"no baton on the board is called (.+)", "接力板上没有 {0}"),
    # names, paths, settings
    (r"(.+) cannot name an identity or peer", "{0} 不能作为身份或对方的名称"),
    (r"the path leads out of the vault", "路径指向记忆库之外"),
    (r"no such file or folder", "没有这个文件或文件夹"),
    (r"this file is not UTF-8", "此文件不是 UTF-8"),
    (r"not valid TOML: (.+)", "不是有效的 TOML：{0}"),
    (r"cannot be read: (.+)", "无法读取：{0}"),
    (r"(\S+) must be (.+), not (.+)", "{0} 的取值应为 {1}，而不是 {2}"),
    (r"(\S+) must be one of (.+)", "{0} 只能取：{1}"),
    (r"(\S+) must be (.+)", "{0} 的取值应为 {1}"),
    (r"(\S+) must not be empty", "{0} 不能为空"),
    (r"no such backfill choice: (.+)", "没有这个回溯选项：{0}"),
    # git, the server, the model
    (r"git is not installed", "没有安装 git"),
    (r"the repository belongs to another user, so git will not use it", "仓库属于另一个用户，git 拒绝使用"),
    (r"git (.+): the disk is full", "git {0}：磁盘已满"),
    (r"the branch keeps moving", "分支一直在变动"),
    (
        r"memfs commits to the branch (.+) and waits while (.+) is checked out",
        "memfs 只提交到分支 {0}，当前检出的是 {1}，正在等待",
    ),
    (r"the folder lies inside a git repository", "该文件夹位于另一个 git 仓库之中"),
    (r"port (\d+) is taken by another program", "端口 {0} 已被其他程序占用"),
    (r"memfs up is running at (\S+) on this vault \((.+)\)", "memfs up 已在 {0} 为此记忆库运行（{1}）"),
    (
        r"another memfs watch is running .+ \((.+)\)",
        "另一个 memfs watch 正在为此记忆库运行（{0}）",
    ),
    (r"the extractor (.+) cannot be used", "无法使用提取器 {0}"),
    (r"the model (.+) needs more than the core of memfs", "使用模型 {0} 需要额外安装"),
    (r"there is no key for (\S+)", "缺少 {0} 的密钥"),
)

# What to do next.
HINTS: Sequence[tuple[str, str]] = (
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
    (
        r"a day is written 2026-11-30, a moment 2026-11-30T10:30",
        "日期写作 2026-11-30，时刻写作 2026-11-30T10:30",
    ),
    (r"take it back with git revert", "请用 git revert 撤销"),
    (r"git revert does it, if it is meant", "若确实需要，可用 git revert"),
    (r"memfs forget takes it out", "memfs forget 可移除条目"),
    (r"memfs why ENTRY names sources", "memfs why 条目编号 会列出来源"),
    (r"memfs relay show", "用 memfs relay show 查看"),
    (r"say it in fewer words", "请说得更简短"),
    (r"mend it by hand first", "请先手工修正"),
    (r"mend it by hand, then run the command again", "请手工修正后再运行"),
    (r"put the file itself in the place of the link", "请用文件本身替换该链接"),
    (r"a symbolic link points outside", "有符号链接指向外部"),
    (r"save it as UTF-8", "请另存为 UTF-8"),
    (r"save the file as UTF-8", "请把文件另存为 UTF-8"),
    (r"try again in a moment", "请稍后再试"),
    (r"git switch (\S+)", "git switch {0}（切换到该分支）"),
    (r"switch to a branch", "请切换到一个分支"),
    (r"install git 2\.36 or later and try again", "请安装 git 2.36 或更新版本后再试"),
    (r"free some space and try again", "请腾出空间后再试"),
    (r"its fields: (.+)", "它的字段：{0}"),
    (r"take one of them out by hand, or leave it as it is", "请手工去掉其中之一，或保持原样"),
)
