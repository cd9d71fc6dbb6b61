"""From a file to its reader: the format is found by what the file holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from memfs.errors import TranscriptError, UnknownFormat
from memfs.transcripts.chatgpt import ChatGPT
from memfs.transcripts.claude_ai import ClaudeAi
from memfs.transcripts.claude_code import ClaudeCode
from memfs.transcripts.codex import Codex
from memfs.transcripts.cowork import Cowork
from memfs.transcripts.decoding import is_binary, plain_stream
from memfs.transcripts.gemini import GeminiCli
from memfs.transcripts.group_chat import GroupChat
from memfs.transcripts.markdown_chat import MarkdownChat
from memfs.transcripts.neutral import Neutral
from memfs.transcripts.openai_messages import OpenAIMessages
from memfs.transcripts.plain_text import PlainText
from memfs.transcripts.reader import Parser, Progress, Reader, ReadLimits, Source
from memfs.transcripts.sniff import is_begun

HEAD = 1 << 20
_HINT = "docs/transcripts.md lists the formats"
_LONGEST_LINE = 64 << 20

# In this order: the narrower a format's marks, the earlier it is asked.
PARSERS: tuple[Parser, ...] = (
    ClaudeCode(),
    Codex(),
    Neutral(),
    Cowork(),
    GeminiCli(),
    OpenAIMessages(),
    ChatGPT(),
    ClaudeAi(),
    MarkdownChat(),
    GroupChat("feishu"),
    GroupChat("dingtalk"),
    GroupChat("wechat"),
    PlainText(),
)


def open_transcript(
    stream: BinaryIO,
    *,
    name: str,
    start: int = 0,
    me: Sequence[str] = (),
    limits: ReadLimits | None = None,
    parsers: Sequence[Parser] = (),
) -> Reader:
    """Start reading a transcript at byte ``start``.

    ``stream`` must be seekable and stay open while the reader is used. ``name`` is for messages. ``me``:
    names under which the user appears in group chats. ``parsers``: further ones, asked before memfs's own.
    An export of many conversations is one reader with `Reader.conversations`. While a first line is still
    being written the format is "unknown", and the reader waits.
    Raises UnknownFormat (no parser knows it) and TranscriptError (broken, binary, wrong encoding).
    """
    plain = plain_stream(stream, name)
    head = read_head(plain)
    if is_begun(head):
        return Reader("unknown", name, Progress(pending_tail=True), tuple, incremental=True, empty=True)
    parser = find_parser(head, parsers)
    if parser is None:
        if is_binary(head):
            raise TranscriptError("binary file (NUL bytes), not a transcript", path=name)
        raise UnknownFormat(
            "not a conversation in any known format", path=name, hint="see docs/transcripts.md"
        )
    return parser.open(Source(plain, name, start, tuple(me), limits or ReadLimits()))


def read_transcripts(
    stream: BinaryIO,
    *,
    name: str,
    start: int = 0,
    me: Sequence[str] = (),
    limits: ReadLimits | None = None,
    parsers: Sequence[Parser] = (),
) -> Iterator[Reader]:
    """As `open_transcript`, one reader for each conversation in the file."""
    reader = open_transcript(stream, name=name, start=start, me=me, limits=limits, parsers=parsers)
    yield from reader.conversations or (reader,)


def recognise(head: bytes, parsers: Sequence[Parser] = ()) -> str | None:
    """The format of a file that begins with ``head``, None if no parser knows it."""
    parser = find_parser(head, parsers)
    return parser.name if parser is not None else None


def find_parser(head: bytes, parsers: Sequence[Parser] = ()) -> Parser | None:
    """The first parser that knows a file beginning with ``head``."""
    return next((parser for parser in (*parsers, *PARSERS) if parser.recognise(head)), None)


def read_head(stream: BinaryIO) -> bytes:
    """The beginning of a plain stream, to the end of a line: first lines can be long."""
    stream.seek(0)
    head = stream.read(HEAD)
    while b"\n" not in head and len(head) < _LONGEST_LINE and (more := stream.read(4 * HEAD)):
        head += more
    return head
