"""Bug reports about frontmatter elsewhere, as tests: the FM rows on reading and editing a document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import memfs.markdown
from memfs.errors import InvalidDocument
from memfs.markdown.document import decode_document, parse_document
from memfs.markdown.edits import remove_block, replace_block
from memfs.markdown.headers import set_frontmatter
from memfs.markdown.inserts import insert_item


def document(*header: str, body: str = "# Body\n\n- a ^m-a\n") -> str:
    return "\n".join(("---", *header, "---", "")) + body


def values(*header: str) -> dict[str, object]:
    doc = parse_document(document(*header))
    assert doc.frontmatter.problem is None
    assert doc.title == "Body"
    return dict(doc.frontmatter.values)


def every_edit(text: str) -> list[str]:
    doc = parse_document(text)
    (entry,) = doc.find("m-a")
    return [
        insert_item(doc, ("New",), "- n ^m-n"),
        replace_block(doc, entry, "changed"),
        remove_block(doc, entry),
        set_frontmatter(doc, "updated", "2026-03-14"),
    ]


def test_fm_02_the_error_names_the_line_of_the_file() -> None:
    doc = parse_document(document("title: fine", "tags: [a, b", "x: y: z"))
    with pytest.raises(InvalidDocument) as caught:
        doc.require_writable()
    assert caught.value.line in (3, 4)
    caught.value.path = "notes/broken.md"
    assert str(caught.value).startswith(f"notes/broken.md:{caught.value.line}: ")


def test_fm_03_a_bad_header_is_a_value_and_stops_nothing() -> None:
    texts = [document("title: fine"), document("title: tea : green"), document("title: also fine")]
    docs = [parse_document(text) for text in texts]
    assert [doc.frontmatter.problem is None for doc in docs] == [True, False, True]
    assert all(doc.find("m-a") for doc in docs)


def test_fm_04_an_edit_of_a_malformed_header_is_refused() -> None:
    doc = parse_document(document("title: x re: y"))
    assert not doc.writable
    for edit in (
        lambda: insert_item(doc, (), "- n"),
        lambda: set_frontmatter(doc, "title", "z"),
        lambda: replace_block(doc, doc.find("m-a")[0], "n"),
        lambda: remove_block(doc, doc.find("m-a")[0]),
    ):
        with pytest.raises(InvalidDocument) as caught:
            edit()
        assert caught.value.line == 2


def test_fm_05_there_is_one_header_after_any_edit() -> None:
    for text in every_edit(document("title: x")):
        assert text.startswith("---\ntitle: x\n")
        assert text.count("\n---\n") == 1
    doc = parse_document(document("title: x"))
    text = replace_block(doc, doc.find("m-a")[0], "--- title: y ---")
    assert parse_document(text).frontmatter.values == {"title": "x"}


def test_fm_06_no_id_is_stamped_onto_a_malformed_header() -> None:
    doc = parse_document(document("title: [unclosed"))
    with pytest.raises(InvalidDocument):
        set_frontmatter(doc, "id", "m-1")


def test_fm_07_no_key_appears_that_nobody_asked_for() -> None:
    text = set_frontmatter(parse_document("# Note\n"), "type", "notes")
    assert text == "---\ntype: notes\n---\n\n# Note\n"
    assert insert_item(parse_document("# Note\n"), (), "- a") == "# Note\n\n- a\n"


def test_fm_08_null_is_absent() -> None:
    assert values("type:", "title: null", "x: ~", "y: kept") == {"y": "kept"}
    assert parse_document(document("type:")).frontmatter.text("type") is None


def test_fm_10_a_date_is_text() -> None:
    assert values("title: 2026-05-26") == {"title": "2026-05-26"}


def test_fm_14_crlf_fences_are_seen_and_kept() -> None:
    text = "---\r\ntitle: x\r\n---\r\n- a ^m-a\r\n"
    assert parse_document(text).frontmatter.values == {"title": "x"}
    for edited in every_edit(text):
        assert edited.count("\n") == edited.count("\r\n")


def test_fm_15_a_byte_order_mark_before_the_header_is_kept() -> None:
    text = "\ufeff" + document("title: x")
    assert parse_document(text).frontmatter.values == {"title": "x"}
    for edited in every_edit(text):
        assert edited.startswith("\ufeff---\n")
        assert edited.count("\ufeff") == 1


def test_fm_16_tags_are_found_behind_a_byte_order_mark() -> None:
    doc = parse_document(decode_document(document("tags: [a, b]").encode("utf-8-sig")))
    assert doc.frontmatter.texts("tags") == ("a", "b")
    assert "\ufeff" not in doc.blocks[0].text


def test_fm_17_every_reader_gets_the_same_header() -> None:
    text = document("title: x", "tags: [a]")
    assert parse_document(text).frontmatter == parse_document(text.replace("# Body", "# Other")).frontmatter


def test_fm_19_order_comments_quoting_and_blank_lines_stay() -> None:
    header = ("zeta: 'q'  # why", "", "# note", 'alpha:   "x"')
    for edited in every_edit(document(*header)):
        assert edited.startswith("---\n" + "\n".join(header) + "\n")


def test_fm_20_untouched_keys_keep_their_spelling() -> None:
    text = set_frontmatter(parse_document(document("a:", "b: ''", "c: x")), "c", "new")
    assert text == document("a:", "b: ''", "c: new")


def test_fm_21_rules_later_in_the_text_are_no_header() -> None:
    doc = parse_document("text\n\n---\na: b\n---\n")
    assert not doc.frontmatter.present
    assert doc.writable
    assert not parse_document("\n---\na: b\n---\n").frontmatter.present


@pytest.mark.parametrize("first", ["----", "--- text", " ---", "--", "---a", "- --"])
def test_fm_22_only_three_dashes_are_a_fence(first: str) -> None:
    doc = parse_document(f"{first}\na: b\n---\nbody\n")
    assert not doc.frontmatter.present
    closing = parse_document(f"---\na: b\n{first}\nbody\n")
    assert not closing.frontmatter.present


def test_fm_23_trailing_blanks_are_allowed_and_a_missing_fence_means_no_header() -> None:
    assert parse_document("--- \t\na: b\n---  \nbody\n").frontmatter.values == {"a": "b"}
    doc = parse_document("---\na: b\n\nbody\n")
    assert not doc.frontmatter.present
    assert "".join(block.text for block in doc.blocks).endswith("body")


def test_fm_25_an_empty_header_is_valid_and_kept() -> None:
    doc = parse_document("---\n---\nbody\n")
    assert (doc.frontmatter.present, doc.frontmatter.end, doc.frontmatter.values) == (True, 2, {})
    assert insert_item(doc, (), "- a") == "---\n---\nbody\n\n- a\n"
    assert set_frontmatter(doc, "a", "b") == "---\na: b\n---\nbody\n"


@pytest.mark.parametrize("text", ["---\na: b\n---\n", "---\na: b\n---", "---\r\na: b\r\n---\r\n"])
def test_fm_26_a_file_that_is_only_a_header_keeps_its_bytes(text: str) -> None:
    doc = parse_document(text)
    assert "".join(doc.lines) == text
    assert set_frontmatter(doc, "a", "b") == text
    added = insert_item(doc, (), "- x ^m-x")
    assert remove_block(parse_document(added), parse_document(added).find("m-x")[0]) == text


def test_fm_27_no_and_on_are_texts() -> None:
    assert values("country: no", "lang: on") == {"country": "no", "lang": "on"}


def test_fm_28_a_list_of_languages_has_norwegian() -> None:
    assert values("language: [en, no, sv]") == {"language": ["en", "no", "sv"]}


def test_fm_29_zeros_in_front_stay() -> None:
    assert values("zip: 09111", "num: 02700") == {"zip": "09111", "num": "02700"}


def test_fm_30_a_month_is_text() -> None:
    assert values("month: 08") == {"month": "08"}


def test_fm_32_the_body_is_read_although_a_key_stands_twice() -> None:
    doc = parse_document(document("a: x", "a: y"))
    assert doc.find("m-a")
    assert doc.frontmatter.problem is not None
    assert doc.frontmatter.problem.line == 3


def test_fm_33_a_template_is_read_and_its_header_reported() -> None:
    doc = parse_document(document("created: {{date}}"))
    assert doc.find("m-a")
    assert doc.frontmatter.problem is not None
    assert doc.frontmatter.problem.line == 2


def test_fm_37_a_file_that_is_not_utf8_is_never_decoded_with_losses() -> None:
    with pytest.raises(InvalidDocument) as caught:
        decode_document(b"---\ntitle: caf\xe9\n---\n")
    assert caught.value.line == 2


def test_fm_40_there_is_one_splitter() -> None:
    root = Path(memfs.markdown.__file__).parents[1]
    readers = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"^\s*(?:import|from) frontmatter\b", path.read_text("utf-8"), re.M)
    ]
    assert readers == ["markdown/yaml_text.py"]


def test_fm_43_keys_that_yaml_takes_for_other_things_are_texts() -> None:
    assert values("no: a", "on: b", "? null", ": c", "08: d") == {
        "no": "a",
        "on": "b",
        "null": "c",
        "08": "d",
    }


def test_fm_44_content_and_handler_are_ordinary_keys() -> None:
    assert values("content: a", "handler: b") == {"content": "a", "handler": "b"}


def test_fm_46_values_as_obsidian_writes_them_are_texts_or_reported_by_line() -> None:
    odd = ("related: [[Note]]", "topic: #x", "who: @me", "p: %5")
    assert values(*odd) == {"related": "[[Note]]", "topic": "#x", "who": "@me", "p": "%5"}
    for line in ("\ttab: x", "nul: a\0b"):
        doc = parse_document(document("a: b", line))
        assert doc.frontmatter.problem is not None
        assert doc.frontmatter.problem.line == 3
        assert doc.find("m-a")
