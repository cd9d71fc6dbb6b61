"""The words of `when`: months, steps, units and amounts in English and Chinese. Pure."""

from __future__ import annotations

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|january|february|march|april|may|june|july|august"
    r"|september|october|november|december"
)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
HAN = {char: number for number, char in enumerate("一二三四五六七八九", 1)}
STEPS = {
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
STEPS |= {"上": -1, "上个": -1, "本": 0, "这": 0, "这个": 0, "下": 1, "下个": 1, "previous": -1, "past": -1}
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1, "昨天": -1, "前天": -2, "今天": 0, "明天": 1, "昨日": -1}
DAYS |= {
    "the day before yesterday": -2,
    "last night": -1,
    "this morning": 0,
    "this afternoon": 0,
    "tonight": 0,
}
DAYS |= {"大前天": -3, "昨晚": -1, "今早": 0, "今晚": 0, "后天": 2}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HAN_WEEKDAYS = {char: number % 7 for number, char in enumerate("一二三四五六日天")} | {"天": 6}
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
AMOUNTS = {word: number for number, word in enumerate(WORDS, 1)} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "两": 2,
}
AMOUNTS |= {"few": 3, "a few": 3, "几": 3}
LENGTHS = {
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
PARTS = {
    "first half of ": (1, 15),
    "second half of ": (16, 31),
    "上旬": (1, 10),
    "中旬": (11, 20),
    "下旬": (21, 31),
}
NUMBER = r"\d{1,2}|十[一二]?|[一二三四五六七八九]"
AMOUNT = rf"\d{{1,3}}|a couple of|a few|few|an?|{'|'.join(WORDS)}"
HAN_AMOUNT = rf"{NUMBER}|[两几]"
CJK_YEAR = r"(?:(?P<year>20\d\d)年|(?P<which>前年|去年|昨年|今年|明年|来年)的?)"
