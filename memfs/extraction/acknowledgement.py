"""Whether the assistant's answer took note of what the user said.

The answer is never evidence; but who answers "Noted", or repeats the gist, was told something and not asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.wording import shingles
from memfs.model import Turn

LONGEST = 120
LONGEST_ECHO = 60
SHARE = 0.34  # of the answer's words that must be the user's: less is an answer to a request
ECHO = 0.67  # of its first six words: then it is nothing but the gist
STEM = 5  # letters that tell a word in another form: "Ansible tasks" for "ansible-able"
PRODUCED = re.compile(r"[\"“”„«「『]|^\S{1,20}: |->|→")  # a draft, a table row: made, not noted

QUESTIONS = re.compile(r"(?<![^.!?。！？\n])[^.!?。！？\n]*[?？]")


def took_note(
    turns: Sequence[Turn], position: int, sentence: str, books: Sequence[Phrasebook]
) -> tuple[int, bool]:
    """How the answer to ``sentence`` of turn ``position`` takes note (2 outright, 1 perhaps), and if for good."""
    text = _note(turns, position)
    if not text:
        return 0, False

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
    said = gist(text, books)
    if len(said & gist(sentence, books)) >= max(1, SHARE * len(said)):
        return 2, False
    return int(says("soft_ack")), False


def _note(turns: Sequence[Turn], position: int) -> str:
    """The short answer to a turn, without what it asks back ("Odd hours it is. How can I help?")."""
    answer = turns[position + 1] if position + 1 < len(turns) else None
    if answer is None or answer.role != "assistant" or answer.tool_calls or len(answer.text) > LONGEST:
        return ""
    return QUESTIONS.sub("", answer.text).strip()


def gist(text: str, books: Sequence[Phrasebook]) -> set[str]:
    """Numbers and the stems of words with meaning."""
    words = {part[:STEM] for word in shingles(text, books) for part in re.split(r"[-_/'’]", word) if part}
    return {word for word in words if len(word) > 2 or word[0] > "\u2e7f"} | set(re.findall(r"\d+", text))


def echoes(turns: Sequence[Turn], position: int, sentence: str, books: Sequence[Phrasebook]) -> bool:
    """Whether the answer to turn ``position`` is nothing but the gist of ``sentence``, in a few words."""
    text = _note(turns, position)
    if not text or any(book.has("not_ack", text) for book in books) or PRODUCED.search(text):
        return False
    said, meant = gist(text, books), gist(sentence, books)
    return len(said & meant) >= max(2, ECHO * min(len(said), 6))
