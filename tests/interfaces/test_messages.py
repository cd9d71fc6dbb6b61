"""The sentences of the command line: both languages say the same, and none is left over."""

from __future__ import annotations

import re
from string import Formatter
from typing import get_args

import pytest

from memfs.interfaces.cli.messages import MESSAGES, message
from memfs.markdown.linking import State
from memfs.services.checking import Level
from tests.conftest import PROJECT

SOURCES = "".join(path.read_text("utf-8") for path in (PROJECT / "memfs/interfaces/cli").glob("*.py"))
CATALOGUE = (PROJECT / "memfs/interfaces/cli/messages.py").read_text("utf-8")


def places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text)} - {None}


@pytest.mark.parametrize("key", MESSAGES)
def test_both_languages_have_the_same_places(key: str) -> None:
    english, chinese = MESSAGES[key]
    assert places(english) == places(chinese)
    assert english != chinese


def test_every_message_that_is_used_exists_and_every_one_is_used() -> None:
    used = set(re.findall(r'(?:text|message)\(\s*(?:language, )?"(\w+)"', SOURCES))
    assert used <= MESSAGES.keys()
    elsewhere = SOURCES.replace(CATALOGUE, "")
    made = {f"finding_{level}" for level in get_args(Level)} | {f"link_{state}" for state in get_args(State)}
    made |= {
        f"part_{name}" for name in ("id", "words", "meaning", "date", "age", "superseded", "peer", "link")
    }
    quoted = set(re.findall(r'["\'](\w+)["\']', elsewhere)) | made
    told_by_values = {"live", "daily", "added", "updated", "superseded", "removed"}
    assert MESSAGES.keys() - quoted - told_by_values == set()


def test_an_unknown_language_is_answered_in_english() -> None:
    assert message("fr", "nothing_new") == "Nothing new."
    assert message("zh", "nothing_new") == "没有新内容。"
