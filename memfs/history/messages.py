"""Commit messages: a subject in plain words, a body, and trailers that only memfs can have written.

Pure. Trailers are lines that begin with ``Memfs-``. No line of a subject or body that was rendered here
begins so, and no value holds a line break, so what is said in a conversation can never become a trailer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

from memfs.model import Tokens

Kind = Literal[
    "merge",
    "hand",
    "undo",
    "remember",
    "forget",
    "move",
    "accept",
    "reject",
    "edit",
    "redact",
    "agent",
    "agent-undo",
    "review",
    "training",
    "cursor",
    "init",
    "other",
]
Action = Literal["added", "updated", "superseded", "removed"]

SUBJECT_LIMIT = 200  # characters
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_FORGED = re.compile(r"^(?=[^\S\n]*(?:[>*+-][^\S\n]*)?memfs-)", re.IGNORECASE | re.MULTILINE)
_TRAILER = re.compile(r"^\s*Memfs-([A-Za-z]+):[ \t]?(.*?)\s*$")
_UNSAFE = re.compile(
    r"[\s\x00-\x20\x7f-\xa0%,#\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_REVERTS = re.compile(r"^[^\S\n]*This reverts commit ([0-9a-f]{7,64})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What a commit did to one entry, and the messages that prove it (``source`` None: no transcript)."""

    id: str
    action: Action
    source: str | None = None
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A memfs commit's message.

    ``base`` is the commit that was the branch's tip when the merge began; ``source`` a transcript as
    ``format/session``; ``cursor`` a note of how far it was read (`cursor_note`).
    """

    kind: str
    subject: str
    body: str = ""
    base: str | None = None
    identity: str | None = None
    source: str | None = None
    cursor: str | None = None
    extractor: str | None = None
    tokens: Tokens | None = None
    entries: tuple[EntryChange, ...] = ()


def fold(text: str) -> str:
    """One line without control characters or outer space."""
    return _SPACE.sub(" ", text).strip()


def render_message(message: CommitMessage) -> str:
    """The text of a commit message. Whatever the parts hold, only the trailers given become trailers."""
    subject = fold(message.subject)[:SUBJECT_LIMIT].rstrip() or f"memfs {fold(message.kind)}"
    body = "\n".join(_CONTROL.sub("", line).rstrip() for line in re.split(r"\r\n?|\n", message.body)).strip(
        "\n"
    )
    parts = [_harmless(subject), _harmless(body), "\n".join(_trailers(message))]
    return "\n\n".join(part for part in parts if part) + "\n"


def parse_message(text: str) -> CommitMessage | None:
    """The message of a commit that memfs made; None for any other (also for a squash of several).

    What people add after the trailers (`Signed-off-by`, notes) does no harm.
    """
    groups = _groups(text)
    if len(groups) != 1 or not groups[0].own:
        return None
    lines = text.split("\n")
    subject = lines[0].strip()
    return _message(groups[0].values, subject, "\n".join(lines[1 : groups[0].line]).strip("\n"))


def parse_groups(text: str) -> tuple[CommitMessage, ...]:
    """Every group of trailers in a message: one of an ordinary memfs commit, several of a squash of them."""
    return tuple(_message(group.values, text.partition("\n")[0].strip(), "") for group in _groups(text))


def reverted_commits(text: str) -> tuple[str, ...]:
    """The commits that a person's `git revert` names in its message."""
    return tuple(_REVERTS.findall(text))


def _harmless(text: str) -> str:
    return _FORGED.sub("| ", text)


def _trailers(message: CommitMessage) -> list[str]:
    values = [
        ("Kind", message.kind),
        ("Base", message.base),
        ("Identity", message.identity),
        ("Source", None if message.source is None else _encode(message.source)),
        ("Cursor", message.cursor),
        ("Extractor", message.extractor),
        ("Tokens", None if message.tokens is None else _tokens_text(message.tokens)),
    ]
    lines = [f"Memfs-{name}: {fold(value)}" for name, value in values if value is not None]
    return lines + [f"Memfs-Entry: {_entry_text(entry)}" for entry in message.entries]


def _tokens_text(tokens: Tokens) -> str:
    return f"{tokens.input} in, {tokens.output} out"


def _entry_text(entry: EntryChange) -> str:
    text = f"{_encode(entry.id)} {entry.action}"
    if entry.source is None:
        return text
    return f"{text} {_encode(entry.source)}#{','.join(_encode(message) for message in entry.messages)}"


def _encode(text: str) -> str:
    """Percent-encode what would end a value or a list; other letters of any script stay readable."""
    return _UNSAFE.sub(lambda match: quote(match.group(), safe="", errors="replace"), text)


@dataclass(frozen=True, slots=True)
class _Group:
    line: int  # where its first trailer stands
    own: bool  # not indented: the commit's own, not quoted by a squash
    values: tuple[tuple[str, str], ...]


def _groups(text: str) -> list[_Group]:
    """The trailer groups of a message: each begins with ``Memfs-Kind``."""
    groups: list[_Group] = []
    for number, line in enumerate(text.split("\n")):
        found = _TRAILER.match(line)
        if found is None:
            continue
        name, value = found.group(1).lower(), found.group(2)
        if name == "kind":
            groups.append(_Group(number, line.startswith("M"), ((name, value),)))
        elif groups:
            last = groups[-1]
            groups[-1] = _Group(last.line, last.own, (*last.values, (name, value)))
    return groups


def _message(values: Sequence[tuple[str, str]], subject: str, body: str) -> CommitMessage:
    single = {name: value for name, value in reversed(values) if name != "entry"}
    entries = (_parse_entry(value) for name, value in values if name == "entry")
    source = single.get("source")
    return CommitMessage(
        kind=single.get("kind", "other"),
        subject=subject,
        body=body,
        base=single.get("base"),
        identity=single.get("identity"),
        source=None if source is None else unquote(source),
        cursor=single.get("cursor"),
        extractor=single.get("extractor"),
        tokens=_parse_tokens(single.get("tokens")),
        entries=tuple(entry for entry in entries if entry is not None),
    )


def _parse_entry(text: str) -> EntryChange | None:
    id_, _, rest = text.partition(" ")
    action, _, evidence = rest.partition(" ")
    if not id_ or action not in ("added", "updated", "superseded", "removed"):
        return None
    source, separator, messages = evidence.partition("#")
    return EntryChange(
        unquote(id_),
        action,  # type: ignore[arg-type]  # narrowed by the test above
        unquote(source) if separator else None,
        tuple(unquote(message) for message in messages.split(",") if message),
    )


def _parse_tokens(text: str | None) -> Tokens | None:
    numbers = re.fullmatch(r"(\d{1,12}) in, (\d{1,12}) out", text or "")
    return Tokens(int(numbers.group(1)), int(numbers.group(2))) if numbers else None
