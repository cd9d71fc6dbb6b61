"""Later words correct earlier ones: in one segment, and in a later one of the same conversation."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from memfs.extraction.request import Request
from memfs.extraction.rules import RulesExtractor
from memfs.model import Extraction, Operation, Turn

NOW = datetime.fromisoformat("2026-03-11T09:00:00+00:00")

# what was said first, what came later, what no longer holds, what holds now ("": nothing does)
CHANGES = [
    ("the offsite is in Berlin on 4 May", "offsite moved to Hamburg, same day", "Berlin", "Hamburg"),
    (
        "we decided to use MySQL for the shop",
        "hosting has no mysql, so we take Postgres",
        "decided to use MySQL",
        "Postgres",
    ),
    ("My supervisor is Dr Lund.", "my supervisor changed, it's Dr Peet", "is Dr Lund", "Dr Peet"),
    ("Amir owns the billing service", "Joy took over billing from Amir", "owns", "Joy"),
    ("the wedding is in June", "the wedding got pushed to September", "June", "September"),
    ("I decided to go to the gym every Monday", "the gym thing is off, my knee won't have it", "gym", ""),
    ("I'm vegan", "I eat fish again, so not vegan any more", "vegan", ""),
    ("团建定在杭州，五月四号", "团建改去苏州了", "杭州", "苏州"),
    ("计费是老陈在管", "老陈调走了，计费归老赵", "是老陈在管", "老赵"),
    ("我上夜班", "下周起不上夜班了，改白班", "我上夜班", ""),
]


def talk(*said: str) -> tuple[Turn, ...]:
    answer = "好的。" if said[0][0] > "\u2e7f" else "Okay."
    return tuple(turn for text in said for turn in (Turn("user", text), Turn("assistant", answer)))


def extract(turns: tuple[Turn, ...], *found: Operation) -> Extraction:
    return RulesExtractor().extract(Request(turns, NOW, found=found))


def words(operations: tuple[Operation, ...]) -> str:
    shown = ("content", "decision", "task", "summary", "role", "health")
    return " / ".join(str(each.fields[name]) for each in operations for name in shown if name in each.fields)


@pytest.mark.parametrize(("first", "later", "gone", "holds"), CHANGES)
def test_what_no_longer_holds_goes(first: str, later: str, gone: str, holds: str) -> None:
    before = words(extract(talk(first)).operations)
    assert gone in before
    after = words(extract(talk(first, "ok", later)).operations)
    assert gone not in after
    assert holds in after


@pytest.mark.parametrize(("first", "later", "gone", "holds"), CHANGES)
def test_a_later_segment_names_what_it_takes_back(first: str, later: str, gone: str, holds: str) -> None:
    (old,) = extract(talk(first)).operations
    done = extract(talk(later), replace(old, turns=(-8,)))
    assert done.withdrawn == (0,)
    assert gone not in words(done.operations)
    assert holds in words(done.operations)


def test_what_a_segment_does_not_speak_of_stays() -> None:
    earlier = extract(
        talk("please always answer in English", "the key is at Ann's, remember that")
    ).operations
    assert len(earlier) == 2
    found = [replace(each, turns=(-9,)) for each in earlier]
    done = extract(talk("offsite moved to Hamburg", "scrap the podcast"), *found)
    assert done.withdrawn == ()


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("the garden key is under the third pot, remember that", "we went to the garden centre yesterday"),
        ("the budget is fixed at 800 euros, we agreed on that", "move the budget row to the top"),
        ("the launch is on 20 May", "the launch page is off by two pixels"),
        ("I'm allergic to wheat flour", "replace the flour with rice flour"),
        ("团建定在杭州，五月四号", "把杭州那张图换成竖的"),
        ("备用钥匙在花盆底下，记一下", "花盆挪到窗台上了"),
    ],
)
def test_an_edit_of_what_is_on_the_screen_changes_no_fact(first: str, later: str) -> None:
    before = words(extract(talk(first)).operations)
    assert before
    assert before in words(extract(talk(first, later)).operations)


def test_what_agrees_takes_nothing_back() -> None:
    first = "We decided to use Kafka for the ship feed."
    before = words(extract(talk(first)).operations)
    assert before in words(
        extract(talk(first, "update the README: we use Kafka for the ship feed now")).operations
    )
    for other in ("we use RabbitMQ for the ship feed now", "we don't use Kafka for the ship feed now"):
        assert before not in words(extract(talk(first, other)).operations)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Please always answer in English", "From now on please answer in German"),
        ("Always use British English spelling", "From now on use Irish English"),
        ("以后回答用英文", "以后回答用中文"),
        ("注释用英文", "注释还是用中文吧"),
    ],
)
def test_of_two_wishes_for_a_language_the_later_holds(first: str, later: str) -> None:
    (operation,) = extract(talk(first, later)).operations
    assert operation.type == "preferences"
    assert str(operation.fields["content"]).rstrip() in later
    (old,) = extract(talk(first)).operations
    assert extract(talk(later), replace(old, turns=(-8,))).withdrawn == (0,)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Always write the docs in English", "From now on please answer in German"),
        ("Please always answer in English", "From now on answer in German too"),
        ("I love Italian food", "I love Thai food"),
        ("以后回答用英文", "以后注释用中文"),
    ],
)
def test_languages_of_different_things_stand_side_by_side(first: str, later: str) -> None:
    assert len(extract(talk(first, later)).operations) == 2


def test_another_number_of_the_same_things_takes_its_place() -> None:
    first, later = "We decided to build 14 flats at Harbour Row.", "And it's 16 flats."
    now = extract(talk(first, later)).operations
    assert words(now) == "We decided to build 16 flats at Harbour Row"
    found = tuple(replace(each, turns=(-8,)) for each in extract(talk(first)).operations)
    done = extract(talk(later), *found)
    assert done.withdrawn == (0,)
    assert [each.turns for each in done.operations] == [(0,)]
    assert "14 flats" in words(extract(talk(first, "it's 16 degrees")).operations)


def test_what_only_was_so_is_not_told_with_what_is() -> None:
    (launch,) = extract(talk("launch 本来是 3 月 20 号，delay 到 3 月 27 号了")).operations
    assert (launch.fields["name"], launch.fields["date"]) == ("launch", "2026-03-27")
    assert "20 号" not in str(launch.fields["summary"])
    (budget,) = extract(talk("预算本来是五万，现在改成三万")).operations
    assert budget.fields["decision"] == "预算现在改成三万"


def test_what_was_found_before_is_not_found_again() -> None:
    (old,) = extract(talk("I always use tabs")).operations
    done = extract(talk("as I said, I always use tabs"), replace(old, turns=(-9,)))
    assert len(done.operations) + 1 - len(done.withdrawn) == 1


def test_far_away_nothing_is_taken_back() -> None:
    (old,) = extract(talk("the offsite is in Berlin on 4 May")).operations
    assert extract(talk("offsite moved to Hamburg"), replace(old, turns=(-60,))).withdrawn == ()


def test_a_question_takes_nothing_back() -> None:
    (old,) = extract(talk("the offsite is in Berlin on 4 May")).operations
    done = extract(talk("has the offsite moved to Hamburg?"), replace(old, turns=(-8,)))
    assert (done.operations, done.withdrawn) == ((), ())


def test_only_whose_words_they_were_takes_them_back() -> None:
    (old,) = extract(talk("the offsite is in Berlin on 4 May")).operations
    done = extract((Turn("user", "offsite moved to Hamburg", peer="mia"),), replace(old, turns=(-8,)))
    assert done.withdrawn == ()
