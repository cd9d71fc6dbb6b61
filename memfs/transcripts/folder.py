"""Transcripts that are a folder: a ChatGPT export in parts, a Claude Code session with its subagents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from memfs.errors import TranscriptError
from memfs.transcripts.chatgpt import ChatGPT, merge_trees, trees_in
from memfs.transcripts.opening import find_parser, open_transcript, read_head
from memfs.transcripts.reader import Parser, Reader, ReadLimits, Source
from memfs.transcripts.sniff import ignored_name


@dataclass(frozen=True, slots=True)
class Folder:
    """The conversations of a folder, and the names of its files that hold none."""

    readers: tuple[Reader, ...]
    ignored: tuple[str, ...]


def open_folder(
    files: Mapping[str, BinaryIO],
    *,
    me: Sequence[str] = (),
    limits: ReadLimits | None = None,
    parsers: Sequence[Parser] = (),
) -> Folder:
    """Start reading all files of a folder, given by their paths in it.

    Parts of one ChatGPT export become one reader; a conversation that is in several of them is whole in it.
    Files that are no transcripts, or cannot be read, are named in `Folder.ignored`.
    """
    readers: list[Reader] = []
    ignored: list[str] = []
    parts: dict[str, BinaryIO] = {}
    for path in sorted(files):
        stream = files[path]
        try:
            if ignored_name(path.rpartition("/")[2]):
                ignored.append(path)
            elif isinstance(find_parser(read_head(stream), parsers), ChatGPT):
                parts[path] = stream
            else:
                readers.append(open_transcript(stream, name=path, me=me, limits=limits, parsers=parsers))
        except TranscriptError:
            ignored.append(path)
    if parts:
        readers.insert(0, _join_parts(parts, limits or ReadLimits()))
    return Folder(tuple(readers), tuple(ignored))


def _join_parts(parts: Mapping[str, BinaryIO], limits: ReadLimits) -> Reader:
    sources = [Source(stream, path, limits=limits) for path, stream in parts.items()]
    trees: list[list[dict[str, Any]]] = [trees_in(source) for source in sources]
    merged = merge_trees(trees)
    return ChatGPT().read(merged, sources[-1], len(merged))
