"""Times that a question names in words: "last week", "in March", "Q3 2026", 上周, 去年十月. Pure.

They guide the ranking and never filter, so they are read generously: a bare month is the last one and the
next.
"""

from __future__ import annotations

import re
from calendar import month_name, monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from memfs.search.time_words import (
    AMOUNT,
    AMOUNTS,
    CJK_YEAR,
    DAYS,
    HAN,
    HAN_AMOUNT,
    HAN_WEEKDAYS,
    LENGTHS,
    MONTH,
    MONTHS,
    NUMBER,
    PARTS,
    SEASONS,
    STEPS,
    WEEKDAYS,
)

Days = tuple[int, int]  # first and last day, as 20261130
_Span = tuple[date, date]
_Reader = Callable[[re.Match[str], date], Iterator[_Span]]


@dataclass(frozen=True, slots=True)
class When:
    """The days a question speaks of (any of ``ranges``), and its text with those words blanked out.

    Dates in figures stay in the text: they may stand in an entry as they are.
    """

    ranges: tuple[Days, ...]
    rest: str


def read_when(query: str, today: date) -> When:
    """Find the times that ``query`` names, as seen from ``today``."""
    ranges: list[Days] = []
    rest = query
    for pattern, read in _RULES:
        for match in pattern.finditer(rest):
            found = [(_number_of(first), _number_of(last)) for first, last in read(match, today)]
            ranges += found
            if found and read is not _iso:
                rest = f"{rest[: match.start()]}{' ' * len(match.group())}{rest[match.end() :]}"
    return When(tuple(dict.fromkeys(ranges)), rest)


def day_words(day: str | None) -> str:
    """Return a day (ISO) in the words that people use for it, in English and Chinese; "" where it is none."""
    if not day:
        return ""
    try:
        found = date.fromisoformat(day[:10])
    except ValueError:
        return ""
    return f"{found.day} {month_name[found.month]} {found.year} {found.month}月{found.day}日"


def _iso(match: re.Match[str], _today: date) -> Iterator[_Span]:
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 0)
    if 1 <= month <= 12 and day <= monthrange(year, month)[1]:
        first, last = _month(year, month)
        yield (first.replace(day=day), first.replace(day=day)) if day else (first, last)


def _day(match: re.Match[str], today: date) -> Iterator[_Span]:
    day = today + timedelta(days=DAYS[match.group().lower()])
    yield day, day


def _lately(match: re.Match[str], today: date) -> Iterator[_Span]:
    yield today - timedelta(days=LENGTHS[match["unit"].lower()] * _count(match["count"])), today


def _ago(match: re.Match[str], today: date) -> Iterator[_Span]:
    """Three days ago is a day, two weeks ago the days around one, a month or a year ago a calendar's."""
    count, unit = _count(match["count"]), match["unit"].lower()
    if unit in ("day", "天", "日"):
        yield (day := today - timedelta(days=count)), day
    elif unit in ("week", "周", "星期"):
        day = today - timedelta(weeks=count)
        yield day - timedelta(days=3), day + timedelta(days=3)
    elif unit in ("month", "月"):
        yield _month(today.year, today.month - count)
    elif count < today.year:
        yield date(today.year - count, 1, 1), date(today.year - count, 12, 31)


def _weekday(match: re.Match[str], today: date) -> Iterator[_Span]:
    """In English the nearest such day before or after; in Chinese the one of a calendar week."""
    name, which = match["weekday"].lower(), match["which"].lower()
    if name in HAN_WEEKDAYS:
        day = today - timedelta(days=today.weekday() - HAN_WEEKDAYS[name]) + timedelta(weeks=STEPS[which])
    else:
        before = today - timedelta(days=(today.weekday() - WEEKDAYS.index(name)) % 7 or 7)
        day = before + timedelta(weeks=STEPS[which] >= 0)
    yield day, day


def _weekend(match: re.Match[str], today: date) -> Iterator[_Span]:
    saturday = today + timedelta(weeks=STEPS[match["which"].lower()], days=5 - today.weekday())
    yield saturday, saturday + timedelta(days=1)


def _calendar(match: re.Match[str], today: date) -> Iterator[_Span]:
    step, unit = STEPS[match["which"].lower()], match["unit"].lower()
    if unit in ("week", "周", "星期"):
        monday = today + timedelta(weeks=step, days=-today.weekday())
        yield monday, monday + timedelta(days=6)
    elif unit in ("month", "月"):
        yield _month(today.year, today.month + step)
    else:
        yield date(today.year + step, 1, 1), date(today.year + step, 12, 31)


def _named_month(match: re.Match[str], today: date) -> Iterator[_Span]:
    name = match["month"].lower()
    month = MONTHS.index(name[:3]) + 1 if name[:3] in MONTHS else _count(name)
    said = match["which"] or match["year"] or match["part"]
    if not 1 <= month <= 12 or (name in ("may", "march", "mar") and not said):
        return
    before = today.year if month <= today.month else today.year - 1
    which = (match["which"] or "").strip().lower()
    if match["year"]:
        years = [int(match["year"])]
    elif which == "last":
        years = [before]
    else:
        years = [today.year + STEPS[which]] if which.endswith("年") else [before, before + 1]
    low, high = PARTS.get((match["part"] or "").lower(), (1, 31))
    for first, last in (_month(year, month) for year in years):
        yield first.replace(day=low), first.replace(day=min(high, last.day))


def _quarter(match: re.Match[str], today: date) -> Iterator[_Span]:
    year, last = int(match["year"] or today.year), 3 * _count(match["count"])
    if last <= 12:
        yield _month(year, last - 2)[0], _month(year, last)[1]


def _season(match: re.Match[str], today: date) -> Iterator[_Span]:
    year = int(match["year"] or today.year + STEPS[(match["which"] or "this").lower()])
    month = SEASONS[match["season"].lower()]
    yield _month(year, month)[0], _month(year, month + 2)[1]


def _year(match: re.Match[str], today: date) -> Iterator[_Span]:
    year = today.year + STEPS[match["which"]] if match["which"] else int(match.group()[:4])
    yield date(year, 1, 1), date(year, 12, 31)


def _month(year: int, month: int) -> _Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _count(text: str) -> int:
    if (amount := AMOUNTS.get(text.lower())) is not None:
        return amount
    if text.isdecimal():
        return int(text)
    return sum(10 if char == "十" else HAN[char] for char in text)


def _number_of(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


# In this order: what one rule has read, the next does not see. "may" and "march" alone are words, not months.
_RULES: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"(?<![\w-])(20\d\d)-(\d\d)(?:-(\d\d))?(?![\w-])", _iso),
        (
            r"\b(?:the day before yesterday|last night|this morning|this afternoon|tonight|yesterday|today|tomorrow)"
            r"\b|大前天|昨天|昨晚|昨日|前天|今天|今早|今晚|明天|后天",
            _day,
        ),
        (rf"\b(?P<count>{AMOUNT}) (?P<unit>day|week|month|year)s? ago\b", _ago),
        (
            rf"(?<!\d)(?P<count>{HAN_AMOUNT})(?:个(?=月|星期))?(?P<unit>天|日|周|星期|(?<=个)月|年)(?:之|以)?前",
            _ago,
        ),
        (
            rf"\b(?:last|past|previous) (?P<count>{AMOUNT}) (?P<unit>day|week|month|year)s?\b",
            _lately,
        ),
        (rf"(?:最近|过去|近)(?P<count>{HAN_AMOUNT})个?(?P<unit>天|日|周|星期|月|年)", _lately),
        (
            rf"\b(?P<which>last|past|previous|this|next) (?P<weekday>{'|'.join(WEEKDAYS)})\b",
            _weekday,
        ),
        (
            r"(?P<which>上个|下个|这个|上|下|本|这)(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])",
            _weekday,
        ),
        (r"\b(?P<which>last|past|previous|this|next) weekend\b", _weekend),
        (r"(?P<which>上个|下个|这个|上|下|本|这)周末", _weekend),
        (r"\b(?P<which>last|this|next|previous|past) (?P<unit>week|month|year)\b", _calendar),
        (r"(?P<which>上个|下个|这个|上|下|本|这)(?P<unit>周|星期|月)(?![一二三四五六日天])", _calendar),
        (
            rf"(?<!\d )\b(?P<part>first half of |second half of )?"
            rf"(?P<which>last |in |since |by |until |from )?"
            rf"(?P<month>{MONTH})\b(?:,? (?P<year>20\d\d)\b(?!-\d))?(?! \d)",
            _named_month,
        ),
        (rf"{CJK_YEAR}?(?P<month>{NUMBER})月份?(?P<part>上旬|中旬|下旬)?(?!\d)", _named_month),
        (r"\bQ(?P<count>[1-4])\b(?: (?P<year>20\d\d)\b)?", _quarter),
        (r"(?:(?P<year>20\d\d)年)?第?(?P<count>[一二三四1-4])季度", _quarter),
        (
            r"\b(?:(?P<which>last|this|next) )?(?P<season>spring|summer|autumn|winter)\b"
            r"(?: (?P<year>20\d\d)\b)?",
            _season,
        ),
        (rf"{CJK_YEAR}|(?<![\w-])20\d\d(?![\w-])", _year),
    )
)
