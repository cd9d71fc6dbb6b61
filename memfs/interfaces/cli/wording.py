"""What the command line says of an error or a remark: its own commands as hints, and in Chinese what is known.

Errors are raised in English, and in words that fit every interface.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfs.interfaces.cli.chinese import ERRORS, HINTS
from memfs.interfaces.cli.remarks import REMARKS

# A hint of all interfaces -> what to type instead.
COMMANDS: Sequence[tuple[str, str]] = (
    (r"the list of entries shows the ids", "memfs list shows the ids"),
    (r"the list of entries shows what is offered", "memfs list shows suggestions"),
    (r"the list of entries shows both", "memfs list shows both"),
    (
        r"one of (.+); init with the identity (\S+) makes a new one",
        "one of {0}; memfs init . --identity {1} makes a new one",
    ),
    (r"init with the identity (\S+) makes it", "memfs init . --identity {0} makes it"),
    (r"name a new one", "name one with --identity"),
    (r"name the identity: (.+)", "--identity with one of: {0}"),
    (r"the log lists the commits there are", "`memfs log` lists the commits there are"),
    (r"the list of tokens shows them", "memfs token list shows them"),
    (r"forget the entry to take it out", "memfs forget takes it out"),
    (r"where an entry comes from names its source", "memfs why ENTRY names sources"),
    (r"the role is user or assistant", "--role user"),
    (r"name the channel, such as feishu", "--channel feishu"),
    (r"the relay board shows them", "memfs relay show"),
    (r"the list of settings has them all", "`memfs config` lists the settings"),
)

# A message, hint or remark, as it is printed in English -> the same in Chinese, with the same values.
CHINESE: Sequence[tuple[str, str]] = (*ERRORS, *REMARKS, *HINTS)


def say_error(language: str, text: str) -> str:
    """A message or hint of an error as the command line says it."""
    told = _said(COMMANDS, text)
    return _said(CHINESE, told) if language == "zh" else told


def say_remark(language: str, text: str) -> str:
    """Why something waits or was left, as "place: reason (hint)": each part of it that is known."""
    if language != "zh":
        return text
    for pattern, said in CHINESE:
        if found := re.fullmatch(pattern, text):
            return said.format(*(say_remark(language, part) for part in found.groups()))
    if hinted := re.fullmatch(r"(.+) \(([^()]+)\)", text):
        message, hint = (say_remark(language, part) for part in hinted.groups())
        if message != hinted[1]:
            return f"{message}（{hint}）"
    place, colon, reason = text.partition(": ")
    return f"{place}: {say_remark(language, reason)}" if colon else text


def _said(rows: Sequence[tuple[str, str]], text: str) -> str:
    for pattern, said in rows:
        if found := re.fullmatch(pattern, text):
            return said.format(*found.groups())
    return text
