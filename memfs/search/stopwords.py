"""Words that ask, and say nothing of what is asked for."""

from __future__ import annotations

import re

_ENGLISH = """
a about above after again all also am an and any are as at be because been before being between both but by
can cannot could did do does doing down during each few for from further get had has have having he
her here hers him his how i if in into is it its itself just let me might mine more most much must my no
nor not of off on once only or other our ours out over own please same shall she should so some such tell
than that the their theirs them then there these they this those through to too under until up us very
was we were what when where which while who whom whose why will with would you your yours
"""
_GERMAN = """
aber als am an auch auf aus bei bin bis das dass dem den der des die doch ein eine einem einen einer es für
hat ich im ist ja kann man mein mit nach nicht noch nur oder sich sie sind um und uns vom von vor wann war
warum was wer wie wir wird wo zu zum zur
"""
STOP_WORDS = frozenset(_ENGLISH.split()) | frozenset(_GERMAN.split())

_CJK_QUESTIONS = """
为什么 是什么 有什么 什么时候 什么 怎么样 怎么 怎样 哪一个 哪个 哪些 哪里 哪天 哪位 哪年 哪张 哪
多少 几个 几点 是否 能否 如何 谁 吗 呢 请问 我们的 我们 你们 他们 她们 咱们
这个 那个 这些 那些 那次 这次 有没有 是不是 现在 目前
ですか ますか でしょうか ください という とは なに 何 どこ いつ だれ です でした ます ました
"""
_KOREAN = """
은 는 이 가 을 를 에서 에게 무엇 언제 어디 누구 어떻게 왜
"""
_KANJI = "\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff"

# Blanked out of a question, so that no pair of characters crosses them. Particles only where they cannot be
# part of a word: 的 but not in 目的; a lone hiragana between kanji or katakana; Korean words that stand
# alone.
CJK_STOP_WORDS = re.compile(
    "|".join(
        [
            *(re.escape(word) for word in sorted(_CJK_QUESTIONS.split(), key=len, reverse=True)),
            r"(?<![目标])的(?!确)|了(?!解)",
            rf"(?<=[{_KANJI}」])[はがをにへともやでの](?=[{_KANJI}「]|\W|$)",
            rf"(?<!\w)(?:{'|'.join(_KOREAN.split())})(?!\w)",
        ]
    )
)

# Dropped as single characters; pairs that hold them stay.
STOP_CHARACTERS = frozenset(
    "我你他她它的了着得地和与及或在是有也都就还又很把被让给从这那个不はがをにへともやでのすまた은는이가을를"
)
