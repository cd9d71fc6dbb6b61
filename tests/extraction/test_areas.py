"""The areas that wishes are filed under: a few of everyday, and what holds for all tables."""

from __future__ import annotations

from datetime import datetime

import pytest

from memfs.extraction.areas import area_of
from memfs.extraction.phrasebook import LANGUAGES, read_phrases
from memfs.extraction.request import Request
from memfs.extraction.rules import RulesExtractor
from memfs.memory.headings import heading
from memfs.model import Turn

NOW = datetime.fromisoformat("2026-06-10T09:00:00+02:00")


@pytest.mark.parametrize(
    ("text", "languages", "area"),
    [
        ("I always use tabs, never spaces, for indentation", ["en"], "Code style"),
        ("never force-push to main", ["en"], "Git"),
        ("I prefer pytest over unittest", ["en"], "Tests"),
        ("answer in British English", ["en"], "Language"),
        ("keep answers short and skip the apologies", ["en"], "Answers"),
        ("no meetings before 10", ["en"], "Meetings and time"),
        ("I never eat coriander", ["en"], "Food"),
        ("always a window seat on flights", ["en"], "Travel"),
        ("I like my mornings quiet, with jazz and some more music", ["en"], "Music"),
        ("the blue one, always", ["en"], "General"),
        ("以后变量命名都用下划线", ["zh"], "Code style"),
        ("commit message用英文写，conventional commits那种", ["zh"], "Git"),
        ("回答简短一点，先说结论", ["zh"], "Answers"),
        ("我从来不吃香菜", ["zh"], "Food"),
        ("以后都用kubernetes", ["zh"], "Operations"),  # no Chinese word fits: English is asked
        ("bitte immer kurz antworten, in Stichpunkten", ["de"], "Answers"),
        ("respuestas cortas, por favor", ["es"], "Answers"),
        ("toujours me tutoyer", ["fr"], "Answers"),
        ("回答は短くしてください", ["ja"], "Answers"),
    ],
)
def test_a_wish_is_filed_under_what_most_of_its_words_are_about(
    text: str, languages: list[str], area: str
) -> None:
    assert area_of(text, languages, language="en") == area


def test_the_headings_are_in_the_language_of_the_vault() -> None:
    assert area_of("I always use tabs", ["en"], language="zh") == "代码风格"
    assert area_of("回答简短一点", ["zh"], language="en") == "Answers"
    assert area_of("the blue one", ["en"], language="zh") == heading("General", "zh")


def test_all_languages_name_the_same_areas() -> None:
    names = list(read_phrases("en")["areas"])
    assert set(read_phrases("zh")["area_names"]) == set(names)
    for language in LANGUAGES:
        own = list(read_phrases(language)["areas"])
        assert own
        assert set(own) <= set(names)


def test_wishes_on_one_matter_share_a_heading_and_keep_their_topics() -> None:
    turns = (Turn("user", "I prefer short answers."), Turn("user", "please always answer with bullet points"))
    operations = RulesExtractor().extract(Request(turns, NOW)).operations
    assert [op.fields["area"] for op in operations] == ["Answers", "Answers"]
    assert len({op.fields["topic"] for op in operations}) == 2


def test_only_wishes_have_an_area() -> None:
    turns = (Turn("user", "we decided to deploy with Kamal"), Turn("user", "I'm a nurse"))
    operations = RulesExtractor().extract(Request(turns, NOW)).operations
    assert operations
    assert all("area" not in op.fields for op in operations)
