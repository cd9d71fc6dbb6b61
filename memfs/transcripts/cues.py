"""Words by which people keep something off the record. Data: one cue a line, add to them freely.

A cue is plain words. ``{name}`` stands for any of the words of that name in WORDS, ``{name?}`` for one or
none. Case, apostrophes (' or ’) and the width of spaces do not matter. Chinese cues are regular expressions
where a word could also begin another one (记得, 记者, 记录日志 ask for nothing).
"""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    "dont": ("don't", "dont", "do not", "never", "you shouldn't", "you must not"),
    "remember": ("remember", "memorize", "memorise"),
    "save": ("save", "store", "record", "keep", "put", "add", "write", "commit", "log", "remember"),
    "this": ("this", "that", "it", "these", "any of this", "any of that", "any of it", "the following"),
    "part": ("message", "part", "bit", "one", "fact", "detail", "secret"),
    "into": ("in", "to", "into"),
    "your": ("your", "the", "long-term", "your long-term", "the long-term"),
    "memory": ("memory", "memories"),
    "the session": (
        *(
            "this session",
            "this conversation",
            "this chat",
            "this thread",
            "this discussion",
            "this whole session",
        ),
        *("this whole conversation", "this whole chat", "this entire session", "this entire conversation"),
        *("the whole session", "the whole conversation", "the whole chat", "the entire conversation"),
        *("our conversation", "our chat", "the rest of this conversation", "the rest of this session"),
    ),
    "is": ("is", "stays", "should be", "must be", "will be", "is all", "is strictly", "is completely"),
    "i said": ("what i said", "what i just said", "what i told you", "what i just told you", "what i wrote"),
    "off": ("off the record", "off-the-record"),
    "不要": ("别", "不要", "不用", "不必", "无需", "不许", "不准", "请勿", "勿", "甭", "別"),
    "替我": ("再", "帮我", "给我", "替我", "把它", "把这个"),
    "记下": (
        *(
            "记住",
            "记下来",
            "记下",
            "记在心里",
            "记到",
            "记进",
            "记入",
            "存入记忆",
            "写进记忆",
            "写入记忆",
            "放进记忆",
        ),
        *("存进记忆", "加入记忆", "記住", "記下"),
    ),
    "这": ("这", "那", "以上", "以下", "上面", "下面", "接下来", "這"),
    "这次对话": (
        *(
            "这次对话",
            "这个对话",
            "这段对话",
            "本次对话",
            "整个对话",
            "此次对话",
            "这场对话",
            "这次会话",
            "这个会话",
            "本次会话",
        ),
        *(
            "整个会话",
            "本会话",
            "这次聊天",
            "这段聊天",
            "这个聊天",
            "本次聊天",
            "整个聊天",
            "这次谈话",
            "本次谈话",
            "这次讨论",
        ),
        *("今天的对话", "今天的聊天", "這次對話", "這段對話", "整個對話"),
    ),
    "记存": ("记", "存", "保存", "留", "被记", "記"),
    "刚才": ("刚才", "刚刚", "上一条", "前面"),
}

# The turn in which one of these is said is not kept, nor are the answers to it.
TURN_CUES = (
    "{off}",
    "not for the record",
    "{dont} {remember} {this}",
    "{dont} {save} {this} {part?} {into} {your?} {memory}",
    "{dont} take notes of {this}",
    "{dont} take notes on {this}",
    "{dont} make a note of {this}",
    "{dont} want you to {remember} {this}",
    "{dont} want you to {save} {this}",
    "{dont} need to {remember} {this}",
    "keep {this} out of {your?} {memory}",
    "keep {this} off the record",
    "keep {this} between us",
    "{this} stays between us",
    "{this} is between us",
    "{this} is just between us",
    "no need to {remember} {this}",
    "{this} should not be remembered",
    "{不要}{替我?}{记下}",
    r"(?<![特区分个类性级告离识辨差]){不要}{替我?}记(?:了|啦|哈|啊|吧|哦|噢)?(?=[，。、！？；,.!?;:：)）】\s~～]|\Z)",
    r"{这}[^，。！？\n]{0,10}{不要}(?:记录(?=[，。！？,.!?\s了]|下来|任何|\Z)|[记記](?![录者账仇错混恨得忆]))",
    r"{不要}把?(?:这|那)[^，。！？\n]{0,8}(?:{记下}|记录下)",
    r"(?:这|那)[^，。！？\n]{0,10}(?:不要?(?:留|做)记录|不要留底)",
    "私下说",
    "私底下说",
    "你知我知",
    "オフレコ",
    "(?:記憶|記録)しないで",
)
# As above, and the user's turn before it is not kept either: it is the one that is meant.
BACK_CUES = (
    "forget {i said}",
    "forget i said {this}",
    "forget i mentioned {this}",
    "forget i ever said {this}",
    "{dont} {remember} that",
    "{dont} {remember} {i said}",
    "{i said} was {off}",
    "that was {off}",
    "that is {off}",
    r"{刚才}[说讲写提发]?[^，。！？\n]{0,6}{不要}记",
    r"(?:\A|[，。！？,.!?\s请就都])忘(?:掉|了)(?:我?{刚才}说的|(?:它|这个|这些)?吧)",
    r"(?:\A|[，。！？,.!?\s请就都])当我没说",
)
# The whole conversation is not kept.
SESSION_CUES = (
    "{the session} {is} {off}",
    "keep {the session} {off}",
    "make {the session} {off}",
    "everything here {is} {off}",
    "everything i say {is} {off}",
    "everything in {the session} {is} {off}",
    "{dont} {save} {the session}",
    "{dont} {save} anything from {the session}",
    "{dont} {save} anything in {the session}",
    "{dont} {save} anything i say in {the session}",
    r"{这次对话}[^，。！？\n]{0,8}{不要}{记存}",
    r"{不要}(?:记住?|记录|保存|存)下?{这次对话}",
    r"(?:这次|本次|今天)(?:的内容)?(?:都|全部|全){不要}记",
)
# From here on a conversation that is off the record is kept again.
BACK_ON_CUES = (
    "back on the record",
    "on the record again",
    "on the record now",
    "you can remember things again",
    "you may remember again",
    r"(?:现在|接下来|从现在起|从这里)(?:开始)?又?可以(?:继续)?记[了住录]",
)
# "I don't remember this" is no request: these words right before a cue make it a statement.
NO_REQUEST_BEFORE = (
    *("i", "we", "they", "he", "she", "people", "users", "who", "models", "agents", "why"),
    *("i really", "i honestly", "i still", "i just", "i also", "we still", "we really", "so i"),
)
# A prompt of memfs's own extractor holds this; a session that holds it is never read.
OWN_CALL_MARK = "memfs:extraction-call"
