"""Whether the assistant's answer took note of what the user said.

The answer is never evidence; but who answers "Noted", or repeats the gist, was told something and not asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.wording import shingles
from memfs.model import Turn

LONGEST = 120
LONGEST_ECHO = 60


def took_note(
    turns: Sequence[Turn], position: int, sentence: str, books: Sequence[Phrasebook]
) -> tuple[int, bool]:
    """How the answer to ``sentence`` of turn ``position`` takes note (2 outright, 1 perhaps), and if for good."""
    answer = turns[position + 1] if position + 1 < len(turns) else None
    if answer is None or answer.role != "assistant" or answer.tool_calls or len(answer.text) > LONGEST:
        return 0, False
    text = answer.text.strip()

    def says(name: str) -> bool:
        return any(book.has(name, text) for book in books)

    if says("not_ack"):
        return 0, False
    if says("ack_wish"):
        return 2, True
    if says("ack"):
        return 2, False
    if says("did") or len(text) > LONGEST_ECHO:
        return 0, False
    if shingles(text, books) & shingles(sentence, books):
        return 2, False
    return int(says("soft_ack")), False
