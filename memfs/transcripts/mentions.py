"""Files that a conversation mentions: in its metadata, or only in its words. Pure; whether they exist is no matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from memfs.model import Turn

_LONGEST = 1024
_KEYWORD = re.compile(
    r"(?<![A-Za-z])(?P<word>file|attachment|upload|文件|附件|上传)[:：][ \t]*", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"'`“‘「『《]([^\n\"'`”’」』》]{1,1024}\.[A-Za-z0-9]+)[\"'`”’」』》]")
_TOKEN = re.compile(rf"\S{{1,{_LONGEST}}}")
_NAME_END = re.compile(r"\.[A-Za-z0-9]+(?![A-Za-z0-9])")
_STOPS = re.compile(r"[,，。；;、！？!?\"'`<>()（）《》「」【】\[\]]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_ASSET = re.compile(r"(?:(?:file-service|sediment)://)?(file[-_][A-Za-z0-9]{8,64})")


@dataclass(frozen=True, slots=True)
class Mention:
    """A file that a turn speaks of: what it may be called, the likeliest reading first.

    ``told``: the metadata names it; else only the text does.
    """

    names: tuple[str, ...]
    told: bool


def find_mentions(turn: Turn) -> Iterator[Mention]:
    """The files of a turn: attachments, then those after ``file:``, ``attachment:``, ``upload:`` in its text."""
    for attachment in turn.attachments:
        if attachment.path.strip():
            yield Mention((attachment.path.strip(),), told=True)
    for keyword in _KEYWORD.finditer(turn.text):
        names = _names_at(turn.text, keyword.end(), keyword["word"].lower())
        if names:
            yield Mention(names, told=False)


def path_readings(name: str) -> tuple[str, ...]:
    """The paths that a name may mean, the most literal first; none for an address of another kind.

    ``file:`` addresses are decoded, and a fragment (``#page=3``) is cut.
    """
    if name[:5].lower() == "file:":
        path = re.sub(r"^file:(?://(?:localhost)?(?=/))?", "", name, flags=re.IGNORECASE)
        plain = re.split(r"[#?]", path, maxsplit=1)[0]
        return _distinct(unquote(plain), plain, unquote(path))
    if _SCHEME.match(name):
        return ()
    without = name.partition("#")[0]
    return _distinct(name, without, unquote(name), unquote(without))


def asset_id(name: str) -> str | None:
    """The id by which an export packs a file (``file-service://file-abc...``), None for another name."""
    found = _ASSET.fullmatch(name)
    return found[1] if found else None


def _names_at(text: str, at: int, word: str) -> tuple[str, ...]:
    quoted = _QUOTED.match(text, at)
    if quoted:
        return (quoted[1].strip(),)
    token = _TOKEN.match(text, at)
    if token is None:
        return ()
    said = token[0]
    if word == "file" and said.startswith("//"):
        said = f"file:{said}"
    whole = said[:end] if (end := _last_end(said)) else ""
    short = _STOPS.split(said, maxsplit=1)[0]
    short = short[:end] if (end := _last_end(short)) else ""
    fragment = re.match(r"#[\w=&.-]*", said[len(short) :]) if short else None
    return _distinct(short + fragment[0] if fragment else "", whole, short)


def _last_end(text: str) -> int:
    """Where the last extension in ``text`` ends; 0 where there is none."""
    return max((found.end() for found in _NAME_END.finditer(text) if found.start() > 0), default=0)


def _distinct(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name and "\0" not in name))
