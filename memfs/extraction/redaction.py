"""Secrets out of text, before a model, the disk or git sees it (spec 4.5).

Every pattern is linear: bounded repeats, no nested ones. A placeholder says what kind was there. Findings
name kinds only, never what was found. Redacting twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from memfs.model import Attachment, ToolCall, Turn


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without secrets, and the kind of each one that was taken out."""

    text: str
    findings: tuple[str, ...] = ()


def redact_text(text: str) -> Redacted:
    """Replace every secret in ``text`` by ``[redacted: <kind>]``."""
    findings: list[str] = []
    text = _redact_private_keys(text, findings)
    for needles, pattern, replacer in _RULES:
        if not needles or any(needle in text for needle in needles):
            text = pattern.sub(_recording(replacer, findings), text)
    return Redacted(text, tuple(findings))


def redact_turn(turn: Turn) -> Turn:
    """The turn with secrets taken out of its text, tool calls and attachments."""
    return replace(
        turn,
        text=redact_text(turn.text).text,
        tool_calls=tuple(_redact_call(call) for call in turn.tool_calls),
        attachments=tuple(_redact_attachment(item) for item in turn.attachments),
    )


def _redact_call(call: ToolCall) -> ToolCall:
    result = None if call.result is None else redact_text(call.result).text
    return replace(call, arguments=_redact_value(call.arguments), result=result)


def _redact_attachment(item: Attachment) -> Attachment:
    text = None if item.text is None else redact_text(item.text).text
    return replace(item, path=redact_text(item.path).text, text=text)


def _redact_value(value: Any) -> Any:
    """Tool arguments: strings anywhere in them; a value under a secret's name goes whatever it looks like."""
    if isinstance(value, str):
        return redact_text(value).text
    if isinstance(value, list | tuple):
        return [_redact_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _redact_member(str(key), item) for key, item in value.items()}
    return value


def _redact_member(key: str, value: Any) -> Any:
    if isinstance(value, str) and value and _SECRET_NAME.fullmatch(key) and not _is_reference(value):
        return _placeholder(_kind_of(key))
    return _redact_value(value)


# ---------------------------------------------------------------------------------------------- replacing

Replacer = Callable[[re.Match[str]], tuple[str, str] | None]  # (kind, text instead), None: leave it


def _placeholder(kind: str) -> str:
    return f"[redacted: {kind}]"


def _recording(replacer: Replacer, findings: list[str]) -> Callable[[re.Match[str]], str]:
    def replace_one(match: re.Match[str]) -> str:
        answer = replacer(match)
        if answer is None:
            return match[0]
        findings.append(answer[0])
        return answer[1]

    return replace_one


def _whole(kind: str) -> Replacer:
    return lambda match: (kind, _placeholder(kind))


def _group(kind: str) -> Replacer:
    """Replace only the group ``secret``, keeping what is around it."""

    def replacer(match: re.Match[str]) -> tuple[str, str] | None:
        if match["secret"].startswith("[redacted"):
            return None
        before = match[0][: match.start("secret") - match.start()]
        return kind, before + _placeholder(kind) + match[0][match.end("secret") - match.start() :]

    return replacer


# ------------------------------------------------------------------------------------------- private keys

_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(
    r"(?:[ \t>]{0,8}(?:[A-Za-z0-9+/=]{16,128}|[A-Za-z-]{2,20}: [^\r\n]{0,80})?(?:\r?\n|\\n|\Z))*"
)


def _redact_private_keys(text: str, findings: list[str]) -> str:
    """Whole blocks; of one without its end line, the lines that look like its body."""
    begin = _PEM_BEGIN.search(text)
    if begin is None:
        return text
    parts, position, more_ends = [], 0, True
    while begin is not None:
        end = _PEM_END.search(text, begin.end()) if more_ends else None
        more_ends = end is not None  # looked for in vain once, never again: linear
        if end is not None:
            stop = end.end()
        else:
            body = _PEM_BODY.match(text, begin.end())
            stop = body.end() if body else begin.end()
        parts += [text[position : begin.start()], _placeholder("private key")]
        if end is None and text[stop - 1 : stop] == "\n" and stop > begin.end():
            stop -= 1
        findings.append("private key")
        position = stop
        begin = _PEM_BEGIN.search(text, position)
    return "".join(parts) + text[position:]


# -------------------------------------------------------------------------------------- well-known shapes

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

# ------------------------------------------------------------------------------ names with a value after

_NAMES = (
    r"pass(?:word|wd|phrase|code)|pwd|secret|token|(?:api|access|account|auth|private|signing|encryption|master|"
    r"shared|secret|session|service|app|deploy|subscription|license)[ _-]?(?:keys?|secret|token)|"
    r"client[ _-]?secret|credentials?|connectionstring|jwt|otp|pin|cvv|cvc|"
    r"contraseña|clave|passwort|kennwort|mot de passe|senha|parola|wachtwoord|has[łl]o|пароль"
)
_NAMES_CJK = r"密码|口令|密钥|秘钥|令牌|验证码|パスワード|暗証番号|비밀번호"
_SECRET_NAME = re.compile(
    rf"(?i)(?:[a-z0-9]{{1,30}}[_.-]){{0,6}}(?:[a-z]{{0,20}})(?:{_NAMES}|{_NAMES_CJK})(?:[_-]?\d)?"
)

# name = value, name: value, "name": "value", --name value, NAME=value
_ASSIGNED = re.compile(
    rf"(?i)(?<![a-z])(?:[a-z0-9]{{1,30}}[_.-]){{0,6}}(?P<name>{_NAMES}|pass)[\"'`]?"
    r"(?:\s{0,3}(?:=>|:=|={1,2}(?!=)|:(?![:/]))\s{0,3})"
    r"(?P<secret>\"[^\"\r\n]{1,200}\"|'[^'\r\n]{1,200}'|`[^`\r\n]{1,200}`|[^\s\"'`,;&<>|)}，。；、]{3,200})"
)
_FLAG = re.compile(
    rf"(?i)(?<=\s)--?(?:[a-z0-9]{{1,20}}-){{0,4}}(?P<name>{_NAMES}|pass)[ =]"
    r"(?P<secret>\"[^\"\r\n]{1,200}\"|'[^'\r\n]{1,200}'|[^\s\"'`,;&<>|]{4,200})"
)
# "the password is ...", "my PIN was 4821", "la clave es ..."
_SAID = re.compile(
    rf"(?i)(?<![a-z])(?P<name>{_NAMES})(?:\s(?:for|of|to|on)\s[^\s]{{1,40}}(?:\s[^\s]{{1,40}}){{0,3}}?)?"
    r"\s{1,3}(?:is|was|are|will be|es|ist|lautet|est|é|è)(?:\s(?:still|now|just|ahora|jetzt|:))?\s{1,3}"
    r"(?P<secret>\"[^\"\r\n]{1,120}\"|'[^'\r\n]{1,120}'|`[^`\r\n]{1,120}`|[^\s\"'`,;，。；、]{3,120})"
)
_SAID_CJK = re.compile(
    rf"(?P<name>{_NAMES_CJK})(?:\s{{0,3}}(?:是|为|改成了?|改为|设成了?|设为|就是|叫|は|:|：|=|＝)\s{{0,3}}|\s{{1,3}})"
    r"(?P<secret>[\"'“「`][^\"'”」`\r\n]{1,120}[\"'”」`]|[!-~]{4,120})"
)
_CLOSE = re.compile(
    rf"(?i)(?<![a-z])(?P<name>pass(?:word|wd|phrase|code)|pwd|contraseña|passwort|pw)\s(?P<secret>[!-~]{{6,120}})"
)
_PASSPHRASE = re.compile(
    r"(?i)\b(?:pass|seed|recovery|mnemonic)[ -]?phrase\s(?:is|was|:)\s?(?P<secret>(?:[a-z]{3,12}[ ,]{1,2}){3,24}[a-z]{3,12})"
)

_REFERENCE = re.compile(
    r"(?i)[\[<${%*]|\.{3}|x{3,}|\*{3,}|•|_{3,}|"
    r"(?:os|process|env|config|settings|self|this|args|options|params|request|req|getenv|secrets?|vault|var|data|ctx|form|"
    r"user|input|props|body|event)[.(\[]|getpass|prompt|[a-z_]{1,40}\(|(?:your|my|the|some|example|changeme|placeholder|dummy)\b"
)
_PLAIN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*[.!?:]*")


def _is_reference(value: str) -> bool:
    """A variable, a call, a mask or a stand-in; not a secret itself."""
    bare = value.strip("\"'`")
    return not bare or bool(_REFERENCE.match(bare))


_TYPE_WORDS = frozenset(
    "str string text int integer number bool boolean bytes none null nil undefined true false required optional any "
    "object array missing invalid incorrect wrong empty hidden masked unset password secret token yes no on off "
    "expired hashed encrypted forgotten unknown default auto varchar char sensitive plain".split()
)


def _kind_of(name: str) -> str:
    lowered = name.lower()
    if re.search(r"key|密钥|秘钥", lowered):
        return "api key"
    if re.search(r"token|secret|jwt|credential|令牌|otp|验证码", lowered):
        return "token" if "secret" not in lowered else "secret"
    return "password"


def _assigned(match: re.Match[str]) -> tuple[str, str] | None:
    value, name = match["secret"], match["name"]
    bare = value.strip("\"'`“”「」")
    quoted = bare != value
    if _is_reference(value) or bare.lower().rstrip(".!?") in _TYPE_WORDS:
        return None
    if not quoted and _PLAIN.fullmatch(bare) and (len(bare) < 6 or not name.lower().startswith("pass")):
        return None  # "token: expired soon", "secret: the trick"
    if re.fullmatch(r"(?i)otp|pin|cvv|cvc", name) and not re.match(r"\d{3,8}\b", bare):
        return None
    if re.fullmatch(r"(?i)tokens?", name) and re.fullmatch(r"[\d.,]+[km]?", bare, re.I):
        return None  # a count of tokens
    return _instead(match, _kind_of(name), value, bare)


def _said(match: re.Match[str]) -> tuple[str, str] | None:
    """In prose the value must look made up: a digit or sign inside, or quotes around it."""
    value, name = match["secret"], match["name"]
    bare = value.strip("\"'`“”「」").rstrip(".!?:)")
    quoted = value[0] in "\"'`“「"
    if _is_reference(value) or (not quoted and not _looks_made_up(bare)):
        return None
    if re.fullmatch(r"(?i)otp|pin|cvv|cvc", name) and not re.fullmatch(r"\d{3,8}", bare):
        return None
    return _instead(match, _kind_of(name), value, bare)


def _close(match: re.Match[str]) -> tuple[str, str] | None:
    """No verb between ("password Qing#Feng2088"): letters and digits or signs, mixed."""
    bare = match["secret"].rstrip(".,!?:;)")
    mixed = bool(re.search(r"[A-Za-z]", bare)) and bool(re.search(r"[0-9]", bare))
    if not mixed or _is_reference(bare) or "/" in bare or "=" in bare:
        return None
    return _instead(match, "password", match["secret"], bare)


def _instead(match: re.Match[str], kind: str, value: str, bare: str) -> tuple[str, str]:
    offset = match.start("secret") - match.start()
    rest = match[0][offset + len(value) :]
    return kind, match[0][:offset] + value.replace(bare, _placeholder(kind), 1) + rest


def _looks_made_up(bare: str) -> bool:
    if len(bare) < 4 or _PLAIN.fullmatch(bare) or re.fullmatch(r"\d{1,3}|[\d.,]+%?", bare) and len(bare) < 4:
        return False
    return bool(re.search(r"\d|[^\w\s'’.,-]|_|[a-z][A-Z]", bare))


# --------------------------------------------------------------------------------------------- numbers

_CARD = re.compile(r"(?<![\w.#/-])[2-6]\d{3}(?:[ -]?\d{2,6}){2,4}(?![\w/]|-\w|\.\d)")
_ID_NUMBER = re.compile(r"(?<![A-Za-z0-9])[1-9]\d{5}(?:18|19|20)\d{9}[0-9Xx](?![A-Za-z0-9])")
_SSN = re.compile(
    r"(?i)\b(?:ssn|social security(?: number| no\.?)?)(?: is|:|=)?\s{0,3}(?P<secret>\d{3}-?\d{2}-?\d{4})\b"
)
_PHONE_SECRET = re.compile(
    r"(?i)(?:confidential|secret|private (?:number|phone|cell|mobile|line)|unlisted|保密|不要外传|别外传|别告诉别人|私人(?:电话|手机|号码))"
    r"[^\r\n]{0,40}?(?P<secret>(?<![\w.])\+?\d[\d ()-]{7,18}\d(?![\w.]))"
)


def _card(match: re.Match[str]) -> tuple[str, str] | None:
    digits = re.sub(r"\D", "", match[0])
    known = (
        (len(digits) == 15 and digits[:2] in {"34", "37"})
        or (
            len(digits) == 16
            and (digits[0] in "456" or 2221 <= int(digits[:4]) <= 2720 or digits[:2] == "35")
        )
        or (17 <= len(digits) <= 19 and digits[:2] in {"62", "60", "65"})
    )
    return ("card number", _placeholder("card number")) if known and _luhn(digits) else None


def _luhn(digits: str) -> bool:
    doubled = (int(d) * 2 if n % 2 else int(d) for n, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0 and len(set(digits)) > 1


def _identity_number(match: re.Match[str]) -> tuple[str, str] | None:
    number = match[0].upper()
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    check = "10X98765432"[sum(int(d) * w for d, w in zip(number, weights, strict=False)) % 11]
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return None
    return ("identity number", _placeholder("identity number")) if check == number[17] else None


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
    changes = sum(a != b for a, b in zip(classes, classes[1:], strict=False))
    random = {"u", "l", "d"} <= set(classes) and changes > 0.4 * len(text)
    return ("token", _placeholder("token")) if random else None


# (needles: one must be in the text, () for none; pattern; what replaces a match), in this order
_RULES: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = (
    (("://",), _WEBHOOK, _group("webhook")),
    (("://",), _URL_PASSWORD, _group("password")),
    (("://",), _URL_TOKEN, _group("token")),
    (("eyJ",), _JWT, _whole("token")),
    ((), _API_KEY, _group("api key")),
    ((), _BEARER, _group("token")),
    ((), _BEARER_WORDS, _group("token")),
    ((), _PASSPHRASE, _group("password")),
    ((), _ASSIGNED, _assigned),
    (("-",), _FLAG, _assigned),
    ((), _SAID, _said),
    ((), _SAID_CJK, _said),
    ((), _CLOSE, _close),
    ((), _SSN, _group("identity number")),
    ((), _ID_NUMBER, _identity_number),
    ((), _CARD, _card),
    ((), _PHONE_SECRET, _group("phone number")),
    ((), _OPAQUE, _opaque),
)
