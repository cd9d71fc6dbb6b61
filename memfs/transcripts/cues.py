"""Words by which people keep something off the record. Data: one cue a line, add to them freely.

A cue is a regular expression; case does not matter. In English cues ' stands for ’ too, a blank for any space.
"""

from __future__ import annotations

# The turn in which one of these is said is not kept, nor are the answers to it.
TURN_CUES = (
    # English
    r"\boff[\s-]the[\s-]record\b",
    r"\bnot for the record\b",
    r"\b(?:don'?t|do not|never|please don'?t) (?:remember|memori[sz]e) (?:this|that|it|any of (?:this|that)|these|the following)\b",
    r"\b(?:don'?t|do not|never) (?:save|store|record|keep|put|add|write|commit|log) (?:this|that|it|any of (?:this|that)|these)"
    r"(?: \w+){0,3} (?:in|to|into) (?:your |the |long[\s-]term )*memor(?:y|ies)\b",
    r"\b(?:don'?t|do not|never) (?:take|make) (?:a )?notes? (?:of|on|about) (?:this|that|it)\b",
    r"\b(?:don'?t|do not) (?:want|need) you to (?:remember|memori[sz]e|store|save) (?:this|that|it|any)\b",
    r"\bkeep (?:this|that|it) (?:out of|off) (?:your |the )?(?:memor(?:y|ies)|notes|record)\b",
    r"\bkeep (?:this|that|it) (?:just )?between us\b",
    r"\b(?:this|that|it) (?:stays|is) (?:just |strictly )?between us\b",
    r"\bno need to (?:remember|memori[sz]e) (?:this|that|it)\b",
    r"\b(?:this|that) (?:should|must) not be (?:remembered|memori[sz]ed)\b",
    # Chinese. 记 begins many other words (记得, 记者, 记录日志), so what may follow it is given.
    r"(?:别|不要|不用|不必|无需|不许|不准|请勿|勿|甭)(?:再)?(?:帮我|给我|替我)?(?:记住|记下来?|记在?心里|记到|记进|记入|存入记忆|写进记忆|写入记忆|放进记忆|存进记忆)",
    r"(?<![特区分个类性级告离识辨差])(?:别|不要|不用|不必|甭)(?:帮我|给我)?记(?:了|啦|哈|啊|吧|哦|噢)?(?=[，。、！？；,.!?;:：)）】\s~～]|\Z)",
    r"(?:这|那|以上|以下|上面|下面|刚才|接下来)[^，。！？\n]{0,10}(?:别|不要|不用|不必|无需)"
    r"(?:记录(?=[，。！？,.!?\s了]|下来|任何|\Z)|记(?!录|者|账|仇|错|混|恨|得|忆))",
    r"(?:别|不要|不用|不必)(?:把)?(?:这|那)[^，。！？\n]{0,8}(?:记下|记住|记录下|记进|存进|写进)",
    r"(?:这|那)[^，。！？\n]{0,10}(?:不(?:要)?(?:留|做)记录|不要留底|不留痕)",
    r"(?:私下说|私底下说|不足为外人道|你知我知|仅限你我)",
    r"(?:不要|别|請勿|勿)(?:記住|記下|記錄這|記到)",
    r"オフレコ|(?:これは|それは)?(?:記憶|記録)しないで",
)
# As above, and the user's turn before it is not kept either: it is the one that is meant.
BACK_CUES = (
    r"\bforget (?:what i (?:just )?(?:said|told you|wrote)|i (?:ever )?(?:said|mentioned) (?:that|this|it|anything))\b",
    r"\b(?:don'?t|do not) (?:remember|memori[sz]e|store|save) (?:that|what i (?:just )?(?:said|told you|wrote))\b",
    r"\b(?:that|what i (?:just )?said) (?:was|is|stays) off[\s-]the[\s-]record\b",
    r"(?:刚才|刚刚|上面|上一条|前面)(?:说|讲|写|提|发)?[^，。！？\n]{0,6}(?:别|不要|不用|不必)记",
    r"(?:\A|[，。！？,.!?\s请就都])(?:忘(?:掉|了)(?:我)?(?:刚才|刚刚)说的|忘(?:掉|了)(?:它|这个|这些)?吧|当我没说)",
)
# The whole conversation is not kept.
SESSION_CUES = (
    r"\b(?:this|the|our) (?:whole |entire )?(?:session|conversation|chat|thread|discussion) (?:is|stays|should be|must be|will be|to be)"
    r" (?:completely |strictly |kept )?off[\s-]the[\s-]record\b",
    r"\b(?:keep|make|consider) (?:this|the|our) (?:whole |entire )?(?:session|conversation|chat|thread|discussion)"
    r" (?:completely |strictly )?off[\s-]the[\s-]record\b",
    r"\b(?:everything|anything|all) (?:i say |we say |said |that follows )?(?:here|in (?:this|the) (?:session|conversation|chat|thread)|today)"
    r" (?:is|stays) off[\s-]the[\s-]record\b",
    r"\b(?:don'?t|do not|never) (?:remember|memori[sz]e|save|store|record|keep|log)"
    r" (?:anything (?:from|in|of|about) )?(?:this|our) (?:whole |entire )?(?:session|conversation|chat|thread)\b",
    r"(?:这|本|此|整)(?:一)?(?:次|个|段|场)?(?:的)?(?:对话|会话|聊天|谈话|讨论)[^，。！？\n]{0,8}"
    r"(?:别|不要|不用|不必|无需|不许|请勿|勿)(?:被)?(?:记|存|保存|留)",
    r"(?:别|不要|不用|不必|请勿|勿)(?:记住?|记录|保存|存)(?:下)?(?:这|本|此)(?:次|个|段|场)?(?:对话|会话|聊天|谈话)",
    r"(?:这次|本次|今天)(?:的)?(?:对话|会话|聊天|谈话|内容)?(?:都|全部|全)(?:别|不要|不用|不必)记",
    r"(?:这|本)(?:次|個|段)?(?:對話|會話|聊天)[^，。！？\n]{0,8}(?:別|不要|不用)(?:記|存|保存)",
)
# From here on an off-the-record conversation is kept again.
BACK_ON_CUES = (
    r"\b(?:back on|on) the record (?:again|now)\b",
    r"\bback on the record\b",
    r"\byou (?:can|may) remember (?:things |this |that )?again\b",
    r"(?:现在|接下来|从现在起|从这里)(?:开始)?(?:又)?可以(?:继续)?记(?:了|住|录)",
)
# "I don't remember this" is no request. These words right before a cue make it a statement.
NO_REQUEST_BEFORE = (
    *("i", "we", "they", "he", "she", "people", "users", "who", "models", "agents"),
    *("i really", "i honestly", "i still", "i just", "i also", "we still", "we really", "so i", "why"),
)
# A prompt of memfs's own extractor holds this; a session that holds it is never read.
OWN_CALL_MARK = "memfs:extraction-call"
