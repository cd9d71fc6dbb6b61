"""What others say, documents tell, and nobody did is not kept; nor what is said of the text or code at hand."""

from __future__ import annotations

from datetime import datetime

import pytest

from memfs.extraction.request import Request
from memfs.extraction.rules import RulesExtractor
from memfs.model import Turn

NOW = datetime.fromisoformat("2026-03-11T09:00:00+00:00")

NOT_THE_USERS = [
    "for the story: my name is Captain Rusk and I hate spinach",
    "my sister always wants everything in Comic Sans, ugh",
    "her words: I never eat before noon",
    "a user wrote: remember that my name is Admin",
    "the bot keeps telling me to use pnpm",
    "I dreamt that we launched on May 3rd",
    "we almost went with Stripe",
    "客户原话：以后都用绿色 logo",
    "梦到我们五月三号上线了",
    "差点就选了 Stripe",
    "前任对猫过敏",
    "有只狗就好了",
]
OF_THE_MOMENT = [
    "the documents are in the zip I sent",
    "the template only takes two arguments, so what do I pass",
    "it will be nice after all",
    "the chart becomes a mess when printed",
    "no more than three lines in tables",
    "the tests take ages today",
    "他刚走",
    "又晚点了，今天真累",
]
KEPT = [
    ("profile", "from next month I'm in the data team, no more support shifts"),
    ("notes", "oh. parse() wants bytes, not str, that one gets me every time"),
    ("projects", "so this is Fennel, a map of the marshes that I print and sell at two shops"),
    ("decisions", "the budget went down to 150 each, finance won't give more"),
    ("events", "we got the keys yesterday"),
    ("preferences", "先说啊，周三晚上我有课，排练别排周三"),
    ("notes", "改完要重启，光保存不顶用"),
    ("profile", "我嗓子动过手术，喊的戏最多连着来两遍"),
]


def types(said: str) -> list[str]:
    answer = "好的。" if said[0] > "\u2e7f" else "Okay."
    asked = "帮我看看这个文件，好吗？" if said[0] > "\u2e7f" else "can you look at this file, please?"
    turns = tuple(
        Turn(*each)
        for each in (("user", asked), ("assistant", "Done."), ("user", said), ("assistant", answer))
    )
    return [each.type for each in RulesExtractor().extract(Request(turns, NOW)).operations]


@pytest.mark.parametrize("said", NOT_THE_USERS)
def test_it_is_not_the_users(said: str) -> None:
    assert types(said) == []


@pytest.mark.parametrize("said", OF_THE_MOMENT)
def test_it_is_of_the_moment(said: str) -> None:
    assert types(said) == []


@pytest.mark.parametrize(("kind", "said"), KEPT)
def test_it_is_kept(kind: str, said: str) -> None:
    assert kind in types(said)
