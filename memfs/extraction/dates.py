"""Days named in text, made absolute from the day on which it was said.

The wordings are data (``[[date]]`` in the phrasebooks); here are only the meanings. Own arithmetic rather
than a date library: chat needs "the Thursday after next", "月底" and "13 号" exact from an explicit base day,
without a false match on "may" or "5.30", at microseconds a sentence.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from memfs.extraction.patterns import named_groups
from memfs.extraction.phrasebook import Phrasebook

CJK_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "日": 6, "天": 6}

_ONE_DAY = re.compile(r"(?i)(?:by|until|till|before|this|coming|the coming)\b")
_LIMIT = re.compile(r"\s*(?:之|以)?前|\s*截止")
_MARK = re.compile(r"[,;:] |[，；：。！？]")


@dataclass(frozen=True, slots=True)
class DateMention:
    """A day in a text. ``relative``: the words alone do not tell it ("tomorrow", but not "18 June").

    ``until``: the last of several days that begin on that day, as those of a weekend.
    """

    start: int
    end: int
    day: date
    relative: bool
    text: str
    until: date | None = None


def find_dates(
    text: str, base: date, books: tuple[Phrasebook, ...], *, anchor: date | None = None
) -> list[DateMention]:
    """Days named in ``text``, which was said on ``base``, in order of place.

    ``anchor`` is a day named before, whose month a bare "the 13th" may lie in.
    """
    found: list[DateMention] = []
    for book in books:
        if not book.has("date_hint", text):
            continue
        past = book.has("past", text) and not book.has("future", text)
        for rule in sorted(book.dates, key=lambda each: each.means == "anchor"):
            for match in rule.pattern.finditer(text):
                if any(match.start() < seen.end and seen.start < match.end() for seen in found):
                    continue
                if book.has("recurring", text[max(0, match.start() - 12) : match.start()]) or (
                    book.spaced and text[match.end() : match.end() + 1] == "s"
                ):
                    continue
                if rule.means == "weekday:coming" and _comes_round(text, match, book):
                    continue
                named = next((seen.day for seen in reversed(found) if seen.end <= match.start()), anchor)
                words = named_groups(match)
                day = _resolve(rule.means, words, _Said(base, past, named, book.lists))
                if day is not None:
                    more = book.lists.get("several", {}).get(words.get("weekday", ""), 1) - 1
                    until = day + timedelta(days=more) if more else None
                    relative = rule.means not in _FIXED
                    found.append(DateMention(match.start(), match.end(), day, relative, match[0], until))
    return sorted(found, key=lambda mention: mention.start)


def _comes_round(text: str, match: re.Match[str], book: Phrasebook) -> bool:
    """Whether a bare weekday is that of a habit ("the team meets on Monday"), which has no one day."""
    if _ONE_DAY.match(match[0]) or _LIMIT.match(text, match.end()):
        return False
    start = max((mark.end() for mark in _MARK.finditer(text, 0, match.start())), default=0)
    end = _MARK.search(text, match.end())
    clause = text[start : end.start() if end else len(text)]
    return book.has("habitual", clause) and not (book.spaced and book.has("future", clause))


@dataclass(frozen=True, slots=True)
class _Said:
    base: date
    past: bool
    anchor: date | None
    lists: Mapping[str, Mapping[str, int]]

    def number(self, word: str | None) -> int | None:
        """A number in digits or words, as the language counts."""
        if word is None:
            return None
        word = re.sub(r"\s+", " ", word.strip().lower())
        if word.isdecimal():
            return int(word)
        counted = {**self.lists.get("ordinals", {}), **self.lists.get("numbers", {})}
        listed = counted.get(word)
        return listed if listed is not None else _cjk_number(word)

    def listed(self, name: str, word: str) -> int:
        return self.lists[name][re.sub(r"\s+", " ", word.strip().lower().rstrip("."))]


def _cjk_number(word: str) -> int | None:
    tens, sep, ones = word.partition("十")
    try:
        if sep:
            return (CJK_DIGITS[tens] if tens else 1) * 10 + (CJK_DIGITS[ones] if ones else 0)
        return CJK_DIGITS[word]
    except KeyError:
        return None


def _resolve(means: str, match: Mapping[str, str], said: _Said) -> date | None:
    kind, _, argument = means.partition(":")
    try:
        return _MEANINGS[kind](match, said, argument)
    except (ValueError, KeyError, OverflowError):
        return None  # "30 February", a word that is no number


def _offset(_match: Mapping[str, str], said: _Said, argument: str) -> date | None:
    return said.base + timedelta(days=int(argument))


def _weekday(match: Mapping[str, str], said: _Said, argument: str) -> date | None:
    """``coming``: the next one, in a sentence of the past the last one; ``this``, ``next`` week's ..."""
    wanted = said.listed("weekdays", match["weekday"])
    monday = said.base - timedelta(days=said.base.weekday())
    if argument in {"this", "next", "after_next"}:
        return monday + timedelta(days=wanted, weeks=("this", "next", "after_next").index(argument))
    if argument == "last_week":
        return monday + timedelta(days=wanted, weeks=-1)
    if argument == "last" or (argument == "coming" and said.past):
        return said.base - timedelta(days=(said.base.weekday() - wanted - 1) % 7 + 1)
    coming = said.base + timedelta(days=(wanted - said.base.weekday() - 1) % 7 + 1)
    if argument == "second":  # "the Thursday after next"
        return coming + timedelta(weeks=1)
    if argument == "plus":  # "a week from Friday"
        return coming + timedelta(weeks=said.number(match["n"]) or 1)
    return coming


def _span(match: Mapping[str, str], said: _Said, argument: str) -> date | None:
    """``in`` or ``ago`` so many days, weeks, months, years."""
    count = said.number(match["n"])
    if count is None or count > 1000:
        return None
    sign = -1 if argument == "ago" else 1
    days = said.listed("units", match["unit"])
    if days < 28:
        return said.base + timedelta(days=sign * count * days)
    return _plus_months(said.base, sign * count * (days // 28 if days < 300 else 12))


def _plus_months(day: date, months: int) -> date:
    month = day.year * 12 + day.month - 1 + months
    year, month = divmod(month, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _calendar(match: Mapping[str, str], said: _Said, argument: str) -> date | None:
    """Day and month, perhaps year; without one the year that makes it near."""
    month_word = match["month"]
    month = said.number(month_word) if argument == "numeric" else said.listed("months", month_word)
    day, year = said.number(match["day"]), match.get("year")
    if month is None or day is None:
        return None
    if year:
        return date(int(year), month, day)
    near = date(said.base.year, month, day)
    if said.past:
        return near if near <= said.base else date(near.year - 1, month, day)
    return near if (said.base - near).days < 120 else date(near.year + 1, month, day)


def _iso(match: Mapping[str, str], _said: _Said, _argument: str) -> date | None:
    return date(int(match["year"]), int(match["month"]), int(match["day"]))


def _day_of_month(match: Mapping[str, str], said: _Said, argument: str) -> date | None:
    """``bare``: a day in the month spoken of, else the next such day; ``next``, ``this``: of that month."""
    day = said.number(match["day"])
    if day is None:
        return None
    if argument in {"next", "this"}:
        return _plus_months(said.base.replace(day=1), 1 if argument == "next" else 0).replace(day=day)
    if said.past:
        return next(_days_like(day, said.base, -1))
    if said.anchor is not None and said.anchor >= said.base and day <= 28:
        return said.anchor.replace(day=day)
    return next(_days_like(day, said.base, 1))


def _days_like(day: int, base: date, step: int) -> Iterator[date]:
    for months in range(13):
        first = _plus_months(base.replace(day=1), step * months)
        if day <= calendar.monthrange(first.year, first.month)[1]:
            found = first.replace(day=day)
            if (found - base).days * step >= 0:
                yield found


def _end(match: Mapping[str, str], said: _Said, argument: str) -> date | None:
    """The last day of this or the next week, month, year, or of a named month."""
    base = said.base
    if argument in {"week", "next_week"}:
        return base + timedelta(days=4 - base.weekday() if argument == "week" else 11 - base.weekday())
    if argument == "year":
        return date(base.year, 12, 31)
    if argument == "named":
        number = said.lists.get("months", {}).get(match["month"].lower()) or said.number(match["month"]) or 0
        first = date(base.year + (number < base.month), number, 1)
    else:
        first = _plus_months(base.replace(day=1), 1 if argument == "next_month" else 0)
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


def _anchor(_match: Mapping[str, str], said: _Said, _argument: str) -> date | None:
    """ "By then": the day spoken of before."""
    return said.anchor if said.anchor is not None and said.anchor >= said.base else None


_MEANINGS: dict[str, Callable[[Mapping[str, str], _Said, str], date | None]] = {
    "offset": _offset,
    "anchor": _anchor,
    "weekday": _weekday,
    "span": _span,
    "calendar": _calendar,
    "iso": _iso,
    "day": _day_of_month,
    "end": _end,
}
_FIXED = {"calendar", "calendar:numeric", "iso"}
