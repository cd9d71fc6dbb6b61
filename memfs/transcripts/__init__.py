"""One parser per format: bytes in, turns out. Pure: streams and the user's names come as arguments."""

from memfs.transcripts.folder import Folder, open_folder
from memfs.transcripts.neutral import render_header, render_neutral, render_turn
from memfs.transcripts.opening import open_transcript, read_transcripts, recognise
from memfs.transcripts.privacy import Withheld, keep_turns
from memfs.transcripts.reader import Parser, Reader, ReadLimits, Source
from memfs.transcripts.report import transcript_json, turn_json
from memfs.transcripts.sniff import ignored_name
from memfs.transcripts.times import turn_time

__all__ = [
    "Folder",
    "Parser",
    "ReadLimits",
    "Reader",
    "Source",
    "Withheld",
    "ignored_name",
    "keep_turns",
    "open_folder",
    "open_transcript",
    "read_transcripts",
    "recognise",
    "render_header",
    "render_neutral",
    "render_turn",
    "transcript_json",
    "turn_json",
    "turn_time",
]
