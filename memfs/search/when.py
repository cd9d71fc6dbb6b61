"""Times that a question names in words: "last week", "in March", "Q3 2026", 上周, 去年十月. Pure.

They guide the ranking and never filter, so they are read generously: a bare month is the last one and the
next.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

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


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|january|february|march|april|may|june|july|august"
    r"|september|october|november|december"
)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_HAN = {char: number for number, char in enumerate("一二三四五六七八九", 1)}
_STEPS = {
    "last": -1,
    "this": 0,
    "next": 1,
    "前年": -2,
    "去年": -1,
    "昨年": -1,
    "今年": 0,
    "明年": 1,
    "来年": 1,
}
_STEPS |= {"上": -1, "上个": -1, "本": 0, "这": 0, "这个": 0, "下": 1, "下个": 1, "previous": -1, "past": -1}
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1, "昨天": -1, "前天": -2, "今天": 0, "明天": 1, "昨日": -1}
_LENGTHS = {
    "day": 1,
    "week": 7,
    "month": 31,
    "year": 366,
    "天": 1,
    "日": 1,
    "周": 7,
    "星期": 7,
    "月": 31,
    "年": 366,
}
_PARTS = {
    "first half of ": (1, 15),
    "second half of ": (16, 31),
    "上旬": (1, 10),
    "中旬": (11, 20),
    "下旬": (21, 31),
}
_NUMBER = r"\d{1,2}|十[一二]?|[一二三四五六七八九]"
_CJK_YEAR = r"(?:(?P<year>20\d\d)年|(?P<which>前年|去年|昨年|今年|明年|来年)的?)"


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


def _iso(match: re.Match[str], _today: date) -> Iterator[_Span]:
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 0)
    if 1 <= month <= 12 and day <= monthrange(year, month)[1]:
        first, last = _month(year, month)
        yield (first.replace(day=day), first.replace(day=day)) if day else (first, last)


def _day(match: re.Match[str], today: date) -> Iterator[_Span]:
    day = today + timedelta(days=_DAYS[match.group().lower()])
    yield day, day


def _lately(match: re.Match[str], today: date) -> Iterator[_Span]:
    yield today - timedelta(days=_LENGTHS[match["unit"].lower()] * _count(match["count"])), today


def _calendar(match: re.Match[str], today: date) -> Iterator[_Span]:
    step, unit = _STEPS[match["which"].lower()], match["unit"].lower()
    if unit in ("week", "周", "星期"):
        monday = today + timedelta(weeks=step, days=-today.weekday())
        yield monday, monday + timedelta(days=6)
    elif unit in ("month", "月"):
        yield _month(today.year, today.month + step)
    else:
        yield date(today.year + step, 1, 1), date(today.year + step, 12, 31)


def _named_month(match: re.Match[str], today: date) -> Iterator[_Span]:
    name = match["month"].lower()
    month = _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else _count(name)
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
        years = [today.year + _STEPS[which]] if which.endswith("年") else [before, before + 1]
    low, high = _PARTS.get((match["part"] or "").lower(), (1, 31))
    for first, last in (_month(year, month) for year in years):
        yield first.replace(day=low), first.replace(day=min(high, last.day))


def _quarter(match: re.Match[str], today: date) -> Iterator[_Span]:
    year, last = int(match["year"] or today.year), 3 * _count(match["count"])
    if last <= 12:
        yield _month(year, last - 2)[0], _month(year, last)[1]


def _season(match: re.Match[str], today: date) -> Iterator[_Span]:
    year = int(match["year"] or today.year + _STEPS[(match["which"] or "this").lower()])
    month = _SEASONS[match["season"].lower()]
    yield _month(year, month)[0], _month(year, month + 2)[1]


def _year(match: re.Match[str], today: date) -> Iterator[_Span]:
    year = today.year + _STEPS[match["which"]] if match["which"] else int(match.group()[:4])
    yield date(year, 1, 1), date(year, 12, 31)


def _month(year: int, month: int) -> _Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _count(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return sum(10 if char == "十" else _HAN[char] for char in text)


def _number_of(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


# In this order: what one rule has read, the next does not see. "may" and "march" alone are words, not months.
_RULES: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"(?<![\w-])(20\d\d)-(\d\d)(?:-(\d\d))?(?![\w-])", _iso),
        (r"\b(?:yesterday|today|tomorrow)\b|昨天|前天|今天|明天|昨日", _day),
        (r"\b(?:last|past|previous) (?P<count>\d{1,2}) (?P<unit>day|week|month|year)s?\b", _lately),
        (rf"(?:最近|过去)(?P<count>{_NUMBER})个?(?P<unit>天|日|周|星期|月|年)", _lately),
        (r"\b(?P<which>last|this|next|previous|past) (?P<unit>week|month|year)\b", _calendar),
        (r"(?P<which>上个|下个|这个|上|下|本|这)(?P<unit>周|星期|月)(?![一二三四五六日天])", _calendar),
        (
            rf"(?<!\d )\b(?P<part>first half of |second half of )?"
            rf"(?P<which>last |in |since |by |until |from )?"
            rf"(?P<month>{_MONTH})\b(?:,? (?P<year>20\d\d)\b)?(?! \d)",
            _named_month,
        ),
        (rf"{_CJK_YEAR}?(?P<month>{_NUMBER})月份?(?P<part>上旬|中旬|下旬)?(?!\d)", _named_month),
        (r"\bQ(?P<count>[1-4])\b(?: (?P<year>20\d\d)\b)?", _quarter),
        (r"(?:(?P<year>20\d\d)年)?第?(?P<count>[一二三四1-4])季度", _quarter),
        (
            r"\b(?:(?P<which>last|this|next) )?(?P<season>spring|summer|autumn|winter)\b"
            r"(?: (?P<year>20\d\d)\b)?",
            _season,
        ),
        (rf"{_CJK_YEAR}|(?<![\w-])20\d\d(?![\w-])", _year),
    )
)
