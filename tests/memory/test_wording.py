"""Small parts: slugs, names, operators, what contains what, and how texts are taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.memory.headings import heading, same_heading
from memfs.memory.ids import normalise_key
from memfs.memory.names import link_names
from memfs.memory.operators import add_number, apply_patch, clean_date, shorten
from memfs.memory.plain import plain_text, reader_text, says_no_more
from memfs.memory.slugs import slug
from memfs.memory.wording import (
    ActionText,
    combine,
    is_struck,
    parse_action,
    render_action,
    restates,
    split_tags,
    strike,
    text_keys,
    unstruck,
)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Gateway rewrite", "gateway-rewrite"),
        ("Will  Hope!", "will-hope"),
        ("v1.2", "v1-2"),
        ("Café", "café"),
        ("网关 重写", "网关-重写"),
        ("../../etc/passwd", "etc-passwd"),
        (".git", "git"),
    ],
)
def test_slugs(title: str, name: str) -> None:
    assert slug(title) == name


@pytest.mark.parametrize("title", ["C++", "C#", "", "...", "🙂", "con", "NUL", "-5", "x" * 200, "界" * 90])
def test_slugs_that_lose_something_get_a_hash(title: str) -> None:
    name = slug(title)
    assert name != slug("C")
    assert name[-7] == "-"
    assert len(name.encode()) <= 80


@given(st.text(max_size=200))
def test_slugs_are_safe_names(title: str) -> None:
    name = slug(title)
    assert 0 < len(name.encode("utf-8", "surrogatepass")) <= 80
    assert not name.startswith((".", "-"))
    assert not set(name) & set('/\\:*?"<>|\n\0. ')


@given(st.text(max_size=30), st.text(max_size=30))
def test_two_titles_share_a_slug_only_with_their_key(one: str, two: str) -> None:
    if normalise_key(one) != normalise_key(two):
        assert slug(one) != slug(two)


NAMES = {
    "Mercury": "m/mercury.md",
    "Mercury Web": "m/web.md",
    "will": "m/will.md",
    "二号线": "m/line.md",
    "Go": "m/go.md",
}


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("Mercury is up", "[[m/mercury|Mercury]] is up"),
        ("mercury is a metal, MercuryX too", "mercury is a metal, MercuryX too"),
        ("Mercury Web and Mercury", "[[m/web|Mercury Web]] and [[m/mercury|Mercury]]"),
        ("`Mercury` in code", "`Mercury` in code"),
        ("[[Mercury]] is linked", "[[Mercury]] is linked"),
        ("https://x.org/Mercury and a@Mercury.org", "https://x.org/Mercury and a@Mercury.org"),
        ("I will go. Will stays", "I will go. [[m/will|Will]] stays"),
        ("坐二号线去", "坐[[m/line|二号线]]去"),
        ("Go is short", "Go is short"),
    ],
)
def test_names(text: str, linked: str) -> None:
    assert link_names(text, NAMES) == linked
    assert plain_text(link_names(text, NAMES)) == plain_text(text)


def test_an_ambiguous_name_is_not_linked() -> None:
    assert link_names("Mercury", {"Mercury": "a.md", "mercury": "b.md"}) == "Mercury"
    assert link_names("Mercury", {"Mercury": "memories/demo/a.md"}, own="demo/a.md") == "Mercury"


@given(st.text(max_size=60))
def test_linking_changes_nothing_a_reader_sees(text: str) -> None:
    assert plain_text(link_names(text, NAMES)) == plain_text(text)


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        (None, "whole", "whole"),
        ("old", "whole", "whole"),
        ("a b c", "<<<<<<< SEARCH\nb\n=======\nx\n>>>>>>> REPLACE", "a x c"),
        (
            "a b",
            "<<<<<<< SEARCH\na\n=======\n1\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n=======\n2\n>>>>>>> REPLACE",
            "1 2",
        ),
        ("a b b", "<<<<<<< SEARCH\nb\n=======\nx\n>>>>>>> REPLACE", None),
        ("a", "<<<<<<< SEARCH\nb\n=======\nx\n>>>>>>> REPLACE", None),
        (None, "<<<<<<< SEARCH\n\n=======\nx\n>>>>>>> REPLACE", "x"),
        ("a", "<<<<<<< SEARCH\na\n=======\n\n>>>>>>> REPLACE", None),
    ],
)
def test_patches(old: str | None, value: str, new: str | None) -> None:
    assert apply_patch(old, value) == new


def test_sums_and_dates() -> None:
    assert (add_number("40", 2), add_number(None, 2), add_number("many", 2)) == (42, 2, 2)
    assert clean_date("2026-03-11T10:00:00Z") == "2026-03-11"
    assert [clean_date(text) for text in ("2026-3-1", "2026-02-30", "soon", "2026-03-111", "")] == [None] * 5


@given(st.text(max_size=200), st.integers(20, 100))
def test_shortened_texts_fit(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit
    if len(text) <= limit:
        assert shorten(text, limit) == text


def test_texts_are_cut_after_a_sentence_or_at_a_word() -> None:
    assert shorten("One sentence here. Another one there.", 25) == "One sentence here."
    assert shorten("no sentence in this text at all", 20) == "no sentence in this…"
    assert shorten("第一句话说完了。第二句话还没有说完", 12) == "第一句话说完了。"


@pytest.mark.parametrize(
    ("short", "long", "expected"),
    [
        ("staging listens on 5433", "staging listens on 5433, production on 6432", True),
        ("the very same words", "the very same words", True),
        ("same", "same", False),
        ("React", "React Native", False),
        ("Go", "Go 1.23", False),
        ("deploy on Friday", "never deploy on Friday", False),
        ("deploy on Friday", "don't deploy on Friday", False),
        ("use the blue theme", "use the blue theme, not the red one", False),
        ("the port is 54", "the port is 5433", False),
        ("用蓝绿发布方案", "我们用蓝绿发布方案", True),
        ("用蓝绿发布方案", "我们不用蓝绿发布方案", False),
        ("蓝绿", "用蓝绿发布", False),
    ],
)
def test_containment(short: str, long: str, expected: bool) -> None:
    assert says_no_more(normalise_key(short), normalise_key(long)) is expected


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Write it", ActionText("Write it")),
        ("Write it, high, due 2026-12-04", ActionText("Write it", "high", "2026-12-04")),
        ("Write it, in progress, low", ActionText("Write it", "low", None, True)),
        ("写，高，截止 2026-12-04", ActionText("写", "high", "2026-12-04")),
        ("写，进行中，中", ActionText("写", "medium", None, True)),
        ("Check a, b, high", ActionText("Check a, b", "high")),
        ("Set it to high", ActionText("Set it to high")),
        ("Close it (done 2026-02-26)", ActionText("Close it")),
        ("", ActionText("")),
    ],
)
def test_actions_are_taken_apart(text: str, action: ActionText) -> None:
    assert parse_action(text) == action
    assert parse_action(render_action(action)) == action


def test_an_empty_part_never_overwrites() -> None:
    assert combine("actions", "Write, high, due 2026-12-04", "write") == "Write, high, due 2026-12-04"
    assert combine("actions", "Write, in progress", "Write", status_said=False) == "Write, in progress"
    assert combine("actions", "Write, in progress", "Write") == "Write"
    assert combine("notes", "x #a #b", "x #c") == "x #a #b #c"
    assert combine("notes", "x #a", "x") == "x #a"
    assert combine("profile", "name: A", "name: B") == "name: B"


def test_restating_a_decision() -> None:
    assert restates("**Q**: Redis. (2026-03-01)", "**Q**: Redis, because it runs. (2026-01-01)") is True
    assert restates("**Q**: Redis. (2026-03-01)", "**Q**: Redis Streams. (2026-03-01)") is False
    assert restates("**Q**: Redis. (2026-03-01)", "**Q**: Kafka. (2026-03-01)") is False
    assert (
        restates("**Q**: Redis Streams. (2026-03-01)", "**Q**: Redis Streams, not RabbitMQ. (2026-03-01)")
        is False
    )


@pytest.mark.parametrize("text", ["**Q**: Redis. (2026-03-01)", "**队列**：用 Redis。 (2026-03-01)"])
def test_struck_texts_can_be_read_back(text: str) -> None:
    struck = strike(text, "2026-03-05")
    assert is_struck(struck)
    assert not is_struck(text)
    assert unstruck(struck) == text


def test_keys_of_texts() -> None:
    assert "queue" in text_keys("decisions", (), "**Queue**: Redis", owned=False)
    assert "code style" in text_keys("preferences", ("Code style",), "Tabs", owned=True)
    assert "code style" not in text_keys("preferences", ("Code style",), "Tabs", owned=False)
    assert {"tech stack", "tech stack go", "tech stack rust"} <= text_keys(
        "profile", (), "tech_stack: Go, Rust", owned=False
    )
    assert text_keys("notes", (), "A fact #tag", owned=False) == {"a fact"}


def test_headings() -> None:
    assert heading("Open", "zh") == "待办"
    assert heading("My own", "zh") == "My own"
    assert same_heading("进行中", "Open")
    assert same_heading(" open ", "Open")
    assert not same_heading("Open", "Done")


@given(st.text(max_size=80))
def test_reading_never_fails(text: str) -> None:
    assert "\n" not in plain_text(text)
    assert isinstance(reader_text(text), str)
    assert plain_text(plain_text(text)) == plain_text(text) or "[[" in text


@pytest.mark.parametrize(
    ("text", "content", "tags"),
    [
        ("Use Redis #queue #ops", "Use Redis", ("queue", "ops")),
        ("Use Redis  #queue\t#ops  ", "Use Redis", ("queue", "ops")),
        ("#queue", "#queue", ()),
        ("Use #queue now", "Use #queue now", ()),
        ("Use #a#b", "Use #a#b", ()),
        ("Use # #b", "Use #", ("b",)),
        ("  Use it  ", "Use it", ()),
    ],
)
def test_tags_at_the_end_of_a_note(text: str, content: str, tags: tuple[str, ...]) -> None:
    assert split_tags(text) == (content, tags)
