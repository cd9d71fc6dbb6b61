"""Three-way merge of whole texts: nobody's line is lost, the person wins."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.memory.texts import is_stale_save, merge_texts

BASE = "# Notes\n\n- one ^m-one\n- two ^m-two\n\n## More\n\nwords\n"
LINES = st.lists(st.sampled_from(["a", "b", "c", "", "- x ^m-x", "- y ^m-y", "## H"]), max_size=8)

PLAIN = st.lists(st.sampled_from(["a", "b", "c", "", "- x"]), max_size=8)


def text_of(lines: list[str], newline: str = "\n") -> str:
    return "".join(line + newline for line in lines)


def test_disjoint_edits_are_both_kept() -> None:
    ours = BASE.replace("words", "other words")
    theirs = BASE.replace("- one", "- one, updated")
    assert merge_texts(BASE, ours, theirs) == theirs.replace("words", "other words")


def test_both_add_at_the_same_place() -> None:
    ours = BASE.replace("- two ^m-two\n", "- two ^m-two\n- mine\n")
    theirs = BASE.replace("- two ^m-two\n", "- two ^m-two\n- new ^m-new\n")
    assert merge_texts(BASE, ours, theirs) == BASE.replace(
        "- two ^m-two\n", "- two ^m-two\n- mine\n- new ^m-new\n"
    )


def test_lines_beside_an_updated_entry_are_no_change_of_it() -> None:
    ours = BASE.replace("- one ^m-one\n- two ^m-two\n", "- before\n- one ^m-one\n- two ^m-two\n- mine\n")
    theirs = BASE.replace("- one ^m-one\n- two ^m-two\n", "- one, updated ^m-one\n- 2 ^m-two\n")
    assert merge_texts(BASE, ours, theirs) == BASE.replace(
        "- one ^m-one\n- two ^m-two\n", "- before\n- one, updated ^m-one\n- 2 ^m-two\n- mine\n"
    )


def test_changes_of_lines_that_touch_are_both_kept() -> None:
    ours = BASE.replace("- two", "- two, mine")
    assert merge_texts(BASE, ours, BASE.replace("- one", "- one, theirs")) == ours.replace(
        "- one", "- one, theirs"
    )
    ours = BASE.replace("- one ^m-one", "- mine\n- one, mine ^m-one\n- also mine")
    theirs = BASE.replace("- two", "- two, theirs").replace("\n\n## More", "\n- new ^m-new\n\n## More")
    assert merge_texts(BASE, ours, theirs) == ours.replace("- two", "- two, theirs").replace(
        "\n\n## More", "\n- new ^m-new\n\n## More"
    )


def test_of_the_same_entry_the_persons_text_stays() -> None:
    ours, theirs = BASE.replace("- one", "- mine"), BASE.replace("- one", "- theirs")
    assert merge_texts(BASE, ours, theirs) == ours


def test_an_entry_that_the_person_deleted_stays_deleted() -> None:
    ours = BASE.replace("- one ^m-one\n", "")
    assert merge_texts(BASE, ours, BASE.replace("- one", "- one, updated")) == ours


def test_a_new_entry_beside_an_edit_is_kept() -> None:
    ours = BASE.replace("- two", "- two, mine")
    theirs = BASE.replace("- two ^m-two\n", "- two, theirs ^m-two\n- new ^m-new\n")
    assert merge_texts(BASE, ours, theirs) == ours.replace("^m-two\n", "^m-two\n- new ^m-new\n")


def test_line_endings_are_no_change() -> None:
    ours = BASE.replace("\n", "\r\n")
    theirs = BASE.replace("- two ^m-two\n", "- two ^m-two\n- new ^m-new\n")
    merged = merge_texts(BASE, ours, theirs)
    assert merged.splitlines() == theirs.splitlines()
    assert merged.count("\r\n") == ours.count("\r\n")


def test_a_missing_final_newline_joins_no_lines() -> None:
    merged = merge_texts("a\nb", "a\nb\nmine", "a\nb\n- new ^m-new")
    assert merged.splitlines() == ["a", "b", "mine", "- new ^m-new"]


def test_both_made_the_document() -> None:
    assert merge_texts("", "# A\n\n- mine\n", "# A\n\n- new ^m-new\n") == "# A\n\n- mine\n- new ^m-new\n"


@given(LINES, LINES)
def test_equal_sides(base: list[str], side: list[str]) -> None:
    old, new = text_of(base), text_of(side)
    assert merge_texts(old, new, new) == new
    assert merge_texts(old, old, new) == new
    assert merge_texts(old, new, old) == new


@settings(max_examples=300)
@given(LINES, LINES, LINES)
def test_every_new_line_of_ours_survives(base: list[str], ours: list[str], theirs: list[str]) -> None:
    merged = merge_texts(text_of(base), text_of(ours), text_of(theirs))
    for line in set(ours) - set(base):
        assert line in merged.split("\n")
    assert not any(mark in merged for mark in ("<<<<", "====", ">>>>"))


@settings(max_examples=300)
@given(LINES, LINES, LINES)
def test_no_line_comes_from_nowhere(base: list[str], ours: list[str], theirs: list[str]) -> None:
    merged = merge_texts(text_of(base), text_of(ours), text_of(theirs))
    assert set(merged.splitlines()) <= {*base, *ours, *theirs}


@given(PLAIN, PLAIN, PLAIN)
def test_edits_on_both_sides_of_a_fixed_line(first: list[str], second: list[str], rest: list[str]) -> None:
    base = text_of([*rest, "== fixed ==", *rest])
    ours = text_of([*first, "== fixed ==", *rest])
    theirs = text_of([*rest, "== fixed ==", *second])
    assert merge_texts(base, ours, theirs) == text_of([*first, "== fixed ==", *second])


def test_a_long_document_is_quick() -> None:
    base = text_of(["", "- line"] * 20_000)
    ours = base + "- mine\n"
    theirs = base.replace("- line", "- changed", 1)
    assert merge_texts(base, ours, theirs) == theirs + "- mine\n"


def test_stale_saves() -> None:
    after = BASE.replace("- two ^m-two\n", "- two ^m-two\n- new ^m-new\n")
    assert is_stale_save(BASE, after, BASE.replace("words", "other words"))
    assert not is_stale_save(BASE, after, BASE)
    assert not is_stale_save(BASE, after, after)
    assert not is_stale_save(BASE, after, after.replace("words", "other words"))


def test_what_both_sides_brought_stands_once() -> None:
    theirs = BASE.replace("- two ^m-two\n", "- two ^m-two\n- new ^m-new\n") + "\n## Later\n"
    ours = (
        BASE.replace("- one ^m-one\n", "").replace("- two ^m-two\n", "- new ^m-new\n") + "mine\n\n## Later\n"
    )
    merged = merge_texts(BASE, ours, theirs)
    assert merged.count("^m-new") == merged.count("## Later") == merged.count("mine") == 1


def test_taking_back_what_was_merged_is_no_stale_save() -> None:
    after = BASE.replace("- two ^m-two\n", "- two ^m-two\n- new ^m-new\n")
    assert not is_stale_save(BASE, after, after.replace("- new ^m-new\n", "\n"))
    assert not is_stale_save(BASE, after, after.replace("- new", "- new, as I would say it"))
    assert is_stale_save(BASE, BASE.replace("- one", "- 1"), BASE.replace("- one", "- uno") + "mine\n")
