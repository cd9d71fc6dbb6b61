"""Card and identity numbers, by their checksums; telephone numbers said to be secret."""

from __future__ import annotations

import re
from datetime import date

from memfs.extraction.placeholders import placeholder

CARD = re.compile(r"(?<![\w.#/-])[2-6]\d{3}(?:[ .-]?\d{2,6}){2,4}(?![\w/]|-\w|\.\d)")
CARD_SAID = re.compile(
    r"(?i)(?:\bcards?|visa|mastercard|amex|\bdebit|karten?|tarjeta|carte (?:bancaire|bleue)|カード|卡号|卡)"
    r"[^\r\n]{0,40}?(?<![\w.])(?P<secret>\d{4}(?:[ .-]?\d{4}){2,3}(?:[ .-]?\d{1,3})?|\d{4}[ -]?\d{6}[ -]?\d{5})"
    r"(?![\w/]|\.\d)"
)  # said to be a card: no checksum needed
IBAN = re.compile(
    r"(?i)(?<![a-z0-9])[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,3})?(?![a-z0-9])"
)
_IBAN_COUNTRIES = {
    15: "NO",
    16: "BE",
    18: "DK FO FI GL NL",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS",
    23: "AE GI IL TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "PT",
    26: "IS TR",
    27: "FR GR IT MC SM",
    28: "AL AZ CY DO GT HU LB PL",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT",
}
_IBAN_LENGTHS = {country: length for length, names in _IBAN_COUNTRIES.items() for country in names.split()}
ID_NUMBER = re.compile(r"(?<![A-Za-z0-9])[1-9]\d{5}(?:18|19|20)\d{9}[0-9Xx](?![A-Za-z0-9])")
SSN = re.compile(
    r"(?i)\b(?:ssn|social security(?: number| no\.?)?)(?: is|:|=)?\s{0,3}(?P<secret>\d{3}-?\d{2}-?\d{4})\b"
)
# Chinese mobile numbers, by the ranges that are given out
MOBILE = re.compile(
    r"(?<![A-Za-z0-9_.+/=#-])(?:(?:\+|00)?86[ -]?)?(?:13\d|14[014-9]|15[0-35-9]|16[25-7]|17[0-8]|18\d|19[0-35-9])"
    r"(?:\d{8}|[ -]\d{4}[ -]\d{4})(?![A-Za-z0-9_/-]|\.\d)"
)
_NUMBERED = re.compile(
    r"(?i)(?:order|invoice|ticket|\bid|no\.?|number|订单|单号|编号|流水号?|运单)[号\s:：#是为=]{0,4}\Z"
)
PHONE_SECRET = re.compile(
    r"(?i)(?:confidential|secret|private (?:number|phone|cell|mobile|line)|unlisted|保密|不要外传|别外传"
    r"|别告诉别人|私人(?:电话|手机|号码))[^\r\n]{0,40}?(?P<secret>(?<![\w.])\+?\d[\d ()-]{7,18}\d(?![\w.]))"
)


def card(match: re.Match[str]) -> tuple[str, str] | None:
    """A payment card, by issuer, length and Luhn checksum."""
    digits = re.sub(r"\D", "", match[0])
    known = (
        (len(digits) == 15 and digits[:2] in {"34", "37"})
        or (
            len(digits) == 16
            and (digits[0] in "456" or 2221 <= int(digits[:4]) <= 2720 or digits[:2] == "35")
        )
        or (17 <= len(digits) <= 19 and digits[:2] in {"62", "60", "65"})
    )
    return ("card number", placeholder("card number")) if known and _luhn(digits) else None


def mobile(match: re.Match[str]) -> tuple[str, str] | None:
    """A mobile number, unless it is called the number of something else."""
    before = match.string[max(0, match.start() - 16) : match.start()]
    if _NUMBERED.search(before) and not re.search(r"(?i)phone|mobile|cell|手机|电话", before):
        return None
    return "phone number", placeholder("phone number")


def _luhn(digits: str) -> bool:
    doubled = (int(d) * 2 if n % 2 else int(d) for n, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0 and len(set(digits)) > 1


def account(match: re.Match[str]) -> tuple[str, str] | None:
    """An IBAN, by its country's length and its checksum; what is written behind it stays."""
    length = _IBAN_LENGTHS.get(match[0][:2].upper())
    places = [at for at, letter in enumerate(match[0]) if letter.isalnum()]
    if length is None or len(places) < length:
        return None
    end = places[length - 1] + 1
    if match[0][end : end + 1].isalnum():
        return None
    number = "".join(match[0][at] for at in places[:length])
    value = int("".join(str(int(letter, 36)) for letter in number[4:] + number[:4]))
    return ("account number", placeholder("account number") + match[0][end:]) if value % 97 == 1 else None


def identity_number(match: re.Match[str]) -> tuple[str, str] | None:
    """A Chinese identity number, by birth date and checksum."""
    number = match[0].upper()
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    check = "10X98765432"[sum(int(d) * w for d, w in zip(number, weights, strict=False)) % 11]
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return None
    return ("identity number", placeholder("identity number")) if check == number[17] else None
