"""Sentences that tell a secret which redaction could not know: they leave no memory at all."""

from __future__ import annotations

import re

from memfs.extraction.redaction import redact_text

PLACEHOLDER = "[redacted:"
_NAMED = re.compile(
    r"(?i)pass(?:word|wd|code|phrase|wort)|\bpw\b|\bpwd\b|\bpin\b|\bcvv\b|\bcvc\b|\bcards?\b|\blog-?ins?\b"
    r"|credential"
    r"|\btokens?\b|\bsecrets?\b|\bapi[ -]?keys?\b|\botp\b|\biban\b|\bssn\b|account number"
    r"|(?:door|alarm|gate|access|entry|safe|security|backup|unlock|lock|recovery|2fa) ?codes?"
    r"|kennwort|karte|tarjeta|contraseña|clave|mot de passe|carte|パスワード|暗証番号|カード"
    r"|密码|口令|密钥|秘钥|令牌|验证码|卡号|银行卡|信用卡|账号|身份证|门禁"
)
_NUMBER = re.compile(
    r"(?<![\w.:/-])(?!(?:19|20)\d\d(?!\d))#?\d(?:[ -]?\d){3,}#?"
    r"(?![\w:/-]|\.\d|[ ]?(?:tokens?|k\b|ms|天|年|个|元|条|次))"
)
_TOKEN = re.compile(r"[!-~]{6,}")


def tells_secret(text: str) -> bool:
    """Whether ``text`` holds a placeholder, a secret, or the name of one together with what looks made up."""
    if PLACEHOLDER in text or redact_text(text).findings:
        return True
    if _NAMED.search(text) is None:
        return False
    return _NUMBER.search(text) is not None or any(_made_up(match[0]) for match in _TOKEN.finditer(text))


def _made_up(token: str) -> bool:
    """Letters, digits and signs mixed, as no word, file, address or version is."""
    bare = token.strip("\"'`().,:;!?")
    letters, digits = re.search(r"[A-Za-z]", bare), re.search(r"\d", bare)
    if not letters or len(bare) < 6 or "://" in bare or re.search(r"\.\w{1,5}$|^v?\d+\.", bare):
        return False
    signs = re.search(r"[#$%^&*!?@+=~]", bare)
    return bool((digits and signs) or (digits and len(re.findall(r"\d+|[A-Za-z]+", bare)) > 2))
