"""Ids, hashes and keys. The literal values are frozen: a change here orphans the entries of every vault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.memory.ids import (
    MEMFS_ID,
    entry_id,
    normalise_key,
    said_hash,
    suggestion_id,
    superseded_id,
    text_hash,
    written_hash,
)

FROZEN_KEYS = [
    ("Commit messages", "commit messages"),
    ("  COMMIT   messages! ", "commit messages"),
    ("C++", "c++"),
    ("C# and C", "c# and c"),
    ("-5 degrees", "-5 degrees"),
    ("2026-03-11", "2026 03 11"),
    ("v1.2.3", "v1 2 3"),
    ("snake_case", "snake case"),
    ("[[memories/demo/projects/mercury|Mercury]] stage", "mercury stage"),
    ("**Bold** `code`", "bold code"),
    ("ﬁle ＡＢＣ", "file abc"),
    ("Straße", "strasse"),
    ("部署，方案。", "部署 方案"),
    ("ひらがな", "ひらがな"),
    ("Cafe\u0301", "café"),
    ("🙂", "🙂"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "key"), FROZEN_KEYS)
def test_normalisation_is_frozen(text: str, key: str) -> None:
    assert normalise_key(text) == key


def test_ids_are_frozen() -> None:
    assert entry_id("demo", None, "decisions", "Queue") == "m-nkon6vjxwbjxp"
    assert entry_id("demo", None, "projects", ["Mercury", "stage"]) == "m-4y5pblfh726fr"
    assert entry_id("demo", "kiran", "decisions", "Queue") == "m-cn5mu6xttg776"
    assert text_hash("Staging listens on port 5433") == "ma7vjghcdgo67ouu6c45"


def test_an_id_depends_on_every_part() -> None:
    ids = {
        entry_id("demo", None, "notes", "a"),
        entry_id("other", None, "notes", "a"),
        entry_id("demo", "p", "notes", "a"),
        entry_id("demo", None, "actions", "a"),
        entry_id("demo", None, "notes", "b"),
        entry_id("demo", None, "notes", ["a", ""]),
        entry_id("demo", None, "notes", ["a", "b"]),
        entry_id("demo", None, "notes", ["a b"]),
    }
    assert len(ids) == 8


def test_links_do_not_change_what_is_said_but_count_as_an_edit() -> None:
    plain, linked = "Asked Will Hope", "Asked [[memories/demo/entities/people/will-hope|Will Hope]]"
    assert text_hash(plain) == text_hash(linked)
    assert written_hash(plain) == text_hash(plain)
    assert written_hash(linked) != written_hash(plain)
    assert said_hash(written_hash(linked)) == text_hash(plain)


def test_rewrapping_is_no_edit() -> None:
    assert written_hash("one two\nthree") == written_hash("one two three")


def test_derived_ids_have_the_form_of_ids() -> None:
    entry = entry_id("demo", None, "decisions", "Queue")
    for each in (entry, superseded_id(entry, "text"), suggestion_id(entry)):
        assert MEMFS_ID.fullmatch(each)
    assert superseded_id(entry, "text") == f"{entry}-{text_hash('text')[:4]}"


@given(st.text())
def test_normalisation_is_idempotent(text: str) -> None:
    assert normalise_key(normalise_key(text)) == normalise_key(text)


@given(st.text(), st.text())
def test_ids_have_their_form(identity: str, key: str) -> None:
    assert MEMFS_ID.fullmatch(entry_id(identity, None, "notes", key))
