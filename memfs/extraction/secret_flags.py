"""Secrets told by where they stand: after a command's flag, in a header, a cookie, a signed address, a table."""

from __future__ import annotations

import re

from memfs.extraction.placeholders import Replacer, group, placeholder
from memfs.extraction.secret_values import is_reference

_VALUE = (
    r"(?:\"(?P<quoted>[^\"\r\n]{1,200})\"|'(?P<single>[^'\r\n]{1,200})'|(?P<bare>[^\s\"'`;&<>|)]{3,200}))"
)
_REST = r"(?:[^\r\n|;&]{0,300}?\s)?"

# curl -u ada:pw, curl --user 'ada:pw'
USER = re.compile(
    rf"(?<![\w-])(?:curl|wget|xh|http|https)\s{{1,3}}{_REST}(?:-u|-U|-a|--(?:proxy-)?user|--auth)[ =]?[\"']?"
    r"[^\s:\"'/]{1,64}:(?P<secret>[^\s\"'`;&<>|)]{2,200})"
)
# docker login -p X, sshpass -p X, redis-cli -a X, unzip -P X
PASSWORD_FLAG = re.compile(
    r"(?<![\w-])(?:(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm|az|oc|cf)\s(?:registry\s)?login\s{1,3}"
    rf"{_REST}-p|sshpass\s{{1,3}}{_REST}-p|redis-cli\s{{1,3}}{_REST}-a|(?:un)?zip\s{{1,3}}{_REST}-P)[ =]{{0,2}}{_VALUE}"
)
# mysql -uroot -pXXX: joined to its flag
JOINED_FLAG = re.compile(
    rf"(?<![\w-])(?:(?:mysql|mariadb)(?:-?(?:dump|admin|import|check|sh))?|7za?|rar)\s{{1,3}}{_REST}-p{_VALUE}"
)
OPENSSL = re.compile(rf"(?<=\s)-pass(?:in|out)?\s{{1,3}}[\"']?pass:{_VALUE}")

COOKIE = re.compile(
    r"(?i)(?<![a-z])(?:set-)?cookie[\"']?\s?[:=]\s?[\"']?(?P<secret>[\w.-]{1,80}=[^\s\"'][^\r\n\"']{5,4000})"
)
SESSION = re.compile(
    r"(?i)(?<![a-z0-9])(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sessionid)="
    r"(?P<secret>[\w%.+/:-]{16,400}=?)"
)
SIGNATURE = re.compile(
    r"(?i)(?<![a-z0-9])(?:sig|x-(?:amz|goog)-signature)=(?P<secret>[a-z0-9%+/_-]{30,600}={0,2})"
)

# user/pass: ada / x
PAIR = re.compile(
    r"(?i)(?:(?<![a-z])(?:user(?:name)?|log-?in|id|account|e-?mail)|账号|用户名?)\s?[/|&+]\s?"
    r"(?:pass(?:word|wd|code)?|pwd|pw|密码)(?![a-z])\s{0,3}[:=：]\s{0,3}[^\s/\[]{1,64}\s{0,2}[/|:,]\s{0,2}"
    r"(?P<secret>[^\s\"'`,;|)\[][^\s\"'`,;|)]{0,120})"
)
# 24 words at most, three to eight letters each: wallets
SEED_PHRASE = re.compile(
    r"(?i)(?:(?:seed|recovery|backup|secret|wallet)[ -]?(?:phrase|words?)|mnemonic(?:[ -]?phrase)?|助记词|恢复短语)"
    r"[^\r\n]{0,40}?[\s:=：是为\"'`“]\s{0,3}"
    r"(?P<secret>(?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[\s,]{1,3}){11,23}(?:\d{1,2}[.)]\s?)?[a-z]{3,8})(?![a-z])"
)
_CODE_OF = (
    r"(?:verification|confirmation|security|log-?in|sign-?in|auth(?:entication|enticator)?|one[- ]time|sms|2fa|mfa"
    r"|two[- ]factor|otp|access|activation|backup|recovery|unlock)"
)
_CODE = r"(?P<secret>(?:[A-Z]-)?\d{3}[ -]\d{3}|(?:[A-Z]-)?\d{4,8})(?![\w-]|[.,]\d)"
CODE = re.compile(
    rf"(?i)(?<![a-z])(?:{_CODE_OF}\s(?:pass)?codes?|(?:my|your)\scode)(?:\s(?:for|to|from|of)(?:\s\S{{1,30}}){{1,3}}?)?"
    rf"(?:\s?[:=：]|\s(?:is|was|will be))?\s{{0,3}}[\"'`*]{{0,2}}{_CODE}"
)
CODE_FIRST = re.compile(
    rf"(?i)(?<![\w.,-]){_CODE}\s(?:is|was)\s(?:your|my|the)\s(?:\S{{1,30}}\s){{0,3}}?{_CODE_OF}\scode"
)
CODE_CJK = re.compile(rf"(?:验证码|校验码|动态码|認証コード|인증번호)[^\r\n\d]{{0,8}}{_CODE}")


def unless_reference(kind: str) -> Replacer:
    """Replace the secret, quoted or bare, unless a variable or a mask stands there."""

    def replacer(match: re.Match[str]) -> tuple[str, str] | None:
        groups = match.groupdict()
        name = next(name for name in ("secret", "quoted", "single", "bare") if groups.get(name))
        if is_reference(match[name]):
            return None
        start, end = match.start(name) - match.start(), match.end(name) - match.start()
        return kind, match[0][:start] + placeholder(kind) + match[0][end:]

    return replacer


POSITIONS: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = (
    ((" -", "\t-"), USER, unless_reference("password")),
    ((" -", "\t-"), PASSWORD_FLAG, unless_reference("password")),
    (("-p",), JOINED_FLAG, unless_reference("password")),
    (("pass:",), OPENSSL, unless_reference("password")),
    (("cookie",), COOKIE, unless_reference("cookie")),
    (("=",), SESSION, unless_reference("cookie")),
    (("=",), SIGNATURE, group("token")),
    (("/", "|", "&", "+"), PAIR, unless_reference("password")),
    (("phrase", "word", "mnemonic", "助记词", "恢复"), SEED_PHRASE, group("password")),
    (("code",), CODE, group("token")),
    (("code",), CODE_FIRST, group("token")),
    (("码", "コード", "번호"), CODE_CJK, group("token")),
)
