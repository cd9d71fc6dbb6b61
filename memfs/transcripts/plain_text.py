"""Parser of plain text: labelled conversations, chats with times, and texts without speakers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memfs.model import Turn
from memfs.transcripts.chat_log import chat_turns, read_chat_log
from memfs.transcripts.documents import read_text, whole_reader
from memfs.transcripts.fences import unfenced
from memfs.transcripts.message_ids import with_ids
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import layout
from memfs.transcripts.speakers import role_of

_LABEL = re.compile(r"(?P<name>[^\s:：>#`\-*][^:：\n]{0,24}?)\s*[:：]\s*(?P<text>.*)\Z")

_Part = tuple[str | None, int, list[str]]  # a label's name, its line, and the text below it


class PlainText:
    """The last resort: any text."""

    name = "plain-text"

    def recognise(self, head: bytes) -> bool:
        return layout(head) == "text"

    def open(self, source: Source) -> Reader:
        text = read_text(source)
        progress = Progress()
        log = read_chat_log(text)
        turns = list(with_ids(chat_turns(log, source.me) if log is not None else labelled_turns(text)))
        return whole_reader(self.name, source, progress, lambda: turns)


def labelled_turns(text: str) -> Iterator[Turn]:
    """Turns of lines like ``User: ...``; any other text is one turn of the role ``document``.

    A label counts at the start of a line, outside of code fences; what is quoted or indented is text.
    """
    parts: list[_Part] = [(None, 1, [])]
    for number, (line, fenced) in enumerate(unfenced(text.split("\n")), 1):
        found = None if fenced else _LABEL.match(line)
        if found is not None and role_of(found["name"]) is not None:
            parts.append((found["name"], number, [found["text"]]))
        else:
            parts[-1][2].append(line)
    if not _is_conversation(parts):
        parts = [(None, 1, text.split("\n"))]
    for name, number, lines in parts:
        said = "\n".join(lines).strip()
        if said:
            blank = next(at for at, line in enumerate(lines) if line.strip()) if name is None else 0
            role = (role_of(name) if name is not None else None) or "document"
            yield Turn(role, said, speaker=name, line=number + blank)


def _is_conversation(parts: list[_Part]) -> bool:
    """Whether the labels make a conversation: it begins with one, or there are both sides."""
    roles = {role_of(name) for name, _, _ in parts[1:] if name is not None}
    above = any(line.strip() for line in parts[0][2])
    return len(roles) > 1 or (bool(roles) and not above)
