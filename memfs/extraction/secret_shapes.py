"""Secrets told by their shape, and the order in which all patterns are tried. Each one is linear."""

from __future__ import annotations

import itertools
import re

from memfs.extraction import secret_names as names
from memfs.extraction import secret_numbers as numbers
from memfs.extraction.placeholders import Replacer, group, placeholder, whole
from memfs.extraction.secret_flags import POSITIONS
from memfs.extraction.secret_prose import PROSE
from memfs.extraction.secret_providers import PROVIDERS
from memfs.extraction.secret_settings import SETTINGS
from memfs.extraction.secret_values import is_reference

_NOT_IN_WORD = r"(?<![A-Za-z0-9_])"
_WEBHOOK = re.compile(
    r"https://(?P<secret>hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{10,120}"
    r"|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/\d{6,25}/[A-Za-z0-9_-]{20,120}"
    r"|oapi\.dingtalk\.com/robot/send\?access_token=[a-f0-9]{20,90}"
    r"|open\.(?:feishu|larksuite)\.(?:cn|com)/open-apis/bot/v2/hook/[A-Za-z0-9-]{10,60}"
    r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[a-f0-9-]{20,60})"
)
_JWT = re.compile(
    _NOT_IN_WORD + r"eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,2000}){0,3}"
)
_BEARER = re.compile(
    r"(?i)\b(?:bearer|authorization:\s{0,4}(?:token|basic|apikey)|proxy-authorization:\s{0,4}basic)\s{1,4}"
    r"(?P<secret>(?=[A-Za-z0-9._~+/-]{0,200}[0-9+/~])[A-Za-z0-9._~+/-]{12,2000}={0,2})"
)
_BEARER_WORDS = re.compile(
    r"(?i)\b(?:bearer|authorization:\s{0,4}(?:token|basic))\s{1,4}(?P<secret>[A-Za-z]{24,2000})"
)
_URL_PASSWORD = re.compile(
    r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,128}:(?P<secret>[^\s/\"'<>]{1,256})@(?=[\w\[.-])"
)
_URL_TOKEN = re.compile(r"(?i)(?<![a-z0-9+.-])https?://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=[\w.-])")

_EXAMPLE = re.compile(r"(?i)pass(?:word|wd|phrase)?|pwd|pw|secret|token|key")


def _in_address(match: re.Match[str]) -> tuple[str, str] | None:
    """The password of an address, unless it is a variable or only says what stands there."""
    if _EXAMPLE.fullmatch(match["secret"]) or is_reference(match["secret"]):
        return None
    return group("password")(match)


# After "=" only as the value of a variable (KEY=...): what follows it in an address is mostly an identifier.
_OPAQUE = re.compile(
    r"(?:(?<![A-Za-z0-9_+/=.:@-])|(?<=[A-Z_]=))[A-Za-z0-9_+/-]{40,500}={0,2}(?![A-Za-z0-9_+/=.@-])"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_FILE_BEGINS = (
    "iVBORw0KGgo",
    "/9j/",
    "R0lGOD",
    "UklGR",
    "JVBERi0",
    "UEsDB",
    "PHN2Zy",
    "H4sI",
    "T2dnUw",
    "Qk0",
)
_OPEN_ARMOUR = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PUBLIC KEY|CERTIFICATE|REQUEST|MESSAGE|SIGNATURE)"
)
_ARMOUR_SIZE = 16_384


def _opaque(match: re.Match[str]) -> tuple[str, str] | None:
    """Forty random characters and more; not hashes (hex), not identifiers, paths or public keys."""
    text = match[0].rstrip("=")
    if (
        text.count("/") > len(text) // 12
        or text.count("-") > len(text) // 12
        or re.fullmatch(r"[0-9a-fA-F-]+", text)
    ):
        return None
    if text.startswith(_FILE_BEGINS) or _UUID.search(text) or _is_public(match, text):
        return None
    classes = ["u" if c.isupper() else "l" if c.islower() else "d" if c.isdigit() else "s" for c in text]
    changes = sum(a != b for a, b in itertools.pairwise(classes))
    random = {"u", "l"} <= set(classes) and classes.count("d") >= 3 and changes > 0.45 * len(text)
    return ("token", placeholder("token")) if random else None


def _is_public(match: re.Match[str], text: str) -> bool:
    """A checksum, a file in an address, a public key or certificate."""
    if re.match(r"AAAA[BEC]|sha\d{3}-", text):
        return True
    before = match.string[max(0, match.start() - _ARMOUR_SIZE) : match.start()]
    begun = before.rfind("-----BEGIN ")
    inside = begun >= 0 and "-----END " not in before[begun:]
    return before.endswith("base64,") or (inside and _OPEN_ARMOUR.match(before, begun) is not None)


# (needles: one must be in the text in lower case, () for none; pattern; what replaces a match), in this order
RULES: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = (
    (("://",), _WEBHOOK, group("webhook")),
    (("://",), _URL_PASSWORD, _in_address),
    (("://",), _URL_TOKEN, group("token")),
    (("eyj",), _JWT, whole("token")),
    *PROVIDERS,
    (("bearer", "auth"), _BEARER, group("token")),
    (("bearer", "auth"), _BEARER_WORDS, group("token")),
    *POSITIONS,
    (("phrase",), names.PASSPHRASE, group("password")),
    (("phrase",), names.PASSPHRASE_LINE, group("password")),
    (("|",), names.CELL, names.said),
    (names.NEEDLES, names.QUOTED, names.quoted),
    (names.NEEDLES, names.ASSIGNED, names.assigned),
    (("</",), names.ELEMENT, names.assigned),
    (("-",), names.FLAG, names.flagged),
    (names.NEEDLES, names.SAID, names.said),
    (names.NEEDLES, names.SAID_CJK, names.said),
    (names.NEEDLES, names.CLOSE, names.close),
    (("/",), names.LOGIN, names.close),
    (names.NEEDLES, names.LATER_CJK, names.close),
    *SETTINGS,
    *PROSE,
    (("ssn", "social"), numbers.SSN, group("identity number")),
    ((), numbers.ID_NUMBER, numbers.identity_number),
    ((), numbers.IBAN, numbers.account),
    ((), numbers.CARD, numbers.card),
    ((), numbers.CARD_SAID, group("card number")),
    ((), numbers.MOBILE, numbers.mobile),
    ((), numbers.PHONE_SECRET, group("phone number")),
    ((), _OPAQUE, _opaque),
)
