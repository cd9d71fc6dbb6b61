"""Secrets told by their shape, and the order in which all patterns are tried. Each one is linear."""

from __future__ import annotations

import itertools
import re

from memfs.extraction import secret_names as names
from memfs.extraction import secret_numbers as numbers
from memfs.extraction.placeholders import Replacer, group, placeholder, whole
from memfs.extraction.secret_flags import POSITIONS

_KEY_PREFIXES = "|".join(
    (
        r"sk-(?:ant-|proj-|or-v1-|svcacct-)?[A-Za-z0-9_-]{16,220}",
        r"(?:sk|pk|rk|tk|ak)[-_](?:live|test|prod)[-_][A-Za-z0-9]{10,120}",
        r"whsec_[A-Za-z0-9+/=]{16,80}",
        r"gh[pousr]_[A-Za-z0-9]{20,255}",
        r"github_pat_[A-Za-z0-9_]{20,255}",
        r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_.-]{16,120}",
        r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}",
        r"AIza[A-Za-z0-9_-]{30,45}",
        r"ya29\.[A-Za-z0-9_-]{20,400}",
        r"GOCSPX-[A-Za-z0-9_-]{20,40}",
        r"xox[abeoprs]-[A-Za-z0-9-]{10,250}",
        r"xapp-[A-Za-z0-9-]{10,250}",
        r"npm_[A-Za-z0-9]{30,60}",
        r"pypi-[A-Za-z0-9_-]{40,300}",
        r"hf_[A-Za-z0-9]{20,60}",
        r"SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{20,60}",
        r"do[opr]_v1_[a-f0-9]{40,80}",
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,60}",
        r"(?:gsk|xai|pplx|nvapi|tvly|dckr_pat|lin_api|ntn|secret|r8|fw|csk)[-_][A-Za-z0-9_-]{24,120}",
        r"LTAI[A-Za-z0-9]{12,30}",
        r"AKID[A-Za-z0-9]{24,50}",
        r"\d{8,10}:AA[A-Za-z0-9_-]{30,40}",
        r"SK[a-f0-9]{32}(?![A-Za-z0-9])",
        r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}",
    )
)
_NOT_IN_WORD = r"(?<![A-Za-z0-9_])"
_API_KEY = re.compile(_NOT_IN_WORD + f"(?P<secret>{_KEY_PREFIXES})")
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
    r"(?P<secret>(?=[A-Za-z0-9._~+/-]{0,200}[0-9_+/~])[A-Za-z0-9._~+/-]{12,2000}={0,2})"
)
_BEARER_WORDS = re.compile(
    r"(?i)\b(?:bearer|authorization:\s{0,4}(?:token|basic))\s{1,4}(?P<secret>[A-Za-z]{24,2000})"
)
_URL_PASSWORD = re.compile(
    r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,128}:(?P<secret>[^\s/\"'<>]{1,256})@(?=[\w\[.-])"
)
_URL_TOKEN = re.compile(r"(?i)(?<![a-z0-9+.-])https?://(?P<secret>[A-Za-z0-9_-]{20,256})@(?=[\w.-])")

_OPAQUE = re.compile(r"(?<![A-Za-z0-9_+/=.:@-])[A-Za-z0-9_+/-]{40,500}={0,2}(?![A-Za-z0-9_+/=.@-])")


def _opaque(match: re.Match[str]) -> tuple[str, str] | None:
    """Forty random characters and more; not hashes (hex), not identifiers, paths or public keys."""
    text = match[0].rstrip("=")
    if (
        text.count("/") > len(text) // 12
        or text.count("-") > len(text) // 12
        or re.fullmatch(r"[0-9a-fA-F-]+", text)
    ):
        return None
    if re.match(r"AAAA[BEC]|sha\d{3}-", text) or match.string[
        max(0, match.start() - 9) : match.start()
    ].endswith("base64,"):
        return None
    classes = ["u" if c.isupper() else "l" if c.islower() else "d" if c.isdigit() else "s" for c in text]
    changes = sum(a != b for a, b in itertools.pairwise(classes))
    random = {"u", "l"} <= set(classes) and classes.count("d") >= 3 and changes > 0.45 * len(text)
    return ("token", placeholder("token")) if random else None


# (needles: one must be in the text, () for none; pattern; what replaces a match), in this order
RULES: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = (
    (("://",), _WEBHOOK, group("webhook")),
    (("://",), _URL_PASSWORD, group("password")),
    (("://",), _URL_TOKEN, group("token")),
    (("eyJ",), _JWT, whole("token")),
    ((), _API_KEY, group("api key")),
    ((), _BEARER, group("token")),
    ((), _BEARER_WORDS, group("token")),
    *POSITIONS,
    ((), names.PASSPHRASE, group("password")),
    ((), names.PASSPHRASE_LINE, group("password")),
    (("|",), names.CELL, names.said),
    ((), names.QUOTED, names.quoted),
    ((), names.ASSIGNED, names.assigned),
    (("-",), names.FLAG, names.assigned),
    ((), names.SAID, names.said),
    ((), names.SAID_CJK, names.said),
    ((), names.CLOSE, names.close),
    ((), names.LOGIN, names.close),
    ((), names.LATER_CJK, names.close),
    ((), numbers.SSN, group("identity number")),
    ((), numbers.ID_NUMBER, numbers.identity_number),
    ((), numbers.IBAN, numbers.account),
    ((), numbers.CARD, numbers.card),
    ((), numbers.CARD_SAID, group("card number")),
    ((), numbers.PHONE_SECRET, group("phone number")),
    ((), _OPAQUE, _opaque),
)
