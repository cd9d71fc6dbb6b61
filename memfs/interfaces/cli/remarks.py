"""Why something waits, was left or is not sound, in Chinese: what stands behind "waits:", "problem:" and "warning:"."""

from __future__ import annotations

from collections.abc import Sequence

REMARKS: Sequence[tuple[str, str]] = (
    # documents
    (r"the document is missing; commit its removal, or put it back", "文档不见了；请提交删除，或放回原处"),
    (r"the document is empty", "文档是空的"),
    (r"the document was saved a moment ago", "文档刚刚保存过"),
    (r"the document is not UTF-8, so memfs does not write into it", "文档不是 UTF-8，memfs 不会写入"),
    (r"not UTF-8; memfs never writes into it", "不是 UTF-8，memfs 不会写入"),
    (r"its folder is a git repository of its own", "所在文件夹是独立的 git 仓库"),
    (r"the file has a git filter", "文件设有 git 过滤器"),
    (r"the file is partly staged or in conflict", "文件部分暂存或处于冲突"),
    (r"it is no regular file", "不是普通文件"),
    (r"the file is too large", "文件太大"),
    (
        r"it is a symbolic link \(to (.+)\), and memfs writes through none",
        "是符号链接（指向 {0}），memfs 不经链接写入",
    ),
    (
        r"(.+) is a symbolic link \(to (.+)\), and memfs writes through none",
        "{0} 是符号链接（指向 {1}），memfs 不经链接写入",
    ),
    (r"conflict markers of an unfinished git merge", "有未完成的 git 合并留下的冲突标记"),
    (
        r"the document holds its own frontmatter twice \(a doubled git merge\)",
        "文档的 frontmatter 重复了（合并造成）",
    ),
    (r"memfs does not write into (.+)", "memfs 不写入 {0}"),
    # transcripts
    (r"extraction is turned off \(extract\.model is empty\)", "提取已关闭（extract.model 为空）"),
    (
        r"another memfs process \(pid (\d+) on (\S+)\) is working on it",
        "另一个 memfs 进程（{1} 上的 {0}）正在处理",
    ),
    (
        r"it cannot be told whose memory it feeds; set identity for its source",
        "无法判断属于哪个身份；请为来源设置 identity",
    ),
    (
        r"the transcript was queued, and is gone; nothing of it was merged since",
        "排队的对话记录已不见，其后的内容没有合并",
    ),
    (
        r"the source (\S+) \((.+)\) is new and has (\d+) sessions \((.+) MB, about (\S+) tokens of talk; "
        r"the built-in extractor costs none\): .+",
        "新来源 {0}（{1}）有 {2} 个会话（{3} MB，约 {4} 个 token；内置提取器不花费）："
        "请用 memfs ingest --backfill none|30d|all 选择",
    ),
    (r"the source (\S+) is not there: (.+)", "来源 {0} 不存在：{1}"),
    (
        r"not merged yet, and (\S+) deletes it after (\d+) days \(it is (\d+) days old\)",
        "尚未合并，{0} 会在 {1} 天后删除它（已有 {2} 天）",
    ),
    # status
    (
        r"extract\.instructions have no effect with the extractor rules",
        "使用 rules 提取器时 extract.instructions 不起作用",
    ),
    (r"local state (\S+) was damaged and begun anew", "本地状态 {0} 已损坏并重新开始"),
    (r"the hook (\S+): (.+) \(last at (.+)\)", "钩子 {0}：{1}（最近一次：{2}）"),
    (r"the client keeps no transcript there", "客户端没有在那里保存对话记录"),
    (
        r"line (\d+) of relay\.jsonl cannot be read; it is kept as it is",
        "relay.jsonl 第 {0} 行无法读取，已原样保留",
    ),
    (r"it is a baton whose time, channel or role cannot be read", "这条接力的时间、渠道或角色无法读取"),
    # check
    (r"the id (\S+) stands in (.+) too; a copy counts as yours", "编号 {0} 也出现在 {1}；副本算作您的"),
    (r"a copy made by a sync conflict; merge it by hand", "同步冲突产生的副本；请手工合并"),
    (r"a symbolic link that is not followed", "不跟随的符号链接"),
    (r"a symbolic link to nothing", "指向空处的符号链接"),
    (r"the link to (.+): .+ note or file", "链接 {0}：没有这个笔记或文件"),
    (r"the link to (.+): .+ heading there", "链接 {0}：那里没有这个标题"),
    (r"the link to (.+): .+ block there", "链接 {0}：那里没有这个块"),
    (
        r"no link leads to these notes, nor from them \((\d+)\): (.+)",
        "没有链接指向或来自这些笔记（{0}）：{1}",
    ),
    (r"the search index was damaged and is built anew", "搜索索引已损坏，正在重建"),
    (r"a git lock; remove it if no git is running", "git 锁；若没有 git 在运行请删除它"),
    (r"a commit that a crash had interrupted was finished", "已完成崩溃中断的提交"),
    (
        r"the folder of all memory is missing; put it back, or memfs init",
        "记忆文件夹不见了；请放回，或运行 memfs init",
    ),
    (r"line (\d+) is not a ledger record", "第 {0} 行不是账目记录"),
    (r"line (\d+) is not a mark", "第 {0} 行不是标记"),
)
