"""What stands where a secret would: a variable, a mask, a word of a form, or what looks made up."""

from __future__ import annotations

import re

_REFERENCE = re.compile(
    r"(?i)[\[<{(]|urn:|.{0,40}\*{3}|\$(?:[{(\d]|(?-i:[A-Za-z_]+|[A-Z0-9_]+)(?!\w))|%(?:[({]|[a-z_]+%|[sdr](?!\w))|\*(?:\*|[a-z]*(?!\w))"
    r"|!(?:vault|ref|sub|getatt|reference|env|secret|include)\b|\.{3}|x{3,}|•|_{3,}|"
    r"(?:os|process|env|config|settings|self|this|args|options|params|request|req|getenv|secrets?|vault|var|data|ctx|form|"
    r"user|input|props|body|event|optional|union|list|dict)[.(\[]|getpass|prompt|[a-z_][\w.]{0,60}[(\[]"
    r"|(?:your|example|changeme|placeholder|dummy)[_-]|(?:your|my|the|some|example|changeme|placeholder|dummy)\b"
)
# self.api_key = admin_api_key, ENV_KEY = "SHOP_API_KEY", token: AccessToken; a name, not the thing
_IDENTIFIER = re.compile(
    r"_*(?:[a-z]+(?:_+[a-z]+)+|[A-Z]+(?:_+[A-Z]+)+|[A-Za-z]{0,30}[a-z][A-Z][A-Za-z]{0,30}|[A-Z][a-z]+)(?:_\d)?"
)
_OF_SECRET = re.compile(r"(?i)pass|pwd|pw|secret|token|key|cred|auth")
PLAIN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*[.!?:]*")


def is_reference(value: str) -> bool:
    """A variable, a call, a mask or a stand-in (a placeholder of ours too); not a secret itself."""
    bare = value.strip("\"'`\\")
    return not bare or "[redacted" in bare or _REFERENCE.match(bare) is not None


def is_identifier(value: str) -> bool:
    """Whether a value is the name of something that holds a secret: ``form.client_secret``, ``user_pass``."""
    path, _, last = value.rpartition(".")
    if path and not re.fullmatch(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,4}", path):
        return False
    name = re.fullmatch(r"_*[A-Za-z]+(?:_+[A-Za-z]+)*", last) if path else _IDENTIFIER.fullmatch(last)
    return name is not None and _OF_SECRET.search(last) is not None


TYPE_WORDS = re.compile(
    r"(?:str|string|text|int|integer|number|bool|boolean|bytes|none|null|nil|undefined|true|false|required|optional"
    r"|any|object|array|missing|invalid|incorrect|wrong|empty|hidden|masked|unset|password|secret|token|yes|no|on"
    r"|off|expired|hashed|encrypted|forgotten|include|omit|same-origin|unknown|default|auto|varchar|char|sensitive|plain)"
)


def looks_made_up(bare: str) -> bool:
    """Whether a value is no plain word or small number: a digit or a sign inside, or letters of both cases."""
    if (
        len(bare) < 4
        or (PLAIN.fullmatch(bare) and len(re.findall(r"[a-z](?=[A-Z])", bare)) < 3)
        or (re.fullmatch(r"\d{1,3}|[\d.,]+%?", bare) and len(bare) < 4)
    ):
        return False
    return bool(re.search(r"\d|[^\w\s'’.,-]|_|[a-z][A-Z]", bare))
