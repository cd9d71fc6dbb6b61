"""Reading: nothing is lost, nothing fails, and the structure is CommonMark's."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memfs.errors import InvalidDocument
from memfs.markdown.document import decode_document, parse_document
from tests.markdown.strategies import any_text, markdown_texts

ITEM_DOCUMENT = """\
# Actions

## Open

- [ ] one ^m-one
  > [!question] 2026-03-14: is it two? ^m-one-q
- [x] two
  wrapped 第二行 ^m-two
  - nested

  second paragraph
- three ^m-three
  a note that a person put under it

About a thing. ^m-par

> [!question] 2026-03-15: another thing ^m-par-q
"""


@given(any_text)
@example("\ufeff---\r\na: b\r\n---\r\n\x0c\x85\rx\r\r\n")
@example("a\rb\u2028c\x1ed\r\n\n\r\n")
def test_lines_joined_are_the_text(text: str) -> None:
    doc = parse_document(text)
    assert "".join(doc.lines) == doc.text == text
    assert all(line.endswith("\n") for line in doc.lines[:-1])
    assert all("\n" not in line[:-1] for line in doc.lines)


@given(markdown_texts())
def test_blocks_lie_in_order_within_their_section_and_parent(text: str) -> None:
    doc = parse_document(text)
    for before, block in zip(doc.blocks, doc.blocks[1:], strict=False):
        assert before.start < before.end <= before.tail
        assert before.end <= block.start
    for block in doc.blocks:
        if block.section >= 0:
            assert doc.sections[block.section].body[0] <= block.start
            assert block.tail <= doc.sections[block.section].body[1]
        if block.parent >= 0:
            assert doc.blocks[block.parent].tail >= block.tail


COMMONMARK_LINES = (
    "",
    "# Title",
    "## Open",
    "text one",
    "中文",
    "===",
    "---",
    "- a",
    "* b",
    "  - nested",
    "    deep text",
    "\tcode or text",
    "  continued",
    "      far in",
    "1. one",
    "12) twelve",
    "-",
    "```",
    "````py",
    "~~~",
    "  ```",
    "    ```",
    "> quote",
    "> # quoted",
    ">",
    "<!-- comment",
    "-->",
    "<div>",
    "<b>",
    "***",
    "- # Head",
    "- ```",
    "  # Head",
)


@given(markdown_texts(COMMONMARK_LINES, header=False))
def test_headings_fences_and_items_are_those_of_commonmark(text: str) -> None:
    text = "\n" + text.replace("\ufeff", "")  # so that no line is a header
    doc = parse_document(text)
    tokens = MarkdownIt("commonmark").parse(text)
    headings, items, fences = [], set(), set()
    quotes = 0
    for token in tokens:
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.map is None or quotes:
            continue
        if token.type == "heading_open" and token.level == 0:
            headings.append((int(token.tag[1]), token.map[0]))
        elif token.type == "list_item_open":
            items.add(token.map[0])
        elif token.type == "fence":
            fences.add(token.map[0])
    assert [(s.level, s.line) for s in doc.sections] == headings
    assert {b.start for b in doc.blocks if b.kind == "item"} == items
    verbatim = {n for b in doc.blocks if b.kind in ("code", "item") for n in range(b.start, b.tail)}
    assert fences <= verbatim


def test_an_entry_is_its_text_without_mark_box_and_id() -> None:
    doc = parse_document(ITEM_DOCUMENT)
    entries = [(b.kind, b.box, b.text, b.block_id) for b in doc.blocks]
    assert entries == [
        ("item", " ", "one", "m-one"),
        ("callout", None, "2026-03-14: is it two?", "m-one-q"),
        ("item", "x", "two\nwrapped 第二行", "m-two"),
        ("item", None, "nested", None),
        ("paragraph", None, "second paragraph", None),
        ("item", None, "three\na note that a person put under it", "m-three"),
        ("paragraph", None, "About a thing.", "m-par"),
        ("callout", None, "2026-03-15: another thing", "m-par-q"),
    ]
    assert all(b.trail == ("Actions", "Open") for b in doc.blocks)
    (one,) = doc.find("m-one")
    assert (one.start, one.end, one.tail, one.line) == (4, 5, 6, 5)
    assert doc.blocks[1].label == "question"
    assert doc.blocks[1].parent == 0
    assert doc.block_ids == ("m-one", "m-one-q", "m-two", "m-three", "m-par", "m-par-q")


def test_find_gives_every_occurrence_of_an_id() -> None:
    doc = parse_document("- a ^m-x\n- b ^m-y\n\ncopied ^m-x\n")
    assert [b.text for b in doc.find("m-x")] == ["a", "copied"]
    assert doc.find("m-z") == ()


def test_two_callouts_one_below_the_other_are_two_blocks() -> None:
    doc = parse_document("- a ^m-x\n  > [!question] old ^m-x-q\n  > [!question] new ^m-x-q\n")
    assert [b.text for b in doc.find("m-x-q")] == ["old", "new"]


def test_sections_know_their_trail_and_range() -> None:
    doc = parse_document("# T\n\n## A\na\n### B\nb\n## C\n")
    assert [(s.title, s.trail, s.path, s.line, s.body, s.end) for s in doc.sections] == [
        ("T", ("T",), (), 0, (1, 2), 7),
        ("A", ("T", "A"), ("A",), 2, (3, 4), 6),
        ("B", ("T", "A", "B"), ("A", "B"), 4, (5, 6), 6),
        ("C", ("T", "C"), ("C",), 6, (7, 7), 7),
    ]
    assert doc.title == "T"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("# T\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n", 2, "conflict"),
        ("- a\n- b\n>>>>>>> other\n", 3, "conflict"),
        ("# T\n\n- a\x00b\n", 3, "NUL"),
        ("---\ntitle: x re: y\n---\n", 2, "frontmatter"),
    ],
)
def test_a_document_that_cannot_be_written_says_why_and_where(text: str, line: int, word: str) -> None:
    doc = parse_document(text)
    assert not doc.writable
    assert doc.problem is not None
    assert doc.problem.line == line
    assert word in doc.problem.message
    with pytest.raises(InvalidDocument) as caught:
        doc.require_writable()
    assert caught.value.line == line
    assert caught.value.hint


def test_conflict_markers_shown_in_code_are_no_conflict() -> None:
    assert parse_document("```\n<<<<<<< HEAD\n=======\n>>>>>>> other\n```\n").writable
    assert not parse_document("<<<<<<< HEAD\n```\n=======\n```\n>>>>>>> other\n").writable


def test_indented_or_shorter_marks_are_no_conflict() -> None:
    assert parse_document("    <<<<<<< HEAD\n<<<<<< six\n<<<<<<<<< nine\n").writable


def test_bytes_are_decoded_strictly() -> None:
    assert decode_document("\ufeff你好\r\n".encode()) == "\ufeff你好\r\n"
    with pytest.raises(InvalidDocument) as caught:
        decode_document("eins\nzwei\nf\u00fcnf\n".encode("latin-1"))
    assert caught.value.line == 3


@given(st.integers(1, 400))
def test_deep_nesting_is_read(depth: int) -> None:
    doc = parse_document("".join(f"{'  ' * level}- level {level}\n" for level in range(depth)) + "# End\n")
    assert doc.sections[-1].title == "End"
    assert parse_document("- " * 3000 + "x").text == "- " * 3000 + "x"
