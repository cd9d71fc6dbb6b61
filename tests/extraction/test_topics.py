"""What decisions are filed under: a phrase that reads as a title, never scraps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.phrasebook import phrasebook
from memfs.extraction.topics import decision_topic


def topic(text: str, *languages: str) -> str:
    return decision_topic(text, [phrasebook(each) for each in languages or ("en",)], general="General")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we decided to release only on Tuesdays", "Release only on Tuesdays"),
        ("We decided to order vegetables from the Hisingen farm box", "Hisingen farm box"),
        ("we stay with the python exporter on the two VMs", "Python exporter"),
        ("we're dropping the take-home task from engineering interviews", "Take-home task"),
        ("skipping it, october release stays", "October release"),
        ("it's 3 after all", "It's 3 after all"),
        ("we picked Postgres", "Database"),
    ],
)
def test_a_decision_is_filed_under_its_main_phrase_or_its_first_words(text: str, expected: str) -> None:
    assert topic(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("那就改成云溪湿地吧，四十分钟", "云溪湿地"),
        ("就这么干，编号客户端生成", "编号客户端生成"),
        ("老板说中文版砍掉，国内那个渠道不投了", "中文版"),
        ("那venue就Riverside Hall", "Riverside Hall"),
        ("引擎还是Godot，别劝我换Unity", "引擎还是Godot"),
        ("他们家以后一概不考虑", "他们家以后一概不考虑"),
    ],
)
def test_chinese_is_cut_at_its_little_words_but_not_into_scraps(text: str, expected: str) -> None:
    assert topic(text, "zh", "en") == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            [
                "We decided to use PostgreSQL for the billing service",
                "MySQL for our new billing service",
                "the database of billing service will be MySQL",
                "Billing service: we decided to use MySQL",
                "we'll use the billing service's database, Postgres",
            ],
            "Database of the billing service",
        ),
        (["We decided to use MongoDB for the catalogue"], "Database of the catalogue"),
        (
            ["we decided on SQLite for the mobile app", "SQLite in the mobile app"],
            "Database of the mobile app",
        ),
        (["use SQLite instead of PostgreSQL for the tide cache"], "Database of the tide cache"),
        (
            ["For the website we decided to host on Netlify", "we moved the website from Netlify to Vercel"],
            "Hosting of the website",
        ),
        (["We decided to host the API on Fly.io", "we deploy the api to Fly.io"], "Hosting of the API"),
        (["Postgres for Tidepool"], "Database of Tidepool"),
    ],
)
def test_a_choice_for_a_thing_is_filed_under_the_thing_too(texts: list[str], expected: str) -> None:
    assert {topic(text) for text in texts} == {expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We decided to use PostgreSQL for now", "Database"),
        ("We decided to use MySQL for performance reasons", "Database"),
        ("we use Postgres for all new services", "Database"),
        ("we chose Postgres for two years", "Database"),
        ("we decided to use Postgres for the project", "Database"),
        ("We decided to run PostgreSQL on Hetzner", "Database"),
        ("we decided to move everything from AWS to Hetzner", "Hosting"),
        ("We decided to switch the database to MySQL", "Database"),
        ("we use GitHub Actions for CI", "CI"),
    ],
)
def test_how_long_why_or_for_everything_names_no_thing(text: str, expected: str) -> None:
    assert topic(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们决定计费服务用 PostgreSQL", "计费服务的数据库"),
        ("计费服务的数据库改用 MySQL", "计费服务的数据库"),
        ("我们决定用 PostgreSQL 做计费服务的数据库", "计费服务的数据库"),
        ("我们决定给计费服务用 PostgreSQL", "计费服务的数据库"),
        ("官网部署在 Netlify", "官网的部署"),
        ("我们决定把 API 部署在 Fly.io 上", "API 的部署"),
        ("以后用 PostgreSQL", "数据库"),
        ("项目的数据库用 SQLite", "数据库"),
        ("部署在自己的服务器上", "部署"),
    ],
)
def test_a_choice_for_a_thing_in_chinese(text: str, expected: str) -> None:
    assert topic(text, "zh", "en") == expected


@given(st.text(max_size=200), st.sampled_from([("en",), ("zh",), ("zh", "en"), ("ja",), ("de",)]))
def test_a_topic_is_short_and_never_empty(text: str, languages: tuple[str, ...]) -> None:
    made = topic(text, *languages)
    assert 0 < len(made) <= 61
    assert made == made.strip()
