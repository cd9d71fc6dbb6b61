"""Transcripts that are a folder: a ChatGPT export in parts, a Claude Code session with its subagents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from memfs.errors import TranscriptError
from memfs.transcripts.chatgpt import ChatGPT, merge_trees, trees_in
from memfs.transcripts.decoding import is_binary, plain_stream
from memfs.transcripts.document_places import NO_PLACES
from memfs.transcripts.opening import find_parser, open_transcript, read_head
from memfs.transcripts.plain_text import PlainText
from memfs.transcripts.reader import Parser, Reader, ReadLimits, Source
from memfs.transcripts.sniff import ignored_name

Opener = Callable[[], AbstractContextManager[BinaryIO]]
# Texts that are no conversation; a folder with more of them is none that a client writes. A session may have its
# tools' results beside it, so that there may be more where a conversation was found.
_FOREIGN, _BESIDE = 100, 1000


@dataclass(slots=True)
class Folder:
    """A folder that is one transcript: what its files are, by their paths in it.

    ``parts`` are of one ChatGPT export, and become one reader; a conversation that is in several of them is whole in
    it. ``ignored`` names the files that hold no conversation; those that turn out broken join them while it is read.
    """

    files: Mapping[str, Opener]
    me: tuple[str, ...]
    limits: ReadLimits
    parsers: tuple[Parser, ...]
    parts: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Reader]:
        """The readers, one at a time: the file behind one is closed when the next is asked for."""
        if self.parts:
            yield from self._joined()
        for path in tuple(self.others):
            try:
                with self.files[path]() as stream:
                    yield open_transcript(
                        stream, name=path, me=self.me, limits=self.limits, parsers=self.parsers
                    )
            except TranscriptError:
                self.ignored.append(path)

    def _joined(self) -> Iterator[Reader]:
        trees: list[list[dict[str, Any]]] = []
        for path in self.parts:
            with self.files[path]() as stream:
                trees.append(trees_in(Source(stream, path, limits=self.limits)))
        merged = merge_trees(trees)
        with self.files[self.parts[-1]]() as stream:
            yield ChatGPT().read(
                merged, Source(stream, self.parts[-1], limits=self.limits), len(merged), NO_PLACES
            )

    def look(self) -> None:
        """Tell conversations from other files by their beginnings, JSON first: an export has one early on."""
        foreign: list[str] = []
        found = 0
        for path in sorted(self.files, key=lambda path: (".json" not in path, path)):
            kind = self._kind(path)
            listed = {"part": self.parts, "none": self.ignored, "beside": self.ignored}.get(kind, self.others)
            listed.append(path)
            found += kind in ("part", "conversation")
            if kind in ("none", "text"):
                foreign.append(path)
            most = _BESIDE if found else _FOREIGN
            if len(foreign) > most:
                raise TranscriptError(
                    f"this folder is no transcript: more than {most} of its files are no conversation",
                    hint=f"name one file, or the folder of one export; {foreign[0]} is none",
                )

    def _kind(self, path: str) -> Literal["part", "conversation", "text", "beside", "none"]:
        """What a file is: of a ChatGPT export, or another conversation; ``text`` may be anything.

        ``beside``: what clients put beside conversations; ``none``: it cannot be read, or has no known format.
        """
        if ignored_name(path.rpartition("/")[2]):
            return "beside"
        try:
            with self.files[path]() as opened:
                head = read_head(plain_stream(opened, path))
        except TranscriptError:
            return "none"
        if is_binary(head):
            return "beside"
        parser = find_parser(head, self.parsers)
        if parser is None:
            return "none"
        if isinstance(parser, ChatGPT):
            return "part"
        return "text" if isinstance(parser, PlainText) else "conversation"


def open_folder(
    files: Mapping[str, Opener],
    *,
    me: Sequence[str] = (),
    limits: ReadLimits | None = None,
    parsers: Sequence[Parser] = (),
) -> Folder:
    """Start reading the files of a folder, given by their paths in it; each is opened only while it is read.

    Raises:
        TranscriptError: far more of the files are no conversation than lie in any client's folder.
    """
    folder = Folder(files, tuple(me), limits or ReadLimits(), tuple(parsers))
    folder.look()
    return folder
