"""Secrets told by their name: ``password = ...``, "the PIN is ...", 密码是 ..."""

from __future__ import annotations

import re

from memfs.extraction.placeholders import placeholder
from memfs.extraction.secret_values import PLAIN, TYPE_WORDS, is_identifier, is_reference, looks_made_up

NAMES = (
    r"pass(?:word|wd|phrase|code)|pwd|pw|secret|token|(?:api|access|account|auth|private|signing|encryption|master|"
    r"shared|secret|session|service|app|deploy|subscription|license|storage|webhook|consumer|client|bot|refresh|admin)"
    r"[ _-]?(?:keys?|secret|token)|"
    r"credentials?|connectionstring|jwt|otp|pin|cvv|cvc|"
    r"contraseña|clave|passwort|kennwort|mot de passe|senha|parola|wachtwoord|has[łl]o|пароль"
)
_NAMES_CJK = r"密码|口令|密钥|秘钥|令牌|验证码|パスワード|暗証番号|비밀번호"
# One of these is in every such name, in lower case.
NEEDLES = (
    *(
        "pass",
        "pw",
        "secret",
        "token",
        "key",
        "credential",
        "connectionstring",
        "jwt",
        "otp",
        "pin",
        "cv",
        "auth",
    ),
    *(
        "contraseña",
        "clave",
        "kennwort",
        "mot de",
        "senha",
        "parola",
        "wachtwoord",
        "hasło",
        "haslo",
        "пароль",
    ),
    *("密码", "口令", "密钥", "秘钥", "令牌", "验证码", "パス", "暗証", "비밀"),
)
SECRET_NAME = re.compile(
    rf"(?i)(?:[a-z0-9]{{1,30}}[_.-]){{0,6}}(?:[a-z]{{0,20}})(?:{NAMES}|{_NAMES_CJK})(?:[_-]?\d)?"
)

# Names that also count at the end of a longer one: PGPASSWORD, dbPassword, SSHPASS
_GLUED = (
    r"pass(?:word|wd|phrase|code)|pwd|secret|token|(?:api|access|account|auth|private|secret)[_-]?key|connectionstring"
    r"|passwort|contraseña|(?<=ssh)pass|(?<=db)pass|(?<=root)pass|(?<=user)pass|(?<=admin)pass|(?<=redis)pass"
    r"|(?<=mysql)pass|(?<=smtp)pass|(?<=mail)pass|(?<=ftp)pass|(?<=ldap)pass|(?<=rediscli_)auth|(?<=_)(?<![^\s/:]_)auth"
)

# name = value, name: value, "name": "value", **name:** value, NAME=value
ASSIGNED = re.compile(
    rf"(?i)(?P<name>(?<![a-z])(?:{NAMES}|pass)|{_GLUED})[\"'`*_\]\\]{{0,5}}"
    r"(?:\s{0,3}(?:=>|:=|={1,2}(?!=)|:(?![:/]))(?:\*{1,3}|_{2})?\s{0,3})"
    r"(?P<secret>\\\"[^\"\\\r\n]{1,200}\\\"|\"[^\"\r\n]{1,200}\"|'[^'\r\n]{1,200}'|`[^`\r\n]{1,200}`"
    r"|(?:[^\s\"'`,;&<>|)}，。；、]|&(?!\w{1,30}=)){3,200})"
)
# <password>x</password>
ELEMENT = re.compile(
    rf"(?i)<(?P<name>(?:[a-z0-9]{{1,20}}[_.:-]){{0,3}}(?:{NAMES}))>(?P<secret>[^<>\s]{{3,200}})(?=</)"
)
# | password | x |
CELL = re.compile(
    rf"(?i)\|[ \t*_`]{{0,6}}(?:[a-z0-9]{{1,20}}[ _.-]){{0,3}}(?P<name>{NAMES})[ \t*_`]{{0,6}}\|[ \t*_]{{0,20}}"
    r"(?P<secret>\"[^\"|\r\n]{1,200}\"|`[^`|\r\n]{1,200}`|[^|\s*`]{4,200})[ \t*_]{0,40}\|"
)
# passphrase "blue horse"
QUOTED = re.compile(
    r"(?i)(?<![a-z\"'`])(?P<name>pass(?:word|wd|phrase|code)|contraseña|passwort|kennwort|mot de passe|密码|口令)"
    r"(?P<secret>(?<=\w)(?:“[^”\r\n]{3,120}”|「[^」\r\n]{3,120}」)|\s{1,2}(?:\"[^\"\r\n]{3,120}\"|'[^'\r\n]{3,120}'(?!\w)"
    r"|`[^`\r\n]{3,120}`|“[^”\r\n]{3,120}”))"
)
FLAG = re.compile(
    rf"(?i)(?<=\s)--?(?:[a-z0-9]{{1,20}}-){{0,4}}(?P<name>{NAMES}|pass)[ =]"
    r"(?P<secret>\"[^\"\r\n]{1,200}\"|'[^'\r\n]{1,200}'|[^\s\"'`,;&<>|]{4,200})"
)
# "the password is ...", "my PIN was 4821", "la clave es ..."
SAID = re.compile(
    rf"(?i)(?<![a-z])(?P<name>{NAMES})(?:\s(?:for|of|to|on)\s[^\s]{{1,40}}(?:\s[^\s]{{1,40}}){{0,3}}?)?"
    r"\s{1,3}(?:is|was|are|will be|es|ist|lautet|est|é|è)(?:\s(?:still|now|just|ahora|jetzt|:))?\s{1,3}"
    r"(?P<secret>\"[^\"\r\n]{1,120}\"|'[^'\r\n]{1,120}'|`[^`\r\n]{1,120}`|[^\s\"'`,;，。；、]{3,120})"
)
SAID_CJK = re.compile(
    rf"(?P<name>{_NAMES_CJK})(?:\s{{0,3}}(?:是|为|改成了?|改为|设成了?|设为|就是|叫|は|는|은|:|：|=|＝)\s{{0,3}}|\s{{1,3}})"
    r"(?P<secret>[\"'“「`][^\"'”」`\r\n]{1,120}[\"'”」`]|[!-~]{4,120})"
)
CLOSE = re.compile(
    r"(?i)(?<![a-z])(?P<name>pass(?:word|wd|phrase|code)|pwd|contraseña|passwort|pw)\s(?P<secret>[!-~]{6,120})"
)
# "the vault login is opslead / Tr0mbone!42", "密码先拿着 redis 的是 Qm!77-lantern"
LOGIN = re.compile(
    r"(?i)(?<![a-z])(?P<name>log[ -]?ins?|accounts?|users?|root|admin|sudo)[ :=][^\r\n]{0,40}?\s?/\s?"
    r"(?P<secret>[!-.0-~]{6,120})"
)
LATER_CJK = re.compile(
    rf"(?P<name>{_NAMES_CJK})[^，。；\r\n]{{1,16}}?(?:是|为|：|:)\s{{0,3}}(?P<secret>[!-~]{{6,120}})"
)
PASSPHRASE = re.compile(
    r"(?i)\b(?:pass|seed|recovery|mnemonic)[ -]?phrase\s(?:is|was|:)\s?"
    r"(?P<secret>(?:[a-z]{3,12}[ ,]{1,2}){3,24}[a-z]{3,12})"
)
PASSPHRASE_LINE = re.compile(
    r"(?i)\bpass[ -]?phrase\s?[:=]\s?(?P<secret>(?:[a-z]{3,12}[ -]){1,11}[a-z]{3,12})(?=[.!]?[ \t]{0,8}(?:[\r\n]|\Z))"
)


def kind_of(name: str) -> str:
    """What a secret of that name is called in its placeholder."""
    lowered = name.lower()
    if re.search(r"key|密钥|秘钥", lowered):
        return "api key"
    if re.search(r"token|secret|jwt|credential|令牌|otp|验证码", lowered):
        return "token" if "secret" not in lowered else "secret"
    return "password"


def assigned(match: re.Match[str]) -> tuple[str, str] | None:
    """A value given to a secret's name, unless it is a variable, a type or a plain word."""
    value, name = match["secret"], match["name"]
    bare = value.strip("\"'`“”「」\\")
    quoted = bare != value
    if is_reference(value) or TYPE_WORDS.fullmatch(bare.lower().rstrip(".!?")):
        return None
    if _squeezed(bare) == _squeezed(name) or (value[0] == "`" and bare != bare.strip()):
        return None  # self.token = token; `token=` and `key=`
    if is_identifier(bare) and not (name.isupper() and not bare.isupper()):
        return None
    if "==" in match[0] and not looks_made_up(bare):
        return None
    if not quoted and PLAIN.fullmatch(bare) and not _is_value(match, bare):
        return None  # "token: expired soon", "secret: the trick"
    if name.lower() == "pwd" and bare[0] in "/~.":
        return None  # the working directory
    if re.fullmatch(r"(?i)otp|pin|cvv|cvc", name) and not re.match(r"\d{3,8}\b", bare):
        return None
    if re.fullmatch(r"(?i)tokens?", name) and re.fullmatch(r"[\d.,]+[km]?", bare, re.I):
        return None  # a count of tokens
    return _instead(match, kind_of(name), value, bare)


def flagged(match: re.Match[str]) -> tuple[str, str] | None:
    """After a flag; where more words follow a plain one it is talk of flags."""
    if PLAIN.fullmatch(match["secret"]) and re.match(
        r"[,.]?\s[a-z]{2,}[\s,.]", match.string[match.end() :][:40]
    ):
        return None
    return assigned(match)


def _squeezed(name: str) -> str:
    return re.sub(r"[ _-]", "", name).lower()


def _is_value(match: re.Match[str], bare: str) -> bool:
    """Whether letters alone are a secret: after a password's name, a variable's name, or where they look random."""
    name = match["name"].lower()
    if name.startswith(("pass", "pw")) and name != "passwort":
        return len(bare) >= (3 if match["name"].isupper() else 6)
    if kind_of(name) == "password":
        return len(bare) >= 6 and re.search(r"[a-z][A-Z]", bare) is not None
    if not re.fullmatch(r"[A-Za-z]{10,}", bare) or SECRET_NAME.search(bare):
        return False
    upper = sum(letter.isupper() for letter in bare) / len(bare)
    vowels = len(re.findall("(?i)[aeiouy]", bare)) / len(bare)
    if vowels < 0.25 or (len(bare) >= 16 and 0.25 < upper < 0.8):
        return True
    if match["name"].isupper():
        return True
    return (
        re.search(r"[_-]|api", name) is not None
        and re.search(r"=\Z", match.string[match.start() : match.start("secret")]) is not None
    )


def quoted(match: re.Match[str]) -> tuple[str, str] | None:
    """A name and words in quotes, without a verb between; not what a form calls its field."""
    value = match["secret"].lstrip()
    bare = value.strip("\"'`“”「」")
    if is_reference(value) or TYPE_WORDS.fullmatch(bare.lower()) or SECRET_NAME.search(bare):
        return None
    if not match["name"].lower().endswith("phrase") and not looks_made_up(bare):
        return None
    return _instead(match, kind_of(match["name"]), match["secret"], bare)


def said(match: re.Match[str]) -> tuple[str, str] | None:
    """In prose the value must look made up: a digit or sign inside, or quotes around it."""
    value, name = match["secret"], match["name"]
    bare = value.strip("\"'`“”「」").rstrip(".!?:)")
    quoted = value[0] in "\"'`“「"
    if is_reference(value) or (not quoted and not looks_made_up(bare)):
        return None
    if re.fullmatch(r"(?i)otp|pin|cvv|cvc", name) and not re.fullmatch(r"\d{3,8}", bare):
        return None
    return _instead(match, kind_of(name), value, bare)


def made_up(match: re.Match[str]) -> tuple[str, str] | None:
    """Also in quotes the value must look made up."""
    value = match["secret"]
    bare = value.strip("\"'`")
    if is_reference(value) or not looks_made_up(bare):
        return None
    return _instead(match, kind_of(match["name"]), value, bare)


def close(match: re.Match[str]) -> tuple[str, str] | None:
    """No verb between ("password Qing#Feng2088"): letters and digits or signs, mixed."""
    bare = match["secret"].strip("\"'`").rstrip(".,!?:;)")
    mixed = bool(re.search(r"[A-Za-z]", bare)) and bool(re.search(r"[0-9]", bare))
    if not mixed or is_reference(bare) or "/" in bare or re.match(r"\w+=", bare):
        return None
    return _instead(match, kind_of(match["name"]), match["secret"], bare)


def _instead(match: re.Match[str], kind: str, value: str, bare: str) -> tuple[str, str]:
    offset = match.start("secret") - match.start()
    rest = match[0][offset + len(value) :]
    return kind, match[0][:offset] + value.replace(bare, placeholder(kind), 1) + rest
