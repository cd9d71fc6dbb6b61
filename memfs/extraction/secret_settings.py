"""Secrets set by a command, a call or a pair of name and value, and those that an account is written with."""

from __future__ import annotations

import re

from memfs.extraction.placeholders import Replacer
from memfs.extraction.secret_flags import unless_reference
from memfs.extraction.secret_names import NAMES, NEEDLES, close, made_up

_NAME = rf"(?P<name>(?:[\w.:@/-]{{0,60}}[\W_])?(?:[a-z]{{0,12}})(?:{NAMES})(?:_\d)?)"
_VALUE = r"(?P<secret>\"[^\"\r\n]{1,200}\"|'[^'\r\n]{1,200}'|[^\s\"'`,;<>|)]{4,200})"

# ENV DB_PASSWORD x, setx API_TOKEN x, aws configure set aws_secret_access_key x, gh secret set TOKEN -b x
SET = re.compile(
    rf"(?i)(?<![\w-])(?:env|arg|setx?|put|add|requirepass|masterauth)\s{{1,3}}{_NAME}"
    rf"\s{{1,3}}(?:(?:-b|--body|--value)[ =]{{1,2}})?{_VALUE}"
)
REQUIREPASS = re.compile(rf"(?i)(?<![\w-])(?P<name>requirepass|masterauth)\s{{1,3}}{_VALUE}")
# - name: DB_PASSWORD / value: x, <add key="ApiKey" value="x"/>, {"name": "TOKEN", "value": "x"}
PAIRED = re.compile(
    rf"(?i)(?<![\w-])(?:name|key|id)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?{_NAME}[\"']?,?\s{{1,60}}"
    rf"[\"']?(?:value|data|default)[\"']?\s{{0,3}}[:=]\s{{0,3}}{_VALUE}"
)
# define('DB_PASSWORD', 'x'), setenv("API_KEY", "x")
CALLED = re.compile(
    rf"(?i)[\"']{_NAME}[\"']\s{{0,3}},\s{{0,3}}(?P<secret>\"[^\"\r\n]{{4,200}}\"|'[^'\r\n]{{4,200}}')"
)
# auth=("ada", "x")
AUTH = re.compile(
    r"(?i)(?<![a-z])(?:basic_?)?auth\s?[=:(]\s?[(\[]?\s?[\"'][^\"'\r\n]{1,60}[\"']\s?,\s?"
    r"(?:\"(?P<quoted>[^\"\r\n]{3,200})\"|'(?P<single>[^'\r\n]{3,200})')"
)
HTPASSWD = re.compile(
    r"(?<![\w-])htpasswd\s{1,3}-\w{0,6}b\w{0,6}\s{1,3}\S{1,200}\s{1,3}\S{1,60}\s{1,3}(?P<secret>\S{2,200})"
)
STDIN = re.compile(
    r"(?i)(?<![\w-])(?:echo|printf)\s(?:-n\s)?(?:\"(?P<quoted>[^\"\r\n]{3,200})\"|'(?P<single>[^'\r\n]{3,200})'"
    r"|(?P<bare>[^\s\"'|]{3,200}))\s?\|[^\r\n]{0,120}?(?:--password-stdin|--passphrase-fd|sudo\s-S|chpasswd|--with-token)"
)
IDENTIFIED = re.compile(
    r"(?i)\bidentified by\s{1,3}(?:\"(?P<quoted>[^\"\r\n]{3,200})\"|'(?P<single>[^'\r\n]{3,200})')"
)
# host:port:database:user:x, the lines of .pgpass
PGPASS = re.compile(
    r"(?m)^[\w.*-]{1,80}:(?:\d{4,5}|\*):(?:[A-Za-z][\w-]{0,60}|\*):(?:[A-Za-z][\w-]{0,60}|\*):(?P<secret>[^\s:]{4,120})$"
)
# admin:x@10.0.0.5, without a scheme
AT_HOST = re.compile(
    r"(?<![\w/:.@-])(?!(?:mailto|e?mail|to|from|cc|sip|xmpp|contact|author):)[A-Za-z][\w.-]{1,32}:"
    r"(?P<secret>(?=[^\s:@/]{0,64}[A-Z!#$%^&*?+=~])(?=[^\s:@/]{0,64}\d)[^\s:@/\"'<>]{6,64})@(?=[\w-]{1,60}(?:\.[\w-]{1,60}){1,6})"
)

SETTINGS: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = (
    (NEEDLES, SET, made_up),
    (("requirepass", "masterauth"), REQUIREPASS, made_up),
    (("value", "data", "default"), PAIRED, made_up),
    (("',", '",', "' ,", '" ,'), CALLED, close),
    (("auth",), AUTH, unless_reference("password")),
    (("htpasswd",), HTPASSWD, unless_reference("password")),
    (("|",), STDIN, unless_reference("password")),
    (("identified",), IDENTIFIED, unless_reference("password")),
    ((":",), PGPASS, unless_reference("password")),
    (("@",), AT_HOST, unless_reference("password")),
)
