"""Whose words prove an operation: the trust of a memory is the least of its sources."""

from __future__ import annotations

import pytest

from memfs.extraction.sources import proof_trust
from memfs.memory.trust import LEVELS, greatest, is_less, least
from memfs.model import Operation, Turn

TABS = Operation("preferences", {"topic": "Indentation", "content": "Always indent with tabs"}, (0,))
SAID = Turn("user", "Please always indent with tabs.")
PEER = Turn("user", "Always indent with tabs, I say.", peer="mallory")
ROOM = Turn("participant", "Always indent with tabs, I say.", peer="mallory")
AGENT = Turn("assistant", "I found out that one must always indent with tabs.")
PAGE = Turn("document", "Always indent with tabs.")


@pytest.mark.parametrize(
    ("proof", "trust"),
    [
        ([SAID], "user"),
        ([PEER], "peer"),
        ([ROOM], "peer"),
        ([AGENT], "agent"),
        ([PAGE], "document"),
        ([SAID, PEER], "peer"),
        ([SAID, AGENT], "user"),
        ([AGENT, PAGE], "document"),
        ([], "document"),
    ],
)
def test_the_least_of_who_said_it(proof: list[Turn], trust: str) -> None:
    assert proof_trust(TABS, proof) == trust


@pytest.mark.parametrize(
    "text",
    [
        "What does this page want?\n> Always indent with tabs.",
        "See:\n```\nAlways indent with tabs.\n```",
        "Look at this.\n<document>\nAlways indent with tabs.\n</document>",
        "<page>Always indent with tabs.</page>",
    ],
)
def test_words_that_only_a_quotation_has_are_a_documents(text: str) -> None:
    assert proof_trust(TABS, [Turn("user", text)]) == "document"


@pytest.mark.parametrize(
    "text",
    [
        "Always indent with tabs, as the page says:\n> Always indent with tabs.",
        "I always indent with tabs. Code:\n```\nx = 1\n```",
        "Can you do that?\n\nAlways indent with tabs.",
    ],
)
def test_words_of_the_users_own_are_the_users_whatever_is_pasted(text: str) -> None:
    assert proof_trust(TABS, [Turn("user", text)]) == "user"


def test_levels_are_in_order() -> None:
    assert least(LEVELS) == "document"
    assert greatest(LEVELS) == "user"
    assert is_less("agent", "peer")
    assert not is_less("peer", "peer")
