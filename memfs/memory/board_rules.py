"""When a baton is unread, overdue, or leaves the board. Pure: times and batons in, decisions out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from memfs.memory.board import Baton

LIFE = timedelta(hours=24)
LONGEST = 400  # characters
PRESSING = 200  # unread batons that bring the next run forward

_MARKS = re.compile(r"[\W_]+")
_LONGEST_LOW = 30  # characters; what is longer says something
_ENGLISH = re.compile(
    r"(?:(?:o?k++|okay|okey|alright|fine|cool|nice|great|good|perfect|sure|yep|yup|right|noted|understood|roger"
    r"|cheers|got it|will do|sounds good|copy that|thank you|thanks|thx|ty|so much|a lot|hi|hello|hey|bye|hm++|uh|um"
    r"|oh|ah|wow|(?:ha|he|hi){2,}+h?|lo++l|x++d++|\d++)(?: |$))++"
)
_CHINESE = re.compile(
    r"(?:好[的滴嘞吧啊呀]?|嗯++|恩++|哦++|噢++|喔++|啊++|行|可以的?|收到|了解|明白了?|知道了?|没问题|谢谢你?|多谢|感谢"
    r"|辛苦了?|哈++|嘿++|呵++|你好|您好|在吗|再见|拜拜|对的?|是的|赞|棒|[了呀嘛呢])+"
)


def is_low_signal(text: str) -> bool:
    """Whether a text tells the next agent nothing: an acknowledgement, a greeting, laughter, bare digits, signs."""
    words = _MARKS.sub(" ", text.casefold()).strip()
    if len(words) > _LONGEST_LOW:
        return False
    return not words or bool(_ENGLISH.fullmatch(words) or _CHINESE.fullmatch(words.replace(" ", "")))


def is_unread(baton: Baton) -> bool:
    """Whether an extraction still has to read it."""
    return not baton.done and not baton.bootstrap


def is_live(baton: Baton, now: datetime) -> bool:
    """Whether it is on the board: for 24 hours, and longer while it is unread."""
    return is_unread(baton) or now - baton.time < LIFE


def is_overdue(baton: Baton, now: datetime) -> bool:
    """Whether it is only there because nothing has read it."""
    return is_unread(baton) and now - baton.time >= LIFE


def leaves(baton: Baton, now: datetime, *, wrote: bool) -> bool:
    """Whether it leaves the board now; ``wrote``: a merge that had read the board has written something."""
    return not is_live(baton, now) or (wrote and not is_unread(baton))


def shared_sequence(batons: Iterable[Baton], channel: str, session: str | None) -> int | None:
    """The number of the question that an assistant's baton answers: the last one of its talk, if unanswered."""
    talk = [b for b in batons if not b.bootstrap and (b.channel, b.session) == (channel, session)]
    return talk[-1].sequence if talk and talk[-1].role == "user" else None
