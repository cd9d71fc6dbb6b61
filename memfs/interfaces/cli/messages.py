"""The sentences of the command line, in the languages of a vault."""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES: Mapping[str, tuple[str, str]] = {
    # errors
    "error": ("error: {text}", "错误：{text}"),
    "hint": ("  try: {text}", "  可以试试：{text}"),
    "problem": ("problem: {text}", "问题：{text}"),
    "interrupted": ("interrupted", "已中断"),
    "interrupted_merge": ("interrupted; what was merged stays", "已中断；已合并的内容保留"),
    "waiting": ("waits: {text}", "等待中：{text}"),
    # init
    "vault_ready": ("The vault is ready: {path}", "记忆库已就绪：{path}"),
    "vault_was_ready": ("The vault was ready already: {path}", "记忆库早已就绪：{path}"),
    "identities": ("Identities: {names}", "身份：{names}"),
    "created": ("  made {path}", "  已创建 {path}"),
    "taken": (
        "  {path} is somebody else's already, so memfs keeps its folders under memfs/",
        "  {path} 已被占用，memfs 的文件夹放在 memfs/ 下",
    ),
    "drop_here": (
        "Drop transcripts into {path}, or name their folders in memfs.toml; then: memfs ingest",
        "把对话记录放进 {path}，或在 memfs.toml 中写明其所在文件夹，然后运行：memfs ingest",
    ),
    # ingest
    "nothing_new": ("Nothing new.", "没有新内容。"),
    "ingested": ("Sessions: {sessions}, turns: {turns}; {done}.", "会话 {sessions}，消息 {turns}；{done}。"),
    "nothing_to_record": ("nothing to record", "无可记录"),
    "n_added": ("added: {n}", "新增 {n}"),
    "n_updated": ("updated: {n}", "更新 {n}"),
    "n_superseded": ("superseded: {n}", "取代 {n}"),
    "n_kept": ("kept as you have them: {n}", "保留你的 {n}"),
    "n_trained": ("learned: {n}", "习得 {n}"),
    "n_dropped": ("dropped: {n}", "舍弃 {n}"),
    "nothing_merged": (
        "Nothing was merged: something waits or failed, as told.",
        "没有合并任何内容：有内容在等待或失败，见提示。",
    ),
    "left_out": (
        "Old sessions left out: {n}; memfs ingest --backfill 30d|all takes them up, memfs ingest FILE one of them.",
        "按此选择略过以往会话：{n} 个；memfs ingest --backfill 30d|all 可补读，memfs ingest FILE 可读其中一个。",
    ),
    "something_waits": ("nothing recorded yet, something waits", "尚无记录，有内容在等待"),
    "more_reasons": ("further reasons: {n}; --json tells all", "其他原因 {n} 个；--json 可查看全部"),
    # retry, watch
    "retried": ("merged now: {session} ({identity})", "现已合并：{session}（{identity}）"),
    "failed_again": (
        "failed again: {session} ({identity}): {reason}",
        "再次失败：{session}（{identity}）：{reason}",
    ),
    "learned_now": ("learned from now: {session} ({identity})", "现已学习：{session}（{identity}）"),
    "unlearned": (
        "nothing was learned again: {session} ({identity}): {reason}",
        "再次未能学习：{session}（{identity}）：{reason}",
    ),
    # daily
    "daily_extraction": ("extraction {percent}% {name}", "记忆抽取 {percent}% {name}"),
    "daily_archiving": ("archiving {percent}% {name}", "文件归档 {percent}% {name}"),
    "daily_done": (
        "Identities extracted: {identities}; files archived: {files} ({size}).",
        "已抽取 {identities} 个身份，已归档 {files} 个文件（{size}）。",
    ),
    "daily_status": (
        "Daily run: {state}; last {last}, next {next}",
        "每日运行：{state}；上次 {last}，下次 {next}",
    ),
    "daily_idle": ("idle", "空闲"),
    "daily_running": ("running", "运行中"),
    "daily_error": ("the last one had errors", "上次有错误"),
    "daily_failed": ("daily run: {text}", "每日运行：{text}"),
    # dry runs
    "would_remember": (
        "Would be remembered: {count}; dropped: {dropped}; turns: {turns}.",
        "会记住 {count} 条，舍弃 {dropped} 条；消息 {turns} 条。",
    ),
    "dropped_line": ("dropped {type}: {reason}", "舍弃 {type}：{reason}"),
    "estimate": (
        "Turns: {turns}, model calls: {calls}, tokens in: {input}, out: {output}.",
        "消息 {turns} 条，模型调用 {calls} 次，输入 {input}、输出 {output} 个 token。",
    ),
    "price": ("About {price}.", "约 {price}。"),
    "transcript": ("{format}, session {session}, turns: {turns}", "{format}，会话 {session}：{turns} 条消息"),
    "skipped": ("could not be read: line {lines}", "无法读取：第 {lines} 行"),
    # redact
    "no_secrets": ("No secrets found; files read: {files}.", "在 {files} 个文件中未发现机密。"),
    "secrets_replaced": ("Replaced: {n}, in commit {commit}.", "已替换 {n} 处，提交 {commit}。"),
    "secret_by_hand": ("(in a line of yours)", "（你写的行）"),
    "secret_replaced": ("(replaced)", "（已替换）"),
    "redact_own": (
        "memfs redact puts placeholders in their place",
        "运行 memfs redact 可用占位符替换",
    ),
    "redact_hand": (
        "your own lines are changed only by memfs redact --hand, or by you",
        "你写的行只会由 memfs redact --hand 或你自己修改",
    ),
    "redact_history": (
        "what was committed stays in history (memfs redact --scan --history tells): memfs forget ENTRY --purge takes "
        "an entry out of it; replace a key that was committed",
        "已提交的内容仍在历史中（memfs redact --scan --history 可查看）：memfs forget ENTRY --purge 可将条目移出历史；"
        "已提交过的密钥应当更换",
    ),
    # trust
    "trust_user": ("trust: user (you said, wrote or accepted it)", "可信度：user（你说过、写下或采纳）"),
    "trust_peer": ("trust: peer (somebody else said it)", "可信度：peer（他人所说）"),
    "trust_agent": ("trust: agent (the agent found it out)", "可信度：agent（智能体自行得出）"),
    "trust_document": ("trust: document (pasted or quoted)", "可信度：document（粘贴或引用）"),
    # recall
    "no_entries": ("No entries.", "没有条目。"),
    "no_memory": ("nothing is remembered that would help here", "没有可用的记忆"),
    "no_room": ("nothing fits into this budget", "预算太小，放不下任何内容"),
    "no_hits": ("Nothing found.", "没有找到。"),
    "degraded": ("search is degraded: {reason}", "检索能力受限：{reason}"),
    "understood": ("understood: {days}", "已理解：{days}"),
    "searched_at": ("memory as it was in commit {commit}", "检索的是提交 {commit} 时的记忆"),
    "turns_found": ("Said in conversations (not memory):", "对话中说过的（不是记忆）："),
    "try_sessions": ("what was said in conversations: --sessions", "查找对话中说过的内容：--sessions"),
    "indexing_documents": ("indexing documents: {part}", "正在索引文档：{part}"),
    "reading_sessions": ("reading transcripts: {part}", "正在读取对话记录：{part}"),
    "why_score": ("score: {parts}", "得分构成：{parts}"),
    "part_id": ("id", "编号"),
    "part_words": ("words", "字词"),
    "part_meaning": ("meaning", "语义"),
    "part_date": ("date", "日期"),
    "part_superseded": ("superseded", "已取代"),
    "part_peer": ("peer", "对方"),
    "part_age": ("age", "时效"),
    "part_link": ("link", "链接"),
    # links
    "no_links": ("No links.", "没有链接。"),
    "no_broken_links": ("No link is broken.", "没有失效的链接。"),
    "links_out": ("Links to:", "链接到："),
    "links_back": ("Linked from:", "被以下链接引用："),
    "links_broken": ("Broken links:", "失效的链接："),
    "links_orphans": ("No link leads to or from:", "没有任何链接的笔记："),
    "link_external": ("not looked at", "未检查"),
    "link_no_document": ("no such note or file", "没有这个笔记或文件"),
    "link_no_heading": ("no such heading there", "其中没有这个标题"),
    "link_no_block": ("no such block there", "其中没有这个块"),
    # relay board, archive
    "baton": ("on the board: {place} ^{id}", "已放上接力板：{place} ^{id}"),
    "baton_dropped": ("not put on the board: {reason}", "未放上接力板：{reason}"),
    "no_batons": ("The board is empty.", "接力板为空。"),
    "from_memory": ("from memory", "来自记忆"),
    "overdue": ("(overdue)", "（逾期未读）"),
    "archived": (
        "Files archived: {count}, {size}; originals deleted: {deleted}.",
        "已归档 {count} 个文件，共 {size}；删除原文件 {deleted} 个。",
    ),
    "would_archive": (
        "Files that would be archived: {count}, {size}; originals that would be deleted: {deleted}.",
        "将归档 {count} 个文件，共 {size}；将删除原文件 {deleted} 个。",
    ),
    "archived_before": ("Archived before: {count}.", "早已归档：{count}。"),
    "archive_left": (
        "Left as they are: {skipped}; failed: {failed}.",
        "保留原处 {skipped} 个，失败 {failed} 个。",
    ),
    # changes
    "remembered": ("remembered: {path} ^{id}", "已记住：{path} ^{id}"),
    "redacted": (
        "something in it looks like a secret and was replaced before it was kept",
        "其中疑似密钥的内容已在保存前替换",
    ),
    "known": ("known already: {path} ^{id}", "早已记住：{path} ^{id}"),
    "forgotten": ("forgotten: {path} ^{id}", "已忘记：{path} ^{id}"),
    "really_purge": (
        "Take it out of every commit too? History is rewritten and this cannot be undone.",
        "连同所有提交中的内容一并清除？历史将被改写，且无法撤销。",
    ),
    "purged": ("forgotten for good: ^{id}", "已彻底忘记：^{id}"),
    "purge_proof": (
        "  objects searched afterwards: {objects}, still holding it: {left}",
        "  事后检查的对象：{objects}，仍含该内容：{left}",
    ),
    "purge_moved": ("  rewritten: {names}", "  已改写：{names}"),
    "purge_copy": ("  kept copy without these turns now: {path}", "  已从留存副本中移除：{path}"),
    "purge_original": (
        "  still said in (memfs does not change it): {path}",
        "  原始记录中仍有（memfs 不改动它）：{path}",
    ),
    "purge_clones": (
        "  Clones and remotes keep the old commits until you replace them.",
        "  其他克隆和远端在你替换之前仍保留旧提交。",
    ),
    "moved": ("moved: {path} ^{id}", "已移动：{path} ^{id}"),
    "accepted": ("accepted: {path} ^{id}", "已采纳：{path} ^{id}"),
    "rejected": ("rejected: {path} ^{id}", "已拒绝：{path} ^{id}"),
    "in_commit": ("commit {commit}", "提交 {commit}"),
    "undone": ("undone: {commit}", "已撤销：{commit}"),
    "nothing_undone": (
        "nothing is left to take back of {commit}",
        "{commit} 已没有可撤销的内容",
    ),
    # audit
    "by_hand": ("written by hand: {author}, commit {commit}", "手写：{author}，提交 {commit}"),
    "not_in_clone": (
        "written by memfs; the commit that tells more is not in this clone",
        "由 memfs 写入；说明来源的提交不在此克隆中",
    ),
    "by_hand_uncommitted": ("written by hand, not committed yet", "手写，尚未提交"),
    "reason": ("{action} {time} in commit {commit}", "{time} {action}，提交 {commit}"),
    "added": ("written", "写入"),
    "updated": ("updated", "更新"),
    "superseded": ("written in place of an older one", "写入并取代旧条目"),
    "removed": ("removed", "移除"),
    "from_session": ("session {source}", "会话 {source}"),
    "extractor": ("extractor {name}", "提取器 {name}"),
    "tokens": ("{input} + {output} tokens", "{input} + {output} 个 token"),
    "kept_copy": ("{path} (kept copy)", "{path}（留存副本）"),
    "told_outright": (
        "told outright on {time} (memfs remember or a call like it): there is no transcript",
        "{time} 直接告知（memfs remember 或同类调用）：没有对话记录",
    ),
    "told_by_agent": (
        "an agent asked to keep it on {time}: there is no transcript",
        "{time} 由智能体要求记住：没有对话记录",
    ),
    "turn_gone": ("message {message}: no copy of it is left", "消息 {message}：已没有副本"),
    "nothing_changed": ("Nothing changed.", "没有变化。"),
    "no_log": ("Nothing was committed yet.", "还没有任何提交。"),
    # upkeep
    "status_vault": (
        "Vault {path}, branch {branch}, commit {commit}",
        "记忆库 {path}，分支 {branch}，提交 {commit}",
    ),
    "status_extractor": ("Extractor {name}, {when}", "提取器 {name}，{when}"),
    "live": ("as transcripts grow", "随对话增长"),
    "daily": ("once a day", "每天一次"),
    "none": ("none", "无"),
    "never": ("never", "从未"),
    "identity": ("identity", "身份"),
    "last_run": ("last run", "上次运行"),
    "tokens_today": ("tokens today", "今日 token"),
    "source": ("source", "来源"),
    "transcripts": ("transcripts", "对话记录"),
    "unmerged": ("unmerged", "未合并"),
    "choice_needed": (
        "the source {name} is new and large: choose with memfs ingest --backfill none|30d|all",
        "来源 {name} 是新的且内容很多：请用 memfs ingest --backfill none|30d|all 选择",
    ),
    "to_merge": ("transcripts not merged yet: {n}; memfs ingest", "尚未合并的对话记录：{n}；memfs ingest"),
    "why_unmerged": ("  when it was last tried: {text}", "  上次尝试时：{text}"),
    "unfinished": (
        "a commit was interrupted; the next command that writes, or memfs check, finishes it",
        "有一次提交被中断；下一个写入命令或 memfs check 会完成它",
    ),
    "set_aside": (
        "set aside: {session} ({identity}): {reason}; memfs retry tries it again",
        "已搁置：{session}（{identity}）：{reason}；memfs retry 可重试",
    ),
    "lock": ("git lock: {text}", "git 锁：{text}"),
    "warning": ("warning: {text}", "注意：{text}"),
    "all_well": ("Nothing waits.", "没有待办。"),
    "checked": (
        "Documents: {documents}, entries with an id: {entries}.",
        "文档 {documents}，带编号的条目 {entries}。",
    ),
    "sound": ("All is sound.", "一切正常。"),
    "finding_error": ("wrong: {text}", "错误：{text}"),
    "finding_warning": ("mind: {text}", "注意：{text}"),
    "finding_mended": ("mended: {text}", "已修复：{text}"),
    "finding_note": ("note: {text}", "提示：{text}"),
    # eval
    "all": ("all", "全部"),
    "by_type": ("by type", "按类型"),
    "by_language": ("by language", "按语言"),
    "by_kind": ("by kind", "按类别"),
    "unknown": ("unknown", "未知"),
    "eval_empty": (
        "Left empty as they should be: {left} of {all}. Entries that only repeat others: {repeats}.",
        "应为空且为空：{all} 中的 {left}。只是重复的条目：{repeats}。",
    ),
    "eval_attribute": ("{name} right: {right} of {n}", "{name} 正确：{n} 中的 {right}"),
    "eval_violation": ("must not be kept: {id} [{why}] {text}", "不应保留：{id} [{why}] {text}"),
    "eval_failed": ("not read: {id}: {reason}", "未能读取：{id}：{reason}"),
    "eval_missing": ("without a prediction: {ids}", "没有预测：{ids}"),
    "eval_unknown": ("predictions of what is not labelled: {ids}", "没有标注的预测：{ids}"),
    "eval_took": (
        "{model}: turns: {turns}, seconds: {seconds}, tokens in: {input}, out: {output}, price: {price}",
        "{model}：消息 {turns} 条，{seconds} 秒，输入 {input}、输出 {output} 个 token，价格 {price}",
    ),
    "eval_beside": (
        "Only inferred, so offered and not counted: {offered}. Dropped: {dropped}.",
        "仅为推断、只作建议而不计入：{offered}。舍弃：{dropped}。",
    ),
    "eval_reached": (
        "Type-correct precision {precision} and recall {recall} both reach 0.8.",
        "类型正确的精确率 {precision} 与召回率 {recall} 均达到 0.8。",
    ),
    "eval_missed": (
        "Type-correct precision {precision} and recall {recall} do not both reach 0.8.",
        "类型正确的精确率 {precision} 与召回率 {recall} 未同时达到 0.8。",
    ),
    "reviewed": ("Reviewed: {done}.", "已整理：{done}。"),
    "nothing_to_review": ("Nothing to tidy.", "无需整理。"),
    "see_suggestions": (
        "Offered wordings stand under their entries; memfs list shows them, memfs accept or reject takes one.",
        "建议写在条目下方；memfs list 可查看，memfs accept 或 reject 处理。",
    ),
    "left_alone": ("left as it is: {id}: {reason}", "未改动：{id}：{reason}"),
    "pairs_left": (
        "{identity}: pairs left for the next review: {n}",
        "{identity}：留待下次整理的条目对：{n}",
    ),
    "reindexed": ("Documents indexed: {count}.", "已索引 {count} 个文档。"),
    "edited": ("edited: {path} ^{id}", "已编辑：{path} ^{id}"),
    # serving
    "token_file": (
        "memfs: the owner's token is in {path}, once the server answers",
        "memfs：服务启动后，所有者令牌位于 {path}",
    ),
    "token_made": (
        "Token {id} sees only the memory of {identity}. It is not shown again.",
        "令牌 {id} 只能访问 {identity} 的记忆，且不会再次显示。",
    ),
    "token_removed": ("removed: {id}", "已移除：{id}"),
    "no_tokens": ("No tokens but the owner's.", "除所有者外没有令牌。"),
    "token_id": ("id", "编号"),
    "token_name": ("for", "用途"),
    "token_created": ("made", "创建"),
    "installed": ("installed", "已安装"),
    "not_installed": ("not installed", "未安装"),
    "really_install": ("Write {path} and start the service?", "写入 {path} 并启动服务？"),
    "really_uninstall": ("End the service and remove {path}?", "停止服务并移除 {path}？"),
    "service_installed": ("Installed and started: {name}", "已安装并启动：{name}"),
    "service_uninstalled": ("Ended and removed: {name}", "已停止并移除：{name}"),
    "run_by_hand": (
        "this could not be done, run it by hand: {command}",
        "无法自动执行，请手动运行：{command}",
    ),
    # settings
    "set": ("{key} = {value} in {path}", "{path} 中 {key} = {value}"),
    "unset": ("{key} removed from {path}", "已从 {path} 移除 {key}"),
    "was_unset": ("{key} is not set in {path}", "{path} 中未设置 {key}"),
    "setting": ("setting", "设置"),
    "value": ("value", "值"),
    "from": ("set in", "来源"),
    "type": ("type", "类型"),
    "lives_in": ("lives in", "位置"),
    "holds": ("holds", "内容"),
    "off": ("{name} (off)", "{name}（关闭）"),
}


def message(language: str, key: str, /, **values: object) -> str:
    """The sentence ``key`` with its values filled in; English where the language is not known."""
    english, chinese = MESSAGES[key]
    return (chinese if language == "zh" else english).format(**values)
