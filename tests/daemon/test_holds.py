"""What could not be merged is tried again, less and less often, and at once when the reason may be over."""

from __future__ import annotations

import unicodedata

from memfs.daemon.holds import LONGEST_PAUSE_SECONDS, Holds


def test_each_pause_is_twice_as_long_up_to_an_hour() -> None:
    holds = Holds()
    pauses = [holds.hold("a", "one", ("no",), 0) for _ in range(9)]
    assert pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert LONGEST_PAUSE_SECONDS == 3600


def test_released_at_a_whole_look_after_the_pause_only() -> None:
    holds = Holds()
    holds.hold("a", "one", ("the model is away",), 1000)
    assert holds.release((), 1059, complete=True) == []
    assert holds.release((), 1061, complete=False) == []
    assert holds.release((), 1061, complete=True) == [("a", "one")]
    assert "a" not in holds
    assert holds.hold("a", "one", ("the model is away",), 2000) == 120


def test_released_when_the_named_document_changes() -> None:
    holds = Holds()
    holds.hold("a", "one", ("one/notes.md: the file is partly staged",), 1000)
    assert holds.release({"one/profile.md", "two/notes.md"}, 1001, complete=False) == []
    assert holds.release({"one/notes.md"}, 1001, complete=False) == [("a", "one")]


def test_document_names_are_compared_in_one_unicode_form() -> None:
    holds = Holds()
    holds.hold("a", "one", ("one/entities/café.md: in conflict",), 1000)
    assert holds.release({unicodedata.normalize("NFD", "one/entities/café.md")}, 1001, complete=False)


def test_success_forgets_how_often_it_failed() -> None:
    holds = Holds()
    for _ in range(4):
        holds.hold("a", "one", ("no",), 0)
    holds.drop("a")
    assert holds.hold("a", "one", ("no",), 0) == 960
    holds.forget("a")
    assert holds.hold("a", "one", ("no",), 0) == 60
