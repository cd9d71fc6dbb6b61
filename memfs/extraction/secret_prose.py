"""Secrets told in other turns of phrase: "changed my password to x", "use x as the pin", "password for ada: x"."""

from __future__ import annotations

import re

from memfs.extraction.placeholders import Replacer
from memfs.extraction.secret_names import NAMES, close, made_up, said

_PASSWORD = r"(?P<name>pass(?:word|wd|phrase|code)|pw|pin|passwort|contraseña)"
_VALUE = (
    r"(?P<secret>\"[^\"\r\n]{3,120}\"|'[^'\r\n]{3,120}'|`[^`\r\n]{3,120}`"
    r"|[^\s\"'`,;，。；、/][^\s\"'`,;，。；、]{3,120})"
)
_NOT_THE_THING = (
    r"(?!\s(?:hash(?:es|ing)?|algorithm|policy|field|manager|type|format|prefix|column|name|length|generator|store"
    r"|limit|id)\b)"
)

CHANGED = re.compile(
    rf"(?i)(?<![a-z])(?:set|chang|reset|updat|switch|rotat)[a-z]{{0,4}}\s(?:\S{{1,20}}\s){{0,3}}?{_PASSWORD}"
    rf"(?:\s\S{{1,30}}){{0,4}}?\s(?:to|as|=)\s{_VALUE}"
)
CHANGED_TO = re.compile(
    rf"(?i)(?<![a-z]){_PASSWORD}(?:\s\S{{1,20}}){{0,3}}?\s(?:set|changed|reset|updated|switched|rotated)\sto\s{_VALUE}"
)
AS = re.compile(
    r"(?i)(?<![!-~])(?P<secret>[!-~]{6,120})\sas\s(?:the|my|a|an|your|our|its)\s(?:[\w-]{1,20}\s){0,2}?"
    rf"(?P<name>pass(?:word|wd|phrase|code)|pw|pin|token|api[ -]?key|secret)(?![a-z]){_NOT_THE_THING}"
)
FOR = re.compile(
    rf"(?i)(?<![a-z])(?P<name>{NAMES})\s(?:for|of|on|to)\s[^\s\[]{{1,40}}(?:\s[^\s\[]{{1,40}}){{0,2}}?\s?[:：=]\s{{1,3}}{_VALUE}"
)
MIXED_CJK = re.compile(
    r"(?i)(?<![a-z])(?P<name>pass(?:word|wd|phrase|code)|pwd|pw|token|api ?key|secret|pin)"
    r"\s?(?:是|为|就是|改成|は|는|은)\s?(?P<secret>[!-~]{4,120})"
)

PROSE: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = (
    (("to ", "as ", "= "), CHANGED, made_up),
    (("to ",), CHANGED_TO, said),
    ((" as ",), AS, close),
    ((":", "：", "="), FOR, said),
    (("是", "为", "成", "は", "는", "은"), MIXED_CJK, said),
)
